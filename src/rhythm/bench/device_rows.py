"""The device channel beside real people's data: every published statistic, and ours, computed the same way.

The real figures are those of 71 people over four months (LifeSnaps; Yfantidou et al. 2022,
Scientific Data 9:663; 7,410 person-days). Ours come from ordinary lives without suggestions,
71 people for 104 days, several times over: observed days only, departures from the person's
own mean for everything within a person, pairs of days both seen for everything from day to day.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.device import DeviceModel, Devices, Signal
from rhythm.life.living import Lives
from rhythm.life.populations import Population, sample_people
from rhythm.vocab import SLOTS_PER_DAY, Action, Meter

Floats = NDArray[np.float64]

PEOPLE: Final = 71
DAYS: Final = 104
SETTLING_DAYS: Final = 21
"""Days lived before the record begins, so that nobody is still where everybody starts."""
WINDOW_DAYS: Final = 46
"""Length of the stretches in which runs of missing days are counted."""
FIRST_SEED: Final = 880_000

WITHIN_TENTH: Final = 0.10
WITHIN_CORRELATION: Final = 0.05

_TIRED_COUNTER: Final = 500_000
TIRED_OFFSET: Final = -0.3
TIRED_SLOPE: Final = 1.0
"""Logits by which a vitality lower by one `DeviceModel.vitality_unit` makes a report of being tired likelier; ours."""


@dataclass(frozen=True)
class Real:
    """A published figure and how near ours must be.

    Attributes:
        value: the real figure.
        low, high: the band for ours.
    """

    value: float
    low: float
    high: float


def _near(value: float) -> Real:
    return Real(value, value * (1.0 - WITHIN_TENTH), value * (1.0 + WITHIN_TENTH))


def _correlation(value: float) -> Real:
    return Real(value, value - WITHIN_CORRELATION, value + WITHIN_CORRELATION)


REAL: Final[dict[str, Real]] = {
    "ln_rmssd/mean": _near(3.57),
    "ln_rmssd/between_sd": _near(0.40),
    "ln_rmssd/within_sd": _near(0.234),
    "ln_rmssd/lag_1": _correlation(0.28),
    "ln_rmssd/missing": _near(0.67),
    "resting/mean": _near(65.6),
    "resting/between_sd": _near(6.7),
    "resting/within_sd": _near(2.26),
    "resting/lag_1": _correlation(0.87),
    "resting/missing": _near(0.40),
    "steps/mean": _near(7596.0),
    "steps/within_sd": _near(4165.0),
    "steps/lag_1": _correlation(0.13),
    "steps/missing": _near(0.36),
    "sleep/mean": _near(393.0),
    "sleep/within_sd": _near(86.0),
    "sleep/lag_1": _correlation(-0.04),
    "sleep/missing": _near(0.52),
    "stress/within_sd": _near(5.3),
    "ln_rmssd~resting": _correlation(-0.49),
    "sleep~tired": _correlation(-0.08),
    "sleep~stress": _correlation(0.15),
    "steps~ln_rmssd_next_day": _correlation(-0.10),
    "sleep/missing_run_days": Real(3.4, 1.9, 4.9),
    "steps/missing_run_days": Real(4.0, 2.0, 6.0),
}
"""Runs of missing days were counted by hand in five stretches of the public file, 36 to 52 days of
one person each: 11 complete runs of sleep (median 1, longest 18) and 3 of steps, so their bands
are wide."""


@dataclass(frozen=True)
class Record:
    """What the device channel needs of lives, morning by morning.

    Attributes:
        seeds: of the people, shape (people,).
        vitality, serenity: true levels, shape (days, people).
        slept: whether the night before was spent on sleep, shape (days, people).
        exercised: slots of exercise on the day before, shape (days, people).
    """

    seeds: NDArray[np.int64]
    vitality: Floats
    serenity: Floats
    slept: NDArray[np.bool_]
    exercised: NDArray[np.int64]


def live(people: int, *, first_seed: int = FIRST_SEED, days: int = DAYS + SETTLING_DAYS) -> Record:
    """Ordinary lives without suggestions, half from each population, lived for so many days."""
    seeds = np.arange(first_seed, first_seed + people)
    halves = [sample_people(seeds, population) for population in Population]
    profiles = np.where((seeds % 2 == 0)[:, None], *halves)
    lives = Lives(seeds, profiles, sample_styles(seeds, StyleRange.TRAINED))
    nothing = np.full(people, -1, np.int8)
    record = Record(
        seeds, np.empty((days, people)), np.empty((days, people)), np.empty((days, people), np.bool_),
        np.zeros((days, people), np.int64),
    )  # fmt: skip
    for day in range(days):
        for _ in range(SLOTS_PER_DAY):
            lives.offer(nothing)
            record.exercised[day] += lives.done == Action.EXERCISE
        record.vitality[day] = lives.meters[:, Meter.VITALITY]
        record.serenity[day] = lives.meters[:, Meter.SERENITY]
        record.slept[day] = lives.done == Action.SLEEP
    return record


def sense(record: Record, model: DeviceModel | None = None) -> tuple[Floats, Floats]:
    """Signals (RMSSD as its logarithm), shape (days, people, 5), and reports of being tired, once settled."""
    devices = Devices(record.seeds, model=model)
    mornings = [
        devices.morning(day + 1, record.vitality[day], record.serenity[day], record.slept[day], record.exercised[day])
        for day in range(len(record.vitality))
    ]
    signals = np.array([morning.values for morning in mornings])
    signals[:, :, Signal.RMSSD] = np.log(signals[:, :, Signal.RMSSD])
    constants = devices.model
    unit = (record.vitality - constants.vitality_middle) / constants.vitality_unit
    chance = 1.0 / (1.0 + np.exp(-(TIRED_OFFSET - TIRED_SLOPE * unit)))
    keys = scramble_seeds(record.seeds, Stream.DEVICE)
    draws = np.array([uniforms(keys, _TIRED_COUNTER + day) for day in range(len(unit))])
    tired = (draws < chance).astype(np.float64)
    return signals[SETTLING_DAYS:], tired[SETTLING_DAYS:]


def statistics(signals: Floats, tired: Floats) -> dict[str, float]:
    """Every statistic of `REAL`.

    Args:
        signals: as `sense`, NaN where missing, shape (days, people, 5).
        tired: 0 or 1, shape (days, people).
    """
    found: dict[str, float] = {}
    named = {"ln_rmssd": Signal.RMSSD, "resting": Signal.RESTING, "steps": Signal.STEPS, "sleep": Signal.SLEEP}
    series = {name: signals[:, :, signal] for name, signal in named.items()} | {"stress": signals[:, :, Signal.STRESS]}
    for name, values in series.items():
        found[f"{name}/mean"] = float(np.nanmean(values))
        found[f"{name}/between_sd"] = _between(values)
        found[f"{name}/within_sd"] = _within(values)
        found[f"{name}/lag_1"] = _pooled_correlation(values[:-1], values[1:], values)
        found[f"{name}/missing"] = float(np.isnan(values).mean())
        found[f"{name}/missing_run_days"] = missing_run(values)
    found["ln_rmssd~resting"] = _pooled_correlation(series["ln_rmssd"], series["resting"])
    found["sleep~tired"] = _pooled_correlation(series["sleep"], tired)
    found["sleep~stress"] = _pooled_correlation(series["sleep"], series["stress"])
    # The steps that a morning brings are those of the day before, so the two stand in one row.
    found["steps~ln_rmssd_next_day"] = _pooled_correlation(series["steps"], series["ln_rmssd"])
    return {name: found[name] for name in REAL}


def rows(*, seed: int = 0, replicates: int = 12) -> list[dict[str, Any]]:
    """Our figures beside the real ones.

    Args:
        seed: which people; replicate k of seed s is a cohort of its own.
        replicates: cohorts of 71 people; at least 2.

    Returns:
        For each statistic `name`, `value` (mean over the cohorts), `low` and `high` (95 %
        interval of that mean), `n` (cohorts), `real`, `band` and `ok` (value inside the band).
    """
    record = live(PEOPLE * replicates, first_seed=FIRST_SEED + seed * PEOPLE * replicates)
    return compare(*sense(record))


def compare(signals: Floats, tired: Floats) -> list[dict[str, Any]]:
    """`rows` of signals that were sensed already; people in cohorts of 71 side by side."""
    cohorts = [slice(start, start + PEOPLE) for start in range(0, signals.shape[1], PEOPLE)]
    each = [statistics(signals[:, cohort], tired[:, cohort]) for cohort in cohorts]
    table: list[dict[str, Any]] = []
    for name, real in REAL.items():
        values = np.array([one[name] for one in each])
        value, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
        table.append(
            {
                "name": f"device/{name}",
                "value": value,
                "low": value - 1.96 * error,
                "high": value + 1.96 * error,
                "n": len(values),
                "real": real.value,
                "band": [min(real.low, real.high), max(real.low, real.high)],
                "ok": bool(min(real.low, real.high) <= value <= max(real.low, real.high)),
            }
        )
    return table


def missing_run(values: Floats) -> float:
    """Mean length in days of the runs of missing days that begin and end inside a stretch of 46 days.

    People who never have the signal have no runs. Counted in stretches, as the real runs were.
    """
    lengths: list[int] = []
    for start in range(0, len(values) - WINDOW_DAYS + 1, WINDOW_DAYS):
        missing = np.isnan(values[start : start + WINDOW_DAYS])
        for person in missing.T:
            edges = np.flatnonzero(np.diff(person.astype(np.int8)))
            begins, ends = edges[~person[edges]], edges[person[edges]]
            lengths.extend(int(ends[ends > begin][0] - begin) for begin in begins if (ends > begin).any())
    return float(np.mean(lengths)) if lengths else float("nan")


def _own_means(values: Floats) -> Floats:
    seen = np.isfinite(values)
    means: Floats = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return means


def _between(values: Floats) -> float:
    enough = np.isfinite(values).sum(axis=0) >= 5
    return float(_own_means(values)[enough].std(ddof=1))


def _within(values: Floats) -> float:
    away = values - _own_means(values)
    seen = np.isfinite(values)
    freedom = seen.sum() - seen.any(axis=0).sum()
    return float(np.sqrt(np.nansum(away**2) / freedom))


def _pooled_correlation(first: Floats, second: Floats, middle: Floats | None = None) -> float:
    """Correlation within people over the days on which both were seen.

    Departures are from the person's mean over those days or, for a day and the next, over
    all days seen (``middle``).
    """
    both = np.isfinite(first) & np.isfinite(second)
    if middle is None:
        x = np.where(both, first, np.nan) - _own_means(np.where(both, first, np.nan))
        y = np.where(both, second, np.nan) - _own_means(np.where(both, second, np.nan))
    else:
        x, y = first - _own_means(middle), second - _own_means(middle)
    x, y = x[both], y[both]
    return float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum()))
