"""Health Auto Export: the JSON that this iPhone app writes to a file or posts to a web address.

`AutoExport` reads the file; `posted` reads the body of one request, for the page that receives it.
Counts come by the day, the hour or the minute, which nothing says: the times of all of a metric tell.
Such samples name all their devices at once (``Watch|Phone``), or none: both stay one source, as
nothing in them can be told apart. Sleep comes as stages with times, or as one row
a night with totals in hours; times in bed may be missing, and a version of the app wrote all
stages as zero beside a good total: zeros are then not told, not slept.
"""

import re
from collections.abc import Iterator
from datetime import timedelta, tzinfo

import msgspec

from rhythm.bridge.wearables.exports.clocks import (
    Moment,
    between,
    lasting,
    moment,
    spot,
    whole_day,
)
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of
from rhythm.bridge.wearables.exports.documents import Fields, elements, load, members, nested, objects, value_of
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.problems import NotThisFormatError, Problem, ProblemKind, ProblemTally
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal

SOURCE = "auto_export"
LARGEST_POST_BYTES = 50_000_000
MOST_DOCUMENTS = 400

_METRICS: dict[str, Signal] = {
    "heart_rate_variability": Signal.HRV_SDNN_MS,
    "heart_rate_variability_rmssd": Signal.HRV_RMSSD_MS,
    "resting_heart_rate": Signal.RESTING_HR_BPM,
    "heart_rate": Signal.HEART_RATE_BPM,
    "respiratory_rate": Signal.RESPIRATORY_RATE_PER_MIN,
    "blood_oxygen_saturation": Signal.OXYGEN_FRACTION,
    "apple_sleeping_wrist_temperature": Signal.WRIST_TEMPERATURE_C,
    "step_count": Signal.STEPS_COUNT,
    "apple_exercise_time": Signal.EXERCISE_MIN,
    "active_energy": Signal.ACTIVE_ENERGY_KCAL,
    "weight_body_mass": Signal.BODY_MASS_KG,
}
_DAY_SUMS = frozenset({Signal.STEPS_COUNT, Signal.EXERCISE_MIN, Signal.ACTIVE_ENERGY_KCAL})
_STAGES: dict[str, Signal] = {
    "inbed": Signal.SLEEP_IN_BED_MIN,
    "asleep": Signal.SLEEP_ASLEEP_MIN,
    "unspecified": Signal.SLEEP_ASLEEP_MIN,
    "core": Signal.SLEEP_CORE_MIN,
    "deep": Signal.SLEEP_DEEP_MIN,
    "rem": Signal.SLEEP_REM_MIN,
    "awake": Signal.SLEEP_AWAKE_MIN,
}
_DAY_S, _HOUR_S, _MINUTE_S = 86_400, 3600, 60
_NOT_MIDNIGHT = re.compile(rb"\d{4}-\d\d-\d\d[ T](?!00:00:00)\d\d:\d\d:\d\d")
_NOT_FULL_HOUR = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:(?!00:00)\d\d:\d\d")
_UNITS = {"bpm": "bpm", "count/min": "count/min", "steps": "count", "minutes": "min", "hours": "hr"}


class AutoExport(ExportSource):
    """The files of the app Health Auto Export."""

    name = SOURCE
    title = "Health Auto Export"
    advice = "in the app choose JSON as the format, and give the file"
    delivers = frozenset({
        *_METRICS.values(), *_STAGES.values(), Signal.NIGHT_ASLEEP_MIN, Signal.NIGHT_DEEP_MIN, Signal.NIGHT_REM_MIN,
        Signal.NIGHT_AWAKE_MIN, Signal.MINDFUL_MIN, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM,
    })  # fmt: skip

    def knows(self, export: Export) -> bool:
        """Whether a JSON part begins as the app's do."""
        return any(_looks_like_it(export.head(part, 1 << 12)) for part in _documents(export))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The samples of every metric, and the workouts."""
        for part in _documents(export):
            data = load(export, part, out)
            if data is not None:
                yield from _rows(data, out, zone)


def posted(body: bytes, zone: tzinfo) -> tuple[tuple[Record, ...], tuple[Problem, ...]]:
    """The records of one request's body.

    Args:
        body: JSON as the app posts it.
        zone: where the person is, for times that say no place.

    Raises:
        NotThisFormatError: no such JSON, or larger than `LARGEST_POST_BYTES`.
    """
    if len(body) > LARGEST_POST_BYTES or not _is_export(members(body)):
        raise NotThisFormatError(
            "not a JSON body of Health Auto Export, or too large; let the app send shorter stretches"
        )
    tally = ProblemTally()
    out = Collector(SOURCE, tally)
    for _ in _rows(body, out, zone):
        pass
    return tuple({record.key: record for record in out.records}.values()), tally.take()


def _documents(export: Export) -> list[Part]:
    """The parts that can be the app's; an account's archive with thousands of files is another's."""
    return [part for part in export.parts if part.name.endswith(".json") or not export.is_zip][:MOST_DOCUMENTS]


def _looks_like_it(head: bytes) -> bool:
    bare = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    return bare[:1] == b"{" and b'"data"' in bare[:200] and (b'"metrics"' in bare or b'"workouts"' in bare)


def _is_export(top: dict[str, msgspec.Raw] | None) -> bool:
    inside = members(top["data"]) if top and "data" in top else None
    return inside is not None and bool(inside.keys() & {"metrics", "workouts"})


def _rows(data: bytes, out: Collector, zone: tzinfo) -> Iterator[None]:
    top = members(data)
    inside = members(top["data"]) if top and "data" in top else None
    if inside is None:
        out.problem(ProblemKind.DAMAGED)
        return
    for metric in elements(inside["metrics"], out) if "metrics" in inside else ():
        yield from _metric(metric, out, zone)
    for workout in objects(inside["workouts"], out) if "workouts" in inside else ():
        try:
            _workout(workout, out, zone)
        except UnusableError as error:
            out.problem(error.kind, error.signal or Signal.WORKOUT_MIN)
        yield


def _metric(metric: msgspec.Raw, out: Collector, zone: tzinfo) -> Iterator[None]:
    parts = members(metric)
    if parts is None or "name" not in parts or "data" not in parts:
        out.problem(ProblemKind.DAMAGED)
        return
    name, units = value_of(parts["name"]), value_of(parts["units"]) if "units" in parts else ""
    signal = _METRICS.get(name) if isinstance(name, str) else None
    unit = _UNITS.get(units, units) if isinstance(units, str) else ""
    each_s = _each_lasts_s(memoryview(parts["data"]))
    for sample in objects(parts["data"], out):
        try:
            if name == "sleep_analysis":
                _sleep(sample, out, zone)
            elif name == "mindful_minutes":
                _mindful(sample, out, zone)
            elif signal is not None:
                _sample(signal, sample, unit, out, zone, each_s)
        except UnusableError as error:
            out.problem(error.kind, error.signal or signal)
        yield


def _each_lasts_s(data: memoryview) -> int:
    """How long a count of a metric lasts where it has no end: all of it decides, as a minute too can begin an hour."""
    if _NOT_FULL_HOUR.search(data):
        return _MINUTE_S
    return _HOUR_S if _NOT_MIDNIGHT.search(data) else _DAY_S


def _sample(signal: Signal, sample: Fields, unit: str, out: Collector, zone: tzinfo, each_s: int) -> None:
    value = sample.get("qty", sample.get("Avg", sample.get("avg")))
    start = moment(sample.get("date"), zone)
    times = spot(start)
    if "end" in sample or "endDate" in sample:
        times = between(start, moment(sample.get("end", sample.get("endDate")), zone))
    elif signal in _DAY_SUMS:
        times = _counted(start, zone, each_s)
    out.add(signal, value, times, unit=unit, device=sample.get("source"))


def _counted(start: Moment, zone: tzinfo, each_s: int) -> Times:
    """What a count without an end covers; a day of it is 23 hours where the clocks say so."""
    if each_s == _DAY_S:
        day = whole_day((start.at + timedelta(minutes=start.offset_min)).date(), zone)
        if day.start_at == start.at:
            return day
    return lasting(start, each_s)


def _mindful(sample: Fields, out: Collector, zone: tzinfo) -> None:
    minutes = number_of(sample.get("qty", 0))
    out.span(Signal.MINDFUL_MIN, lasting(moment(sample.get("date"), zone), 60 * minutes), device=sample.get("source"))


def _sleep(sample: Fields, out: Collector, zone: tzinfo) -> None:
    device = sample.get("source")
    stage = sample.get("value")
    if isinstance(stage, str):
        signal = _STAGES.get(stage.lower().replace(" ", "").replace("_", "").removeprefix("asleep") or "asleep")
        if signal is None:
            raise UnusableError(ProblemKind.BAD_VALUE, Signal.SLEEP_ASLEEP_MIN)
        start, end = sample.get("startDate", sample.get("start")), sample.get("endDate", sample.get("end"))
        out.span(signal, between(moment(start, zone), moment(end, zone)), device=device)
        return
    night = _night(sample, zone)
    deep, rem, core = (number_of(sample.get(name) or 0) for name in ("deep", "rem", "core"))
    asleep = number_of(sample.get("totalSleep") or sample.get("asleep") or deep + rem + core)
    if not asleep:
        return
    totals = {Signal.NIGHT_ASLEEP_MIN: asleep}
    if deep or rem:
        totals |= {Signal.NIGHT_DEEP_MIN: deep, Signal.NIGHT_REM_MIN: rem}
        totals |= {Signal.NIGHT_AWAKE_MIN: number_of(sample["awake"])} if sample.get("awake") is not None else {}
    for signal, hours in totals.items():
        out.add(signal, hours, night, unit="hr", device=device)
    if sample.get("inBedStart") and sample.get("inBedEnd"):
        bed = between(moment(sample["inBedStart"], zone), moment(sample["inBedEnd"], zone))
        out.span(Signal.SLEEP_IN_BED_MIN, bed, device=device)


def _night(sample: Fields, zone: tzinfo) -> Times:
    """From falling asleep to waking; by the times in bed where the app leaves these out."""
    for start, end in (("sleepStart", "sleepEnd"), ("asleepStart", "asleepEnd"), ("inBedStart", "inBedEnd")):
        if sample.get(start) and sample.get(end):
            return between(moment(sample[start], zone), moment(sample[end], zone))
    raise UnusableError(ProblemKind.MISSING_FIELD, Signal.NIGHT_ASLEEP_MIN)


def _workout(fields: Fields, out: Collector, zone: tzinfo) -> None:
    times = between(moment(fields.get("start"), zone), moment(fields.get("end"), zone))
    minutes = (times.end_at - times.start_at).total_seconds() / 60
    kind, name = fields.get("name"), fields.get("id")
    out.add(Signal.WORKOUT_MIN, minutes, times, external_id=name, detail=kind)
    unit = nested(fields, "distance", "units")
    if isinstance(unit, str):
        far = nested(fields, "distance", "qty")
        out.add(Signal.WORKOUT_DISTANCE_KM, far, times, unit=unit, external_id=name, detail=kind)
