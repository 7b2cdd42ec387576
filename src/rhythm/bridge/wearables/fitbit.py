"""Fitbit: the archive that Google Takeout (or once Fitbit itself) makes of an account.

Clocks differ from file to file: sleep, daily values and weights are the wall clock without an
offset; heart rate, steps and exercises are UTC, as people who compared them report; files of the newer
``GoogleData`` folders write ``Z``. Dates are American (month first), weights in pounds, and a
stress score that is high when calm. An archive can tell the same thing in the older and in the
newer form; then only the older is read.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from statistics import fmean

from rhythm.bridge.wearables.exports.clocks import (
    Moment,
    between,
    day_of,
    in_zone,
    lasting,
    moment,
    offset_at,
    small_hours,
    spot,
    us_wall,
    utc_moment,
    whole_day,
    within_day,
)
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, load, nested, objects
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.exports.tables import rows
from rhythm.bridge.wearables.fitbit_sleep import LEVELS, TOTALS, sleep_log
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

_Reader = Callable[[Fields, Collector, tzinfo], None]

_OLDER_CLOCK = re.compile(r"(\d\d/\d\d/\d\d \d\d:\d\d):[0-5]\d", re.ASCII)
"""``12/31/23 23:59:59``; its minute is the group."""

_FOLDER_MARKS = ("fitbit/", "global export data/", "physical activity/", "user-site-export/")
_HEAD_MARKS = (b'"dateOfSleep"', b'"startTime"'), (b'"bpm"', b'"confidence"')


class Fitbit(ExportSource):
    """The account archive of Fitbit."""

    name = "fitbit"
    title = "Fitbit (Google Takeout)"
    advice = "ask takeout.google.com for Fitbit alone, and give the zip as it comes"
    delivers = frozenset({
        *LEVELS.values(), *TOTALS, Signal.HEART_RATE_BPM, Signal.STEPS_COUNT, Signal.RESTING_HR_BPM,
        Signal.HRV_RMSSD_MS, Signal.RESPIRATORY_RATE_PER_MIN, Signal.OXYGEN_FRACTION, Signal.STRESS_FRACTION,
        Signal.WRIST_TEMPERATURE_C, Signal.BODY_MASS_KG, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM,
    })  # fmt: skip

    def knows(self, export: Export) -> bool:
        """Whether a zip has Fitbit's folders and files, or a single file begins as one of Fitbit's."""
        if not export.is_zip:
            head = export.head(export.parts[0], 1 << 12)
            return head.lstrip()[:1] == b"[" and any(all(mark in head for mark in marks) for marks in _HEAD_MARKS)
        return any(_kind_of(part) and any(mark in part.name for mark in _FOLDER_MARKS) for part in export.parts)

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The rows of every file that is taken."""
        logs = _Logs()
        for kind, part in _chosen(export):
            if kind == "heart rate":
                yield from _heart_rates(export, part, out, zone)
                continue
            for fields in _rows_of(export, part, out):
                try:
                    if kind == "sleep":
                        logs.take(fields, out, zone)
                    elif kind == "variability":
                        value = fields.get("rmssd", fields.get("average_heart_rate_variability_milliseconds"))
                        out.add(Signal.HRV_RMSSD_MS, value, logs.night_of(day_of(fields.get("timestamp")), zone))
                    else:
                        _READERS[kind](fields, out, zone)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield


def _kind_of(part: Part) -> str:
    return next((kind for kind, (older, newer) in _STEMS.items() if part.stem.startswith((*older, *newer))), "")


def _chosen(export: Export) -> list[tuple[str, Part]]:
    """The parts that are read, each with its kind; the newer form of a kind only where the older is not there."""
    if not export.is_zip:
        head = export.head(export.parts[0], 1 << 12)
        return [("sleep" if b'"dateOfSleep"' in head else "heart rate", export.parts[0])]
    chosen = []
    for kind, (older, newer) in _STEMS.items():
        found = [part for part in export.parts if part.stem.startswith(older)]
        chosen += [(kind, p) for p in found or [part for part in export.parts if part.stem.startswith(newer)]]
    return chosen


def _rows_of(export: Export, part: Part, out: Collector) -> Iterator[Fields]:
    if part.name.endswith(".csv"):
        yield from rows(export, part, out)
    elif (data := load(export, part, out)) is not None:
        yield from objects(data, out)


class _Logs:
    """The sleep logs of an archive: each read once, and the longest of a day remembered for that night's values."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._nights: dict[date, Times] = {}

    def take(self, log: Fields, out: Collector, zone: tzinfo) -> None:
        """A log; one that stands in two files is read once."""
        name = word(log.get("logId"))
        if name and name in self._known:
            return
        self._known.add(name)
        times, day = sleep_log(log, out, zone), day_of(log.get("dateOfSleep"))
        longest = self._nights.get(day, times)
        self._nights[day] = max(longest, times, key=lambda t: t.end_at - t.start_at)

    def night_of(self, day: date, zone: tzinfo) -> Times:
        """When the night was slept that a value of a day is of."""
        return self._nights.get(day) or small_hours(day, zone)


def _heart_rates(export: Export, part: Part, out: Collector, zone: tzinfo) -> Iterator[None]:
    """Heart rate, every few seconds in the file, as one mean for each minute."""
    minute, beats, device = datetime.min.replace(tzinfo=UTC), list[float](), ""
    clock = _MinuteClock(zone)

    def flush() -> None:
        if beats:
            at = Moment(minute, offset_at(minute, zone))
            out.add(Signal.HEART_RATE_BPM, fmean(beats), spot(at), device=device)
            beats.clear()

    for fields in _rows_of(export, part, out):
        try:
            bpm = fields.get("beats_per_minute", nested(fields, "value", "bpm"))
            at = clock.minute_of(fields)
            if at != minute:
                flush()
            minute, device = at, word(fields.get("data_source"))
            if nested(fields, "value", "confidence") != 0:  # its 70 beats are then a placeholder
                beats.append(number_of(bpm))
        except UnusableError as error:
            out.problem(error.kind, Signal.HEART_RATE_BPM)
        yield
    flush()
    yield


class _MinuteClock:
    """The minute of a row. Most rows repeat the minute before, and reading a date costs more than all else of a row."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._words = ""
        self._minute = datetime.min.replace(tzinfo=UTC)

    def minute_of(self, fields: Fields) -> datetime:
        """The minute's first instant.

        Raises:
            UnusableError: the row has no time.
        """
        written = fields.get("dateTime")
        known = _OLDER_CLOCK.fullmatch(written) if isinstance(written, str) else None
        if known is None or known.group(1) != self._words:
            self._minute = _utc(fields, self._zone).at.replace(second=0, microsecond=0)
            self._words = known.group(1) if known else ""
        return self._minute


def _utc(fields: Fields, zone: tzinfo) -> Moment:
    """A row's time: the newer files say that it is UTC, the older ones only mean it."""
    if "timestamp" in fields:
        return utc_moment(fields["timestamp"], zone)
    return utc_moment(us_wall(fields.get("dateTime", fields.get("startTime"))).isoformat(), zone)


def _steps(fields: Fields, out: Collector, zone: tzinfo) -> None:
    count = fields.get("value", fields.get("steps"))
    if count in (None, "", "0", 0):
        return
    text = fields.get("dateTime")
    if isinstance(text, str) and len(text) == len("2026-03-02"):
        times = whole_day(us_wall(text).date(), zone)
    else:
        times = lasting(_utc(fields, zone), 60)
    out.add(Signal.STEPS_COUNT, count, times, device=fields.get("data_source"))


def _resting(fields: Fields, out: Collector, zone: tzinfo) -> None:
    if "beats_per_minute" in fields:
        day, value = day_of(fields.get("timestamp")), fields["beats_per_minute"]
    else:
        said, value = nested(fields, "value", "date"), nested(fields, "value", "value")
        if said is None or value in (0, None):
            return  # a day on which none could be worked out
        day = us_wall(said).date()
    out.add(Signal.RESTING_HR_BPM, value, within_day(day, zone))


def _breathing(fields: Fields, out: Collector, zone: tzinfo) -> None:
    names = ("daily_respiratory_rate", "full_sleep_breathing_rate", "breaths_per_minute")
    value = next((fields[n] for n in names if n in fields), None)
    out.add(Signal.RESPIRATORY_RATE_PER_MIN, value, within_day(day_of(fields.get("timestamp")), zone))


def _oxygen(fields: Fields, out: Collector, zone: tzinfo) -> None:
    at = moment(fields.get("timestamp"), zone)
    day = (at.at + timedelta(minutes=at.offset_min)).date()
    value = fields.get("average_value", fields.get("average_percentage"))
    out.add(Signal.OXYGEN_FRACTION, value, within_day(day, zone), unit="%")


def _stress(fields: Fields, out: Collector, zone: tzinfo) -> None:
    """The stress management score: 1 to 100, high when calm; 0 is not worked out."""
    score = number_of(fields.get("stress_score", 0))
    if score > 0:
        out.add(Signal.STRESS_FRACTION, 1 - score / 100, within_day(day_of(fields.get("date")), zone))


def _temperature(fields: Fields, out: Collector, zone: tzinfo) -> None:
    night = between(moment(fields.get("sleep_start"), zone), moment(fields.get("sleep_end"), zone))
    out.add(Signal.WRIST_TEMPERATURE_C, fields.get("nightly_temperature"), night)


def _weight(fields: Fields, out: Collector, zone: tzinfo) -> None:
    if "weight_grams" in fields:
        out.add(Signal.BODY_MASS_KG, fields["weight_grams"], spot(moment(fields.get("timestamp"), zone)), unit="g")
        return
    at = in_zone(us_wall(f"{word(fields.get('date'))} {word(fields.get('time')) or '00:00:00'}"), zone)
    out.add(Signal.BODY_MASS_KG, fields.get("weight"), spot(at), unit="lb", external_id=fields.get("logId"))


def _exercise(fields: Fields, out: Collector, zone: tzinfo) -> None:
    seconds = number_of(fields.get("duration") or 0) / 1000
    times, kind, name = lasting(_utc(fields, zone), seconds), fields.get("activityName"), fields.get("logId")
    out.add(Signal.WORKOUT_MIN, seconds / 60, times, external_id=name, detail=kind)
    unit = _DISTANCE_UNITS.get(word(fields.get("distanceUnit")).lower())
    if unit is not None:
        far = fields.get("distance")
        out.add(Signal.WORKOUT_DISTANCE_KM, far, times, unit=unit, external_id=name, detail=kind)
    elif fields.get("distance") is not None:
        raise UnusableError(ProblemKind.UNKNOWN_UNIT, Signal.WORKOUT_DISTANCE_KM)


_DISTANCE_UNITS = {"kilometer": "km", "mile": "mi", "meter": "m"}

_READERS: dict[str, _Reader] = {
    "steps": _steps,
    "resting heart rate": _resting,
    "breathing": _breathing,
    "oxygen": _oxygen,
    "stress": _stress,
    "temperature": _temperature,
    "weight": _weight,
    "exercise": _exercise,
}
_STEMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "sleep": (("sleep-",), ()),
    "heart rate": (("heart_rate-",), ("heart_rate_2",)),
    "steps": (("steps-",), ("steps_2",)),
    "resting heart rate": (("resting_heart_rate-",), ("daily_resting_heart_rate",)),
    "variability": (("daily heart rate variability summary",), ("daily_heart_rate_variability",)),
    "breathing": (("daily respiratory rate summary",), ("daily_respiratory_rate",)),
    "oxygen": (("daily spo2 -",), ("daily_oxygen_saturation",)),
    "stress": (("stress score",), ()),
    "temperature": (("computed temperature -",), ()),
    "weight": (("weight-",), ("weight_2", "weight")),
    "exercise": (("exercise-",), ()),
}
"""Kind to the beginnings of its files' names, in the older form and in the newer one."""
