"""The bridge's meters beside the truth: a person's true levels, and what the meters make of what a watch shows.

People live ordinary lives; the device channel turns their days into signals; of these each source gets the kinds
that it delivers, and the bridge's meters are worked out as for a real person. Correlations are within a person
(departures from the person's own mean over the mornings that are compared), as the meters are against an own
baseline; intervals are from resampling people.

`ceiling` is the multiple correlation of the true meter with all signals of the same morning, each as a departure from
the person's own mean over the whole record: no meter made of one morning's signals by a fixed linear rule can do
better. Where a meter falls short of what is wanted it says whether the rule or the signals hold it.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.rows import Row, demanded
from rhythm.bench.sensing_fit import Watched, watch
from rhythm.bridge.meters import MeterInputs
from rhythm.bridge.meters.cognition import cognition
from rhythm.bridge.meters.estimates import MeterEstimate
from rhythm.bridge.meters.serenity import serenity
from rhythm.bridge.meters.vitality import vitality
from rhythm.bridge.wearables.days import DaySummary, DayValue
from rhythm.bridge.wearables.nights import ASLEEP_SIGNALS, Sleep
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import all_sources
from rhythm.life.device import Signal as Sensed
from rhythm.vocab.meters import Meter
from rhythm.vocab.slots import PartOfDay, slot_number

FIRST_SEED: Final = 890_000
FIRST_DAY: Final = date(2026, 1, 5)
SETTLING_DAYS: Final = 35
"""Days that only serve as a baseline."""
WANTED_VITALITY: Final = 0.7
DRAWS: Final = 1_000
_WAKES_H: Final = 6

Floats = NDArray[np.float64]
Delivered = frozenset[Sensed]

SENSED: Final[Mapping[Meter, Callable[[int, MeterInputs], MeterEstimate]]] = {
    Meter.VITALITY: vitality,
    Meter.COGNITION: cognition,
    Meter.SERENITY: serenity,
}
_BODY: Final = (Sensed.RMSSD, Sensed.RESTING, Sensed.SLEEP, Sensed.STRESS)


def delivered_by(signals: frozenset[Signal]) -> Delivered:
    """Which signals of the device channel a source with such records gives. Either kind of variability counts."""
    kinds = {
        Sensed.RMSSD: {Signal.HRV_RMSSD_MS, Signal.HRV_SDNN_MS},
        Sensed.RESTING: {Signal.RESTING_HR_BPM},
        Sensed.SLEEP: set(ASLEEP_SIGNALS),
        Sensed.STRESS: {Signal.STRESS_FRACTION},
    }
    return frozenset(sensed for sensed, any_of in kinds.items() if any_of & signals)


def rows(people: int = 24, days: int = 120) -> list[Row]:
    """For each source and sensed meter the correlation with the truth, and what the signals allow at most.

    Args:
        people: how many lives; at least 4.
        days: how long each is; the first `SETTLING_DAYS` only serve as baseline.
    """
    watched = watch(people, days, FIRST_SEED)
    names = {source.name: delivered_by(source.delivers) for source in all_sources()}
    told: dict[Delivered, list[Row]] = {}
    found: list[Row] = []
    for name, delivered in names.items():
        if delivered not in told:
            told[delivered] = _of_source(watched, delivered)
        found += [_named(row, name) for row in told[delivered]]
    complete = _complete(watched)
    return found + [
        _row(f"ceiling/{meter.label}/all", _linear(watched, meter), _true(watched, meter), complete) for meter in SENSED
    ]


def summaries(signals: Floats, delivered: Delivered) -> dict[date, DaySummary]:
    """One person's signals as day summaries of a device that gives some of them.

    Args:
        signals: by `rhythm.life.device.Signal` in natural units, NaN where missing, shape (days, 5).
        delivered: which the device gives.
    """
    found = {}
    for number, row in enumerate(signals):
        day = FIRST_DAY + timedelta(days=number)
        wakes_at = datetime(day.year, day.month, day.day, _WAKES_H, tzinfo=UTC)
        there = {sensed: float(row[sensed]) for sensed in delivered if np.isfinite(row[sensed])}
        night = None
        if asleep_min := there.get(Sensed.SLEEP):
            night = Sleep("watch", wakes_at - timedelta(minutes=asleep_min), wakes_at, 0, asleep_min)
        values = {
            Signal.HRV_RMSSD_MS: there.get(Sensed.RMSSD),
            Signal.RESTING_HR_BPM: there.get(Sensed.RESTING),
            Signal.STRESS_FRACTION: None if Sensed.STRESS not in there else 1.0 - there[Sensed.STRESS] / 100.0,
        }
        known = {s: DayValue(v, 1, "watch", wakes_at) for s, v in values.items() if v is not None}
        if night or known:
            found[day] = DaySummary(day, night, (), known)
    return found


def within_correlation(first: Floats, second: Floats, which: NDArray[np.bool_]) -> Floats:
    """Sums over each person's chosen mornings from which the pooled within-person correlation follows.

    Args:
        first: a series, shape (days, people).
        second: another.
        which: mornings that count, shape (days, people).

    Returns:
        Sums of products, of squares of the first and of the second, shape (people, 3).
    """
    counts = np.maximum(which.sum(axis=0), 1)
    x, y = (np.where(which, series, 0.0) for series in (first, second))
    x, y = (np.where(which, series - series.sum(axis=0) / counts, 0.0) for series in (x, y))
    return np.stack([(x * y).sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0)], axis=1)


def _of_source(watched: Watched, delivered: Delivered) -> list[Row]:
    found = []
    inputs = [MeterInputs(summaries(watched.signals[:, i], delivered)) for i in range(watched.signals.shape[1])]
    for meter, estimate in SENSED.items():
        values = np.full(watched.signals.shape[:2], np.nan)
        for day in range(SETTLING_DAYS, len(values)):
            slot = slot_number(FIRST_DAY + timedelta(days=day), PartOfDay.MORNING)
            for person, own in enumerate(inputs):
                value = estimate(slot, own).value
                values[day, person] = np.nan if value is None else value
        seen = np.isfinite(values)
        found.append(_row(f"correlation/{meter.label}", values, _true(watched, meter), seen))
        if meter is Meter.VITALITY and {Sensed.RMSSD, Sensed.SLEEP} <= delivered:
            both = np.isfinite(watched.signals[:, :, [Sensed.RMSSD, Sensed.SLEEP]]).all(axis=2)
            row = _row("correlation_with_sleep_and_hrv/vitality", values, _true(watched, meter), seen & both)
            found.append(demanded(row, WANTED_VITALITY, None))
    return found


def _true(watched: Watched, meter: Meter) -> Floats:
    return watched.meters[:, :, meter]


def _complete(watched: Watched) -> NDArray[np.bool_]:
    complete: NDArray[np.bool_] = np.asarray(np.isfinite(watched.signals[:, :, _BODY]).all(axis=2))
    complete[:SETTLING_DAYS] = False
    return complete


def _linear(watched: Watched, meter: Meter) -> Floats:
    """The best linear estimate of a meter from a morning's own signals, fitted to these very mornings."""
    complete = _complete(watched)
    away = np.stack([_away(watched.signals[:, :, s], complete, logarithm=s is Sensed.RMSSD) for s in _BODY], axis=2)
    truth = _away(_true(watched, meter), complete)
    weights, *_ = np.linalg.lstsq(away[complete], truth[complete], rcond=None)
    return np.where(complete, away @ weights, np.nan)


def _away(series: Floats, which: NDArray[np.bool_], *, logarithm: bool = False) -> Floats:
    values = np.where(which, np.log(series) if logarithm else series, 0.0)
    return np.where(which, values - values.sum(axis=0) / np.maximum(which.sum(axis=0), 1), 0.0)


def _row(name: str, values: Floats, truth: Floats, which: NDArray[np.bool_]) -> Row:
    sums = within_correlation(values, truth, which)
    if not which.any() or not sums[:, 1].sum():
        return Row(name, None, n=0, note="the source gives nothing that this meter rests on")
    generator = np.random.default_rng([FIRST_SEED, len(sums)])
    drawn = sums[generator.integers(0, len(sums), (DRAWS, len(sums)))].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = drawn[:, 0] / np.sqrt(drawn[:, 1] * drawn[:, 2])
    low, high = np.nanquantile(each, (0.025, 0.975))
    products, first, second = sums.sum(axis=0)
    return Row(name, float(products / np.sqrt(first * second)), float(low), float(high), int(which.sum()))


def _named(row: Row, source: str) -> Row:
    return Row(f"{row.name}/{source}", row.value, row.low, row.high, row.n, row.band, row.ok, note=row.note)
