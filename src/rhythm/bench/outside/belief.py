"""Who is this person of the outside test-bed: weighted draws of parameters, and of habituation and risk.

The model class is the environment's own; what is learned is the person. A draw holds six parameters, a habituation
and a risk. Each step multiplies weights by the chance of what was seen: uniform noise of habituation and risk where
they are seen, the chance to have stayed where they are not, and gamma steps. Whether a message was for the right
context is not seen: both are weighed, and in each draw one is drawn. Where few draws carry the weight they are
drawn anew and spread a little (Liu and West 2001); draws that are all one person stay that person.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import BASE_STEPS, LEAVES_AT, PARAMETERS, SPREAD, START, STEP_SD, people_at

Floats = NDArray[np.float64]

DRAWS: Final = 512
KEPT: Final = 0.98
"""Share of each draw that stays when draws are spread; the rest is the mean, and noise keeps their variance."""
FEWEST: Final = 0.5
"""Draws are drawn anew where their effective number is below this share."""
RULED_OUT: Final = 1e-4
"""How much a draw counts that the noise rules out, beside one that it does not."""
_TINY: Final = 1e-300


@dataclass(frozen=True)
class Seen:
    """What the environment let be seen after a step.

    Attributes:
        steps: walked.
        habituation, risk: None where they are hidden.
    """

    steps: float
    habituation: float | None = None
    risk: float | None = None


class Belief:
    """Weighted draws of one person.

    Attributes:
        draws: parameters, shape (draws, 6).
        states: habituation and risk, shape (draws, 2).
        weights: shape (draws,), of sum 1.
        known: whether all draws are one person.
    """

    def __init__(self, draws: Floats, generator: np.random.Generator) -> None:
        self.draws = draws.copy()
        self._range = draws.min(axis=0), draws.max(axis=0)
        self.states = np.full((len(draws), 2), START)
        self.weights = np.full(len(draws), 1.0 / len(draws))
        self.known = bool((draws == draws[0]).all())
        self._generator = generator

    def mean(self) -> Floats:
        """Mean parameters, shape (6,)."""
        found: Floats = self.weights @ self.draws
        return found

    def pick(self, count: int) -> NDArray[np.int64]:
        """Places of that many draws, each as often as it weighs (systematic), shape (count,), not falling."""
        places = (self._generator.random() + np.arange(count)) / count
        found: NDArray[np.int64] = np.minimum(np.searchsorted(np.cumsum(self.weights), places), len(self.weights) - 1)
        return found

    def update(self, action: int, chance: float, seen: Seen) -> None:
        """Learn from one step after which the person stayed.

        Args:
            action: 0 to 3.
            chance: of context 1 when it was taken.
            seen: after it.
        """
        h, d = self.states.T
        habit_decay, habit_gain, risk_decay, risk_gain, generic, tailored = self.draws.T
        h_mean = (1.0 - habit_decay) * h if action == 0 else np.minimum(1.0, h + habit_gain)
        fresh = 1.0 - h_mean
        if action == 0:
            branches = [(1.0, d, np.full_like(d, BASE_STEPS))]
        elif action == 1:
            branches = [(1.0, (1.0 - risk_decay) * d, BASE_STEPS + fresh * generic)]
        else:
            fits = chance if action == 3 else 1.0 - chance
            branches = [
                (fits, (1.0 - risk_decay) * d, BASE_STEPS + fresh * tailored),
                (1.0 - fits, np.minimum(1.0, d + risk_gain), np.full_like(d, BASE_STEPS)),
            ]
        logs = np.array([self._log_chance(share, d_mean, steps, seen) for share, d_mean, steps in branches])
        top = logs.max(axis=0)
        parts = np.exp(logs - top)
        whole = parts.sum(axis=0)
        log_weights = np.log(np.maximum(self.weights, _TINY)) + top + np.log(whole)
        if seen.habituation is not None:
            log_weights += _log_uniform(seen.habituation, h_mean, 1.0)
        first = self._generator.random(len(h)) * whole < parts[0]
        d_mean = np.where(first, branches[0][1], branches[-1][1])
        self._move(h_mean, d_mean, seen)
        self.weights = np.exp(log_weights - log_weights.max())
        self.weights /= self.weights.sum()
        if 1.0 / (self.weights**2).sum() < FEWEST * len(self.weights):
            self._draw_anew()

    def _log_chance(self, share: float, d_mean: Floats, steps: Floats, seen: Seen) -> Floats:
        if seen.risk is None:
            low, high = d_mean * (1.0 - SPREAD / 2.0), d_mean * (1.0 + SPREAD / 2.0)
            log_risk = np.log(np.clip((LEAVES_AT - low) / (high - low), RULED_OUT, 1.0))
        else:
            log_risk = _log_uniform(seen.risk, d_mean, LEAVES_AT)
        found: Floats = np.log(max(share, _TINY)) + log_risk + _log_gamma(seen.steps, steps)
        return found

    def _move(self, h_mean: Floats, d_mean: Floats, seen: Seen) -> None:
        if seen.habituation is not None and seen.risk is not None:
            self.states = np.tile([seen.habituation, seen.risk], (len(h_mean), 1))
            return
        noise = 1.0 + SPREAD * (self._generator.random((2, len(h_mean))) - 0.5)
        low, high = d_mean * (1.0 - SPREAD / 2.0), np.minimum(d_mean * (1.0 + SPREAD / 2.0), LEAVES_AT)
        stayed = np.minimum(low + (high - low) * self._generator.random(len(d_mean)), LEAVES_AT)
        self.states = np.column_stack([np.minimum(h_mean * noise[0], 1.0), stayed])

    def _draw_anew(self) -> None:
        count = len(self.weights)
        logs = np.log(self.draws)
        mean = self.weights @ logs
        spread = np.sqrt(np.maximum(self.weights @ (logs - mean) ** 2, 0.0))
        chosen = self.pick(count)
        self.states = self.states[chosen]
        self.weights = np.full(count, 1.0 / count)
        if self.known:
            return
        noise = self._generator.standard_normal(self.draws.shape) * spread
        moved = KEPT * logs[chosen] + (1.0 - KEPT) * mean + np.sqrt(1.0 - KEPT**2) * noise
        self.draws = np.exp(np.clip(moved, *np.log(self._range)))


def anyone(generator: np.random.Generator, draws: int = DRAWS) -> Floats:
    """Draws of people in general, stratified in each parameter, shape (draws, 6)."""
    order = np.argsort(generator.random((len(PARAMETERS), draws)), axis=1).T
    return people_at((order + generator.random((draws, len(PARAMETERS)))) / draws)


def _log_uniform(value: float, mean: Floats, most: float) -> Floats:
    """Log density of uniform noise around means, cut at ``most``; what is ruled out counts a little."""
    low, high = mean * (1.0 - SPREAD / 2.0), mean * (1.0 + SPREAD / 2.0)
    width = np.maximum(high - low, _TINY)
    if value >= most:
        found = np.clip((high - most) / width, RULED_OUT, 1.0)
    else:
        found = np.where((low <= value) & (value <= high), 1.0, RULED_OUT) / width
    logs: Floats = np.log(found)
    return logs


def _log_gamma(steps: float, mean: Floats) -> Floats:
    """Log density of gamma steps of these means and the standard deviation `STEP_SD`."""
    from scipy.special import gammaln  # noqa: PLC0415 - an extra

    shape, scale = (mean / STEP_SD) ** 2, STEP_SD**2 / mean
    value = max(steps, _TINY)
    logs: Floats = (shape - 1.0) * np.log(value) - value / scale - shape * np.log(scale) - gammaln(shape)
    return logs
