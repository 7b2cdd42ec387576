"""Policies without a model: random, the published-style heuristic, fixed sequences, constant beliefs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.profiles import People
from rhythm.policy.face import Choice, Player, Policy, View
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, SLOTS_PER_DAY, Action, Meter, PartOfDay


@dataclass(frozen=True)
class RandomPolicy:
    """Every action equally likely; states no belief."""

    name: str = "random"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _RandomPlayer(scramble_seeds(seeds, Stream.POLICY))


@dataclass(frozen=True)
class _RandomPlayer:
    keys: NDArray[np.uint64]

    def choose(self, view: View) -> Choice:
        actions = (uniforms(self.keys, view.step) * ACTION_COUNT).astype(np.int8)
        return Choice(actions, propensities=np.full(len(view), 1.0 / ACTION_COUNT))


@dataclass(frozen=True)
class HeuristicPolicy:
    """A fixed priority list over five actions that asks nothing of who the person is.

    Rest when vitality is low or it is night, calm down when serenity is low, see people when
    connection is low, work in the morning and afternoon while there is energy, else go and move.
    """

    name: str = "heuristic"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _HeuristicPlayer()


class _HeuristicPlayer:
    def choose(self, view: View) -> Choice:
        slot = view.step % SLOTS_PER_DAY
        meters = view.meters
        night = np.full(len(view), slot == PartOfDay.NIGHT)
        working_hours = np.full(len(view), slot in (PartOfDay.MORNING, PartOfDay.AFTERNOON))
        energetic = (meters[:, Meter.VITALITY] > 0.45) & (meters[:, Meter.COGNITION] > 0.4)
        actions = np.select(
            [
                (meters[:, Meter.VITALITY] < 0.3) | night,
                meters[:, Meter.SERENITY] < 0.3,
                meters[:, Meter.CONNECTION] < 0.3,
                working_hours & energetic,
            ],
            [Action.SLEEP, Action.MEDITATE, Action.FAMILY_TIME, Action.DEEP_WORK],
            Action.EXERCISE,
        )
        return Choice(actions.astype(np.int8))


@dataclass(frozen=True)
class CyclePolicy:
    """The same few actions in turn, whoever the person is; states no belief."""

    name: str
    cycle: tuple[Action, ...]
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _CyclePlayer(self.cycle)


@dataclass(frozen=True)
class _CyclePlayer:
    cycle: tuple[Action, ...]

    def choose(self, view: View) -> Choice:
        return Choice(np.full(len(view), self.cycle[view.step % len(self.cycle)], np.int8))


@dataclass(frozen=True)
class ConstantBeliefPolicy:
    """Another policy's actions with the belief 0.5, 0.5, 0.5 in every step."""

    inner: Policy
    name: str = "constant"

    @property
    def told(self) -> bool:
        """As the policy whose actions it takes."""
        return self.inner.told

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _ConstantBeliefPlayer(self.inner.start(seeds, people))


@dataclass(frozen=True)
class _ConstantBeliefPlayer:
    inner: Player

    def choose(self, view: View) -> Choice:
        return Choice(self.inner.choose(view).actions, np.full((len(view), BELIEF_COUNT), 0.5))
