"""The device channel: from a person's true days to what a watch would have shown of them.

Five signals a day: RMSSD, resting heart rate, steps, minutes asleep, stress score. Each is a
person's own level plus slow and fast noise plus a small part of the true vitality and
serenity and of yesterday's doings, then rounded, missing in runs, and late. Constants are
calibrated so that series of ordinary lives show the statistics of published daily data
(`rhythm.bench.device_rows` compares them; `rhythm.bench.device_fit` finds the constants).
The model and its limits: docs/device-channel.md.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, normals, scramble_seeds, uniforms

DEVICE_VERSION: Final = "device-1"

Floats = NDArray[np.float64]


class Signal(IntEnum):
    """The signals in the order of every array of five."""

    RMSSD = 0
    """Heart rate variability of the night, in ms."""
    RESTING = 1
    """Resting heart rate, in beats a minute."""
    STEPS = 2
    """Steps of the day before."""
    SLEEP = 3
    """Minutes asleep in the night."""
    STRESS = 4
    """Stress management score, 0 to 100; high is calm."""


SIGNAL_COUNT: Final = len(Signal)


@dataclass(frozen=True)
class DeviceModel:
    """The constants of the channel; shares are of a signal's own spread within a person.

    Vitality and serenity enter as units from `vitality_middle` and `serenity_middle`, one unit
    being what a person's level typically varies by from day to day.
    """

    vitality_middle: float = 0.90
    vitality_unit: float = 0.09
    serenity_middle: float = 0.50
    serenity_unit: float = 0.13

    slow_kept: float = 0.892
    """Share of the slow state kept from day to day."""
    slow_vitality: float = 0.25
    """Correlation of the slow state's daily news with low vitality."""

    rmssd_mean: float = 3.542
    """Of ln RMSSD, with its spreads between and within people."""
    rmssd_between: float = 0.317
    rmssd_within: float = 0.231
    rmssd_slow: float = 0.445
    rmssd_vitality: float = 0.35
    rmssd_serenity: float = 0.15
    rmssd_steps: float = 0.123
    rmssd_kept: float = 0.01
    """Day-to-day correlation of the noise."""

    resting_mean: float = 65.97
    resting_between: float = 6.3
    resting_within: float = 2.316

    steps_mean: float = 6709.0
    steps_between: float = 0.38
    """Spread between people, of the logarithm."""
    steps_within: float = 0.435
    """Spread within people, of the logarithm."""
    steps_exercise: float = 0.35
    """What a slot of exercise adds to the logarithm."""
    steps_kept: float = 0.22

    sleep_mean: float = 405.6
    sleep_between: float = 40.0
    sleep_within: float = 71.6
    sleep_kept: float = 0.001
    sleep_night: float = 231.0
    """Minutes by which a night that was slept through is longer than one that was not."""

    stress_mean: float = 77.0
    stress_between: float = 5.0
    stress_within: float = 5.3
    stress_serenity: float = 0.35
    stress_sleep: float = 0.128
    stress_kept: float = 0.30

    off_share: float = 0.364
    """Mean share of days on which the device is off; people differ by a beta law of total `off_total`."""
    off_total: float = 2.2
    off_news: float = 0.454
    """Chance a day that the wearing of the device is decided anew: runs of days off last about
    1 / (off_news x (1 - the person's share)) days."""
    night_share: float = 0.243
    """Mean share of worn days whose night is missing."""
    night_total: float = 2.5
    night_news: float = 0.844
    resting_gap: float = 0.062
    """Share of worn days without a resting heart rate."""
    rmssd_never: float = 0.28
    """Share of people whose device gives no RMSSD."""
    rmssd_gap: float = 0.04
    stress_gap: float = 0.10
    """Share of nights seen that have no RMSSD, and no stress score."""

    late: float = 0.30
    """Chance that a day's signals arrive late."""
    late_kept: float = 0.60
    """Chance that a late day is one slot later still, slot by slot, up to `LATEST`."""


LATEST: Final = 12
"""Signals are at most so many slots late."""

_PERSON_NORMALS: Final = 0
_PERSON_UNIFORMS: Final = 64
_DAY_COUNTERS: Final = 1024
_DRAWS_PER_DAY: Final = 32
_BETA_GRID: Final = 512


class DaySignals(NamedTuple):
    """What a device has of one morning.

    Attributes:
        values: by `Signal`, in natural units, NaN where missing, shape (people, 5). Steps
            are of the day before; the others of the night that ended.
        delays: slots after this morning until the values arrive, shape (people,).
    """

    values: Floats
    delays: NDArray[np.int64]


class Devices:
    """The devices of a batch of people, one morning at a time.

    Every draw is a pure function of seed and day, so a person's signals do not depend on
    the batch. Mornings must be asked for in order, day after day.
    """

    def __init__(self, seeds: NDArray[np.int64], *, model: DeviceModel | None = None, secret: int = 0) -> None:
        self.model = m = model or DeviceModel()
        self._keys = keys = scramble_seeds(np.asarray(seeds), Stream.DEVICE, secret)

        def own(place: int) -> Floats:
            return normals(keys, _PERSON_NORMALS + place)

        self._baselines = np.stack(
            [
                m.rmssd_mean + m.rmssd_between * own(0),
                m.resting_mean + m.resting_between * own(1),
                np.log(m.steps_mean) + m.steps_between * own(2) - 0.5 * m.steps_between**2,
                m.sleep_mean + m.sleep_between * own(3),
                m.stress_mean + m.stress_between * own(4),
            ],
            axis=1,
        )
        self.off_share = _beta(uniforms(keys, _PERSON_UNIFORMS), m.off_share, m.off_total)
        self.night_share = _beta(uniforms(keys, _PERSON_UNIFORMS + 1), m.night_share, m.night_total)
        self.has_rmssd = uniforms(keys, _PERSON_UNIFORMS + 2) >= m.rmssd_never
        self._off = uniforms(keys, _PERSON_UNIFORMS + 3) < self.off_share
        self._night_missing = uniforms(keys, _PERSON_UNIFORMS + 4) < self.night_share
        self._slow, self._rmssd, self._steps = own(5), own(6), own(7)
        self._sleep, self._stress = own(8), own(9)

    def morning(
        self, day: int, vitality: Floats, serenity: Floats, slept: NDArray[np.bool_], exercised: NDArray[np.int64]
    ) -> DaySignals:
        """The signals of a morning.

        Args:
            day: day number (slot number // 4).
            vitality: true level as the morning begins, in [0, 1], shape (people,).
            serenity: the same of serenity.
            slept: whether the night slot before was spent on sleep, shape (people,).
            exercised: slots of exercise on the day before, shape (people,).
        """
        m, keys = self.model, self._keys
        first = _DAY_COUNTERS + day * _DRAWS_PER_DAY

        def news(place: int) -> Floats:
            return normals(keys, first // 2 + place)

        v = np.clip((vitality - m.vitality_middle) / m.vitality_unit, -4.0, 4.0)
        s = np.clip((serenity - m.serenity_middle) / m.serenity_unit, -4.0, 4.0)
        fresh = -m.slow_vitality * v + np.sqrt(1.0 - m.slow_vitality**2) * news(0)
        self._slow = m.slow_kept * self._slow + np.sqrt(1.0 - m.slow_kept**2) * fresh
        self._rmssd = _kept(self._rmssd, m.rmssd_kept, news(1))
        self._steps = _kept(self._steps, m.steps_kept, news(2))
        self._sleep = _kept(self._sleep, m.sleep_kept, news(3))
        self._stress = _kept(self._stress, m.stress_kept, news(4))

        activity = m.steps_within * self._steps + m.steps_exercise * exercised
        steps = np.exp(self._baselines[:, Signal.STEPS] + activity - 0.5 * m.steps_within**2)
        sleep_part = self._sleep + m.sleep_night / m.sleep_within * (slept - 1.0)
        rest = 1.0 - m.rmssd_slow**2 - m.rmssd_vitality**2 - m.rmssd_serenity**2 - m.rmssd_steps**2
        rmssd = self._baselines[:, Signal.RMSSD] + m.rmssd_within * (
            -m.rmssd_slow * self._slow
            + m.rmssd_vitality * v
            + m.rmssd_serenity * s
            - m.rmssd_steps * activity / m.steps_within
            + np.sqrt(max(rest, 0.0)) * self._rmssd
        )
        calm = 1.0 - m.stress_serenity**2 - m.stress_sleep**2
        stress = self._baselines[:, Signal.STRESS] + m.stress_within * (
            m.stress_serenity * s + m.stress_sleep * sleep_part + np.sqrt(max(calm, 0.0)) * self._stress
        )
        values = np.stack(
            [
                np.maximum(np.rint(np.exp(rmssd)), 1.0),
                np.clip(np.rint(self._baselines[:, Signal.RESTING] + m.resting_within * self._slow), 30.0, 130.0),
                np.rint(steps),
                np.clip(np.rint(self._baselines[:, Signal.SLEEP] + m.sleep_within * sleep_part), 0.0, 1200.0),
                np.clip(np.rint(stress), 0.0, 100.0),
            ],
            axis=1,
        )
        values[self._missing(first + 16)] = np.nan
        return DaySignals(values, self._delays(first + 24))

    def _missing(self, first: int) -> NDArray[np.bool_]:
        """Which signals are missing today: device off, night not worn, gaps of single signals."""
        m, keys = self.model, self._keys
        units = uniforms(keys[:, None], first + np.arange(7)[None, :])
        self._off = np.where(units[:, 0] < m.off_news, units[:, 1] < self.off_share, self._off)
        night = np.where(units[:, 2] < m.night_news, units[:, 3] < self.night_share, self._night_missing)
        self._night_missing = night
        no_night = self._off | night
        missing = np.empty((len(keys), SIGNAL_COUNT), np.bool_)
        missing[:, Signal.STEPS] = self._off
        missing[:, Signal.RESTING] = self._off | (units[:, 4] < m.resting_gap)
        missing[:, Signal.SLEEP] = no_night
        missing[:, Signal.RMSSD] = no_night | ~self.has_rmssd | (units[:, 5] < m.rmssd_gap)
        missing[:, Signal.STRESS] = no_night | (units[:, 6] < m.stress_gap)
        return missing

    def _delays(self, first: int) -> NDArray[np.int64]:
        m = self.model
        late = uniforms(self._keys, first) < m.late
        more = np.log(np.maximum(uniforms(self._keys, first + 1), 1e-12)) / np.log(m.late_kept)
        return np.where(late, np.minimum(1 + more.astype(np.int64), LATEST), 0)


def _kept(state: Floats, kept: float, news: Floats) -> Floats:
    """A day of a first-order autoregression of unit variance."""
    moved: Floats = kept * state + np.sqrt(1.0 - kept**2) * news
    return moved


def _beta(units: Floats, mean: float, total: float) -> Floats:
    """Draws of a beta law by inverting its distribution on a grid."""
    edges = (np.arange(_BETA_GRID) + 0.5) / _BETA_GRID
    density = edges ** (mean * total - 1.0) * (1.0 - edges) ** ((1.0 - mean) * total - 1.0)
    up_to = np.cumsum(density)
    drawn: Floats = np.interp(units, up_to / up_to[-1], edges)
    return drawn
