"""Inputs that calendar libraries and apps are known to get wrong, one test for each."""

import pytest

from bridge.calendar.ics_texts import BERLIN, calendar, kinds, length_h, only, read, starts, window
from rhythm.bridge.calendar.events import ProblemKind
from rhythm.bridge.calendar.ics import read_ics

DAILY = "UID:a\nDTSTART;TZID=Europe/Berlin:20260302T090000\nDTEND;TZID=Europe/Berlin:20260302T100000\n"
FOUR = DAILY + "RRULE:FREQ=DAILY;COUNT=4\n"
DAYS = ["2026-03-02 09:00", "2026-03-03 09:00", "2026-03-04 09:00", "2026-03-05 09:00"]


def test_exdate_as_a_bare_date_takes_out_its_day() -> None:
    assert starts(read(FOUR + "EXDATE;VALUE=DATE:20260303")) == [DAYS[0], *DAYS[2:]]


def test_exdate_in_utc_takes_out_the_occurrence_of_that_instant() -> None:
    assert starts(read(FOUR + "EXDATE:20260303T080000Z,20260305T080000Z")) == [DAYS[0], DAYS[2]]


@pytest.mark.parametrize(
    "exdate",
    ["EXDATE;TZID=Europe/Berlin:20260303T000000", "EXDATE:20260302T230000Z", "EXDATE;VALUE=DATE:20260303"],
)
def test_exdate_of_an_all_day_series_in_any_form_takes_out_that_date(exdate: str) -> None:
    contents = read(f"UID:a\nDTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;COUNT=3\n{exdate}")
    assert [str(e.start_day) for e in contents.events] == ["2026-03-02", "2026-03-04"]


def test_override_named_in_another_zone_replaces_its_occurrence() -> None:
    override = (
        "UID:a\nRECURRENCE-ID;TZID=America/New_York:20260303T030000\n"
        "DTSTART;TZID=Europe/Berlin:20260303T140000\nDTEND;TZID=Europe/Berlin:20260303T150000"
    )
    assert starts(read(FOUR, override)) == [DAYS[0], "2026-03-03 14:00", *DAYS[2:]]


def test_override_of_an_all_day_series_stored_as_zoned_midnight_replaces_its_date() -> None:
    master = "UID:a\nDTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;COUNT=3"
    override = "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260303T000000\nDTSTART;VALUE=DATE:20260310\nSUMMARY:moved"
    events = read(master, override).events
    assert [(str(e.start_day), e.title) for e in events] == [
        ("2026-03-02", ""),
        ("2026-03-04", ""),
        ("2026-03-10", "moved"),
    ]


def test_orphan_override_stands_alone() -> None:
    assert starts(read("UID:a\nRECURRENCE-ID:20260303T080000Z\nDTSTART:20260303T130000Z")) == ["2026-03-03 14:00"]


def test_override_moved_into_the_window_from_outside_is_seen() -> None:
    master = "UID:a\nDTSTART:20260101T080000Z\nRRULE:FREQ=DAILY;COUNT=2"
    override = "UID:a\nRECURRENCE-ID:20260102T080000Z\nDTSTART:20260303T080000Z"
    assert starts(read(master, override)) == ["2026-03-03 09:00"]


def test_this_and_future_moves_every_later_occurrence() -> None:
    override = (
        "UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260304T090000\nSUMMARY:later\n"
        "DTSTART;TZID=Europe/Berlin:20260304T110000\nDTEND;TZID=Europe/Berlin:20260304T130000"
    )
    contents = read(FOUR, override)
    assert starts(contents) == [*DAYS[:2], "2026-03-04 11:00", "2026-03-05 11:00"]
    assert [length_h(e) for e in contents.events] == [1, 1, 2, 2]
    assert [e.title for e in contents.events] == ["", "", "later", "later"]


def test_cancelled_override_drops_its_occurrence_only() -> None:
    override = "UID:a\nRECURRENCE-ID:20260303T080000Z\nDTSTART:20260303T080000Z\nSTATUS:CANCELLED"
    assert starts(read(FOUR, override)) == [DAYS[0], *DAYS[2:]]


def test_cancelled_master_drops_the_series_with_its_overrides() -> None:
    override = "UID:a\nRECURRENCE-ID:20260303T080000Z\nDTSTART:20260303T120000Z"
    assert starts(read(FOUR + "STATUS:CANCELLED", override)) == []


def test_cancelled_in_the_title_only_counts_as_cancelled() -> None:
    assert starts(read(DAILY + "SUMMARY:Canceled: review", DAILY + "UID:b\nSUMMARY:Cancel the gym")) == [DAYS[0]]


def test_windows_zone_without_definition_is_known() -> None:
    contents = read("UID:a\nDTSTART;TZID=W. Europe Standard Time:20260710T090000\nDURATION:PT1H")
    assert starts(contents) == ["2026-07-10 09:00"]
    assert kinds(contents) == set()


@pytest.mark.parametrize("name", ["Customized Time Zone", "Mars/Olympus", "../../etc/passwd", "Europe"])
def test_invented_zone_is_told_and_read_in_the_calendars_own_zone(name: str) -> None:
    contents = read(f"UID:a\nDTSTART;TZID={name}:20260710T090000\nDURATION:PT1H", head="X-WR-TIMEZONE:Europe/London")
    assert starts(contents) == ["2026-07-10 10:00"]
    assert kinds(contents) == {ProblemKind.UNKNOWN_ZONE}
    assert only(contents).zone_guessed


@pytest.mark.parametrize(
    ("name", "berlin"),
    [
        ("GMT Standard Time 1", "10:00"),
        ("/example.org/20070129_1/America/New_York", "15:00"),
        ("(UTC+03:00)", "08:00"),
    ],
)
def test_zone_name_that_can_be_guessed_is_guessed_and_told(name: str, berlin: str) -> None:
    contents = read(f'UID:a\nDTSTART;TZID="{name}":20260710T090000\nDURATION:PT1H')
    assert starts(contents) == [f"2026-07-10 {berlin}"]
    assert kinds(contents) == {ProblemKind.GUESSED_ZONE}


def test_until_as_a_date_keeps_the_last_days_occurrence() -> None:
    assert starts(read(DAILY + "RRULE:FREQ=DAILY;UNTIL=20260305")) == DAYS


def test_until_in_utc_of_an_all_day_series_keeps_the_last_day() -> None:
    contents = read("UID:a\nDTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;UNTIL=20260303T230000Z")
    assert [str(e.start_day) for e in contents.events] == ["2026-03-02", "2026-03-03", "2026-03-04"]


def test_daily_0230_over_the_spring_gap_keeps_its_hour() -> None:
    contents = read(
        "UID:a\nDTSTART;TZID=Europe/Berlin:20260328T023000\nDTEND;TZID=Europe/Berlin:20260328T033000\n"
        "RRULE:FREQ=DAILY;COUNT=3"
    )
    assert starts(contents) == ["2026-03-28 02:30", "2026-03-29 03:30", "2026-03-30 02:30"]
    assert [length_h(e) for e in contents.events] == [1, 1, 1]


def test_daily_0230_over_the_autumn_fold_keeps_its_hour_and_takes_the_first() -> None:
    contents = read(
        "UID:a\nDTSTART;TZID=Europe/Berlin:20261024T023000\nDTEND;TZID=Europe/Berlin:20261024T033000\n"
        "RRULE:FREQ=DAILY;COUNT=3"
    )
    assert [length_h(e) for e in contents.events] == [1, 1, 1]
    assert [e.start_at.strftime("%d %H:%M") for e in contents.events] == ["24 00:30", "25 00:30", "26 01:30"]


def test_overnight_event_keeps_its_wall_times_when_the_clocks_change() -> None:
    contents = read(
        "UID:a\nDTSTART;TZID=Europe/Berlin:20260327T220000\nDTEND;TZID=Europe/Berlin:20260328T060000\n"
        "RRULE:FREQ=DAILY;COUNT=2"
    )
    assert [length_h(e) for e in contents.events] == [8, 7]


def test_end_before_start_is_flagged_and_takes_no_time() -> None:
    contents = read("UID:a\nDTSTART:20260310T090000Z\nDTEND:20260310T080000Z")
    assert only(contents).length_min == 0
    assert kinds(contents) == {ProblemKind.END_BEFORE_START}


def test_timed_event_without_an_end_takes_no_time() -> None:
    contents = read("UID:a\nDTSTART:20260310T090000Z")
    assert only(contents).length_min == 0
    assert kinds(contents) == set()


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SOMETIMES",
        "INTERVAL=2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;BYDAY=XX",
        "FREQ=DAILY;COUNT=x",
        "FREQ=WEEKLY;UNTIL=tomorrow",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=DAILY;BYEASTER=0",
        "",
    ],
)
def test_malformed_rule_is_counted_and_all_else_is_read(rule: str) -> None:
    contents = read(DAILY + f"RRULE:{rule}", "UID:b\nDTSTART:20260310T090000Z")
    assert starts(contents) == [DAYS[0], "2026-03-10 10:00"]
    assert [(p.kind, p.count) for p in contents.problems] == [(ProblemKind.BAD_RULE, 1)]


def test_negative_count_means_no_count() -> None:
    assert len(read(DAILY + "RRULE:FREQ=MONTHLY;COUNT=-1").events) == 9


def test_window_is_of_instants_so_no_zone_falls_out_of_it() -> None:
    event = "UID:{}\nDTSTART;TZID={}:{}\nDURATION:PT1H"
    data = calendar(
        event.format("auckland", "Pacific/Auckland", "20260311T090000"),
        event.format("los-angeles", "America/Los_Angeles", "20260309T230000"),
        event.format("before", "Pacific/Auckland", "20260310T090000"),
    )
    span = window("2026-03-10", "2026-03-11")
    assert [e.uid for e in read_ics(data, BERLIN, span).events] == [
        "los-angeles",
        "auckland",
    ]


def test_calendar_zone_alone_lets_a_series_in_utc_follow_its_clocks() -> None:
    contents = read(
        "UID:a\nDTSTART:20260326T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=5", head="X-WR-TIMEZONE:Europe/Berlin"
    )
    assert [s[-5:] for s in starts(contents)] == ["09:00"] * 5


def test_floating_times_are_of_the_calendars_zone_else_of_the_persons() -> None:
    event = "UID:a\nDTSTART:20260710T090000\nDURATION:PT1H"
    assert starts(read(event)) == ["2026-07-10 09:00"]
    assert starts(read(event, head="X-WR-TIMEZONE:America/New_York")) == ["2026-07-10 15:00"]


def test_dtstart_and_dtend_in_two_zones_last_what_passes_between() -> None:
    flight = "UID:a\nDTSTART;TZID=Europe/Berlin:20260710T100000\nDTEND;TZID=America/New_York:20260710T130000"
    assert length_h(only(read(flight))) == 9


def test_same_uid_twice_takes_the_higher_sequence() -> None:
    old = DAILY + "SEQUENCE:1\nSUMMARY:old"
    new = "UID:a\nDTSTART;TZID=Europe/Berlin:20260304T090000\nSEQUENCE:2\nSUMMARY:new"
    assert [e.title for e in read(new, old).events] == ["new"]


def test_separate_events_under_one_uid_are_all_kept() -> None:
    other = "UID:a\nDTSTART;TZID=Europe/Berlin:20260304T090000"
    contents = read(DAILY, other)
    assert starts(contents) == [DAYS[0], DAYS[2]]
    assert len({(e.uid, e.recurrence_id) for e in contents.events}) == 2


def test_week_day_rule_counts_the_start_and_the_rest() -> None:
    contents = read(DAILY + "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=MO,WE")
    assert starts(contents) == [DAYS[0], DAYS[2], "2026-03-09 09:00"]
