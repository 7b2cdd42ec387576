"""Records to what a day was like: one value of each signal, the night that ended on it, its naps.

Rules across devices: each sample counts once (by its key); sleep by `nights`; things that add
up by `hourly`; anything else from the one device with most samples that day, so that a
baseline can compare a device with itself. Heart-rate variability is taken from the night or
the early morning only, and its kinds are never mixed. A day, or a signal of a day, of which
nothing was recorded is not there: missing is not zero.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean, median

import msgspec

from rhythm.bridge.wearables.hourly import best_covered_sums
from rhythm.bridge.wearables.nights import SLEEP_SIGNALS, DaySleep, Sleep, sleep_by_day
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.spans import total_min, union

EARLY_MORNING_ENDS_H = 10
"""Variability counts until then on the local clock where no night says when the person slept."""
SLEEPING_HR_SHARE = 0.10
"""Sleeping heart rate is this quantile of the night's samples: near the lowest, yet robust."""
SLEEPING_HR_SAMPLES = 10

SUMS = (Signal.STEPS_COUNT, Signal.ACTIVE_ENERGY_KCAL, Signal.EXERCISE_MIN)
TIMES = (Signal.MINDFUL_MIN, Signal.WORKOUT_MIN)
AT_NIGHT = (Signal.HRV_RMSSD_MS, Signal.HRV_SDNN_MS, Signal.HRV_UNKNOWN_MS)
ALL_DAY = (
    Signal.RESTING_HR_BPM, Signal.RESPIRATORY_RATE_PER_MIN, Signal.OXYGEN_FRACTION,
    Signal.WRIST_TEMPERATURE_C, Signal.BODY_MASS_KG, Signal.STRESS_FRACTION,
)  # fmt: skip


class DayValue(msgspec.Struct, frozen=True):
    """A signal of a day.

    Attributes:
        value: in the signal's unit.
        samples: how many records it rests on.
        source: the device, or devices joined by `` + ``.
        last_at: end of the last record, aware UTC.
    """

    value: float
    samples: int
    source: str
    last_at: datetime


class DaySummary(msgspec.Struct, frozen=True):
    """What was recorded of one local day.

    Attributes:
        day: the day.
        night: the sleep that ended on it; None where none was recorded.
        naps: further sleeps that ended on it.
        values: signals of the day; one that was not recorded is not in it.
    """

    day: date
    night: Sleep | None = None
    naps: tuple[Sleep, ...] = ()
    values: dict[Signal, DayValue] = {}

    @property
    def asleep_min(self) -> float | None:
        """Minutes asleep, night and naps; None without a recorded night."""
        if self.night is None:
            return None
        return self.night.asleep_min + sum(nap.asleep_min for nap in self.naps)


def summarise(
    records: Iterable[Record], priority: Sequence[str] = (), *, stored: bool = False
) -> dict[date, DaySummary]:
    """Day summaries by local day, in order; days of which nothing is known are left out.

    Args:
        records: in any order; the same sample may come more than once. The first and last
            local day are only whole if the records cover them wholly, and the evening before.
        priority: devices that come before others, best first; the assistant offers none yet.
        stored: they come from where each sample is kept once, and by their start; that saves sorting them.
    """
    by_signal: dict[Signal, list[Record]] = defaultdict(list)
    for record in records if stored else _once(records):
        by_signal[record.signal].append(record)
    slept = (r for signal, own in by_signal.items() if signal in SLEEP_SIGNALS for r in own)
    sleeps = sleep_by_day(slept, priority)
    nights = _NightTimes(sleeps)
    days: dict[date, dict[Signal, DayValue]] = defaultdict(dict)
    for signal, own in by_signal.items():
        for day, value in _values(signal, own, nights, priority).items():
            days[day][signal] = value
    nothing = DaySleep(None, ())
    return {
        day: DaySummary(day, sleeps.get(day, nothing).night, sleeps.get(day, nothing).naps, days.get(day, {}))
        for day in sorted({*days, *sleeps})
    }


def _once(records: Iterable[Record]) -> list[Record]:
    """Each sample once, by start."""
    once = {(r.source, r.signal, r.start_at, r.end_at, r.external_id): r for r in records}.values()
    return sorted(once, key=lambda r: (r.start_at, r.end_at, r.source, r.external_id))


def _values(
    signal: Signal, records: list[Record], nights: "_NightTimes", priority: Sequence[str]
) -> dict[date, DayValue]:
    """A signal's value on each day that has one."""
    if signal in SUMS:
        sums = best_covered_sums(records, priority)
        return {d: DayValue(s.value, s.samples, " + ".join(s.sources), s.last_at) for d, s in sums.items()}
    if signal in TIMES:
        return {day: _united(own) for day, own in _grouped(records, lambda r: r.local_day).items()}
    if signal in AT_NIGHT:
        grouped = _grouped(records, _early_morning) | _grouped(records, nights.night_of)
        return {day: _one_device(own, priority, median) for day, own in grouped.items()}
    if signal is Signal.HEART_RATE_BPM:
        slept = _grouped(records, nights.night_of)
        found = {day: _one_device(own, priority, _low_quantile) for day, own in slept.items()}
        return {day: value for day, value in found.items() if value.samples >= SLEEPING_HR_SAMPLES}
    if signal in ALL_DAY:
        middle = fmean if signal is Signal.STRESS_FRACTION else median
        grouped = _grouped(records, lambda r: r.local_end.date())
        return {day: _one_device(own, priority, middle) for day, own in grouped.items()}
    return {}


class _NightTimes:
    """Finds the night that an instant falls in."""

    def __init__(self, sleeps: dict[date, DaySleep]) -> None:
        nights = sorted((s.night.asleep_at, s.night.awake_at, day) for day, s in sleeps.items() if s.night)
        self._starts = [n[0] for n in nights]
        self._nights = nights

    def night_of(self, record: Record) -> date | None:
        """The wake day of the night in which the middle of a record lies.

        The middle, as a value of a whole night begins and ends where its own device saw the night, which
        need not be the one that tells it.
        """
        middle_at = _middle_at(record)
        i = bisect_right(self._starts, middle_at) - 1
        return self._nights[i][2] if i >= 0 and middle_at <= self._nights[i][1] else None


def _early_morning(record: Record) -> date | None:
    local = _middle_at(record) + timedelta(minutes=record.offset_min)
    return local.date() if local.hour < EARLY_MORNING_ENDS_H else None


def _middle_at(record: Record) -> datetime:
    return record.start_at + (record.end_at - record.start_at) / 2


def _grouped(records: Iterable[Record], day_of: Callable[[Record], date | None]) -> dict[date, list[Record]]:
    grouped: dict[date, list[Record]] = defaultdict(list)
    for record in records:
        day = day_of(record)
        if day is not None:
            grouped[day].append(record)
    return grouped


def _united(records: list[Record]) -> DayValue:
    """Minutes in which anything of it was recorded, by any device."""
    minutes = total_min(union((r.start_at, r.end_at) for r in records))
    sources = sorted({r.source for r in records})
    return DayValue(minutes, len(records), " + ".join(sources), max(r.end_at for r in records))


def _one_device(records: list[Record], priority: Sequence[str], middle: Callable[[list[float]], float]) -> DayValue:
    """The middle of the samples of the device with most of them, or of the first in ``priority``."""
    by_source: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_source[record.source].append(record)
    rank = {source: i for i, source in enumerate(priority)}
    source = min(by_source, key=lambda s: (rank.get(s, len(rank)), -len(by_source[s]), s))
    own = by_source[source]
    return DayValue(middle([r.value for r in own]), len(own), source, max(r.end_at for r in own))


def _low_quantile(values: list[float]) -> float:
    return sorted(values)[int(SLEEPING_HR_SHARE * len(values))]
