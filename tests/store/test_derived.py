"""What is worked out, and the evidence that it makes: numbered, ordered, taken back where it changes."""

import math
from collections.abc import Callable
from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.store import DayValue, MeterValue, PersonStore, Store
from rhythm.vocab import Action, Answered, Done, InvalidValueError, Meter, Outcome, Reading, Response, SelfReport
from store.samples import NOON_AT, SLOT, day_value, keep_posterior, meter_value, proposal

DAY = date(2026, 3, 3)


def test_day_values_come_back_whole_and_by_day(ada: PersonStore) -> None:
    days = [day_value(DAY + timedelta(days=i)) for i in range(5)]
    ada.days.put(reversed(days))
    assert ada.days.window(DAY, DAY + timedelta(days=2)) == tuple(days[:3])
    newer = msgspec.structs.replace(days[0], value=1.0, samples=2)
    ada.days.put([newer])
    assert ada.days.window(DAY, DAY) == (newer,)


def test_day_values_are_found_by_name_and_replaced_by_stretch(ada: PersonStore) -> None:
    ada.days.put([day_value(), day_value(name="rhr_bpm"), day_value(DAY + timedelta(days=1))])
    assert [v.name for v in ada.days.window(DAY, DAY, ["rhr_bpm"])] == ["rhr_bpm"]
    ada.days.replace(DAY, DAY, [])
    assert [v.day for v in ada.days.window(DAY, DAY + timedelta(days=9))] == [DAY + timedelta(days=1)]
    with pytest.raises(InvalidValueError):
        ada.days.replace(DAY, DAY, [day_value(DAY + timedelta(days=1))])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_summary_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(InvalidValueError):
        DayValue(DAY, "x", value, "min", NOON_AT)


def test_a_meter_keeps_its_number_until_its_value_changes(ada: PersonStore) -> None:
    values = [meter_value(), meter_value(meter=Meter.SERENITY)]
    assert ada.meters.replace(SLOT, SLOT, values) == 2
    first = ada.meters.window(SLOT, SLOT)
    later = [msgspec.structs.replace(v, computed_at=NOON_AT + timedelta(hours=1)) for v in values]
    assert ada.meters.replace(SLOT, SLOT, later) == 0
    assert ada.meters.window(SLOT, SLOT) == first
    assert ada.meters.replace(SLOT, SLOT, [msgspec.structs.replace(values[0], value=0.7)]) == 2
    (only,) = ada.meters.window(SLOT, SLOT)
    assert (only.value, only.number > max(v.number for v in first)) == (0.7, True)


def test_the_latest_of_each_meter(ada: PersonStore) -> None:
    ada.meters.replace(SLOT, SLOT + 9, [meter_value(), meter_value(SLOT + 1), meter_value(SLOT + 2, Meter.PROGRESS)])
    latest = ada.meters.latest(SLOT + 1)
    assert {meter: v.slot for meter, v in latest.items()} == {Meter.VITALITY: SLOT + 1}


def test_levels_that_are_none_are_refused(ada: PersonStore) -> None:
    for wrong in (
        MeterValue(SLOT, Meter.VITALITY, 1.5, 0.1, NOON_AT),
        MeterValue(SLOT, Meter.VITALITY, 0.5, 0.0, NOON_AT),
        meter_value(SLOT + 1),
    ):
        with pytest.raises(InvalidValueError):
            ada.meters.replace(SLOT, SLOT, [wrong])
    with pytest.raises(InvalidValueError):
        ada.done.replace(SLOT, SLOT, [Done(SLOT + 1, Action.LEARN)])


def test_evidence_comes_in_its_order_and_in_the_words_of_the_vocabulary(ada: PersonStore) -> None:
    ada.meters.replace(SLOT, SLOT, [meter_value()])
    (made,) = ada.suggestions.add(proposal(SLOT + 1))
    ada.done.replace(SLOT, SLOT, [Done(SLOT, Action.LEARN, "calendar")])
    ada.answers.give(made.number, Response(Outcome.RESCHEDULED, SLOT + 3))
    ada.reports.add(SLOT, Meter.COGNITION, 0.25)
    everything = ada.evidence.after()
    assert everything.history.entries == (
        Reading(SLOT, Meter.VITALITY, 0.6, 0.1, "sleep and HRV"),
        Done(SLOT, Action.LEARN, "calendar"),
        Answered(
            SLOT + 1,
            Action.MEDITATE,
            Response(Outcome.RESCHEDULED, SLOT + 3),
            0.4,
            (0.4, None, 0.5, 0.6, None),
            Action.BINGE_WATCH,
        ),
        SelfReport(SLOT, Meter.COGNITION, 0.25),
    )
    assert ada.evidence.after(everything.last_number).entries == ()
    assert ada.evidence.after(everything.entries[1].number).entries == everything.entries[2:]
    assert [type(e) for e in ada.evidence.after(first_slot=SLOT + 1).history.entries] == [Answered]


def test_what_was_learned_from_something_taken_back_is_dropped(ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    before = keep_posterior(ada)
    ada.answers.give(made.number, Response(Outcome.ACCEPTED))
    after = keep_posterior(ada)
    assert ada.posteriors.latest("person") == after
    ada.answers.undo(made.number)
    assert ada.posteriors.latest("person") == before


def undo(person: PersonStore) -> None:
    person.answers.undo(person.suggestions.latest(1)[0].number)


def measure_anew(person: PersonStore) -> None:
    person.meters.replace(SLOT, SLOT, [meter_value(value=0.9)])


def spend_otherwise(person: PersonStore) -> None:
    person.done.replace(SLOT, SLOT, [])


def take_back_report(person: PersonStore) -> None:
    person.reports.delete(person.reports.in_slots(SLOT, SLOT)[0].number)


@pytest.mark.parametrize("take_back", [undo, measure_anew, spend_otherwise, take_back_report])
def test_what_was_learned_while_something_was_taken_back_is_not_kept(
    ada: PersonStore, take_back: Callable[[PersonStore], None]
) -> None:
    """Neither from evidence that was read before it, nor on top of a snapshot that was."""
    (made,) = ada.suggestions.add(proposal())
    ada.answers.give(made.number, Response(Outcome.ACCEPTED))
    ada.meters.replace(SLOT, SLOT, [meter_value(value=0.2)])
    ada.done.replace(SLOT, SLOT, [Done(SLOT, Action.LEARN)])
    ada.reports.add(SLOT, Meter.COGNITION, 0.3)
    base = keep_posterior(ada)
    assert base is not None
    retraction = ada.posteriors.retraction()
    before = ada.evidence.after().last_number
    take_back(ada)
    ada.reports.add(SLOT + 1, Meter.COGNITION, 0.4)
    since = ada.evidence.after(base.last_number).last_number
    for standing in (before, since):
        kept = ada.posteriors.save(
            "person", b"x", schema="s/1", version="1", last_number=standing, retraction=retraction
        )
        assert kept is None
    assert ada.posteriors.latest("person") is None
    assert keep_posterior(ada) is not None


EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("meter"), st.integers(0, 3), st.sampled_from([0.2, 0.5, 0.9, None])),
        st.tuples(st.just("done"), st.integers(0, 3), st.sampled_from([*list(Action)[:2], None])),
        st.tuples(st.just("answer"), st.integers(0, 3), st.sampled_from(list(Outcome)[:2])),
        st.tuples(st.just("undo"), st.integers(0, 3), st.none()),
        st.tuples(st.just("report"), st.integers(0, 3), st.sampled_from([0.1, 0.8])),
        st.tuples(st.just("unreport"), st.integers(0, 3), st.none()),
        st.tuples(st.just("learn"), st.integers(0, 3), st.none()),
    ),
    max_size=18,
)


@settings(max_examples=30, deadline=None)
@given(edits=EDITS)
def test_a_posterior_and_what_came_since_are_always_the_whole_evidence(
    sqlite_store: Store, edits: list[tuple[str, int, object]]
) -> None:
    """A learner that keeps the set of what it has seen, carried on from the latest snapshot, is never wrong."""
    person = sqlite_store.create_person(f"d{len(sqlite_store.people())}")
    numbers = [s.number for s in person.suggestions.add(*(proposal(SLOT + i) for i in range(4)))]
    for verb, i, what in edits:
        _edit(person, verb, i, what, numbers)
        latest = person.posteriors.latest("seen")
        seen = set(msgspec.json.decode(latest.payload)) if latest else set()
        fresh = person.evidence.after(latest.last_number if latest else 0)
        assert seen | {e.number for e in fresh.entries} == {e.number for e in person.evidence.after().entries}


def _edit(person: PersonStore, verb: str, i: int, what: object, numbers: list[int]) -> None:
    slot = SLOT + i
    if verb == "meter":
        person.meters.replace(slot, slot, [] if what is None else [meter_value(slot, value=float(str(what)))])
    elif verb == "done":
        person.done.replace(slot, slot, [Done(slot, what)] if isinstance(what, Action) else [])
    elif verb == "answer" and isinstance(what, Outcome):
        person.answers.give(numbers[i], Response(what), replace=True)
    elif verb == "undo":
        if person.answers.holding([numbers[i]]):
            person.answers.undo(numbers[i])
    elif verb == "report":
        person.reports.add(slot, Meter.SERENITY, float(str(what)))
    elif verb == "unreport":
        for report in person.reports.in_slots(slot, slot)[:1]:
            person.reports.delete(report.number)
    else:
        everything = person.evidence.after()
        payload = msgspec.json.encode([e.number for e in everything.entries])
        keep_posterior(person, payload, kind="seen", last_number=everything.last_number)
