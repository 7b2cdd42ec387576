"""Garmin: the export of a whole account, a zip with a folder ``DI_CONNECT`` of JSON files.

Times of sleep are UTC without saying so; where a local time stands beside the UTC one, as it does of
days and activities and of some sleeps, the two give the offset. A sleep without one was where the day
of its waking was lived. A stress of -1 or -2 is "too little data" or "too much motion". Activities are
in centimetres and milliseconds. Fields are null although documented otherwise. A sleep's window runs
to the last waking, and its stages are totals, so that a last time awake is not lost nor counted as
sleep. Files of one kind overlap at their seams; what is told twice is read once.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any

from rhythm.bridge.wearables.exports.clocks import (
    Moment,
    between,
    day_of,
    from_millis,
    lasting,
    offset_at,
    small_hours,
    us_wall,
    utc_moment,
    whole_day,
    within_day,
)
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, load, nested, objects, objects_at
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

_STAGES = {
    Signal.NIGHT_DEEP_MIN: "deepSleepSeconds",
    Signal.NIGHT_REM_MIN: "remSleepSeconds",
    Signal.NIGHT_AWAKE_MIN: "awakeSleepSeconds",
}
_ASLEEP_FIELDS = ("deepSleepSeconds", "lightSleepSeconds", "remSleepSeconds")
_NEVER_SLEPT = frozenset({"OFF_WRIST", "UNCONFIRMED_EMPTY"})
_ZONES_DIFFER_BY = timedelta(minutes=15)
_FARTHEST = timedelta(hours=15)


class _Told:
    """What was told already, when the night of each day was, and where each day was lived."""

    def __init__(self) -> None:
        self._known: set[tuple[str, object]] = set()
        self.nights: dict[date, Times] = {}
        self.places: dict[date, tzinfo] = {}

    def again(self, kind: str, what: object) -> bool:
        """Whether it was told before; from now on it was."""
        if (kind, what) in self._known:
            return True
        self._known.add((kind, what))
        return False


_Reader = Callable[[Fields, Collector, tzinfo, _Told], None]


class GarminAccount(ExportSource):
    """Garmin's account export."""

    name = "garmin_account"
    title = "Garmin account export"
    advice = "give the zip of Garmin's account export (it has a folder DI_CONNECT) as it comes"
    delivers = frozenset({
        Signal.NIGHT_ASLEEP_MIN, *_STAGES, Signal.HRV_RMSSD_MS, Signal.RESTING_HR_BPM, Signal.STRESS_FRACTION,
        Signal.RESPIRATORY_RATE_PER_MIN, Signal.OXYGEN_FRACTION, Signal.STEPS_COUNT, Signal.ACTIVE_ENERGY_KCAL,
        Signal.EXERCISE_MIN, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM,
    })  # fmt: skip

    def knows(self, export: Export) -> bool:
        """Whether the zip has one of the account's files, or a single file is one of them."""
        return any(_chosen(export))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The days, nights and activities."""
        told = _Told()
        for kind, part in _chosen(export):
            data = load(export, part, out)
            for fields in objects(data, out) if data is not None else ():
                try:
                    _READERS[kind](fields, out, zone, told)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield


def read_night(fields: Fields, out: Collector, zone: tzinfo) -> Times | None:
    """A night and its naps to records, from one object of Garmin's, in a file or over the account.

    Returns:
        From when until when the night lasts; None where none was slept.

    Raises:
        UnusableError: it cannot be used.
    """
    told = _Told()
    _sleep(fields, out, zone, told)
    return next(iter(told.nights.values()), None)


def _chosen(export: Export) -> Iterator[tuple[str, Part]]:
    """The parts that are read, each with what it holds, in the order in which they explain each other."""
    if not export.is_zip:
        head = export.head(export.parts[0], 1 << 14)
        kind = next((kind for mark, kind in _HEAD_MARKS.items() if mark in head), "")
        if kind and head.lstrip()[:1] == b"[":
            yield kind, export.parts[0]
        return
    for mark in _READERS:
        for part in export.parts:
            if mark in part.stem and part.name.endswith(".json"):
                yield mark, part


def _sleep(fields: Fields, out: Collector, zone: tzinfo, told: _Told) -> None:
    place = _slept_in(fields, "sleep", _woke_in(fields, zone, told))
    for nap in objects_at(fields, "napList"):
        _nap(nap, out, place, told)
    if word(fields.get("sleepWindowConfirmationType")) in _NEVER_SLEPT or fields.get("sleepStartTimestampGMT") is None:
        return
    night = _window(fields, "sleep", place)
    if told.again("sleep", night[:2]):
        return
    if fields.get("calendarDate") is not None:
        told.nights[_calendar_date(fields)] = night
    seconds = [number_of(fields[name]) for name in _ASLEEP_FIELDS if fields.get(name) is not None]
    if seconds:
        out.add(Signal.NIGHT_ASLEEP_MIN, sum(seconds), night, unit="s")
        for signal, name in _STAGES.items():
            out.add(signal, fields.get(name), night, unit="s")
    out.add(Signal.RESPIRATORY_RATE_PER_MIN, positive(fields.get("averageRespiration")), night)
    out.add(Signal.OXYGEN_FRACTION, positive(nested(fields, "spo2SleepSummary", "averageSPO2")), night, unit="%")


def _nap(fields: Fields, out: Collector, zone: tzinfo, told: _Told) -> None:
    try:
        nap = _window(fields, "nap", _slept_in(fields, "nap", zone))
    except UnusableError as error:
        out.problem(error.kind, Signal.NIGHT_ASLEEP_MIN)
        return
    if not told.again("sleep", nap[:2]):
        out.add(Signal.NIGHT_ASLEEP_MIN, fields.get("napTimeSec"), nap, unit="s")


def _window(fields: Fields, kind: str, place: tzinfo) -> Times:
    """From when until when a ``sleep`` or a ``nap`` lasts."""
    return between(*(_gmt(fields.get(f"{kind}{edge}TimestampGMT"), place) for edge in ("Start", "End")))


def _slept_in(fields: Fields, kind: str, zone: tzinfo) -> tzinfo:
    """Where a ``sleep`` or a ``nap`` was, by its local start or else its end; ``zone`` where neither tells."""
    for edge in ("Start", "End"):
        try:
            gmt = _gmt(fields.get(f"{kind}{edge}TimestampGMT"), UTC).at
            return _there(gmt, fields.get(f"{kind}{edge}TimestampLocal"), zone)
        except UnusableError:
            continue
    return zone


def _woke_in(fields: Fields, zone: tzinfo, told: _Told) -> tzinfo:
    """Where the day of waking was lived, if the waking is on that day there; else the person's zone."""
    try:
        day, woke = _calendar_date(fields), _gmt(fields.get("sleepEndTimestampGMT"), UTC).at
        place = told.places.get(day, zone)
        return place if (woke + timedelta(minutes=offset_at(woke, place))).date() == day else zone
    except (UnusableError, OverflowError):
        return zone


def _there(gmt: datetime, local: Any, zone: tzinfo) -> tzinfo:
    """Where the clock shows ``local``: the person's zone if it may be there, as it knows when clocks change.

    Raises:
        UnusableError: no time, or none that a clock anywhere shows then.
    """
    wall = from_millis(local, UTC).at if isinstance(local, int | float) else us_wall(local).replace(tzinfo=UTC)
    offset = wall - gmt
    if abs(offset) > _FARTHEST or offset % _ZONES_DIFFER_BY:
        raise UnusableError(ProblemKind.BAD_DATE)
    return zone if offset_at(gmt, zone) * timedelta(minutes=1) == offset else timezone(offset)


def _gmt(value: Any, zone: tzinfo) -> Moment:
    """UTC as text, or as the milliseconds that some files have in its place."""
    return from_millis(value, zone) if isinstance(value, int | float) else utc_moment(value, zone)


def _day(fields: Fields, out: Collector, zone: tzinfo, told: _Told) -> None:
    day = _calendar_date(fields)
    if told.again("day", day):
        return
    place = told.places[day] = _place(fields, zone)
    whole, within = whole_day(day, place), within_day(day, place)
    out.add(Signal.STEPS_COUNT, fields.get("totalSteps"), whole)
    out.add(Signal.ACTIVE_ENERGY_KCAL, fields.get("activeKilocalories"), whole)
    intense = [number_of(fields[n]) for n in ("moderateIntensityMinutes", "vigorousIntensityMinutes") if fields.get(n)]
    out.add(Signal.EXERCISE_MIN, sum(intense) if intense else None, whole)
    resting = fields.get("currentDayRestingHeartRate") or fields.get("restingHeartRate")
    out.add(Signal.RESTING_HR_BPM, positive(resting), within)
    for total in objects_at(fields, "allDayStress", "aggregatorList"):
        level = total.get("averageStressLevel")
        if total.get("type") == "TOTAL" and level is not None and number_of(level) >= 0:
            out.add(Signal.STRESS_FRACTION, number_of(level) / 100, within)


def _health(fields: Fields, out: Collector, zone: tzinfo, told: _Told) -> None:
    """The night's status, filed by its day: variability and nothing that other files tell."""
    day = _calendar_date(fields)
    for metric in objects_at(fields, "metrics"):
        if metric.get("type") == "HRV" and metric.get("value") is not None and not told.again("hrv", day):
            out.add(Signal.HRV_RMSSD_MS, metric["value"], told.nights.get(day) or small_hours(day, zone))


def _activities(fields: Fields, out: Collector, zone: tzinfo, told: _Told) -> None:
    for activity in objects_at(fields, "summarizedActivitiesExport"):
        name = word(activity.get("activityId"))
        if name and told.again("activity", name):
            continue
        try:
            _activity(activity, name, out, zone)
        except UnusableError as error:
            out.problem(error.kind, Signal.WORKOUT_MIN)


def _activity(fields: Fields, name: str, out: Collector, zone: tzinfo) -> None:
    began, local = fields.get("startTimeGmt", fields.get("beginTimestamp")), fields.get("startTimeLocal")
    start = _gmt(began, zone)
    if isinstance(local, int | float) and isinstance(began, int | float):
        start = start._replace(offset_min=_plausible_offset((local - began) / 60_000, start.offset_min))
    seconds = number_of(fields.get("elapsedDuration") or fields.get("duration") or 0) / 1000
    times, kind = lasting(start, seconds), word(fields.get("activityType")).replace("_", " ")
    active = fields.get("duration")
    if active is not None:
        out.add(Signal.WORKOUT_MIN, number_of(active) / 60_000, times, external_id=name, detail=kind)
    far = fields.get("distance")
    if far is not None and number_of(far) > 0:
        km = number_of(far) / 100_000
        out.add(Signal.WORKOUT_DISTANCE_KM, km, times, external_id=name, detail=kind)


def _calendar_date(fields: Fields) -> date:
    """The day, as text or as an object around it."""
    value = fields.get("calendarDate")
    text = nested(fields, "calendarDate", "date") if isinstance(value, dict) else value
    if isinstance(text, str) and "/" in text:
        return us_wall(text).date()
    return day_of(text)


def _place(fields: Fields, zone: tzinfo) -> tzinfo:
    """Where the day was lived: its local start less its UTC one; the person's zone where that makes no sense."""
    try:
        gmt = utc_moment(fields.get("wellnessStartTimeGmt"), UTC).at
        return _there(gmt, fields.get("wellnessStartTimeLocal"), zone)
    except UnusableError:
        return zone


def _plausible_offset(minutes: float, otherwise: int) -> int:
    return round(minutes) if abs(minutes) <= 15 * 60 else otherwise


def positive(value: Any) -> Any:
    """The value; None for the zero and below that stand for "not measured"."""
    return None if value is None or number_of(value) <= 0 else value


_READERS: dict[str, _Reader] = {
    "udsfile_": _day,
    "_sleepdata": _sleep,
    "_healthstatusdata": _health,
    "summarizedactivities": _activities,
}
"""What the name of a file says that it holds, and how its objects are read: days say where a night was, nights when."""

_HEAD_MARKS = {
    b'"sleepStartTimestampGMT"': "_sleepdata",
    b'"wellnessStartTimeGmt"': "udsfile_",
    b'"summarizedActivitiesExport"': "summarizedactivities",
    b'"baselineUpperLimit"': "_healthstatusdata",
}
"""What a file that comes alone, under any name, is known by."""
