"""Suggestions and answers: an append-only record with at most one answer that holds."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.store import PersonStore, Store
from rhythm.store.errors import (
    AlreadyAnsweredError,
    KeyReusedError,
    NothingToUndoError,
    StoreError,
    UnknownEntryError,
)
from rhythm.store.tables import answers, suggestions
from rhythm.vocab import Action, Outcome, Response
from store.samples import NOON_AT, SLOT, proposal

ACCEPTED = Response(Outcome.ACCEPTED)
IGNORED = Response(Outcome.IGNORED)


def test_a_suggestion_comes_back_whole(ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal(), at=NOON_AT)
    assert ada.suggestions.get(made.number) == made
    assert made.created_at == NOON_AT
    assert (made.action, made.propensity, made.usual) == (Action.MEDITATE, 0.4, Action.BINGE_WATCH)
    assert made.alternatives == proposal().alternatives
    assert made.meters == (0.4, None, 0.5, 0.6, None)


def test_suggestions_are_found_by_slot_and_by_time(ada: PersonStore) -> None:
    early, late = (ada.suggestions.add(proposal(SLOT + i), at=NOON_AT + timedelta(days=i))[0] for i in range(2))
    assert ada.suggestions.in_slots(SLOT, SLOT) == (early,)
    assert ada.suggestions.made_between(NOON_AT + timedelta(hours=1), NOON_AT + timedelta(days=2)) == (late,)
    assert ada.suggestions.latest(5) == (late, early)
    assert ada.suggestions.count() == 2


def test_suggestions_are_not_added_to_others_that_came_meanwhile(ada: PersonStore, ben: PersonStore) -> None:
    ben.suggestions.add(proposal(), proposal())
    before = ada.suggestions.newest()
    assert before == 0
    first = ada.suggestions.add(proposal(), proposal(SLOT + 1), newest=before)
    assert ada.suggestions.add(proposal(), newest=before) == ()
    assert ada.suggestions.latest(5) == first[::-1]
    assert ada.suggestions.newest() == first[1].number
    (more,) = ada.suggestions.add(proposal(SLOT + 2), newest=first[1].number)
    assert ada.suggestions.newest() == more.number


def test_what_no_answer_holds_for_is_found_however_old(ada: PersonStore, ben: PersonStore) -> None:
    ben.suggestions.add(proposal())
    old, taken_back, answered, late = ada.suggestions.add(*(proposal(SLOT + i) for i in (-9_000, 0, 1, 2)))
    for one in (taken_back, answered):
        ada.answers.give(one.number, ACCEPTED)
    ada.answers.undo(taken_back.number)
    assert ada.answers.unanswered(SLOT + 1) == (old, taken_back)
    assert ada.answers.unanswered(SLOT + 2) == (old, taken_back, late)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_each_outcome_is_kept_as_itself(ada: PersonStore, outcome: Outcome) -> None:
    (made,) = ada.suggestions.add(proposal())
    response = Response(outcome, SLOT + 3 if outcome is Outcome.RESCHEDULED else None)
    given_answer = ada.answers.give(made.number, response, at=NOON_AT, channel="offline")
    assert ada.answers.holding([made.number]) == {made.number: given_answer}
    assert given_answer.response == response
    assert given_answer.at == NOON_AT
    assert given_answer.recorded_at > given_answer.at - timedelta(days=2)


def test_a_second_answer_needs_an_undo_or_a_replacement(ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    ada.answers.give(made.number, ACCEPTED)
    with pytest.raises(AlreadyAnsweredError):
        ada.answers.give(made.number, IGNORED)
    ada.answers.give(made.number, IGNORED, replace=True)
    assert ada.answers.holding([made.number])[made.number].response == IGNORED
    assert [event.outcome for event in ada.answers.events(made.number)] == [Outcome.ACCEPTED, None, Outcome.IGNORED]


def test_an_undo_is_a_later_event_and_nothing_is_deleted(ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    first = ada.answers.give(made.number, ACCEPTED)
    undo = ada.answers.undo(made.number)
    assert undo.undoes == first.number
    assert ada.answers.holding([made.number]) == {}
    assert ada.answers.events(made.number) == (first, undo)
    with pytest.raises(NothingToUndoError):
        ada.answers.undo(made.number)


def test_a_replayed_tap_is_recorded_once(ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    first = ada.answers.give(made.number, ACCEPTED, key="tap-1")
    assert ada.answers.give(made.number, ACCEPTED, key="tap-1") == first
    undo = ada.answers.undo(made.number, key="tap-2")
    assert ada.answers.undo(made.number, key="tap-2") == undo
    # A replay of the first tap, after its undo, does not bring the answer back.
    assert ada.answers.give(made.number, ACCEPTED, key="tap-1") == first
    assert ada.answers.holding([made.number]) == {}
    assert len(ada.answers.events()) == 2


def test_a_key_stands_for_one_tap_only(ada: PersonStore) -> None:
    one, two = ada.suggestions.add(proposal(), proposal(SLOT + 1))
    ada.answers.give(one.number, ACCEPTED, key="tap")
    for number, response in ((two.number, ACCEPTED), (one.number, IGNORED)):
        with pytest.raises(KeyReusedError):
            ada.answers.give(number, response, key="tap")
    with pytest.raises(KeyReusedError):
        ada.answers.undo(one.number, key="tap")


def test_what_was_never_suggested_cannot_be_answered(ada: PersonStore) -> None:
    with pytest.raises(UnknownEntryError):
        ada.answers.give(99, ACCEPTED)
    with pytest.raises(UnknownEntryError):
        ada.answers.undo(99)
    with pytest.raises(UnknownEntryError):
        ada.suggestions.get(99)


def test_the_database_itself_refuses_to_change_the_record(store: Store, ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    ada.answers.give(made.number, ACCEPTED)
    for change in (
        sa.update(answers).values(outcome=Outcome.IGNORED),
        sa.update(suggestions).values(propensity=1.0),
    ):
        with pytest.raises(StoreError), store.database.write() as connection:
            connection.execute(change)
    assert ada.suggestions.get(made.number) == made
    assert ada.answers.holding([made.number])[made.number].response == ACCEPTED


@pytest.mark.usefixtures("ben")
def test_the_database_itself_refuses_an_answer_to_another_persons_suggestion(store: Store, ada: PersonStore) -> None:
    (made,) = ada.suggestions.add(proposal())
    answer = ada.answers.give(made.number, ACCEPTED)
    row = {name: getattr(answer, name) for name in answer.__struct_fields__}
    with pytest.raises(StoreError), store.database.write() as connection:
        connection.execute(sa.insert(answers), {**row, "person_id": "ben"})


TAPS = st.lists(
    st.tuples(
        st.sampled_from(["give", "replace", "undo"]),
        st.integers(0, 2),
        st.sampled_from(list(Outcome)),
        st.one_of(st.none(), st.integers(0, 4)),
    ),
    max_size=14,
)


@settings(max_examples=30, deadline=None)
@given(taps=TAPS)
def test_any_sequence_of_taps_leaves_what_a_plain_model_says(
    sqlite_store: Store, taps: list[tuple[str, int, Outcome, int | None]]
) -> None:
    """A dictionary of what holds and a log are the model; refused taps change neither."""
    person = sqlite_store.create_person(f"p{len(sqlite_store.people())}")
    numbers = [s.number for s in person.suggestions.add(*(proposal(SLOT + i) for i in range(3)))]
    holds: dict[int, Outcome] = {}
    log: list[tuple[int, Outcome | None]] = []
    keys: dict[str, tuple[int, Outcome | None]] = {}
    for verb, which, outcome, key_number in taps:
        number, key = numbers[which], None if key_number is None else f"k{key_number}"
        what = (number, None if verb == "undo" else outcome)
        if key is not None and key in keys:
            refused: type[Exception] | None = None if keys[key] == what else KeyReusedError
            events: list[tuple[int, Outcome | None]] = []
        elif verb == "undo":
            refused, events = (None, [what]) if number in holds else (NothingToUndoError, [])
        elif verb == "give":
            refused, events = (AlreadyAnsweredError, []) if number in holds else (None, [what])
        else:
            refused, events = None, [*([(number, None)] if number in holds else []), what]
        if refused is not None:
            with pytest.raises(refused):
                _tap(person, verb, number, outcome, key)
            continue
        _tap(person, verb, number, outcome, key)
        log += events
        if events and key is not None:
            keys[key] = what
        for of, result in events:
            holds.pop(of, None)
            if result is not None:
                holds[of] = result
    assert {n: a.outcome for n, a in person.answers.holding(numbers).items()} == holds
    assert [(event.suggestion, event.outcome) for event in person.answers.events()] == log
    exchanges = person.answers.exchanges(SLOT, SLOT + 2)
    assert [e.suggestion.number for e in exchanges] == numbers
    assert {e.suggestion.number: e.answer.outcome for e in exchanges if e.answer} == holds


def _tap(person: PersonStore, verb: str, number: int, outcome: Outcome, key: str | None) -> None:
    if verb == "undo":
        person.answers.undo(number, key=key)
    else:
        person.answers.give(number, Response(outcome), key=key, replace=verb == "replace")
