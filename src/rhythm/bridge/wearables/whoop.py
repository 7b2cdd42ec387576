"""WHOOP: the zip of CSV tables that its app sends, or one table of it.

Taken from it: sleeps and naps as totals (WHOOP gives no stage times), and the recovery of each
cycle: RMSSD, resting heart rate, breathing, oxygen and skin temperature, all of the night.
Columns are known by their normalised names, as headers drift between versions of the app.
Times are the wall clock, with the offset in a column of its own. The newest cycle has no end
yet, and some have no recovery: an empty cell is nothing, not zero. The journal is left alone: it
is keyed by the evening on which a cycle began, and says nothing that a meter uses.
"""

from collections.abc import Iterator
from datetime import tzinfo

from rhythm.bridge.wearables.exports.clocks import Moment, at_offset, between, moment, offset_words
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.exports.tables import Row, headers_of, rows
from rhythm.bridge.wearables.signals import Signal

_CYCLES, _SLEEPS, _WORKOUTS = "physiological_cycles", "sleeps", "workouts"
_MARK = "cycle_start_time"

_TOTALS = {
    Signal.NIGHT_ASLEEP_MIN: ("asleep_duration_min",),
    Signal.NIGHT_DEEP_MIN: ("deep_sws_duration_min", "deep_duration_min", "sws_duration_min"),
    Signal.NIGHT_REM_MIN: ("rem_duration_min",),
    Signal.NIGHT_AWAKE_MIN: ("awake_duration_min",),
}
_RECOVERY = {
    Signal.HRV_RMSSD_MS: (("heart_rate_variability_ms", "ms"), ("hrv_ms", "ms"), ("hrv_rmssd_ms", "ms")),
    Signal.RESTING_HR_BPM: (("resting_heart_rate_bpm", "bpm"), ("resting_hr_bpm", "bpm")),
    Signal.RESPIRATORY_RATE_PER_MIN: (("respiratory_rate_rpm", "/min"), ("respiratory_rate", "/min")),
    Signal.OXYGEN_FRACTION: (("blood_oxygen", "%"), ("blood_oxygen_percentage", "%"), ("spo2", "%")),
    Signal.WRIST_TEMPERATURE_C: (("skin_temp_celsius", "degC"), ("skin_temp_fahrenheit", "degF")),
}
"""Signal to the columns that can hold it, newest header first, with each one's unit."""


class Whoop(ExportSource):
    """The CSV export of the WHOOP app."""

    name = "whoop"
    title = "WHOOP"
    advice = "give the zip from the app (More, App Settings, Data Export), or one of its CSV files"
    delivers = frozenset({*_TOTALS, *_RECOVERY, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM})

    def knows(self, export: Export) -> bool:
        """Whether a table of the export has WHOOP's columns."""
        return any(_MARK in headers_of(export.head(part, 1 << 14)) for part in _tables(export))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The tables' rows."""
        told: set[tuple[Signal, Times]] = set()
        for part in _tables(export):
            for row in rows(export, part, out):
                try:
                    _take(row, out, zone, told)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield


def _tables(export: Export) -> list[Part]:
    """The tables, sleeps before cycles: both tell of a night, and one telling is enough."""
    order = (_SLEEPS, _CYCLES, _WORKOUTS)
    if not export.is_zip:
        return export.parts
    tables = [p for p in export.parts if p.name.endswith(".csv") and p.stem in order]
    return sorted(tables, key=lambda p: order.index(p.stem))


def _take(row: Row, out: Collector, zone: tzinfo, told: set[tuple[Signal, Times]]) -> None:
    if "workout_start_time" in row:
        _workout(row, out, zone)
        return
    if "sleep_onset" not in row or "wake_onset" not in row:
        return  # a journal's row, or a cycle without a sleep
    night = between(_at(row, "sleep_onset", zone), _at(row, "wake_onset", zone))
    found = [(signal, columns, "min") for signal, columns in _TOTALS.items()]
    if row.get("nap", "").lower() != "true":
        found += [(signal, (column,), unit) for signal, choices in _RECOVERY.items() for column, unit in choices]
    for signal, columns, unit in found:
        value = next((row[c] for c in columns if c in row), None)
        if value is not None and (signal, night) not in told:
            told.add((signal, night))
            out.add(signal, value, night, unit=unit)


def _workout(row: Row, out: Collector, zone: tzinfo) -> None:
    times = between(_at(row, "workout_start_time", zone), _at(row, "workout_end_time", zone))
    kind = row.get("activity_name", "")
    out.add(Signal.WORKOUT_MIN, row.get("duration_min"), times, detail=kind)
    for column, unit in (("distance_meters", "m"), ("distance_m", "m")):
        out.add(Signal.WORKOUT_DISTANCE_KM, row.get(column), times, unit=unit, detail=kind)


def _at(row: Row, column: str, zone: tzinfo) -> Moment:
    offset_min = offset_words(row.get("cycle_timezone"))
    text = row.get(column)
    return moment(text, zone) if offset_min is None else at_offset(text, offset_min)
