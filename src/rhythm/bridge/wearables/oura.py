"""Oura: the account export (JSON, or a zip of JSON or CSV files) and anything else in the shape of its API, version 2.

The account export's tables (``sleepmodel.csv`` and others, separated by semicolons, lists as
JSON in a cell) have the fields of the API's documents; both are read by the same rules. Variability
is RMSSD. Resting heart rate and variability come from long sleeps only: a nap's lowest heart
rate is no resting rate. Sessions that the person rejected or deleted are not sleep. A night is
filed by its own end; ``day`` is only used for totals of a day.
"""

from collections.abc import Callable, Iterator
from datetime import date, timedelta, timezone, tzinfo
from typing import Any

import msgspec

from rhythm.bridge.wearables.exports.clocks import (
    Moment,
    between,
    day_of,
    lasting,
    moment,
    spot,
    whole_day,
    within_day,
)
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, load, members, nested, objects
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.exports.tables import headers_of, rows
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

_PHASE_SECONDS = 300
_PHASES = {
    "1": Signal.SLEEP_DEEP_MIN,
    "2": Signal.SLEEP_CORE_MIN,
    "3": Signal.SLEEP_REM_MIN,
    "4": Signal.SLEEP_AWAKE_MIN,
}
_TOTALS = {
    Signal.NIGHT_ASLEEP_MIN: "total_sleep_duration",
    Signal.NIGHT_DEEP_MIN: "deep_sleep_duration",
    Signal.NIGHT_REM_MIN: "rem_sleep_duration",
    Signal.NIGHT_AWAKE_MIN: "awake_time",
}
_NOT_SLEEP = frozenset({"rest", "deleted"})
_LONG = "long_sleep"
_MINDFUL = frozenset({"meditation", "breathing", "relaxation"})
_MOST_ITEMS = 5_000

_Reader = Callable[[Fields, Collector, tzinfo], None]


class Oura(ExportSource):
    """Oura's account export."""

    name = "oura"
    title = "Oura"
    advice = "give the account export from Oura's Membership Hub (Export data), as it comes"
    delivers = frozenset({
        *_PHASES.values(), *_TOTALS, Signal.HRV_RMSSD_MS, Signal.RESTING_HR_BPM, Signal.HEART_RATE_BPM,
        Signal.RESPIRATORY_RATE_PER_MIN, Signal.OXYGEN_FRACTION, Signal.STEPS_COUNT, Signal.ACTIVE_ENERGY_KCAL,
        Signal.MINDFUL_MIN, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM,
    })  # fmt: skip

    def knows(self, export: Export) -> bool:
        """Whether a part has the fields of one of Oura's documents."""
        return any(_looks_like_oura(export.head(part, 1 << 15)) for part in _readable(export))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The documents of every kind that is taken."""
        for part in _readable(export):
            for kind, fields in _documents(export, part, out):
                try:
                    read_document(kind, fields, out, zone)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield


def read_document(kind: str, fields: Fields, out: Collector, zone: tzinfo) -> None:
    """One document to records: ``sleep``, ``activity``, ``heart_rate``, ``oxygen``, ``session`` or ``workout``.

    Another kind gives nothing.

    Raises:
        UnusableError: it cannot be used.
    """
    reader = _READERS.get(kind)
    if reader is not None:
        reader(fields, out, zone)


def _readable(export: Export) -> list[Part]:
    """The parts that can hold its documents: in a zip, tables and JSON files of a known name."""
    if not export.is_zip:
        return export.parts
    named = [p for p in export.parts if p.name.endswith((".json", ".csv"))]
    return [p for p in named if _kind_of(p.stem) or (p.name.endswith(".json") and "oura" in p.stem)]


def _kind_of(name: str) -> str:
    """The kind of document by a table's or list's name, numbers at its end aside: ``sleepmodel`` is ``sleep``."""
    bare = name.lower().replace("_", "").replace("-", "").replace(" ", "").removeprefix("oura").rstrip("0123456789")
    return _NAMES.get(bare, "")


def _is_json(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")


def _looks_like_oura(head: bytes) -> bool:
    if _is_json(head):
        return any(all(mark in head for mark in marks) for marks in _JSON_MARKS)
    headers = set(headers_of(head))
    return any(marks <= headers for marks in _CSV_MARKS)


def _documents(export: Export, part: Part, out: Collector) -> Iterator[tuple[str, Fields]]:
    if not _is_json(export.head(part, 64)):
        for row in rows(export, part, out):
            yield _kind_of(part.stem) or _kind_by_fields(row), {name: _cell(text) for name, text in row.items()}
        return
    data = load(export, part, out)
    if data is None:
        return
    inside = members(data)
    if inside is None or "data" in inside:
        for fields in objects(data if inside is None else inside["data"], out):
            yield _kind_of(part.stem) or _kind_by_fields(fields), fields
        return
    for name, documents in inside.items():
        if _kind_of(name):
            page = members(documents)
            for fields in objects(page["data"] if page and "data" in page else documents, out):
                yield _kind_of(name), fields


def _kind_by_fields(fields: Fields) -> str:
    return next((kind for kind, marks in _FIELD_MARKS if marks <= fields.keys()), "")


def _cell(text: str) -> Any:
    """A cell that holds JSON as what it holds."""
    if text[:1] in "{[":
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
    return text


def _sleep(fields: Fields, out: Collector, zone: tzinfo) -> None:
    kind = word(fields.get("type"))
    if kind in _NOT_SLEEP:
        return
    start, end = moment(fields.get("bedtime_start"), zone), moment(fields.get("bedtime_end"), zone)
    session, name = between(start, end), fields.get("id")
    phases = fields.get("sleep_phase_5_min")
    if isinstance(phases, str) and phases.strip("4") and not set(phases) - _PHASES.keys():
        _stages(phases[:_MOST_ITEMS], session, out)
    else:
        for signal, field in _TOTALS.items():
            out.add(signal, fields.get(field), session, unit="s", external_id=name)
    out.add(Signal.RESPIRATORY_RATE_PER_MIN, fields.get("average_breath"), session, external_id=name)
    if kind == _LONG:
        out.add(Signal.HRV_RMSSD_MS, fields.get("average_hrv"), session, external_id=name)
        out.add(Signal.RESTING_HR_BPM, fields.get("lowest_heart_rate"), session, external_id=name)


def _stages(phases: str, session: Times, out: Collector) -> None:
    """Runs of one phase as spans; the last five minutes are cut where the session ends."""
    step = timedelta(seconds=_PHASE_SECONDS)
    begin = 0
    for i in range(1, len(phases) + 1):
        if i < len(phases) and phases[i] == phases[begin]:
            continue
        start_at, end_at = session.start_at + begin * step, min(session.start_at + i * step, session.end_at)
        if start_at < end_at:
            out.span(_PHASES[phases[begin]], Times(start_at, end_at, session.offset_min))
        begin = i


def _activity(fields: Fields, out: Collector, zone: tzinfo) -> None:
    day = whole_day(day_of(fields.get("day")), _place(fields.get("timestamp"), zone))
    out.add(Signal.STEPS_COUNT, fields.get("steps"), day)
    out.add(Signal.ACTIVE_ENERGY_KCAL, fields.get("active_calories"), day)


def _place(timestamp: object, zone: tzinfo) -> tzinfo:
    """A day's own offset where its timestamp has one: the ring's day is where the person was."""
    try:
        return timezone(timedelta(minutes=moment(timestamp, zone).offset_min))
    except UnusableError:
        return zone


def _heart_rate(fields: Fields, out: Collector, zone: tzinfo) -> None:
    out.add(Signal.HEART_RATE_BPM, fields.get("bpm"), spot(moment(fields.get("timestamp"), zone)))


def _oxygen(fields: Fields, out: Collector, zone: tzinfo) -> None:
    day: date = day_of(fields.get("day"))
    value = nested(fields, "spo2_percentage", "average")
    if value is not None and number_of(value) > 0:
        out.add(Signal.OXYGEN_FRACTION, value, within_day(day, zone), unit="%")


def _session(fields: Fields, out: Collector, zone: tzinfo) -> None:
    if word(fields.get("type")) in _MINDFUL:
        out.span(Signal.MINDFUL_MIN, _stretch(fields, zone), external_id=fields.get("id"))


def _workout(fields: Fields, out: Collector, zone: tzinfo) -> None:
    times, kind, name = _stretch(fields, zone), fields.get("activity"), fields.get("id")
    minutes = (times.end_at - times.start_at).total_seconds() / 60
    if minutes < 0:
        raise UnusableError(ProblemKind.REVERSED, Signal.WORKOUT_MIN)
    out.add(Signal.WORKOUT_MIN, minutes, times, external_id=name, detail=kind)
    out.add(Signal.WORKOUT_DISTANCE_KM, fields.get("distance"), times, unit="m", external_id=name, detail=kind)


def _stretch(fields: Fields, zone: tzinfo) -> Times:
    start: Moment = moment(fields.get("start_datetime"), zone)
    end = fields.get("end_datetime")
    return lasting(start, 0.0) if end in (None, "") else between(start, moment(end, zone))


_READERS: dict[str, _Reader] = {
    "sleep": _sleep,
    "activity": _activity,
    "heart_rate": _heart_rate,
    "oxygen": _oxygen,
    "session": _session,
    "workout": _workout,
}
_NAMES = {
    "sleep": "sleep", "sleepmodel": "sleep", "sleepmodels": "sleep", "longsleep": "sleep",
    "dailyactivity": "activity", "activity": "activity",
    "heartrate": "heart_rate", "dailyspo": "oxygen", "spo": "oxygen",
    "session": "session", "sessions": "session", "workout": "workout", "workouts": "workout",
}  # fmt: skip
_FIELD_MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("sleep", frozenset({"bedtime_start", "bedtime_end"})),
    ("oxygen", frozenset({"spo2_percentage", "day"})),
    ("activity", frozenset({"steps", "day"})),
    ("heart_rate", frozenset({"bpm", "timestamp"})),
    ("workout", frozenset({"activity", "start_datetime"})),
    ("session", frozenset({"type", "start_datetime"})),
)
_JSON_MARKS = (
    (b'"bedtime_start"', b'"total_sleep_duration"'),
    (b'"daily_activity"', b'"active_calories"'),
    (b'"daily_readiness"',),
    (b'"spo2_percentage"', b'"day"'),
    (b'"equivalent_walking_distance"', b'"steps"'),
    (b'"bpm"', b'"source"', b'"timestamp"'),
    (b'"start_datetime"', b'"end_datetime"'),
)
_CSV_MARKS: tuple[frozenset[str], ...] = (
    frozenset({"bedtime_start", "total_sleep_duration"}),
    frozenset({"equivalent_walking_distance", "steps"}),
    frozenset({"active_calories", "steps", "day"}),
    frozenset({"bpm", "source", "timestamp"}),
    frozenset({"spo2_percentage", "day"}),
    frozenset({"start_datetime", "end_datetime"}),
)
