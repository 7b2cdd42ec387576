"""The belief about an outside person: it nears the truth, keeps what it was told, and survives the impossible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("scipy")

from rhythm.bench.outside.belief import Belief, Seen, anyone
from rhythm.bench.outside.people import DEFAULTS, SETTINGS, WIDE, people_at
from rhythm.bench.outside.twin import Twin


def _lived(setting_name: str, steps: int, draws: int = 512) -> tuple[Belief, np.ndarray, Twin]:
    """A belief after so many steps with one person who is left alone often enough to stay."""
    setting = SETTINGS[setting_name]
    twin = Twin(setting, 1, seed=4)
    twin.people[:] = people_at(np.array([[0.2, 0.8, 0.7, 0.3, 0.4, 0.6]]))
    generator = np.random.default_rng(1)
    belief = Belief(anyone(generator, draws), generator)
    for step in range(steps):
        action = (3 if twin.chance[0] > 0.5 else 2) if step % 3 else step % 2
        chance = float(twin.chance[0])
        _, over = twin.act(np.array([action]))
        assert not over[0]
        hidden = setting.hidden
        belief.update(
            action,
            chance,
            Seen(
                float(twin.walked[0]),
                None if hidden else float(twin.habituation[0]),
                None if hidden else float(twin.risk[0]),
            ),
        )
    return belief, twin.people[0], twin


def test_seen_steps_bring_the_belief_to_the_person() -> None:
    belief, truth, _ = _lived("wide-sigma-0.4-seen", 40)
    spread = np.sqrt(belief.weights @ (np.log(belief.draws) - np.log(belief.mean())) ** 2)
    before = np.log(WIDE) / np.sqrt(3.0)
    learned = [0, 1, 2, 5]  # both decays, the habituation of messages, and what a fitting one brings
    assert (spread[learned] < 0.5 * before).all()
    assert (np.abs(np.log(belief.mean()) - np.log(truth))[learned] < 0.35).all()


def test_hidden_habituation_and_risk_are_followed() -> None:
    belief, _, twin = _lived("wide-sigma-0.4-hidden", 30)
    guessed = belief.weights @ belief.states
    assert abs(guessed[0] - twin.habituation[0]) < 0.2
    assert abs(guessed[1] - twin.risk[0]) < 0.2


def test_draws_that_are_one_person_stay_that_person() -> None:
    generator = np.random.default_rng(2)
    belief = Belief(np.tile(DEFAULTS, (32, 1)), generator)
    for _ in range(10):
        belief.update(3, 0.9, Seen(120.0))
    assert belief.known
    np.testing.assert_array_equal(belief.draws, np.tile(DEFAULTS, (32, 1)))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.floats(0.0, 1.0), st.floats(0.0, 1000.0), st.floats(0.0, 1.0), st.floats(0.0, 0.98)
        ),
        max_size=8,
    ),
    st.booleans(),
)
def test_whatever_is_seen_the_weights_stay_weights_and_the_draws_in_their_ranges(
    steps: list[tuple[int, float, float, float, float]], hidden: bool
) -> None:
    generator = np.random.default_rng(3)
    belief = Belief(anyone(generator, 64), generator)
    for action, chance, walked, habituation, risk in steps:
        belief.update(action, chance, Seen(walked) if hidden else Seen(walked, habituation, risk))
        assert np.isfinite(belief.weights).all()
        assert belief.weights.sum() == pytest.approx(1.0)
        assert (np.abs(np.log(belief.draws / DEFAULTS)) <= np.log(WIDE) + 1e-9).all()
        assert ((belief.states >= 0.0) & (belief.states <= 1.0)).all()
