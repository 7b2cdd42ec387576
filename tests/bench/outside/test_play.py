"""The package's own environment: agents see its observations alone, and the twin that trains behaves as it does."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("StepCountJITAI")

from rhythm.bench.outside import agents, play
from rhythm.bench.outside.people import (
    DEFAULTS,
    EVALUATION_SEEDS,
    SETTINGS,
    STEPS,
    TRAINING_SEEDS,
    World,
    make_world,
    sample_outside_people,
    setting_of,
)
from rhythm.bench.outside.play import play_one, play_outside
from rhythm.bench.outside.twin import Twin
from rhythm.vocab import UnknownNameError


class _Sealed:
    """An environment of which nothing can be reached but a reset and a step, and that keeps what it said."""

    def __init__(self, world: World) -> None:
        self.said: list[list[float]] = []

        def reset() -> tuple[list[float], dict[str, Any]]:
            observed, info = world.reset()
            self.said.append(observed)
            return observed, info

        def step(action: int) -> tuple[list[float], float, bool, bool, dict[str, Any]]:
            found = world.step(action)
            self.said.append(found[0])
            return found

        self.reset, self.step = reset, step


class _Noted:
    """An agent, and what it did."""

    def __init__(self, agent: play.Agent) -> None:
        self._agent = agent
        self.did: list[int] = []

    def act(self, observed: np.ndarray) -> int:
        self.did.append(self._agent.act(observed))
        return self.did[-1]


@pytest.mark.parametrize("name", ["wide-sigma-0.4-seen", "wide-sigma-1.0-hidden"])
def test_what_rhythm_does_is_a_function_of_what_was_observed(name: str) -> None:
    """Fed the words of a sealed world, with somebody else's parameters at hand, it does the same."""
    setting = SETTINGS[name]
    seed = TRAINING_SEEDS + 3
    person = sample_outside_people(np.array([seed]), setting)[0]
    world = _Sealed(make_world(person, seed, setting))
    first = _Noted(agents.rhythm(setting)(person, seed))
    play_one(world, first)
    assert all(len(words) == len(setting.observed) for words in world.said)
    again = agents.rhythm(setting)(np.full(6, np.nan), seed)
    assert [again.act(np.array(words)) for words in world.said[: len(first.did)]] == first.did


def test_hidden_state_is_no_observation_where_it_is_hidden() -> None:
    """Two worlds that differ only in habituation and risk say the same first words, and their agents do the same."""
    setting = SETTINGS["wide-sigma-0.4-hidden"]
    world: Any = make_world(DEFAULTS, 1, setting)
    before, _ = world.reset()
    state = world.current_state.copy()
    state[4:6] = 0.77
    world.current_state = state
    assert world.extract_obs(world.chosen_obs_names, False) == before


def test_no_source_reaches_into_an_environment() -> None:
    """Nowhere is a hidden state, or a method of the package that tells one, so much as named."""
    words = re.compile(r"\.(current_state|unpack_obs_array|extract_obs|get_[A-Z]\b|get_current|obs\b)")
    for path in Path(play.__file__).parent.glob("*.py"):
        assert not words.search(path.read_text(encoding="utf-8")), path.name


def test_the_numbers_of_an_environment_are_those_of_the_packages_generator() -> None:
    world: Any = make_world(DEFAULTS, 7, SETTINGS["alike-sigma-0.4-seen"])
    plain = np.random.default_rng(7)
    assert world.rng1.uniform(1.0, 2.0, size=1) == plain.uniform(1.0, 2.0, size=1)[0]
    assert world.rng1.gamma(shape=2.0, scale=3.0, size=1) == plain.gamma(shape=2.0, scale=3.0, size=1)[0]


def test_an_episode_pays_fifty_steps_and_is_the_same_for_every_agent() -> None:
    setting = SETTINGS["alike-sigma-0.4-seen"]

    class Silent:
        chances: list[float]

        def __init__(self) -> None:
            self.chances = []

        def act(self, observed: np.ndarray) -> int:
            self.chances.append(float(observed[0]))
            return 0

    one, two = Silent(), _Noted(agents.average(setting)(DEFAULTS, 5))
    total, stayed = play_one(make_world(DEFAULTS, 5, setting), one)
    assert stayed == STEPS
    assert total < 50.0
    world = _Sealed(make_world(DEFAULTS, 5, setting))
    play_one(world, two)
    assert [words[0] for words in world.said[: len(two.did)]] == one.chances[: len(two.did)]


def test_people_depend_on_their_own_seed_alone() -> None:
    setting = SETTINGS["wide-sigma-0.4-seen"]
    seeds = np.arange(EVALUATION_SEEDS, EVALUATION_SEEDS + 5)
    np.testing.assert_array_equal(
        sample_outside_people(seeds, setting)[3], sample_outside_people(seeds[3:4], setting)[0]
    )
    assert (sample_outside_people(seeds, SETTINGS["alike-sigma-0.4-seen"]) == DEFAULTS).all()


def test_an_unknown_setting_is_said_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="wide-sigma"):
        setting_of("mars")


def test_who_is_told_walks_more_than_chance() -> None:
    setting = SETTINGS["wide-sigma-0.4-seen"]
    seeds = TRAINING_SEEDS + np.arange(8)
    told = play_outside(agents.oracle(setting), seeds, setting).returns
    assert told.mean() > 2.0 * play_outside(agents.chance(setting), seeds, setting).returns.mean()


def test_the_twin_does_what_the_package_does() -> None:
    """One step from the same states: means of what follows agree, action by action, within sampling error."""
    setting = SETTINGS["wide-sigma-1.0-seen"]
    count = 300
    for action in range(4):
        twin = Twin(setting, count, seed=8)
        twin.people[:] = DEFAULTS
        twin.act(np.full(count, 3))
        twin.people[:] = DEFAULTS
        begun = twin.context.copy(), twin.habituation.copy(), twin.risk.copy()
        twin.act(np.full(count, action))
        world: Any = make_world(DEFAULTS, 9, setting)
        found = []
        for context, h, d in zip(*begun, strict=True):
            state = world.create_obs_array(context, np.array([0.5, 0.5]), 0, h, d, 0, 1, 0.1)
            world.current_t, world.current_state = 1, state
            found.append(world.step(action)[0])
        ours = twin.observed()
        error = 4.0 * np.sqrt((ours.var(axis=0) + np.var(found, axis=0)) / count) + 1e-6
        assert (np.abs(ours.mean(axis=0) - np.mean(found, axis=0)) < error).all()
