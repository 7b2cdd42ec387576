"""Progress and connection: bookkeeping of what was done, honest about what it does not know."""

from datetime import timedelta

import pytest

from bridge.meters.people import TODAY, calendar_days, inputs, slot
from rhythm.bridge.meters import CalendarDay, MeterEstimate, meters_at
from rhythm.vocab import Action, Done, Meter, PartOfDay

WORK = {PartOfDay.MORNING: Action.DEEP_WORK}
FRIENDS = {PartOfDay.EVENING: Action.SOCIALIZE}
YESTERDAY = TODAY - timedelta(days=1)


def _at(meter: Meter, calendar: dict, part: PartOfDay = PartOfDay.MORNING) -> MeterEstimate:  # type: ignore[type-arg]
    return meters_at(slot(part), inputs({}, calendar))[meter]


def _level(meter: Meter, calendar: dict, part: PartOfDay = PartOfDay.MORNING) -> float:  # type: ignore[type-arg]
    found = _at(meter, calendar, part).value
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("meter", "doing"), [(Meter.PROGRESS, WORK), (Meter.CONNECTION, FRIENDS)], ids=["progress", "connection"]
)
def test_more_than_usual_is_higher_and_less_is_lower(meter: Meter, doing: dict[PartOfDay, Action]) -> None:
    recent = TODAY - timedelta(days=4)
    usual = calendar_days(40, lambda d: doing if d.toordinal() % 2 else {})
    more = calendar_days(40, lambda d: doing if d.toordinal() % 2 or d > recent else {})
    less = calendar_days(40, lambda d: doing if d.toordinal() % 2 and d <= recent else {})
    assert _level(meter, less) < _level(meter, usual) < _level(meter, more)
    assert _level(meter, usual) == pytest.approx(0.5, abs=0.25)


@pytest.mark.parametrize("meter", [Meter.PROGRESS, Meter.CONNECTION])
def test_a_calendar_that_never_shows_it_gives_no_value(meter: Meter) -> None:
    found = _at(meter, calendar_days(40, lambda _: {PartOfDay.NIGHT: Action.SLEEP}))
    assert found.value is None
    assert "known days of your calendar" in found.missing[0].text


def test_only_slots_that_are_over_count() -> None:
    calendar = calendar_days(40, lambda d: FRIENDS if d.toordinal() % 3 == 0 else {}, until=YESTERDAY)
    calendar[TODAY] = CalendarDay(TODAY, done=(Done(slot(PartOfDay.EVENING), Action.SOCIALIZE),))
    before = _at(Meter.CONNECTION, calendar, PartOfDay.EVENING)
    after = _at(Meter.CONNECTION, calendar, PartOfDay.NIGHT)
    assert before.value is not None
    assert after.value is not None
    assert after.value > before.value
    assert "today" in after.evidence[0].text
    assert "today" not in before.evidence[0].text


def test_a_morning_without_anything_yet_is_no_fall() -> None:
    calendar = calendar_days(40, lambda d: FRIENDS if d.toordinal() % 2 else {}, until=YESTERDAY)
    empty_today = calendar | {TODAY: CalendarDay(TODAY)}
    assert _level(Meter.CONNECTION, empty_today) == pytest.approx(_level(Meter.CONNECTION, calendar))


def test_unknown_days_are_not_days_of_nothing() -> None:
    whole = calendar_days(40, lambda d: WORK if d.toordinal() % 2 else {})
    gap = {d: c for d, c in whole.items() if not TODAY - timedelta(days=8) <= d <= YESTERDAY}
    assert _level(Meter.PROGRESS, gap) == pytest.approx(_level(Meter.PROGRESS, whole), abs=0.2)


def test_progress_is_the_work_done_and_misses_nothing_that_a_calendar_cannot_tell() -> None:
    found = _at(Meter.PROGRESS, calendar_days(40, lambda d: WORK if d.toordinal() % 2 else {}))
    assert [(part.name, part.weight) for part in found.evidence] == [("work done", 1.0)]
    assert found.missing == ()
    assert found.sd is not None
    assert found.sd == pytest.approx(found.evidence[0].sd)


def test_who_has_no_work_in_the_calendar_is_not_told_that_none_was_planned() -> None:
    found = _at(Meter.PROGRESS, calendar_days(40, lambda _: {PartOfDay.NIGHT: Action.SLEEP}))
    assert [part.name for part in found.missing] == ["work done"]


def test_a_slot_that_is_told_twice_counts_once() -> None:
    once = calendar_days(40, lambda d: WORK if d.toordinal() % 2 else {})
    twice = {day: CalendarDay(day, known.done * 2) for day, known in once.items()}
    assert _at(Meter.PROGRESS, twice) == _at(Meter.PROGRESS, once)


def test_age_is_the_calendars() -> None:
    calendar = calendar_days(40, lambda _: FRIENDS, until=YESTERDAY - timedelta(days=1))
    assert _at(Meter.CONNECTION, calendar).age_h == 24.0
