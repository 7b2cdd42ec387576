"""Garmin's Connect Personal API: nights, variability, steps, stress and daily summaries with the person's own key.

No page has a next one; each list is asked for by days, at most 28 at once (steps and stress fail above that, the
others above 31). Times are GMT as text or as milliseconds, whatever the documents say, and any field can be null.
Variability is given by day and takes the night's times from the nights of the same days. The key is exchanged for a
bearer of about a day. Paths and limits as published clients report them (October 2026); never run against Garmin
itself.
"""

from datetime import date, tzinfo
from typing import Any

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.accounts.face import Carry, Page, Request, items_of
from rhythm.bridge.wearables.exports.clocks import day_of, moment, small_hours, whole_day, within_day
from rhythm.bridge.wearables.exports.collecting import Collector, Times, number_of
from rhythm.bridge.wearables.exports.documents import Fields, nested
from rhythm.bridge.wearables.garmin_account import positive, read_night
from rhythm.bridge.wearables.signals import Signal

_RANGES = {
    "hrv": "/hrv-service/hrv/daily",
    "steps": "/usersummary-service/stats/steps/daily",
    "stress": "/usersummary-service/stats/stress/daily",
}
_QUERIES = {
    "sleep": "/sleep-service/sleep/dailySleepSummariesByDate",
    "day": "/usersummary-service/v2/dailysummaries",
}
_LISTS = ("data", "hrvSummaries", "dailySleepSummaries", "sleepSummaries", "values", "individualStats")
_RENAMED = {"averageRespirationValue": "averageRespiration"}


class Garmin:
    """Garmin with a key."""

    name = "garmin"
    title = "Garmin Connect"
    source = "garmin_account"
    base_url = "https://personal.connectapi.garmin.com"
    kinds = ("sleep", "hrv", "steps", "stress", "day")
    chunk_days = 28
    login = Login(
        "https://personal.connectapi.garmin.com/personalapitoken-service/personal-api/personal-api-key/token",
        advice="make a key at https://connect.garmin.com/app/settings/personalApiToken; it lasts 30 days to a year",
    )

    def request(self, kind: str, first: date, last: date, after: str) -> Request:
        """One list of days."""
        begin, end = first.isoformat(), last.isoformat()
        if kind in _RANGES:
            return Request(f"{_RANGES[kind]}/{begin}/{end}")
        return Request(_QUERIES[kind], (("startDate", begin), ("endDate", end)))

    def page(self, kind: str, answer: Any) -> Page:
        """The days; there is no further page."""
        return Page(items_of(answer, *_LISTS))

    def take(self, kind: str, fields: Fields, out: Collector, zone: tzinfo, carry: Carry) -> None:
        """One day of one kind."""
        day = day_of(fields.get("calendarDate"))
        whole, within = whole_day(day, zone), within_day(day, zone)
        if kind == "sleep":
            night = read_night(fields | {new: fields.get(old) for old, new in _RENAMED.items()}, out, zone)
            out.add(Signal.OXYGEN_FRACTION, positive(fields.get("averageSpO2Value")), night or within, unit="%")
            if night is not None:
                carry[day.isoformat()] = [night.start_at.isoformat(), night.end_at.isoformat(), night.offset_min]
        elif kind == "hrv":
            times = _night(carry, day, zone)
            out.add(Signal.HRV_RMSSD_MS, positive(fields.get("lastNightAvg")), times)
        elif kind == "steps":
            out.add(Signal.STEPS_COUNT, fields.get("totalSteps"), whole)
        elif kind == "stress":
            level = nested(fields, "values", "overallStressLevel")
            if level is not None and number_of(level) >= 0:
                out.add(Signal.STRESS_FRACTION, number_of(level) / 100, within)
        else:
            out.add(Signal.RESTING_HR_BPM, positive(nested(fields, "heartRate", "restingValue")), within)


def _night(carry: Carry, day: date, zone: tzinfo) -> Times:
    known = carry.get(day.isoformat())
    if known is None:
        return small_hours(day, zone)
    start, end = (moment(text, zone) for text in known[:2])
    return Times(start.at, end.at, int(known[2]))
