"""Progress and connection: bookkeeping of what was done, honest about what it does not know."""

from datetime import timedelta

import pytest

from bridge.meters.people import TODAY, calendar_days, inputs, slot
from rhythm.bridge.meters import CalendarDay, MeterEstimate, meters_at
from rhythm.vocab import Action, Done, Meter, PartOfDay, slot_number

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


def test_plans_kept_raise_progress_and_are_counted() -> None:
    levels = []
    for kept in (True, False):
        calendar = calendar_days(
            40,
            lambda d, kept=kept: WORK if kept or d < TODAY - timedelta(days=6) else {PartOfDay.MORNING: Action.ME_TIME},  # type: ignore[misc]
            planned=lambda _: WORK,
        )
        found = _at(Meter.PROGRESS, calendar, PartOfDay.AFTERNOON)
        (plans,) = [e for e in found.evidence if e.name == "plans kept"]
        assert plans.text.startswith("7 of 7" if kept else "0 of 7")
        levels.append(plans.score)
    assert levels[0] > 0.8
    assert levels[1] < 0.2


def test_plans_of_later_today_are_not_broken_yet() -> None:
    calendar = {TODAY: CalendarDay(TODAY, planned=(Done(slot(PartOfDay.EVENING), Action.LEARN),))}
    assert "no work was planned" in " ".join(m.text for m in _at(Meter.PROGRESS, calendar).missing)


def test_few_plans_are_uncertain_and_a_slot_counts_once() -> None:
    twice = (Done(slot_number(YESTERDAY, PartOfDay.MORNING), Action.DEEP_WORK),) * 2
    calendar = {YESTERDAY: CalendarDay(YESTERDAY, planned=twice, done=twice)}
    (plans,) = _at(Meter.PROGRESS, calendar).evidence
    assert plans.text.startswith("1 of 1")
    assert plans.sd > 0.2


def test_age_is_the_calendars() -> None:
    calendar = calendar_days(40, lambda _: FRIENDS, until=YESTERDAY - timedelta(days=1))
    assert _at(Meter.CONNECTION, calendar).age_h == 24.0
