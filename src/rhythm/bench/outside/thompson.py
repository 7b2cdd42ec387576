"""Linear Thompson sampling: which action walks most at this moment, by Bayesian linear regression of each action.

It learns on training people and goes on learning with each person it meets. How much of what it brings counts
beside the person's own steps is tuned on other training people: the brought precision is scaled to so many
steps. It weighs one moment and not what a message does to the next ones; that sets it apart from planning.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import ACTIONS, STEP_SD, STEPS, TRAINING_SEEDS, TUNING_SEEDS, Setting
from rhythm.bench.outside.play import Made, play_outside
from rhythm.bench.outside.twin import Twin

Floats = NDArray[np.float64]

SCALE: Final = {"P": 1.0, "H": 1.0, "D": 1.0, "S": 1.0 / 200.0}
"""By what observations are multiplied before anything is learned from them."""
BROUGHT: Final = (20.0, 200.0, 10_000.0)
"""How many steps what is brought may count for."""
SIDE_BY_SIDE: Final = 64
PRIOR_SD: Final = 100.0
"""Standard deviation of a coefficient, in steps, before anything is learned."""


@dataclass(frozen=True)
class Brought:
    """What was learned on training people.

    Attributes:
        precision: of the coefficients of each action, for one step, shape (4, features, features).
        mean: of the coefficients, shape (4, features).
        count: for how many steps it counts, for each action.
    """

    precision: Floats
    mean: Floats
    count: float


def features_of(observed: Floats, setting: Setting) -> Floats:
    """Features of observations, shape (..., observations) to (..., features): a constant, and each of them."""
    scaled = observed * np.array([SCALE[name] for name in setting.observed])
    return np.concatenate([np.ones((*observed.shape[:-1], 1)), scaled], axis=-1)


class ThompsonAgent:
    """Draws coefficients for each action and takes the action that promises most."""

    def __init__(self, brought: Brought, setting: Setting, seed: int) -> None:
        width = brought.mean.shape[1]
        self._setting = setting
        self._generator = np.random.default_rng([seed, 6])
        self._precision = np.eye(width) / PRIOR_SD**2 + brought.count * brought.precision / STEP_SD**2
        self._pull = np.einsum("aij,aj->ai", brought.count * brought.precision / STEP_SD**2, brought.mean)
        self._walked = setting.observed.index("S")
        self._last: tuple[int, Floats] | None = None

    def act(self, observed: Floats) -> int:
        """See `Agent.act`."""
        if self._last is not None:
            action, features = self._last
            self._precision[action] += np.outer(features, features) / STEP_SD**2
            self._pull[action] += features * observed[self._walked] / STEP_SD**2
        features = features_of(observed, self._setting)
        covariance = np.linalg.inv(self._precision)
        mean = np.einsum("aij,aj->ai", covariance, self._pull) @ features
        sd = np.sqrt(np.einsum("i,aij,j->a", features, covariance, features))
        action = int((mean + sd * self._generator.standard_normal(ACTIONS)).argmax())
        self._last = action, features
        return action


def learned(setting: Setting, steps: int) -> Brought:
    """What so many steps of Thompson sampling teach, among 64 training people at a time.

    Args:
        setting: where.
        steps: in all.
    """
    twin = Twin(setting, SIDE_BY_SIDE, TRAINING_SEEDS)
    generator = np.random.default_rng([TRAINING_SEEDS, 6])
    width = len(setting.observed) + 1
    grams, pulls, taken = np.zeros((ACTIONS, width, width)), np.zeros((ACTIONS, width)), np.zeros(ACTIONS)
    ridge = np.eye(width) * (STEP_SD / PRIOR_SD) ** 2
    for _ in range(max(steps // SIDE_BY_SIDE, 1)):
        features = features_of(twin.observed(), setting)
        covariance = np.linalg.inv(grams + ridge)
        roots = np.linalg.cholesky(covariance) * STEP_SD
        noise = generator.standard_normal((SIDE_BY_SIDE, ACTIONS, width))
        drawn = np.einsum("aij,aj->ai", covariance, pulls) + np.einsum("aij,naj->nai", roots, noise)
        actions = np.einsum("nai,ni->na", drawn, features).argmax(axis=1)
        walked, over = twin.act(actions)
        for action in range(ACTIONS):
            mine = (actions == action) & (twin.step <= STEPS)
            grams[action] += features[mine].T @ features[mine]
            pulls[action] += features[mine].T @ walked[mine]
            taken[action] += mine.sum()
        twin.renew(over)
    mean = np.asarray(np.linalg.solve(grams + ridge, pulls[..., None])[..., 0], np.float64)
    precision: Floats = grams / np.maximum(taken, 1.0)[:, None, None]
    return Brought(precision, mean, float(steps))


def thompson(setting: Setting, steps: int, tuned_on: int) -> tuple[Made, float]:
    """The agent that learned for so many steps, and for how many steps that counts, the best for tuning people.

    Args:
        setting: where.
        steps: to learn on training people.
        tuned_on: how many people each choice is tried on.
    """
    seeds = TUNING_SEEDS + np.arange(tuned_on, dtype=np.int64)
    found: list[tuple[float, float, Made]] = []
    brought = learned(setting, steps)
    for count in BROUGHT:
        made = _maker(replace(brought, count=count), setting)
        found.append((float(play_outside(made, seeds, setting).returns.mean()), count, made))
    _, count, made = max(found, key=lambda one: one[0])
    return made, count


def _maker(brought: Brought, setting: Setting) -> Made:
    return lambda _told, seed: ThompsonAgent(brought, setting, seed)
