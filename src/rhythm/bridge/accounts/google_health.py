"""Google Health, which Fitbit's records have moved to: sleep, variability, resting heart rate and steps.

Always the reconciled points: the raw list and the sums by Google give other steps for the same day. A sleep has its
stages as instants with the place's offset in seconds beside them. Whole numbers come as texts, dates as three
numbers. Names: https://developers.google.com/health (version 4); never run against Google itself.
"""

from datetime import date, timedelta, timezone, tzinfo
from typing import Any

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.accounts.face import Carry, Page, Request, day_after, items_of, text_at
from rhythm.bridge.wearables.exports.clocks import between, moment, small_hours, within_day
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, word
from rhythm.bridge.wearables.exports.documents import Fields, nested, objects_at
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

_POINTS = {
    "sleep": "sleep",
    "hrv": "daily-heart-rate-variability",
    "resting": "daily-resting-heart-rate",
    "steps": "steps",
}
_STAGES = {
    "DEEP": Signal.SLEEP_DEEP_MIN,
    "LIGHT": Signal.SLEEP_CORE_MIN,
    "REM": Signal.SLEEP_REM_MIN,
    "AWAKE": Signal.SLEEP_AWAKE_MIN,
    "ASLEEP": Signal.SLEEP_ASLEEP_MIN,
    "RESTLESS": Signal.SLEEP_AWAKE_MIN,
}
_FARTHEST_S = 15 * 3600


class GoogleHealth:
    """Google Health with the person's own app."""

    name = "google-health"
    title = "Google Health (Fitbit)"
    source = "fitbit"
    base_url = "https://health.googleapis.com"
    kinds = tuple(_POINTS)
    chunk_days = 14
    login = Login(
        "https://oauth2.googleapis.com/token",
        "https://accounts.google.com/o/oauth2/v2/auth",
        (
            "https://www.googleapis.com/auth/googlehealth.sleep.readonly",
            "https://www.googleapis.com/auth/googlehealth.health_metrics_and_measurements.readonly",
            "https://www.googleapis.com/auth/googlehealth.activity_and_fitness.readonly",
        ),
        (("access_type", "offline"), ("prompt", "consent")),
        "make an OAuth client of your own at https://console.cloud.google.com and switch the Google Health API on",
    )

    def request(self, kind: str, first: date, last: date, after: str) -> Request:
        """A page of reconciled points."""
        name = _POINTS[kind].replace("-", "_")
        begin, end = first.isoformat(), day_after(last)
        if kind in ("hrv", "resting"):
            wanted = f'{name}.date >= "{begin}" AND {name}.date < "{end}"'
        else:
            edge = f"{name}.interval.{'end' if kind == 'sleep' else 'start'}_time"
            wanted = f'{edge} >= "{begin}T00:00:00Z" AND {edge} < "{end}T00:00:00Z"'
        query = (("filter", wanted), ("pageSize", "1000"))
        path = f"/v4/users/me/dataTypes/{_POINTS[kind]}/dataPoints:reconcile"
        return Request(path, (*query, ("pageToken", after)) if after else query)

    def page(self, kind: str, answer: Any) -> Page:
        """The points, and the next token."""
        return Page(items_of(answer, "dataPoints"), text_at(answer, "nextPageToken"))

    def take(self, kind: str, fields: Fields, out: Collector, zone: tzinfo, carry: Carry) -> None:
        """One point."""
        if kind == "sleep":
            _sleep(fields, out, zone)
        elif kind == "hrv":
            day = _day(nested(fields, "dailyHeartRateVariability", "date"))
            value = nested(fields, "dailyHeartRateVariability", "averageHeartRateVariabilityMilliseconds")
            out.add(Signal.HRV_RMSSD_MS, value, small_hours(day, zone))
        elif kind == "resting":
            day = _day(nested(fields, "dailyRestingHeartRate", "date"))
            out.add(
                Signal.RESTING_HR_BPM, nested(fields, "dailyRestingHeartRate", "beatsPerMinute"), within_day(day, zone)
            )
        else:
            out.add(Signal.STEPS_COUNT, nested(fields, "steps", "count"), _interval(fields, "steps", zone))


def _sleep(fields: Fields, out: Collector, zone: tzinfo) -> None:
    night, told = _interval(fields, "sleep", zone), False
    place = timezone(timedelta(minutes=night.offset_min))
    for stage in objects_at(fields, "sleep", "stages"):
        signal = _STAGES.get(word(stage.get("type")))
        if signal is None:
            out.problem(ProblemKind.BAD_VALUE, Signal.SLEEP_ASLEEP_MIN)
            continue
        start, end = (moment(stage.get(edge), place) for edge in ("startTime", "endTime"))
        out.span(signal, between(start, end))
        told = True
    if not told:
        out.add(Signal.NIGHT_ASLEEP_MIN, nested(fields, "sleep", "summary", "minutesAsleep"), night)


def _interval(fields: Fields, name: str, zone: tzinfo) -> Times:
    """An interval, with the offset that stands beside its start."""
    start, end = (moment(nested(fields, name, "interval", edge), zone) for edge in ("startTime", "endTime"))
    offset = nested(fields, name, "interval", "startUtcOffset")
    seconds = offset[:-1] if isinstance(offset, str) and offset.endswith("s") else ""
    if seconds.lstrip("-").isdigit() and abs(int(seconds)) <= _FARTHEST_S:
        start = start._replace(offset_min=round(int(seconds) / 60))
    return between(start, end)


def _day(value: object) -> date:
    try:
        if isinstance(value, dict):
            return date(int(value["year"]), int(value["month"]), int(value["day"]))
        return date.fromisoformat(str(value)[:10])
    except (KeyError, ValueError, TypeError, OverflowError):
        raise UnusableError(ProblemKind.BAD_DATE) from None
