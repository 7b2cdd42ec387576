"""Every calendar source keeps one contract."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.calendar.ics_texts import BERLIN, calendar, window
from bridge.calendar.servers import Server, body, serving
from rhythm.bridge.calendar.events import CalendarError, ProblemKind, Window
from rhythm.bridge.calendar.feeds import FeedError, FeedLimits, Validators
from rhythm.bridge.calendar.sources import CalendarSource, FeedSource, FeedState, FileSource

SPAN = window("2026-03-01", "2026-04-01")
ICS = calendar(
    "UID:a\nDTSTART;TZID=Europe/Berlin:20260302T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY\nSUMMARY:weekly",
    "UID:broken\nSUMMARY:no start",
    "UID:later\nDTSTART:20260410T090000Z",
)
Put = Callable[[bytes], None]
CALM = FeedLimits(connect_s=10.0, read_s=20.0, total_s=30.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(params=["file", "feed"])
def source(request: pytest.FixtureRequest, tmp_path: Path, server: Server) -> tuple[CalendarSource, Put]:
    if request.param == "file":
        path = tmp_path / "mine.ics"
        path.write_bytes(ICS)
        return FileSource(path, BERLIN, "mine"), lambda data: (path.write_bytes(data), None)[1]

    def put(data: bytes) -> None:
        server.answers["/secret-token"] = body(data)

    put(ICS)
    url = server.url("/secret-token")
    return FeedSource(url, BERLIN, "mine", allow_private=True, feed_limits=CALM), put


def test_gives_what_touches_the_window_with_its_name(source: tuple[CalendarSource, Put]) -> None:
    contents = source[0].read(SPAN)
    assert contents is not None
    assert [e.start_at.day for e in contents.events] == [2, 9, 16, 23, 30]
    assert {e.source for e in contents.events} == {source[0].name} == {"mine"}
    assert contents.read == 3


def test_gives_events_and_problems_together(source: tuple[CalendarSource, Put]) -> None:
    contents = source[0].read(SPAN)
    assert contents is not None
    assert [(p.kind, p.count) for p in contents.problems] == [(ProblemKind.NO_START, 1)]
    assert contents.complete


def test_reads_twice_the_same(source: tuple[CalendarSource, Put]) -> None:
    assert source[0].read(SPAN) == source[0].read(SPAN)


def test_follows_changes_and_the_window(source: tuple[CalendarSource, Put]) -> None:
    reader, put = source
    reader.read(SPAN)
    put(calendar("UID:b\nDTSTART:20260310T090000Z"))
    changed = reader.read(SPAN)
    assert changed is not None
    assert [e.uid for e in changed.events] == ["b"]
    empty = reader.read(window("2026-05-01", "2026-06-01"))
    assert empty is not None
    assert empty.events == ()


@pytest.mark.parametrize("data", [b"", b"<html>", b"\xff\xfe\0"])
def test_what_is_no_calendar_is_a_typed_error(source: tuple[CalendarSource, Put], data: bytes) -> None:
    reader, put = source
    put(data)
    with pytest.raises(CalendarError):
        reader.read(SPAN)


def test_does_not_show_where_it_reads_from(source: tuple[CalendarSource, Put]) -> None:
    assert "secret-token" not in f"{source[0]!r} {source[0]} {source[0].name}"


def test_a_missing_file_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(CalendarError, match=r"gone\.ics"):
        FileSource(tmp_path / "gone.ics", BERLIN).read(SPAN)
    with pytest.raises(CalendarError):
        FileSource(tmp_path, BERLIN).read(SPAN)


def test_a_gone_feed_is_a_typed_error(server: Server) -> None:
    with pytest.raises(FeedError):
        FeedSource(server.url("/gone"), BERLIN, "x", allow_private=True, feed_limits=CALM).read(SPAN)


def test_an_unchanged_feed_is_told_but_laid_out_anew_when_the_window_has_moved(server: Server) -> None:
    server.answers["/feed"] = body(ICS, ETag='"1"')
    reader = FeedSource(server.url("/feed"), BERLIN, "x", allow_private=True, feed_limits=CALM)
    assert reader.read(SPAN) is not None
    assert reader.state == FeedState(Validators('"1"'), SPAN)
    kept = FeedSource(server.url("/feed"), BERLIN, "x", state=reader.state, allow_private=True, feed_limits=CALM)
    server.answers["/feed"] = body(b"", 304)
    assert kept.read(SPAN) is None
    assert kept.read(Window(SPAN.start_at, window("2026-03-01", "2026-04-02").end_at)) is None
    server.answers["/feed"] = body(ICS, ETag='"1"')
    moved = kept.read(window("2026-03-08", "2026-04-11"))
    assert moved is not None
    assert any(e.uid == "later" for e in moved.events)
    assert "if-none-match" not in server.asked[-1][1]


def test_a_feed_that_was_read_in_part_is_asked_for_in_full(server: Server) -> None:
    server.answers["/feed"] = body(ICS[: ICS.index(b"UID:later")], ETag='"1"')
    reader = FeedSource(server.url("/feed"), BERLIN, "x", allow_private=True, feed_limits=CALM)
    contents = reader.read(SPAN)
    assert contents is not None
    assert not contents.complete
    assert reader.state == FeedState()
