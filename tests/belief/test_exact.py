"""Exactly seen steps: who is drawn would have lived the same steps, and the draws are spread as the people are."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rhythm.belief.exact import ExactPosterior, beliefs_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets, check_people
from rhythm.life.step import step
from rhythm.life.traits import Trait
from rhythm.life.week import Weeks
from rhythm.vocab import METER_COUNT

Floats = NDArray[np.float64]

PEOPLE = 60
NEAR = 0.002
"""Of a meter; whether a gain shrank is judged by who the person seemed to be then, which is sometimes wrong."""


def _people(count: int) -> Floats:
    halves = [sample_people(np.arange(3_000_000, 3_000_000 + count // 2), population) for population in Population]
    return np.concatenate(halves)


def _lived(people: Floats, actions: list[NDArray[np.int8]]) -> tuple[ExactPosterior, list[dict[str, Any]]]:
    weeks = Weeks(people, np.arange(len(people)) + 3_000_000)
    posterior = ExactPosterior.prior(len(people))
    seen: list[dict[str, Any]] = []
    for slot, chosen in enumerate(actions):
        weeks.take(chosen)
        posterior.absorb(weeks.before, weeks.deltas, weeks.actions, slot, weeks.last_events, weeks.rewards)
        seen.append(
            {
                "before": weeks.before.copy(),
                "deltas": weeks.deltas.copy(),
                "rewards": weeks.rewards.copy(),
                "events": weeks.last_events.copy(),
                "actions": chosen,
            }
        )
    return posterior, seen


def _random_actions(steps: int, people: int, seed: int) -> list[NDArray[np.int8]]:
    return list(np.random.default_rng(seed).integers(0, 10, size=(steps, people), dtype=np.int8))


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 9])
def test_who_is_drawn_would_have_lived_the_same_steps(steps: int) -> None:
    people = _people(PEOPLE)
    posterior, seen = _lived(people, _random_actions(steps, PEOPLE, steps))
    draws = posterior.draws(16)
    same = np.ones((PEOPLE, 16), bool)
    for slot, facts in enumerate(seen):
        for q in range(16):
            done = step(draws[:, q], facts["before"], facts["actions"], slot, facts["events"])
            same[:, q] &= (np.abs(done.deltas - facts["deltas"]) < NEAR).all(axis=1)
            same[:, q] &= np.abs(done.rewards - facts["rewards"]) < 15.0 * NEAR
    assert same.mean() > 0.96


def test_draws_are_people() -> None:
    posterior, _ = _lived(_people(PEOPLE), _random_actions(4, PEOPLE, 0))
    check_people(posterior.draws().reshape(-1, METER_COUNT + len(Trait)))


def test_four_different_rewards_tell_the_weights() -> None:
    people = _people(PEOPLE)
    posterior, _ = _lived(people, [np.full(PEOPLE, a, np.int8) for a in (0, 3, 6, 5, 9)])
    draws = posterior.draws()[:, :, :METER_COUNT]
    assert np.abs(draws - people[:, None, :METER_COUNT]).max() < 1e-4


def test_nothing_seen_is_everybody() -> None:
    draws = ExactPosterior.prior(1).draws(1024)[0]
    many = _people(20_000)
    ordered, true = np.sort(draws[:, :METER_COUNT], axis=1), np.sort(many[:, :METER_COUNT], axis=1)
    np.testing.assert_allclose(ordered.mean(axis=0), true.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(belief_targets(draws).mean(axis=0), belief_targets(many).mean(axis=0), atol=0.02)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_an_eighty_percent_interval_holds_four_in_five_from_the_first_step(steps: int) -> None:
    people = _people(600)
    posterior, _ = _lived(people, _random_actions(steps, 600, 7 + steps))
    middle, low, high = beliefs_of(posterior.draws())
    targets = belief_targets(people)
    unknown = high - low > 1e-5
    inside = (low <= targets) & (targets <= high)
    assert 0.74 <= inside[unknown].mean() <= 0.86
    assert np.abs(middle - targets)[~unknown].max(initial=0.0) < 0.01
