"""The benchmark in the outside test-bed: steps walked by each agent, and what Rhythm's walks more than the others.

People of evaluation seeds meet every agent once, with the same random numbers of the environment. Learners are
trained and tuned on people of other seeds. Captured is 0 for the average person's agent and 1 for the oracle.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.outside import agents
from rhythm.bench.outside.gradient import LEARNING_RATES, gradient
from rhythm.bench.outside.people import EVALUATION_SEEDS, Setting, make_world, sample_outside_people, setting_of
from rhythm.bench.outside.play import Made, Played, play_outside
from rhythm.bench.outside.thompson import BROUGHT, thompson
from rhythm.bench.rows import Row

Floats = NDArray[np.float64]
OnProgress = Callable[[str, int], None]

OURS: Final = "rhythm"
TUNED_ON: Final = 64
AGENTS: Final = ("random", "thompson", "gradient", "average", OURS, "oracle")
"""In the order of the table."""


@dataclass(frozen=True)
class Effort:
    """How much is played and trained.

    Attributes:
        people: who are met by every agent in every setting.
        thompson_steps: that Thompson sampling learns on.
        gradient_steps: that the policy gradient is trained for, at each learning rate.
        tuned_on: people on whom each choice of a learner is tried.
    """

    people: int
    thompson_steps: int = 50_000
    gradient_steps: int = 200_000
    tuned_on: int = TUNED_ON

    def pieces(self, settings: int) -> int:
        """How many steps of progress that makes in so many settings."""
        return settings * (len(AGENTS) * self.people + len(LEARNING_RATES) + 1)


@dataclass(frozen=True)
class Outcome:
    """What came of one setting.

    Attributes:
        setting: its name.
        played: by agent.
        chosen: what tuning chose, by learner.
    """

    setting: str
    played: Mapping[str, Played]
    chosen: Mapping[str, float]


def run(names: Sequence[str], effort: Effort, on_progress: OnProgress = lambda _what, _more: None) -> list[Outcome]:
    """Train, tune and play everybody in the settings.

    Raises:
        UnknownNameError: a name that is no setting.
        MissingOutsideError: a package of the extra ``outside`` is not installed.
    """
    settings = [setting_of(name) for name in dict.fromkeys(names)]
    for setting in settings:  # what is missing is said before anything is trained
        make_world(sample_outside_people(np.array([EVALUATION_SEEDS]), setting)[0], EVALUATION_SEEDS, setting)
    return [_outcome(setting, effort, on_progress) for setting in settings]


def _outcome(setting: Setting, effort: Effort, on_progress: OnProgress) -> Outcome:
    sampler, brought = thompson(setting, effort.thompson_steps, effort.tuned_on)
    on_progress(f"thompson, {setting.name}", 1)
    learner, rate = gradient(
        setting, effort.gradient_steps, effort.tuned_on, lambda: on_progress(f"gradient, {setting.name}", 1)
    )
    makers: dict[str, Made] = {
        "random": agents.chance(setting),
        "thompson": sampler,
        "gradient": learner,
        "average": agents.average(setting),
        OURS: agents.rhythm(setting),
        "oracle": agents.oracle(setting),
    }
    seeds = EVALUATION_SEEDS + np.arange(effort.people, dtype=np.int64)
    played = {
        name: play_outside(makers[name], seeds, setting, lambda name=name: on_progress(f"{name}, {setting.name}", 1))  # type: ignore[misc]
        for name in AGENTS
    }
    return Outcome(setting.name, played, {"thompson": brought, "gradient": rate})


def rows_of(outcomes: Sequence[Outcome]) -> list[Row]:
    """Mean and 25th percentile of each agent, what Rhythm's walks more than each, captured, and steps stayed."""
    rows: list[Row] = []
    for outcome in outcomes:
        ours = outcome.played[OURS].returns
        for name, played in outcome.played.items():
            place = f"{name}/{outcome.setting}"
            rows.append(_row(f"return/{place}", statistics.mean(played.returns)))
            rows.append(_row(f"return_p25/{place}", statistics.quantile_estimate(played.returns, 0.25)))
            rows.append(_row(f"stayed/{place}", statistics.mean(played.stayed)))
            if name != OURS:
                rows.append(_row(f"rhythm_minus/{place}", statistics.mean(ours - played.returns)))
        rows += [_captured(outcome, name) for name in ("thompson", "gradient", OURS)]
    return rows


def _captured(outcome: Outcome, name: str) -> Row:
    base = outcome.played["average"].returns
    gain, room = outcome.played[name].returns - base, outcome.played["oracle"].returns - base
    return _row(f"captured/{name}/{outcome.setting}", statistics.ratio(gain, room))


def _row(name: str, estimate: statistics.Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="the oracle is not clearly above the average person's agent here")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)


def config_of(names: Sequence[str], effort: Effort, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """What the rows depend on, and what tuning chose."""
    packages = ("StepCountJITAI", "numpy", "scipy", "stable-baselines3", "torch")
    return {
        "settings": list(names),
        "people": effort.people,
        "first_seed": EVALUATION_SEEDS,
        "thompson_steps": effort.thompson_steps,
        "gradient_steps": effort.gradient_steps,
        "tuned_on": effort.tuned_on,
        "learning_rates": list(LEARNING_RATES),
        "brought": list(BROUGHT),
        "chosen": {outcome.setting: dict(outcome.chosen) for outcome in outcomes},
        "versions": {name: version(name) for name in packages},
    }
