"""Calendars: a stretch is replaced as a whole, corrections survive, a deleted calendar takes its events along."""

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.store import EventOverride, OverrideScope, PersonStore, Store, occurrence_key, title_key
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab import Action, InvalidValueError
from store.samples import NOON_AT, calendar, occurrence

HOUR, WEEK = timedelta(hours=1), timedelta(days=7)
STRETCH = (NOON_AT - WEEK, NOON_AT + WEEK)


@pytest.fixture
def source(ada: PersonStore) -> int:
    return ada.calendars.add(calendar()).number


def test_a_calendar_comes_back_whole_and_can_be_changed(ada: PersonStore, source: int) -> None:
    (kept,) = ada.calendars.all()
    assert kept == msgspec.structs.replace(calendar(), number=source)
    changed = msgspec.structs.replace(kept, etag='"x"', fetched_at=NOON_AT, failed_at=NOON_AT, failure="timeout")
    ada.calendars.update(changed)
    assert ada.calendars.all() == (changed,)


def test_an_occurrence_comes_back_whole(ada: PersonStore, source: int) -> None:
    one = msgspec.structs.replace(
        occurrence(),
        recurrence="20260303T120000Z",
        meeting=True,
        attendees=3,
        offset_min=60,
        start_day=NOON_AT.date(),
        end_day=NOON_AT.date() + timedelta(days=1),
        detail={"status": "tentative"},
    )
    assert ada.occurrences.replace(source, *STRETCH, [one]) == 1
    assert ada.occurrences.window(*STRETCH) == (msgspec.structs.replace(one, source=source),)


def test_reading_a_calendar_again_replaces_its_stretch_only(ada: PersonStore, source: int) -> None:
    other = ada.calendars.add(calendar("Work")).number
    ada.occurrences.replace(other, *STRETCH, [occurrence("other")])
    ada.occurrences.replace(source, *STRETCH, [occurrence("old", -48), occurrence("gone", 1), occurrence("moved", 2)])
    ada.occurrences.replace(source, NOON_AT, STRETCH[1], [occurrence("moved", 5), occurrence("new", 3)])
    assert [one.uid for one in ada.occurrences.window(*STRETCH)] == ["old", "other", "new", "moved"]


def test_a_window_holds_what_touches_it(ada: PersonStore, source: int) -> None:
    moment = msgspec.structs.replace(occurrence("moment"), end_at=NOON_AT)
    long = msgspec.structs.replace(occurrence("long", -24), end_at=NOON_AT + 24 * HOUR, all_day=True)
    ada.occurrences.replace(source, *STRETCH, [occurrence("before", -1), moment, long, occurrence("after", 1)])
    assert [one.uid for one in ada.occurrences.window(NOON_AT, NOON_AT + HOUR)] == ["long", "moment"]


def test_a_calendar_that_is_off_shows_nothing(ada: PersonStore, source: int) -> None:
    ada.occurrences.replace(source, *STRETCH, [occurrence()])
    ada.calendars.update(msgspec.structs.replace(ada.calendars.all()[0], enabled=False))
    assert ada.occurrences.window(*STRETCH) == ()


def test_a_deleted_calendar_takes_its_events_along(ada: PersonStore, source: int) -> None:
    ada.occurrences.replace(source, *STRETCH, [occurrence()])
    ada.calendars.delete(source)
    assert ada.occurrences.window(*STRETCH) == ()
    with pytest.raises(UnknownEntryError):
        ada.occurrences.replace(source, *STRETCH, [])


def test_the_narrower_correction_wins_point_by_point(ada: PersonStore, source: int) -> None:
    ada.occurrences.replace(source, *STRETCH, [occurrence("a", 0, "Yoga  Class"), occurrence("b", 1, "yoga class")])
    title = EventOverride(OverrideScope.TITLE, title_key("YOGA class"), NOON_AT, True, Action.EXERCISE, busy=False)
    ada.occurrences.correct(title)
    ada.occurrences.correct(EventOverride(OverrideScope.SERIES, "a", NOON_AT, False))
    ada.occurrences.correct(EventOverride(OverrideScope.OCCURRENCE, occurrence_key("b", ""), NOON_AT, hidden=True))
    (only,) = ada.occurrences.window(*STRETCH)
    assert (only.uid, only.is_activity, only.action, only.busy, only.classifier) == ("a", False, None, False, "person")
    assert [one.action for one in ada.occurrences.window(*STRETCH, as_read=True)] == [Action.ADMIN_WORK] * 2


def test_a_correction_survives_reading_again_and_can_be_taken_back(ada: PersonStore, source: int) -> None:
    ada.occurrences.replace(source, *STRETCH, [occurrence("a")])
    ada.occurrences.correct(EventOverride(OverrideScope.SERIES, "a", NOON_AT, True, Action.LEARN))
    ada.occurrences.correct(EventOverride(OverrideScope.SERIES, "a", NOON_AT, True, Action.SOCIALIZE))
    ada.occurrences.replace(source, *STRETCH, [occurrence("a")])
    assert ada.occurrences.window(*STRETCH)[0].action is Action.SOCIALIZE
    assert len(ada.occurrences.overrides()) == 1
    ada.occurrences.uncorrect(OverrideScope.SERIES, "a")
    assert ada.occurrences.window(*STRETCH)[0].action is Action.ADMIN_WORK
    with pytest.raises(UnknownEntryError):
        ada.occurrences.uncorrect(OverrideScope.SERIES, "a")


def test_what_lies_outside_the_stretch_is_refused(ada: PersonStore, source: int) -> None:
    with pytest.raises(InvalidValueError):
        ada.occurrences.replace(source, NOON_AT, NOON_AT + HOUR, [occurrence("late", 1)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"end_at": NOON_AT - HOUR},
        {"action": None},
        {"is_activity": None},
        {"is_activity": False},
        {"confidence": 1.1},
        {"confidence": float("nan")},
    ],
)
def test_an_occurrence_that_contradicts_itself_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidValueError):
        msgspec.structs.replace(occurrence(), **wrong)


HOURS = st.integers(-30, 30)


@settings(max_examples=40, deadline=None)
@given(
    spans=st.lists(st.tuples(HOURS, st.integers(0, 40)), max_size=12),
    window=st.tuples(HOURS, st.integers(1, 30)),
)
def test_the_window_is_what_a_plain_filter_says(
    sqlite_store: Store, spans: list[tuple[int, int]], window: tuple[int, int]
) -> None:
    person = sqlite_store.create_person(f"c{len(sqlite_store.people())}")
    number = person.calendars.add(calendar()).number

    def at(hour: int) -> datetime:
        return NOON_AT + hour * HOUR

    found = [
        msgspec.structs.replace(occurrence(f"e{i}", start), end_at=at(start + length))
        for i, (start, length) in enumerate(spans)
    ]
    person.occurrences.replace(number, at(-1000), at(1000), found)
    from_at, until_at = at(window[0]), at(sum(window))
    shown = {one.uid for one in person.occurrences.window(from_at, until_at)}
    for one in found:
        instants = [one.start_at, one.end_at - timedelta(seconds=1), from_at]
        overlaps = any(
            from_at <= x < until_at and (one.start_at <= x < one.end_at or x == one.start_at) for x in instants
        )
        assert (one.uid in shown) == overlaps
