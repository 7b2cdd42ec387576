"""Health readings to day summaries, kept in the store so that no page pays for raw readings."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from rhythm.bridge.wearables.days import DaySummary, DayValue, summarise
from rhythm.bridge.wearables.nights import Sleep, sleep_by_day
from rhythm.bridge.wearables.records import from_stored
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.spans import union
from rhythm.store import DayValue as StoredValue
from rhythm.store import PersonStore

CHUNK_DAYS = 60
"""Days summarised at once: memory does not grow with the length of a history."""

_OF_NIGHTS = frozenset({Signal.HEART_RATE_BPM.value})
"""Of these nothing but what lies within a night is used: no need to read a watch's every beat of the day."""
_NIGHT, _NAP = "night", "nap"
_SIGNAL_NAMES = {signal.value: signal for signal in Signal}
_SLEEP_NUMBERS = ("deep_min", "rem_min", "awake_min", "in_bed_min", "interruptions")


def refresh_days(person: PersonStore, first: date, last: date) -> int:
    """Works out the summaries of the local days ``first`` to ``last`` again; how many days have one."""
    kept = 0
    begin = first
    while begin <= last:
        end = min(last, begin + timedelta(days=CHUNK_DAYS - 1))
        # A day's night begins on the day before; zones reach half a day and more beyond UTC.
        from_at = datetime.combine(begin - timedelta(days=2), time(), UTC)
        until_at = datetime.combine(end + timedelta(days=2), time(), UTC)
        records = list(from_stored(person.readings.window(_SIGNAL_NAMES.keys() - _OF_NIGHTS, from_at, until_at)))
        slept = union((s.night.asleep_at, s.night.awake_at) for s in sleep_by_day(records).values() if s.night)
        records += from_stored(person.readings.touching(_OF_NIGHTS, slept))
        days = {day: summary for day, summary in summarise(records, stored=True).items() if begin <= day <= end}
        computed_at = datetime.now(UTC)
        person.days.replace(begin, end, [v for s in days.values() for v in _stored(s, computed_at)])
        kept += len(days)
        begin = end + timedelta(days=1)
    return kept


def days_between(person: PersonStore, first: date, last: date) -> dict[date, DaySummary]:
    """The summaries of the local days ``first`` to ``last`` that have one."""
    by_day: dict[date, list[StoredValue]] = {}
    for value in person.days.window(first, last):
        by_day.setdefault(value.day, []).append(value)
    return {day: _summary(day, values) for day, values in by_day.items()}


def _stored(summary: DaySummary, computed_at: datetime) -> Iterable[StoredValue]:
    for signal, value in summary.values.items():
        detail = {"last_at": value.last_at.isoformat()}
        yield StoredValue(
            summary.day,
            signal.value,
            value.value,
            SIGNALS[signal].unit,
            computed_at,
            value.source,
            value.samples,
            detail,
        )
    sleeps = [(_NIGHT, summary.night)] if summary.night else []
    sleeps += [(f"{_NAP}_{place}", nap) for place, nap in enumerate(summary.naps)]
    for name, sleep in sleeps:
        if sleep is not None:
            yield StoredValue(
                summary.day, name, sleep.asleep_min, "min", computed_at, sleep.source, 1, _sleep_detail(sleep)
            )


def _sleep_detail(sleep: Sleep) -> dict[str, Any]:
    numbers = {name: getattr(sleep, name) for name in _SLEEP_NUMBERS if getattr(sleep, name) is not None}
    return {
        "asleep_at": sleep.asleep_at.isoformat(),
        "awake_at": sleep.awake_at.isoformat(),
        "offset_min": sleep.offset_min,
        **numbers,
    }


def _summary(day: date, values: list[StoredValue]) -> DaySummary:
    night: Sleep | None = None
    naps: list[Sleep] = []
    signals: dict[Signal, DayValue] = {}
    for value in values:
        signal = _SIGNAL_NAMES.get(value.name)
        if signal is not None:
            last_at = datetime.fromisoformat(value.detail["last_at"])
            signals[signal] = DayValue(value.value, value.samples, value.source, last_at)
        elif value.name == _NIGHT:
            night = _sleep(value)
        elif value.name.startswith(_NAP):
            naps.append(_sleep(value))
    return DaySummary(day, night, tuple(naps), signals)


def _sleep(value: StoredValue) -> Sleep:
    detail = value.detail
    return Sleep(
        value.source,
        datetime.fromisoformat(detail["asleep_at"]),
        datetime.fromisoformat(detail["awake_at"]),
        int(detail["offset_min"]),
        value.value,
        **{name: detail.get(name) for name in _SLEEP_NUMBERS},
    )
