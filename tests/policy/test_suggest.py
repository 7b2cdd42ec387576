"""Suggestions: legal, with known chances, within what is planned, for the person at hand, and with an honest reason."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.belief.person import PersonPosterior
from rhythm.policy import suggest_kernel
from rhythm.policy.reasons import Level
from rhythm.policy.suggest import FLOOR, HORIZON, SETTINGS, Outlook, advised, choice_chances, suggest
from rhythm.vocab import (
    ACTION_COUNT,
    ACTIONS,
    Action,
    Answered,
    Done,
    Evidence,
    InvalidValueError,
    Meter,
    Outcome,
    Reading,
    Response,
)


def told(*evidence: Evidence) -> PersonPosterior:
    posterior = PersonPosterior.prior()
    posterior.add(evidence)
    return posterior


def answers(action: Action, outcome: Outcome, *slots: int) -> tuple[Evidence, ...]:
    return tuple(Answered(slot, action, Response(outcome)) for slot in slots)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 60), st.sets(st.integers(0, 3), min_size=1), st.integers(0, 4), st.integers(-5, 2**40))
def test_suggestions_are_for_free_slots_and_repeatable(slot: int, ahead: set[int], count: int, key: int) -> None:
    posterior, free = PersonPosterior.prior(), [slot + a for a in ahead]
    planned = {slot + 5: Action.SLEEP}
    made = suggest(posterior, slot=slot, free=free, planned=planned, count=count, rng_key=key)
    assert made == suggest(posterior, slot=slot, free=free[::-1], planned=planned, count=count, rng_key=key)
    assert len(made) <= count
    assert [one.slot for one in made] == sorted({one.slot for one in made} & set(free))
    for one in made:
        assert FLOOR / ACTION_COUNT <= one.propensity <= 1.0
        assert {action for action, _ in one.alternatives} == set(ACTIONS)
        levels = [level for _, level in one.alternatives]
        assert levels == sorted(levels, reverse=True)
        assert all(0.0 < level <= 1.0 for level in levels)


def test_the_propensity_is_how_often_an_action_is_chosen() -> None:
    posterior = PersonPosterior.prior()
    made = [suggest(posterior, slot=41, free=[41], planned={}, rng_key=key)[0] for key in range(400)]
    stated = {one.action: one.propensity for one in made}
    for action, times in Counter(one.action for one in made).items():
        spread = np.sqrt(stated[action] * (1.0 - stated[action]) / 400)
        assert abs(times / 400 - stated[action]) < 4.0 * spread + 1e-9


def test_chances_sum_to_one_and_never_fall_below_the_floor() -> None:
    chances = choice_chances(Outlook(PersonPosterior.prior(), 40, [40], {}).weigh(40))
    assert chances.sum() == pytest.approx(1.0)
    assert chances.min() >= FLOOR / ACTION_COUNT


def test_advice_counts_for_its_share_where_there_is_some_and_reasons_stay_the_posteriors() -> None:
    posterior, advice = PersonPosterior.prior(), np.zeros(ACTION_COUNT, np.float32)
    advice[Action.BINGE_WATCH] = 0.5
    own = Outlook(posterior, 41, [41], {}).weigh(41)
    mixed = advised(own, advice)
    assert mixed.gains == pytest.approx((1.0 - SETTINGS.advice) * own.gains + SETTINGS.advice * advice)
    chances = choice_chances(mixed)
    assert chances.argmax() == Action.BINGE_WATCH != choice_chances(own).argmax()
    plain, told = (
        suggest(posterior, slot=41, free=[41, 42], planned={}, count=2, advice=given) for given in (None, {41: advice})
    )
    assert told[0].action is Action.BINGE_WATCH
    assert told[0].propensity == pytest.approx(chances[Action.BINGE_WATCH])
    assert told[0].alternatives == plain[0].alternatives
    assert told[1] == plain[1], "without advice the planner chooses alone"


def test_the_search_leaves_closed_slots_alone_and_improves_open_ones() -> None:
    draws = PersonPosterior.prior().draws(40, 8)
    plan = np.full(28, Action.BINGE_WATCH, np.int8)
    is_open = np.arange(28) % 3 == 0
    before = suggest_kernel.improve_open(draws.people, draws.meters, plan.copy(), np.zeros(28, np.bool_), 2, 3)
    after = suggest_kernel.improve_open(draws.people, draws.meters, plan, is_open, 2, 3)
    assert after > before
    assert (plan[~is_open] == Action.BINGE_WATCH).all()
    assert (plan[:2] == Action.BINGE_WATCH).all()


def test_who_accepted_company_is_thought_likelier_to_accept_it_again() -> None:
    slots = range(41, 97, 4)
    likes = told(*answers(Action.SOCIALIZE, Outcome.ACCEPTED, *slots))
    declines = told(*answers(Action.SOCIALIZE, Outcome.IGNORED, *slots))
    chances = [
        Outlook(posterior, 98, [98], {}).weigh(98).accepts[:, Action.SOCIALIZE].mean()
        for posterior in (likes, declines)
    ]
    assert chances[0] > chances[1] + 0.05


@pytest.mark.parametrize("free", [[39], [40 + HORIZON], [43]])
def test_slots_that_are_not_open_are_refused(free: list[int]) -> None:
    with pytest.raises(InvalidValueError, match="slot"):
        suggest(PersonPosterior.prior(), slot=40, free=free, planned={43: Action.SLEEP})


def reason_of(
    posterior: PersonPosterior, slot: int, action: Action, shown: Mapping[Meter, Level] | None = None
) -> tuple[str, tuple[Evidence, ...]]:
    for key in range(2000):
        for one in suggest(posterior, slot=slot, free=[slot], planned={}, rng_key=key, shown=shown):
            if one.action is action:
                return one.reason, one.evidence
    raise AssertionError("never suggested, against the floor")


def test_without_evidence_the_reason_says_so() -> None:
    for one in suggest(PersonPosterior.prior(), slot=40, free=[40, 41, 42], planned={}, count=3):
        assert one.reason.startswith("A first guess from people in general")
        assert one.evidence == ()


def test_the_reason_counts_answers_and_names_the_meter() -> None:
    accepted = answers(Action.EXERCISE, Outcome.ACCEPTED, 42, 46, 50)
    declined = answers(Action.EXERCISE, Outcome.IGNORED, 54)
    unanswered = answers(Action.EXERCISE, Outcome.EXPIRED, 58)
    posterior = told(*accepted, *declined, *unanswered)
    level = Level(0.584, 0.0, 0.951)
    reason, evidence = reason_of(posterior, 62, Action.EXERCISE, {Meter.VITALITY: level, Meter.PROGRESS: level})
    said = "You said yes to exercise on 3 of 4 evenings"
    assert reason == f"{said}; for most people it lifts vitality, and yours reads 58 of 100 (likely 0 to 95)."
    assert set(evidence) <= {*accepted, *declined, *unanswered}


def test_a_reading_that_contradicts_what_an_action_was_weighed_with_is_no_reason() -> None:
    accepted = answers(Action.EXERCISE, Outcome.ACCEPTED, 42, 46, 50)
    posterior = told(*accepted, Reading(60, Meter.VITALITY, 0.9, 0.05, "your sleep"))
    weighed = posterior.meters(62)[Meter.VITALITY].mean
    far = Level(weighed - 0.4, weighed - 0.5, weighed - 0.3)
    reason, _ = reason_of(posterior, 62, Action.EXERCISE, {Meter.VITALITY: far})
    assert reason == "You said yes to exercise on 3 of 3 evenings."


def test_the_reason_falls_back_to_what_was_done() -> None:
    done = (Done(41, Action.MEDITATE), Done(45, Action.MEDITATE))
    reason, evidence = reason_of(told(*done), 49, Action.MEDITATE)
    assert reason == "You have spent 2 afternoons on meditation."
    assert evidence == done
