"""Alertness by the two-process model of sleep: pressure that grows awake, and the body's clock.

Process S (sleep pressure, 0 to 1) rises while awake towards 1 with a time constant of 18.2 hours and falls
asleep towards 0 with 4.2 hours (Daan, Beersma and Borbely 1984; constants as used in
https://doi.org/10.1007/BF00197314 and later). Process C is a 24-hour cosine with amplitude 0.12 whose peak
stands 14 hours after mid-sleep on free days (about 18 o'clock for the average person). Alertness is C - S.
The peak's place and the amplitude are design choices near the published ones.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from rhythm.bridge.wearables.days import DaySummary
from rhythm.bridge.wearables.nights import Sleep

RISE_H = 18.2
FALL_H = 4.2
AMPLITUDE = 0.12
PEAK_AFTER_MID_SLEEP_H = 14.0
_USUAL_NIGHT_H = 8.0


def _usual_pressure_at_onset() -> float:
    """Where S stands at bedtime for who sleeps 8 hours every night."""
    left = math.exp(-(24.0 - _USUAL_NIGHT_H) / RISE_H)
    return (1.0 - left) / (1.0 - left * math.exp(-_USUAL_NIGHT_H / FALL_H))


USUAL_ONSET = _usual_pressure_at_onset()


def waking_pressures(nights: Sequence[DaySummary]) -> list[float]:
    """S at the end of each night.

    Args:
        nights: summaries that have a night, oldest first. Where the night before is missing,
            S at bedtime is that of a regular sleeper.
    """
    found: list[float] = []
    for i, summary in enumerate(nights):
        night = summary.night
        assert night is not None
        before = nights[i - 1] if i and (summary.day - nights[i - 1].day).days == 1 else None
        onset = USUAL_ONSET if before is None else _pressure_at(before, found[-1], night.asleep_at)
        found.append(onset * math.exp(-night.asleep_min / 60.0 / FALL_H))
    return found


def alertness(summary: DaySummary, waking_pressure: float, at: datetime, mid_sleep_h: float) -> float:
    """C - S at an instant of the day that began with a summary's night; not before its waking.

    Args:
        summary: with a night.
        waking_pressure: S at the end of that night.
        at: aware instant.
        mid_sleep_h: mid-sleep on free days, hours on the local clock.
    """
    night = summary.night
    assert night is not None
    at = max(at, night.awake_at)
    local = at + timedelta(minutes=night.offset_min)
    hour = local.hour + local.minute / 60 + local.second / 3600
    clock = AMPLITUDE * math.cos(2 * math.pi * (hour - mid_sleep_h - PEAK_AFTER_MID_SLEEP_H) / 24)
    return clock - _pressure_at(summary, waking_pressure, at)


def _pressure_at(summary: DaySummary, waking_pressure: float, at: datetime) -> float:
    """S at an instant after a night, through the day's naps."""
    assert summary.night is not None
    pressure, since_at = waking_pressure, summary.night.awake_at
    for nap in summary.naps:
        if since_at <= nap.asleep_at and nap.awake_at <= at:
            pressure = _risen(pressure, since_at, nap)
            pressure *= math.exp(-nap.asleep_min / 60.0 / FALL_H)
            since_at = nap.awake_at
    awake_h = max(0.0, (at - since_at).total_seconds() / 3600)
    return 1.0 - (1.0 - pressure) * math.exp(-awake_h / RISE_H)


def _risen(pressure: float, since_at: datetime, until: Sleep) -> float:
    awake_h = (until.asleep_at - since_at).total_seconds() / 3600
    return 1.0 - (1.0 - pressure) * math.exp(-awake_h / RISE_H)
