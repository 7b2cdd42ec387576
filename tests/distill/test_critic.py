"""The critic of a refinement: advantages cancel who people are, and luck that was foreseen."""

import numpy as np
import pytest
from numpy.typing import NDArray

from rhythm.distill.critic import Critic, group_relative, lived_returns

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.int8]


def test_copies_are_compared_with_each_other_only() -> None:
    random = np.random.default_rng(0)
    gained = group_relative(random.random((12, 20)), 4)
    np.testing.assert_allclose(gained.reshape(3, 4, 20).mean(axis=1), 0.0, atol=1e-12)
    assert gained.std() == pytest.approx(1.0)
    random = np.random.default_rng(0)
    happier = random.random((12, 20)) + np.repeat([0.0, 0.3, 0.6], 4)[:, None]
    np.testing.assert_allclose(group_relative(happier, 4), gained, atol=1e-9)


def test_a_return_is_lived_or_foreseen_as_trust_says() -> None:
    random = np.random.default_rng(1)
    wellbeing, values = random.random((2, 6)), random.random((2, 7))
    lived = [sum(0.9**k * wellbeing[0, t + k] for k in range(6 - t)) + 0.9 ** (6 - t) * values[0, 6] for t in range(6)]
    np.testing.assert_allclose(lived_returns(wellbeing, values, 0.9, 1.0)[0], lived)
    np.testing.assert_allclose(lived_returns(wellbeing, values, 0.9, 0.0), wellbeing + 0.9 * values[:, 1:])
    both = lived_returns(wellbeing, values, 0.9, 0.5)[0]
    assert both[5] == pytest.approx(lived[5])
    assert both[4] == pytest.approx(wellbeing[0, 4] + 0.9 * (0.5 * values[0, 5] + 0.5 * both[5]))


def _made_up(random: np.random.Generator, people: int) -> tuple[Singles, Floats, Bytes]:
    """Wellbeing that mostly follows from a hidden number, and a little from one choice in two."""
    told = np.zeros((2 * people, 11, 5), np.float32)
    told[..., 0] = random.normal(size=(2 * people, 1))
    told[..., 1] = np.arange(11) / 10
    chosen = random.integers(0, 2, (2 * people, 10)).astype(np.int8)
    wellbeing = 0.5 + 0.1 * told[:, :-1, 0] + 0.02 * chosen
    return told, wellbeing.astype(np.float64), chosen


@pytest.mark.parametrize("ends", [False, True])
def test_a_critic_that_knows_the_truth_takes_luck_out_of_what_a_choice_brought(*, ends: bool) -> None:
    """What is left of an advantage goes with the choice far more clearly once the critic has learned."""
    random = np.random.default_rng(4)
    critic, clear, plain = Critic(5, ends=ends), [], []
    for _ in range(12):
        told, wellbeing, chosen = _made_up(random, 200)
        gained, foreseen = critic.advantages(told, wellbeing, copies=2, fades=2.0, trust=0.5)
        clear.append(np.corrcoef(gained.ravel(), chosen.ravel())[0, 1] if gained.any() else 0.0)
        lived = group_relative(lived_returns(wellbeing, np.zeros(told.shape[:2]), np.exp(-0.5), 1.0), 2)
        plain.append(np.corrcoef(lived.ravel(), chosen.ravel())[0, 1])
    assert clear[0] == 0.0  # nothing is learned from before the critic knows anything
    assert np.mean(clear[-4:]) > 3.0 * np.mean(np.abs(plain[-4:]))
    assert foreseen > 0.5
