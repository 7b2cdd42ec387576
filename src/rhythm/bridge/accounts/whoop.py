"""WHOOP's own interface, version 2: sleeps, recoveries and workouts, as the app's CSV tells them.

A recovery names its sleep and says no time, so the sleeps of the same days are asked for first. A score is there only
where ``score_state`` is SCORED: what is pending or unscorable is skipped, and comes with a later reading. The
times are UTC with the place's offset in a field of its own. Pages hold at most 25.
Field names: https://developer.whoop.com/api (version 2); never run against WHOOP itself.
"""

from datetime import UTC, date, timedelta, tzinfo
from typing import Any

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.accounts.face import Carry, Page, Request, day_after, items_of, text_at
from rhythm.bridge.wearables.exports.clocks import between, moment, offset_words
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, nested
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

_PATHS = {"sleep": "/v2/activity/sleep", "recovery": "/v2/recovery", "workout": "/v2/activity/workout"}
_STAGES = {
    Signal.NIGHT_DEEP_MIN: "total_slow_wave_sleep_time_milli",
    Signal.NIGHT_REM_MIN: "total_rem_sleep_time_milli",
    Signal.NIGHT_AWAKE_MIN: "total_awake_time_milli",
}
_ASLEEP = ("total_light_sleep_time_milli", "total_slow_wave_sleep_time_milli", "total_rem_sleep_time_milli")
_RECOVERY = {
    Signal.HRV_RMSSD_MS: ("hrv_rmssd_milli", "ms"),
    Signal.RESTING_HR_BPM: ("resting_heart_rate", "bpm"),
    Signal.OXYGEN_FRACTION: ("spo2_percentage", "%"),
    Signal.WRIST_TEMPERATURE_C: ("skin_temp_celsius", "degC"),
}


class WhoopAccount:
    """WHOOP with the person's own app."""

    name = "whoop"
    title = "WHOOP"
    source = "whoop"
    base_url = "https://api.prod.whoop.com/developer"
    kinds = tuple(_PATHS)
    chunk_days = 30
    login = Login(
        "https://api.prod.whoop.com/oauth/oauth2/token",
        "https://api.prod.whoop.com/oauth/oauth2/auth",
        ("offline", "read:sleep", "read:recovery", "read:workout"),
        renewal=(("scope", "offline"),),  # without it no further refresh token is given
        advice="make an app of your own at https://developer-dashboard.whoop.com",
    )

    def request(self, kind: str, first: date, last: date, after: str) -> Request:
        """A page of at most 25; a day of slack on both sides, as the days are UTC's.

        Sleeps begin a day earlier still: the recovery of a morning names a sleep of the evening before.
        """
        slack = timedelta(days=2 if kind == "sleep" else 1)
        query = [
            ("limit", "25"),
            ("start", f"{(first - slack).isoformat()}T00:00:00.000Z"),
            ("end", f"{day_after(last + timedelta(days=1))}T00:00:00.000Z"),
        ]
        return Request(_PATHS[kind], (*query, ("nextToken", after)) if after else tuple(query))

    def page(self, kind: str, answer: Any) -> Page:
        """The records, and the next token."""
        return Page(items_of(answer, "records"), text_at(answer, "next_token"))

    def take(self, kind: str, fields: Fields, out: Collector, zone: tzinfo, carry: Carry) -> None:
        """One sleep, recovery or workout."""
        if kind == "recovery":
            _recovery(fields, out, carry)
            return
        times = _times(fields, zone)
        if kind == "sleep":
            if word(fields.get("id")) and not fields.get("nap"):
                carry[word(fields.get("id"))] = [times.start_at.isoformat(), times.end_at.isoformat(), times.offset_min]
            _sleep(fields, times, out)
        elif fields.get("score_state") == "SCORED":
            _workout(fields, times, out)


def _times(fields: Fields, zone: tzinfo) -> Times:
    start, end = moment(fields.get("start"), zone), moment(fields.get("end"), zone)
    offset_min = offset_words(fields.get("timezone_offset"))
    return between(start if offset_min is None else start._replace(offset_min=offset_min), end)


def _sleep(fields: Fields, times: Times, out: Collector) -> None:
    stages = nested(fields, "score", "stage_summary")
    if fields.get("score_state") != "SCORED" or not isinstance(stages, dict):
        return
    asleep = [number_of(stages[name]) for name in _ASLEEP if stages.get(name) is not None]
    if asleep:
        out.add(Signal.NIGHT_ASLEEP_MIN, sum(asleep) / 60_000, times)
    for signal, name in _STAGES.items():
        if stages.get(name) is not None:
            out.add(signal, number_of(stages[name]) / 60_000, times)
    if not fields.get("nap"):
        out.add(Signal.RESPIRATORY_RATE_PER_MIN, nested(fields, "score", "respiratory_rate"), times)


def _recovery(fields: Fields, out: Collector, carry: Carry) -> None:
    if fields.get("score_state") != "SCORED":
        return
    night = carry.get(word(fields.get("sleep_id")))
    if night is None:
        raise UnusableError(ProblemKind.MISSING_FIELD, Signal.HRV_RMSSD_MS)
    start, end = (moment(text, UTC) for text in night[:2])
    times = Times(start.at, end.at, int(night[2]))
    for signal, (name, unit) in _RECOVERY.items():
        out.add(signal, nested(fields, "score", name), times, unit=unit)


def _workout(fields: Fields, times: Times, out: Collector) -> None:
    kind = fields.get("sport_name")
    out.add(Signal.WORKOUT_MIN, (times.end_at - times.start_at).total_seconds() / 60, times, detail=kind)
    out.add(Signal.WORKOUT_DISTANCE_KM, nested(fields, "score", "distance_meter"), times, unit="m", detail=kind)
