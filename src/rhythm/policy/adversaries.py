"""Policies that try to be graded better than they are; none is of use to anybody.

Each has an honest twin that knows and does the same but for the trick (`TWINS`). Grade v2
can be fooled, v3 must not be: `rhythm bench adversaries` measures both.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, normals, scramble_seeds, uniforms
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People, belief_targets
from rhythm.policy.face import Choice, Player, Policy, View
from rhythm.policy.fixed_week import FixedWeekPolicy, grade_v2_of_actions, mean_wellbeing
from rhythm.policy.planner import oracle
from rhythm.policy.rememberer import RemembererPolicy
from rhythm.policy.simple import CyclePolicy, HeuristicPolicy
from rhythm.policy.tabulator import TabulatorPolicy
from rhythm.vocab import BELIEF_COUNT, WEEK_STEPS, Action, InvalidValueError

Floats = NDArray[np.float64]
Twist = Callable[[int, Choice, Floats], Choice]
"""What an adversary makes of an honest choice: step, choice, and uniform numbers of shape (people, 3)."""

Z_90: Final = 1.2815515655446004
"""Standard normal quantile at 0.9."""
BLUR: Final = (0.1, 0.5)
"""Standard deviation of one look of the teller, from the clearest person to the most blurred."""
UNSURE_ABOVE: Final = 0.12
"""Half width of an interval above which the selective adversary says nothing."""


@dataclass(frozen=True)
class TellerPolicy:
    """An honest forecaster to be twisted: acts as the heuristic, states what a noisy look at the truth says.

    Some people it sees less clearly than others, and its 80 % intervals know how clearly. It
    is told who the people are, to be able to look.
    """

    name: str = "teller"
    told: bool = True

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`.

        Raises:
            InvalidValueError: it was not told who the people are.
        """
        if people is None:
            raise InvalidValueError("the teller looks at the people themselves; start it with their profile rows")
        return _TellerPlayer(
            scramble_seeds(seeds, Stream.POLICY), belief_targets(people), HeuristicPolicy().start(seeds)
        )


class _TellerPlayer:
    """Sees the truth blurred afresh in every step, and states the mean of what it saw."""

    def __init__(self, keys: NDArray[np.uint64], truth: Floats, inner: Player) -> None:
        self._keys, self._truth, self._inner = keys, truth, inner
        self._blur = BLUR[0] + (BLUR[1] - BLUR[0]) * uniforms(keys, 0)
        self._noise = np.zeros_like(truth)

    def choose(self, view: View) -> Choice:
        first = 1 + view.step * BELIEF_COUNT
        self._noise += np.column_stack([normals(self._keys, first + d) for d in range(BELIEF_COUNT)])
        looks = view.step + 1.0
        half = Z_90 * (self._blur / np.sqrt(looks))[:, None]
        seen = self._truth + self._blur[:, None] * self._noise / looks
        point, low, high = (np.clip(end, 0.0, 1.0) for end in (seen, seen - half, seen + half))
        return Choice(self._inner.choose(view).actions, point, low, high)


@dataclass(frozen=True)
class TwistedPolicy:
    """Another policy's choices after a twist of what it says."""

    name: str
    inner: Policy
    twist: Twist

    @property
    def told(self) -> bool:
        """As the policy whose choices it twists."""
        return self.inner.told

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        keys = scramble_seeds(scramble_seeds(seeds, Stream.POLICY).astype(np.int64), Stream.POLICY)
        return _TwistedPlayer(self.inner.start(seeds, people), self.twist, keys)


@dataclass(frozen=True)
class _TwistedPlayer:
    inner: Player
    twist: Twist
    keys: NDArray[np.uint64]

    def choose(self, view: View) -> Choice:
        drawn = uniforms(self.keys[:, None], view.step * BELIEF_COUNT + np.arange(BELIEF_COUNT)[None, :])
        return self.twist(view.step, self.inner.choose(view), drawn)


def _random_belief(_step: int, choice: Choice, drawn: Floats) -> Choice:
    return replace(choice, beliefs=drawn)


def _wide_interval(_step: int, choice: Choice, drawn: Floats) -> Choice:
    return replace(choice, belief_low=np.zeros_like(drawn), belief_high=np.ones_like(drawn))


def _no_interval(_step: int, choice: Choice, _drawn: Floats) -> Choice:
    return replace(choice, belief_low=choice.beliefs, belief_high=choice.beliefs)


def _mixed_interval(_step: int, choice: Choice, drawn: Floats) -> Choice:
    """Covers four truths in five by saying everything of four and nothing of the fifth."""
    everything = drawn < 0.8
    return replace(choice, belief_low=np.where(everything, 0.0, 1.0), belief_high=np.ones_like(drawn))


def _silent_where_unsure(_step: int, choice: Choice, _drawn: Floats) -> Choice:
    if choice.beliefs is None or choice.belief_low is None or choice.belief_high is None:
        return choice
    half = (choice.belief_high - choice.belief_low).max(axis=1, keepdims=True) / 2.0
    return replace(choice, beliefs=np.where(half > UNSURE_ABOVE, np.nan, choice.beliefs))


def _silent_until_the_end(step: int, choice: Choice, _drawn: Floats) -> Choice:
    return choice if step == WEEK_STEPS - 1 else replace(choice, beliefs=None, belief_low=None, belief_high=None)


def _silent_at_times(_step: int, choice: Choice, drawn: Floats) -> Choice:
    if choice.beliefs is None:
        return choice
    return replace(choice, beliefs=np.where(drawn[:, :1] < 0.5, np.nan, choice.beliefs))


@lru_cache(maxsize=1)
def _population_interval() -> tuple[Floats, Floats]:
    people = sample_people(np.arange(3_000_000, 3_010_000, dtype=np.int64), Population.PEAKED)
    low, high = np.quantile(belief_targets(people), [0.1, 0.9], axis=0)
    return low, high


def _population_belief(_step: int, choice: Choice, drawn: Floats) -> Choice:
    """Knows nothing of the person and covers four truths in five."""
    low, high = (np.broadcast_to(end, drawn.shape) for end in _population_interval())
    return replace(choice, beliefs=np.full_like(drawn, 0.5), belief_low=low, belief_high=high)


@dataclass(frozen=True)
class SeedReaderPolicy:
    """Takes its seeds for the episodes' seeds, reads the people from them, and plans as if told."""

    name: str = "seed-reader"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return oracle().start(seeds, sample_people(seeds, Population.PEAKED))


_HEURISTIC: Final = HeuristicPolicy()
_TELLER: Final = TellerPolicy()

ADVERSARIES: Final[dict[str, Callable[[], Policy]]] = {
    "honest-week": lambda: FixedWeekPolicy("honest-week", mean_wellbeing),
    "sandbagger": lambda: FixedWeekPolicy("sandbagger", grade_v2_of_actions),
    "random-belief": lambda: TwistedPolicy("random-belief", _HEURISTIC, _random_belief),
    "single-action": lambda: CyclePolicy("single-action", (Action.MEDITATE,)),
    "two-action-cycle": lambda: CyclePolicy("two-action-cycle", (Action.DEEP_WORK, Action.FAMILY_TIME)),
    "seed-reader": SeedReaderPolicy,
    "tabulator": TabulatorPolicy,
    "rememberer": RemembererPolicy,
    "population-belief": lambda: TwistedPolicy("population-belief", _HEURISTIC, _population_belief),
    "teller": TellerPolicy,
    "wide-interval": lambda: TwistedPolicy("wide-interval", _TELLER, _wide_interval),
    "no-interval": lambda: TwistedPolicy("no-interval", _TELLER, _no_interval),
    "mixed-interval": lambda: TwistedPolicy("mixed-interval", _TELLER, _mixed_interval),
    "silent-where-unsure": lambda: TwistedPolicy("silent-where-unsure", _TELLER, _silent_where_unsure),
    "silent-until-the-end": lambda: TwistedPolicy("silent-until-the-end", _TELLER, _silent_until_the_end),
    "silent-at-times": lambda: TwistedPolicy("silent-at-times", _TELLER, _silent_at_times),
}
"""Adversaries and the twins that only they need, by name."""

TWINS: Final[dict[str, str]] = {
    "sandbagger": "honest-week",
    "average-v2": "average",
    "constant": "heuristic",
    "random-belief": "heuristic",
    "single-action": "heuristic",
    "two-action-cycle": "heuristic",
    "seed-reader": "average",
    "tabulator": "average",
    "rememberer": "planner",
    "population-belief": "heuristic",
    "wide-interval": "teller",
    "no-interval": "teller",
    "mixed-interval": "teller",
    "silent-where-unsure": "teller",
    "silent-until-the-end": "teller",
    "silent-at-times": "teller",
}
"""The honest twin of each adversary."""
