"""How people answer: the chances are chances, the draws follow them, and the answers tell people apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rhythm.life import answer_kernel
from rhythm.life.answer_styles import (
    STYLE_RANGES,
    STYLE_WIDTH,
    AnswerStyle,
    StyleRange,
    check_styles,
    middle_style,
    sample_styles,
)
from rhythm.life.answers import action_values, answer, outcome_probabilities
from rhythm.life.constants import START_METERS
from rhythm.life.habits import sample_habits
from rhythm.life.kernel import EXPECTED_EVENT, step_person
from rhythm.life.populations import Population, archetype_people, sample_people
from rhythm.life.profiles import ARCHETYPES
from rhythm.life.step import wellbeing
from rhythm.vocab import ACTION_COUNT, OUTCOMES, Action, InvalidValueError, Outcome, UnknownNameError

ACCEPTED, RESCHEDULED, IGNORED, EXPIRED, UNAVAILABLE = (OUTCOMES.index(o) for o in Outcome)


def _everyone(count: int, first_seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    seeds = np.arange(first_seed, first_seed + count)
    return seeds, sample_people(seeds, Population.PEAKED), sample_styles(seeds, StyleRange.BENCHMARK)


def _meters(count: int) -> NDArray[np.float64]:
    return np.tile(np.array(START_METERS), (count, 1))


def test_positions_follow_the_vocabulary() -> None:
    named = (
        answer_kernel.ACCEPTED,
        answer_kernel.RESCHEDULED,
        answer_kernel.IGNORED,
        answer_kernel.EXPIRED,
        answer_kernel.UNAVAILABLE,
    )
    assert named == (ACCEPTED, RESCHEDULED, IGNORED, EXPIRED, UNAVAILABLE)


def test_benchmark_ranges_are_strictly_wider_than_trained_ones() -> None:
    for column in AnswerStyle:
        low, high = STYLE_RANGES[StyleRange.TRAINED][column]
        wide_low, wide_high = STYLE_RANGES[StyleRange.BENCHMARK][column]
        assert wide_low < low < high < wide_high


@given(seed=st.integers(0, 2**40))
@settings(max_examples=30)
def test_a_style_is_a_function_of_its_seed_whatever_the_batch(seed: int) -> None:
    seeds = np.array([seed, seed + 1, seed + 2])
    together = sample_styles(seeds, StyleRange.TRAINED)
    alone = sample_styles(seeds[1:2], StyleRange.TRAINED)
    assert (together[1] == alone[0]).all()
    check_styles(together)


@given(
    seed=st.integers(0, 2**40),
    levels=st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5),
    slot=st.integers(0, 3),
    suggested=st.integers(0, 9),
    usual=st.integers(0, 9),
    exposure=st.floats(0.0, 300.0),
    burden=st.floats(0.0, 40.0),
)
@settings(max_examples=200, deadline=None)
def test_chances_are_never_negative_and_sum_to_one(
    seed: int, levels: list[float], slot: int, suggested: int, usual: int, exposure: float, burden: float
) -> None:
    _, people, styles = _everyone(1, seed)
    chances = outcome_probabilities(
        people, styles, np.array([levels]), slot, [suggested], [usual], np.array([exposure]), np.array([burden])
    )
    assert (chances >= 0.0).all()
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("slot", "suggested", "usual"),
    [
        (0, Action.DEEP_WORK, Action.ADMIN_WORK),
        (3, Action.LEARN, Action.SLEEP),
        (2, Action.SLEEP, Action.BINGE_WATCH),
        (1, Action.SOCIALIZE, Action.ME_TIME),
    ],
)
def test_draws_follow_the_chances(slot: int, suggested: Action, usual: Action) -> None:
    count = 40_000
    people = np.tile(ARCHETYPES["introvert_morning"].row, (count, 1))
    styles = np.tile(middle_style(), (count, 1))
    styles[:, AnswerStyle.SLIP] = 0.08
    exposure, burden = np.full(count, 10.0), np.full(count, 2.0)
    asked, would = np.full(count, suggested), np.full(count, usual)
    chances = outcome_probabilities(people[:1], styles[:1], _meters(1), slot, asked[:1], would[:1], *_state(10.0, 2.0))
    got = answer(np.arange(count), people, styles, _meters(count), slot, asked, would, exposure, burden)
    seen = np.bincount(got.outcomes, minlength=5) / count
    error = np.sqrt(chances[0] * (1 - chances[0]) / count)
    assert (np.abs(seen - chances[0]) <= 4.5 * error + 1e-9).all()
    assert ((got.moved_to >= 0) == (got.outcomes == RESCHEDULED)).all()
    done_as_asked = (got.done == suggested) & (got.outcomes == ACCEPTED)
    assert (got.done[~done_as_asked] == usual).all()


def _state(exposure: float, burden: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.array([exposure]), np.array([burden])


def test_answers_do_not_depend_on_the_batch() -> None:
    seeds, people, styles = _everyone(50)
    asked = (np.arange(50) % ACTION_COUNT).astype(np.int8)
    would = ((np.arange(50) * 7) % ACTION_COUNT).astype(np.int8)
    zeros = np.zeros(50)
    together = answer(seeds, people, styles, _meters(50), 17, asked, would, zeros, zeros)
    for i in range(50):
        one = slice(i, i + 1)
        alone = answer(
            seeds[one], people[one], styles[one], _meters(1), 17, asked[one], would[one], zeros[one], zeros[one]
        )
        assert alone.outcomes[0] == together.outcomes[i]
        assert alone.done[0] == together.done[i]


def test_nothing_suggested_means_no_answer_and_the_usual_done() -> None:
    seeds, people, styles = _everyone(20)
    would = (np.arange(20) % ACTION_COUNT).astype(np.int8)
    got = answer(seeds, people, styles, _meters(20), 3, np.full(20, -1), would, np.zeros(20), np.zeros(20))
    assert (got.outcomes == -1).all()
    assert (got.done == would).all()


def test_worth_is_the_change_of_log_wellbeing_in_own_weights() -> None:
    _, people, _ = _everyone(200)
    rng = np.random.default_rng(3)
    meters = rng.uniform(0.05, 0.95, (200, 5))
    values = action_values(people, meters, 1)
    deltas = np.empty((200, 5))
    for action in Action:
        for i in range(200):
            deltas[i] = _one_step(people, i, meters[i], int(action))
        expected = answer_kernel.KAPPA * (
            np.log(wellbeing(people, meters + deltas)) - np.log(wellbeing(people, meters))
        )
        assert np.allclose(values[:, action], expected, atol=1e-9)


def _one_step(people: NDArray[np.float64], i: int, row: NDArray[np.float64], action: int) -> NDArray[np.float64]:
    v, c, p, s, n = (float(level) for level in row)
    changes: tuple[float, ...] = step_person(people, i, v, c, p, s, n, action, 1, EXPECTED_EVENT)
    return np.array(changes)


def test_novelty_raises_the_odds_by_the_first_effect_and_fades_to_nothing() -> None:
    style = middle_style()[None, :]
    style[0, AnswerStyle.FIRST_EFFECT] = 0.66
    style[0, AnswerStyle.HABITUATION_DAYS] = 42.0
    plain = style[0, AnswerStyle.WILLINGNESS]

    def mood(exposure: float) -> float:
        return float(answer_kernel.mood_logit(style, 0, exposure, 0.0) - plain)

    assert np.exp(mood(0.0)) == pytest.approx(1.66)
    assert np.exp(mood(21.0)) == pytest.approx(1.66**0.5)
    assert mood(42.0) == 0.0
    assert mood(100.0) == 0.0


def test_burden_grows_with_what_was_looked_at_only_and_recovers() -> None:
    outcomes = np.array([ACCEPTED, IGNORED, EXPIRED, UNAVAILABLE, -1], np.int8)
    exposure, burden, today = np.zeros(5), np.zeros(5), np.zeros(5, np.int8)
    for slot in range(8):
        answer_kernel.after_slot(slot, outcomes, exposure, burden, today)
    assert exposure.tolist() == [2.0, 2.0, 0.0, 0.0, 0.0]
    assert burden[0] == burden[1] > 4.0
    assert (burden[2:] == 0.0).all()
    full = burden[0]
    nothing = np.full(5, -1, np.int8)
    for slot in range(8, 16):
        answer_kernel.after_slot(slot, nothing, exposure, burden, today)
    assert burden[0] == pytest.approx(full * np.exp(-1.0))


def test_a_burdened_person_accepts_and_looks_less() -> None:
    _, people, _ = _everyone(1)
    style = middle_style()[None, :]
    asked, would = [Action.MEDITATE], [Action.BINGE_WATCH]
    fresh = outcome_probabilities(people, style, _meters(1), 2, asked, would, *_state(0.0, 0.0))[0]
    burdened = outcome_probabilities(people, style, _meters(1), 2, asked, would, *_state(0.0, 8.0))[0]
    assert burdened[ACCEPTED] < fresh[ACCEPTED]
    assert burdened[EXPIRED] > fresh[EXPIRED]
    assert burdened[UNAVAILABLE] == fresh[UNAVAILABLE]


def test_a_lark_moves_late_deep_work_to_a_morning() -> None:
    count = 4000
    people = np.tile(ARCHETYPES["introvert_morning"].row, (count, 1))
    styles = np.tile(middle_style(), (count, 1))
    zeros = np.zeros(count)
    night = 4 * 9 + 3
    got = answer(
        np.arange(count), people, styles, _meters(count), night, np.full(count, Action.DEEP_WORK),
        np.full(count, Action.ME_TIME), zeros, zeros,
    )  # fmt: skip
    moved = got.moved_to[got.outcomes == RESCHEDULED]
    assert len(moved) > 100
    assert (moved == night + 1).all()


def test_random_suggestions_are_accepted_by_a_third_to_a_half_of_those_who_answer() -> None:
    for styles_of in StyleRange:
        seeds = np.arange(3000)
        people, styles = sample_people(seeds, Population.CLASSIC), sample_styles(seeds, styles_of)
        habits = sample_habits(seeds, people, styles)
        counts = np.zeros(5)
        meters = np.tile([0.75, 0.4, 0.4, 0.55, 0.4], (3000, 1))
        rng = np.random.default_rng(5)
        for slot in range(28):
            asked = rng.integers(0, 10, 3000).astype(np.int8)
            got = answer(
                seeds, people, styles, meters, slot, asked, habits.usual(slot), np.full(3000, 7.0), np.full(3000, 3.0)
            )
            counts += np.bincount(got.outcomes, minlength=5)
        accepted = counts[ACCEPTED] / counts[:3].sum()
        assert 0.3 <= accepted <= 0.5
        assert (counts / counts.sum() > 0.005).all()


def test_archetypes_answer_differently() -> None:
    _, people = archetype_people(3)
    styles = np.tile(middle_style(), (3, 1))
    would = np.full(3, Action.ADMIN_WORK)

    def accepts(action: Action, slot: int) -> NDArray[np.float64]:
        chances = outcome_probabilities(
            people, styles, _meters(3), slot, np.full(3, action), would, np.full(3, 20.0), np.zeros(3)
        )
        share: NDArray[np.float64] = chances[:, ACCEPTED] / chances[:, :3].sum(axis=1)
        return share

    company = accepts(Action.SOCIALIZE, 2)
    assert company[1] > company[0] + 0.2
    assert company[1] > company[2] + 0.2
    alone = accepts(Action.ME_TIME, 0)
    assert alone[0] > alone[2] + 0.2
    work = accepts(Action.DEEP_WORK, 2)
    assert work[2] > work[0] + 0.2


def test_wrong_input_is_refused_with_what_is_allowed() -> None:
    seeds, people, styles = _everyone(2)
    good = (people, styles, _meters(2), 0, [0, 1], [2, 3], np.zeros(2), np.zeros(2))
    outcome_probabilities(*good)
    with pytest.raises(UnknownNameError, match="action"):
        outcome_probabilities(*good[:4], [0, 10], *good[5:])
    with pytest.raises(InvalidValueError, match="in \\[0, 1\\]"):
        outcome_probabilities(people, styles, np.full((2, 5), np.nan), *good[3:])
    with pytest.raises(InvalidValueError, match="burden"):
        outcome_probabilities(*good[:7], np.array([0.0, -1.0]))
    with pytest.raises(InvalidValueError, match="style row"):
        outcome_probabilities(people, styles[:1], *good[2:])
    wild = styles.copy()
    wild[0, AnswerStyle.SLIP] = 0.9
    with pytest.raises(InvalidValueError, match="slip"):
        check_styles(wild)
    with pytest.raises(InvalidValueError, match=str(STYLE_WIDTH)):
        check_styles(styles[:, :-1])
    with pytest.raises(UnknownNameError):
        answer(seeds, people, styles, _meters(2), 0, [-2, 0], [0, 0], np.zeros(2), np.zeros(2))
