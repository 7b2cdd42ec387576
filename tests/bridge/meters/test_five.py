"""All five together: declared signals are those used, any inputs give levels or None, readings fit the history."""

import math
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.meters.people import TODAY, inputs, night, slot, usual_days, value, with_value
from bridge.wearables.record_strategies import records
from rhythm.bridge.meters import USES, CalendarDay, meters_at, readings
from rhythm.bridge.wearables.days import DaySummary, summarise
from rhythm.bridge.wearables.nights import ASLEEP_SIGNALS
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.vocab import METERS, Action, Done, History, Meter, PartOfDay, from_json, to_json


def test_signals_and_meters_agree_on_what_feeds_what() -> None:
    """The coverage table says from the signals' side what the meters' modules say from theirs."""
    for meter in Meter:
        assert {s for s in Signal if meter in SIGNALS[s].feeds} == USES[meter]


@pytest.mark.parametrize("signal", [s for s in Signal if s not in ASLEEP_SIGNALS])
def test_a_signal_moves_exactly_the_meters_that_it_feeds(signal: Signal) -> None:
    """Values of a signal alone, so that no better one stands before it."""
    spec = SIGNALS[signal]
    middle, step = (spec.low + spec.high) / 2, (spec.high - spec.low) / 200
    days = {
        day: DaySummary(day, None, (), {signal: value(middle + step * (i % 3), day)})
        for i, day in enumerate(TODAY - timedelta(days=back) for back in range(40, -1, -1))
    }
    low, high = (
        meters_at(slot(), inputs(with_value(days, signal, number)))
        for number in (middle - 20 * step, middle + 20 * step)
    )
    moved = {meter for meter in Meter if low[meter].value != high[meter].value}
    assert moved == set(spec.feeds)


def test_sleep_moves_exactly_the_meters_that_it_feeds() -> None:
    days = usual_days(40)
    short, long = (
        meters_at(slot(), inputs(days | {TODAY: DaySummary(TODAY, night(TODAY, minutes))})) for minutes in (240, 500)
    )
    assert {m for m in Meter if short[m].value != long[m].value} == {Meter.VITALITY, Meter.COGNITION}


CALENDARS = st.dictionaries(
    st.integers(0, 70).map(lambda back: TODAY - timedelta(days=back)),
    st.tuples(
        st.lists(st.tuples(st.sampled_from(PartOfDay), st.sampled_from(Action)), max_size=4),
        st.one_of(st.none(), st.floats(0, 1)),
    ),
    max_size=30,
).map(
    lambda days: {
        day: CalendarDay(day, done=tuple(Done(slot(part, day), action) for part, action in done), meeting_share=share)
        for day, (done, share) in days.items()
    }
)


@given(
    rows=st.lists(st.tuples(records(tuple(Signal)), st.integers(0, 70 * 1440)), max_size=40),
    calendar=CALENDARS,
    part=st.sampled_from(PartOfDay),
)
@settings(max_examples=60, deadline=None)
def test_any_records_and_calendars_give_levels_or_nothing(
    rows: list[tuple[Record, int]], calendar: dict[date, CalendarDay], part: PartOfDay
) -> None:
    at = inputs().start_at(slot(part))
    moved = []
    for record, back_min in rows:
        start_at = at - timedelta(minutes=back_min)
        lasts = record.end_at - record.start_at
        moved.append(Record(record.signal, record.value, start_at, start_at + lasts, record.offset_min, record.source))
    found = meters_at(slot(part), inputs(summarise(moved), calendar))
    assert [e.meter for e in found] == list(METERS)
    for estimate in found:
        assert (estimate.value is None) == (not estimate.evidence) == (estimate.sd is None)
        if estimate.value is not None and estimate.sd is not None:
            assert 0 <= estimate.value <= 1
            assert 0 < estimate.sd <= math.sqrt(1 / 12) + 0.2
        assert estimate.age_h is None or estimate.age_h >= 0


def test_readings_are_history() -> None:
    days = usual_days(40, signals={Signal.HRV_RMSSD_MS: (45.0, 5.0)})
    made = readings(meters_at(slot(), inputs(days)))
    assert {r.meter for r in made} == {Meter.VITALITY, Meter.COGNITION, Meter.SERENITY}
    assert all("your usual" in r.source or "awake" in r.source for r in made)
    history = History(made)
    assert from_json(to_json(history), History) == history
