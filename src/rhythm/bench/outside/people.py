"""Who is met in the outside test-bed: settings, ranges of parameters, and the package's own environment of one person.

A person is one StepCountJITAI environment with own parameters, each log-uniform between the package's default
divided by three and three times it; or everyone has the defaults, which agents are not told:

====================  =========  ==============================================================
parameter             default    what it is
====================  =========  ==============================================================
``habit_decay``       0.1        share of habituation that a step without a message takes away
``habit_gain``        0.05       habituation that a message adds
``risk_decay``        0.1        share of the risk of disengaging that a good message takes away
``risk_gain``         0.4        risk that a wrong message adds; at 0.99 the person leaves
``generic_steps``     50         mean steps after a message for everybody, not habituated
``tailored_steps``    200        mean steps after a message for the right context
====================  =========  ==============================================================
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import RhythmError, UnknownNameError

Floats = NDArray[np.float64]

PARAMETERS: Final = ("habit_decay", "habit_gain", "risk_decay", "risk_gain", "generic_steps", "tailored_steps")
DEFAULTS: Final[Floats] = np.array([0.1, 0.05, 0.1, 0.4, 50.0, 200.0])
WIDE: Final = 3.0
"""People in general have parameters from the default divided by this to the default times this."""

STEPS: Final = 50
"""Steps of an episode that are paid; the package's 51st ends it and pays nothing."""
ACTIONS: Final = 4
"""0 no message, 1 one for everybody, 2 one for context 0, 3 one for context 1."""
START: Final = 0.1
"""Habituation and risk at the start, the package's."""
LEAVES_AT: Final = 0.99
"""The risk at which the person leaves, the package's."""
SPREAD: Final = 0.2
"""Width of the uniform noise on habituation and risk, as a share of their means."""
STEP_SD: Final = 25.0
"""Standard deviation of the steps of one moment."""
BASE_STEPS: Final = 0.1
"""Mean steps without a fitting message, the package's."""

TRAINING_SEEDS: Final = 8_100_000
TUNING_SEEDS: Final = 8_200_000
EVALUATION_SEEDS: Final = 8_300_000


@dataclass(frozen=True)
class Setting:
    """Where people are met.

    Attributes:
        name: condition and what is observed, as in the rows.
        sigma: standard deviation of what the context is inferred from.
        observed: names of the package's observations: P (chance of context 1), H (habituation), D (risk), S (steps).
        factor: how far people are from the package's defaults; 1 where everyone has them.
    """

    name: str
    sigma: float
    observed: tuple[str, ...]
    factor: float

    @property
    def hidden(self) -> bool:
        """Whether habituation and risk are hidden."""
        return "H" not in self.observed


ALL_SEEN: Final = ("P", "H", "D", "S")
FEW_SEEN: Final = ("P", "S")

SETTINGS: Final = {
    f"{people}-sigma-{sigma}-{seen}": Setting(f"{people}-sigma-{sigma}-{seen}", sigma, observed, factor)
    for people, factor, sigma in (
        ("wide", WIDE, 0.4),
        ("wide", WIDE, 1.0),
        ("alike", 1.0, 0.4),
    )
    for seen, observed in (("seen", ALL_SEEN), ("hidden", FEW_SEEN))
}
"""Where people are met, by name."""


class MissingOutsideError(RhythmError, ImportError):
    """The outside test-bed was asked for and a package of its extra is not installed."""


class World(Protocol):
    """All that a play may do with an environment."""

    def reset(self) -> tuple[list[float], dict[str, Any]]:
        """Begin; gives the first observations."""
        ...

    def step(self, agent_action: int) -> tuple[list[float], float, bool, bool, dict[str, Any]]:
        """Act; gives observations, reward, whether it is over (twice), and the package's remarks."""
        ...


def setting_of(name: str) -> Setting:
    """The setting of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in SETTINGS:
        raise UnknownNameError("setting", name, tuple(SETTINGS))
    return SETTINGS[name]


def people_at(units: Floats, factor: float = WIDE) -> Floats:
    """Parameters at places between 0 and 1 in the ranges of a factor, both of shape (people, 6)."""
    people: Floats = DEFAULTS * factor ** (2.0 * units - 1.0)
    return people


def sample_outside_people(seeds: NDArray[np.int64], setting: Setting) -> Floats:
    """Parameters of everyone, shape (people, 6) in the order of `PARAMETERS`; a person's depend on their seed alone."""
    units = np.array([np.random.default_rng([int(seed), 1]).random(len(PARAMETERS)) for seed in seeds])
    return people_at(units, setting.factor)


class _PlainDraws:
    """A generator whose single draws are plain numbers.

    The package draws arrays of one and makes them numbers by ``float()``, which NumPy 2.4 refuses. The
    draws are the generator's own, in the same order.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def uniform(self, low: float, high: float, size: int) -> float:
        """One uniform number; ``size`` must be 1."""
        return float(self._generator.uniform(low, high, size)[0])

    def gamma(self, shape: float, scale: float, size: int) -> float:
        """One gamma number; ``size`` must be 1."""
        return float(self._generator.gamma(shape, scale, size)[0])


def make_world(parameters: Floats, seed: int, setting: Setting) -> World:
    """The package's environment of one person.

    Args:
        parameters: shape (6,), in the order of `PARAMETERS`.
        seed: of its random numbers.
        setting: what is observed and how well the context is.

    Raises:
        MissingOutsideError: the package, or one that it needs, is not installed.
    """
    try:
        from StepCountJITAI.envs import StepCountJITAI  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"StepCountJITAI", "scipy", "sklearn", "gymnasium"}:
            raise
        raise MissingOutsideError(f"the outside test-bed needs {error.name}: pip install 'rhythm[outside]'") from None
    habit_decay, habit_gain, risk_decay, risk_gain, generic, tailored = (float(value) for value in parameters)
    world: Any = StepCountJITAI(
        setting.sigma,
        list(setting.observed),
        n_version=1,
        chosen_a=SPREAD,
        σs=STEP_SD,
        seed=seed,
        max_episode_length=STEPS,
        δh=habit_decay,
        εh=habit_gain,
        δd=risk_decay,
        εd=risk_gain,
        ρ1=generic,
        ρ2=tailored,
        b_display=False,
    )
    world.rng1 = _PlainDraws(seed)
    made: World = world
    return made
