"""Any bytes give a result or a typed error, in bounded time and memory."""

import io
import os
import random
import time
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.ics_texts import BERLIN, calendar, kinds, only, read, starts, window
from rhythm.bridge.calendar.events import CalendarContents, NotACalendarError, ProblemKind
from rhythm.bridge.calendar.ics import read_ics
from rhythm.bridge.calendar.limits import Limits

SPAN = window("2026-01-01", "2026-06-01")
ANCHOR = "UID:anchor\nDTSTART:20260310T090000Z\nDTEND:20260310T100000Z\nSUMMARY:still here"
START = "UID:a\nDTSTART:{}\nDURATION:PT1H\nRRULE:{}"


def read_or_refuse(data: bytes) -> CalendarContents | None:
    try:
        contents = read_ics(data, BERLIN, SPAN, limits=Limits(budget_s=2.0))
    except NotACalendarError:
        return None
    for event in contents.events:
        assert SPAN.meets(event.start_at, event.end_at)
        assert event.start_at.utcoffset() == event.end_at.utcoffset() == timedelta(0)
    return contents


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    read_or_refuse(data)


_SCRAPS = r"""
BEGIN:VCALENDAR
END:VCALENDAR
BEGIN:VEVENT
END:VEVENT
BEGIN:VTIMEZONE
END:VTIMEZONE
BEGIN:STANDARD
END:STANDARD
BEGIN:VALARM
END:VALARM
UID:a
UID:b
DTSTART:20260310T090000Z
DTSTART;VALUE=DATE:20260310
DTSTART;TZID=X:20260310T090000
DTSTART;TZID="a b":20260310T090000
DTSTART:00010101T000000
DTEND:20260310
DTEND:20260309T000000Z
DTEND:99991231T235959
DURATION:P9999999W
DURATION:-P1D
DURATION:PT0S
RRULE:FREQ=DAILY
RRULE:FREQ=SECONDLY
RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=-1FR
RRULE:FREQ=DAILY;UNTIL=00010101
RRULE:FREQ=MONTHLY;BYDAY=5MO;BYSETPOS=-1
RRULE:FREQ=HOURLY;COUNT=999999999
RRULE:FREQ=DAILY;INTERVAL=999999999
EXDATE:20260311T090000Z
EXDATE;VALUE=DATE:20260311
EXDATE:00010101T000000,99991231T235959
RDATE:20260312T090000Z,garbage
RDATE;VALUE=PERIOD:20260312T090000Z/PT1H
RECURRENCE-ID:20260311T090000Z
RECURRENCE-ID;RANGE=THISANDFUTURE:20260311
RECURRENCE-ID;RANGE=THISANDFUTURE:00010101T000000
RECURRENCE-ID:99991231T235959
STATUS:CANCELLED
TRANSP:TRANSPARENT
SEQUENCE:-1
SEQUENCE:99999999999999
ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org
SUMMARY:t\\,\\n\\
SUMMARY;X="a:b":t
TZID:X
TZOFFSETFROM:+0100
TZOFFSETTO:-2359
X-WR-TIMEZONE:Nowhere/There
X-WR-CALNAME:me@example.org
METHOD:CANCEL
 folded
;;;
:
""".strip("\n").split("\n")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_SCRAPS), max_size=40), st.sampled_from(["\r\n", "\n", "\r"]))
def test_any_order_of_calendar_lines(lines: list[str], end: str) -> None:
    read_or_refuse(end.join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines]).encode())


def test_fixed_seed_mutations_of_a_real_looking_calendar() -> None:
    whole = calendar(
        "UID:a\nDTSTART;TZID=Customized Time Zone:20260302T090000\nDTEND;TZID=Europe/Berlin:20260302T100000\n"
        "RRULE:FREQ=WEEKLY;UNTIL=20260501;BYDAY=MO,WE\nEXDATE:20260304T080000Z\nATTENDEE;CUTYPE=ROOM:mailto:r@example.org",
        ANCHOR,
        "UID:a\nRECURRENCE-ID:20260309T080000Z\nDTSTART:20260309T110000Z\nDURATION:PT30M",
        head="BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0200\n"
        "TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\nEND:VTIMEZONE",
    )
    luck = random.Random(20260310)
    read_well = 0
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(luck.randint(1, 8)):
            place = luck.randrange(len(data))
            match luck.randrange(4):
                case 0:
                    data[place] = luck.randrange(256)
                case 1:
                    del data[place : place + luck.randint(1, 60)]
                case 2:
                    data[place:place] = data[luck.randrange(len(data)) :][: luck.randint(1, 80)]
                case _:
                    data[place:place] = bytes(luck.choices(b'0123456789;:,=TZ\n\r \xff"-', k=3))
        contents = read_or_refuse(bytes(data))
        read_well += contents is not None and any(e.uid == "anchor" for e in contents.events)
    assert read_well > 300


@pytest.mark.parametrize(
    "text", ["", "hello", "<!DOCTYPE html><html><body>Sign in</body></html>", "BEGIN:VCARD\nEND:VCARD", "\0" * 999]
)
def test_what_is_no_calendar_is_refused_with_advice(text: str) -> None:
    with pytest.raises(NotACalendarError, match=r"choose the \.ics file"):
        read_ics(text.encode(), BERLIN, SPAN)


def test_an_empty_calendar_is_a_calendar() -> None:
    assert read_ics(b"BEGIN:VCALENDAR\nEND:VCALENDAR", BERLIN, SPAN) == CalendarContents()


@pytest.mark.parametrize(
    ("start", "rule", "many"),
    [
        ("20260101T000000Z", "FREQ=SECONDLY", True),
        ("19700101T000000Z", "FREQ=SECONDLY;COUNT=2000000000", True),
        ("20260101T000000Z", "FREQ=MINUTELY", True),
        ("00010101T000000", "FREQ=HOURLY;BYMINUTE=0,1,2,3,4", True),
        ("19700101T000000Z", "FREQ=HOURLY;COUNT=1000000;BYHOUR=3", True),
        (
            "20260101T000000Z",
            "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9;BYMINUTE=0,10,20,30,40,50;BYSECOND=0,1,2,3,4,5",
            True,
        ),
        ("20260101T000000Z", "FREQ=SECONDLY;INTERVAL=43200;BYMONTH=2;BYMONTHDAY=30", False),
        ("00010101T000000", "FREQ=DAILY", False),
        ("00010101T000000", "FREQ=DAILY;COUNT=1000000", False),
        ("20260101T000000Z", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", False),
        ("20260101T000000Z", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=999999999", False),
        ("00010101T000000", "FREQ=YEARLY;COUNT=9999", False),
        ("99991231T000000Z", "FREQ=YEARLY", False),
        ("20260101T000000Z", "FREQ=YEARLY;INTERVAL=999999999", False),
    ],
)
def test_absurd_rules_take_no_time_and_spare_the_rest(start: str, rule: str, many: bool) -> None:
    begun_s = time.process_time()
    contents = read_ics(calendar(START.format(start, rule), ANCHOR), BERLIN, SPAN)
    assert time.process_time() - begun_s < 4
    assert any(e.title == "still here" for e in contents.events)
    assert (ProblemKind.TOO_MANY_OCCURRENCES in kinds(contents)) == many
    assert len(contents.events) < 4500


def test_a_budget_ends_a_reading_that_would_take_long() -> None:
    slow = [
        f"UID:{n}\nDTSTART:20200101T000000Z\nDURATION:PT1H\nRRULE:FREQ=MINUTELY;BYHOUR=3;COUNT=999999999"
        for n in range(200)
    ]
    begun_s = time.process_time()
    contents = read_ics(calendar(ANCHOR, *slow), BERLIN, SPAN, limits=Limits(budget_s=0.5))
    assert time.process_time() - begun_s < 4
    assert ProblemKind.OUT_OF_TIME in kinds(contents)
    assert not contents.complete


@pytest.mark.parametrize(
    "start", ["00010101T000000", "00010101T000000Z", "99991231T235959", "00000101T000000", "20260230T000000"]
)
@pytest.mark.parametrize(
    "end", ["DTEND:99991231T235959Z", "DURATION:P9999999D", "DTEND;VALUE=DATE:99991231", "DTEND:00010101T000000Z"]
)
@pytest.mark.parametrize("zone", ["", ";TZID=Pacific/Kiritimati", ";TZID=America/Los_Angeles"])
def test_dates_at_the_ends_of_time_spare_the_rest(start: str, end: str, zone: str) -> None:
    zone = "" if start.endswith("Z") else zone
    override = f"UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE{zone}:{start}\nDTSTART:20260311T090000Z"
    contents = read(f"UID:a\nDTSTART{zone}:{start}\n{end}\nRRULE:FREQ=WEEKLY", ANCHOR, override)
    assert any(e.title == "still here" for e in contents.events)


class _Stream(io.RawIOBase):
    """A stream made up as it is read, so that it can be larger than memory."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _stream(*pieces: bytes | tuple[bytes, int]) -> BinaryIO:
    def parts() -> Iterator[bytes]:
        for piece in pieces:
            if isinstance(piece, bytes):
                yield piece
            else:
                yield from (piece[0] for _ in range(piece[1]))

    return io.BufferedReader(_Stream(parts()))


HEAD = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:big\nDTSTART:20260311T090000Z\nDURATION:PT1H\n"
TAIL = b"\nEND:VEVENT\nBEGIN:VEVENT\n" + ANCHOR.encode() + b"\nEND:VEVENT\nEND:VCALENDAR\n"
MIB = b"x" * (1024 * 1024)
LINE_MIB = int(os.environ.get("RHYTHM_LINE_MIB", "256"))
"""Length of the longest line, many times what may be held of it; a whole gigabyte (1024) takes as much longer."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"ATTACH:", b"SUMMARY:", b"DESCRIPTION:"])
def test_hundreds_of_megabytes_in_one_line_are_passed_over_in_little_memory(name: bytes) -> None:
    limits = Limits(max_bytes=2 * 1024**3, budget_s=600)
    tracemalloc.start()
    contents = read_ics(_stream(HEAD + name, (MIB, LINE_MIB), TAIL), BERLIN, SPAN, limits=limits)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [e.uid for e in contents.events] == ["anchor", "big"]
    assert kinds(contents) == ({ProblemKind.LONG_LINE} if name == b"SUMMARY:" else set())
    assert peak_bytes < 8 * 1024 * 1024


def test_a_file_over_the_size_limit_gives_what_came_before_and_says_so() -> None:
    limits = Limits(max_bytes=4 * 1024 * 1024)
    contents = read_ics(
        _stream(b"BEGIN:VCALENDAR" + TAIL.removesuffix(b"END:VCALENDAR\n").replace(b"END:VEVENT\n", b"", 1), (MIB, 8)),
        BERLIN,
        SPAN,
        limits=limits,
    )
    assert only(contents).uid == "anchor"
    assert ProblemKind.TOO_LARGE in kinds(contents)
    assert not contents.complete


def test_a_line_folded_at_every_character_is_not_quadratic() -> None:
    title = b"SUMMARY:a" + b"\n b" * 200_000
    begun_s = time.process_time()
    contents = read_ics(HEAD + title + TAIL, BERLIN, SPAN)
    assert time.process_time() - begun_s < 4
    assert kinds(contents) == {ProblemKind.LONG_LINE}


def test_too_many_events_are_cut_and_told() -> None:
    contents = read(*(ANCHOR.replace("anchor", str(n)) for n in range(60)), limits=Limits(max_events=50))
    assert len(contents.events) == 50
    assert not contents.complete


def test_too_many_occurrences_are_cut_and_told() -> None:
    contents = read(
        *(START.format("20260301T090000Z", "FREQ=DAILY").replace("UID:a", f"UID:{n}") for n in range(9)),
        limits=Limits(max_occurrences=300),
    )
    assert len(contents.events) == 300
    assert not contents.complete


def test_a_truncated_file_gives_what_it_holds_and_says_so() -> None:
    data = calendar(ANCHOR, START.format("20260301T090000Z", "FREQ=DAILY"))
    contents = read_ics(data[: data.index(b"RRULE")], BERLIN, SPAN)
    assert [e.uid for e in contents.events] == ["a", "anchor"]
    assert kinds(contents) == {ProblemKind.UNFINISHED}
    assert not contents.complete


def test_missing_ends_do_not_swallow_the_next_event() -> None:
    data = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:first\nDTSTART:20260311T090000Z\nBEGIN:VALARM\n" + TAIL.removeprefix(
        b"\nEND:VEVENT\n"
    )
    contents = read_ics(data, BERLIN, SPAN)
    assert [e.uid for e in contents.events] == ["anchor", "first"]
    assert kinds(contents) == {ProblemKind.BROKEN_STRUCTURE}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_other_encodings_keep_the_words(encoding: str) -> None:
    contents = read_ics(calendar(ANCHOR).decode().replace("still here", "Café").encode(encoding), BERLIN, SPAN)
    assert only(contents).title == "Café"
    assert kinds(contents) == ({ProblemKind.NOT_UTF8} if encoding == "latin-1" else set())


def test_no_problem_names_a_title() -> None:
    title = "SUMMARY:secret plan"
    contents = read(
        f"UID:1\n{title}",
        f"UID:2\nDTSTART:nonsense secret\n{title}",
        f"UID:3\nDTSTART;TZID=secret:20260310T090000\n{title}",
        f"UID:4\nDTSTART:20260310T090000Z\nRRULE:secret\nSUMMARY secret\n{title}",
    )
    assert len(contents.problems) == 5
    assert all("secret" not in f"{p} {p.advice}" for p in contents.problems)
    assert len(starts(contents)) == 2
