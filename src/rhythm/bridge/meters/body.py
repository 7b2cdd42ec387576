"""Parts of a meter that are one signal of the body against its own baseline."""

import math
from collections.abc import Callable, Sequence
from datetime import date

import msgspec

from rhythm.bridge.meters.baseline import WINDOW_DAYS, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.estimates import Evidence, Missing, evidence
from rhythm.bridge.meters.inputs import MeterInputs, days_before
from rhythm.bridge.wearables.days import DayValue
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.vocab.slots import day_of

LEAST_RELIANCE = 0.05
"""A value relied on less than this is as good as missing."""


def _plain(value: float) -> float:
    return value


class BodyPart(msgspec.Struct, frozen=True):
    """How one signal becomes a score.

    Attributes:
        signal: which.
        words: what a person calls it.
        rises: whether more is better.
        floor: smallest spread of the transformed value that is taken seriously.
        noise_sd: standard deviation of the score's error when it is fully relied on.
        persistence: lag-one correlation from day to day: how much of it yesterday's still says.
        transform: of the value before the baseline.
    """

    signal: Signal
    words: str
    rises: bool
    floor: float
    noise_sd: float
    persistence: float
    transform: Callable[[float], float] = _plain


HRV_RMSSD = BodyPart(Signal.HRV_RMSSD_MS, "HRV (RMSSD)", True, 0.05, 0.18, 0.28, math.log)
HRV_SDNN = BodyPart(Signal.HRV_SDNN_MS, "HRV (SDNN)", True, 0.08, 0.24, 0.28, math.log)
RESTING_HR = BodyPart(Signal.RESTING_HR_BPM, "resting heart rate", False, 1.0, 0.20, 0.87)
SLEEPING_HR = BodyPart(Signal.HEART_RATE_BPM, "sleeping heart rate", False, 1.0, 0.24, 0.5)
STRESS = BodyPart(Signal.STRESS_FRACTION, "device stress", False, 0.02, 0.20, 0.3)
"""Persistence of ln RMSSD and of resting heart rate: LifeSnaps, 7,410 person-days. The other two are assumed.

HRV is the logarithm, as its spread grows with its level. SDNN from spot checks is noisier than RMSSD over a night.
"""


def body_part(
    name: str, weight: float, choices: Sequence[BodyPart], slot: int, inputs: MeterInputs
) -> Evidence | Missing:
    """The first of the choices that has a recent value and a baseline of the same device, as a part.

    Args:
        name: of the part.
        weight: its share of the meter.
        choices: signals that can stand for it, best first; they are never mixed.
        slot: for which slot; its day's values are today's.
        inputs: the days.
    """
    reasons = []
    for choice in choices:
        found = _scored(name, weight, choice, slot, inputs)
        if isinstance(found, Evidence):
            return found
        reasons.append(found.text)
    return Missing(name, "; ".join(reasons), weight)


def _scored(name: str, weight: float, part: BodyPart, slot: int, inputs: MeterInputs) -> Evidence | Missing:
    today = day_of(slot)
    latest = _latest(part, [today, *days_before(slot, WINDOW_DAYS)], inputs)
    if latest is None:
        return Missing(name, f"no {part.words} recorded lately", weight)
    day, value = latest
    earlier = [
        part.transform(other.value)
        for before in days_before(slot, WINDOW_DAYS)
        if before != day and (other := _value(part, before, inputs)) is not None and other.source == value.source
    ]
    usual = baseline_of(earlier, part.floor)
    if usual is None:
        return Missing(name, f"{part.words}: still learning your usual, {len(earlier)} earlier days", weight)
    age_days = (today - day).days
    known = reliance(usual.days, age_days, part.persistence)
    if known < LEAST_RELIANCE:
        return Missing(name, f"{part.words} is {age_days} days old", weight)
    z = usual.z(part.transform(value.value))
    score = shrunk(squash(z if part.rises else -z), part.noise_sd, known)
    back = math.exp if part.transform is math.log else _plain
    text = (
        f"{part.words} {_shown(part, value.value)}, your usual {_shown(part, back(usual.center))} "
        f"({usual.days} days{_aged(age_days)})"
    )
    return evidence(name, text, score, weight, value.source, value.last_at)


def _latest(part: BodyPart, days: Sequence[date], inputs: MeterInputs) -> tuple[date, DayValue] | None:
    for day in days:
        value = _value(part, day, inputs)
        if value is not None:
            return day, value
    return None


def _value(part: BodyPart, day: date, inputs: MeterInputs) -> DayValue | None:
    summary = inputs.days.get(day)
    return None if summary is None else summary.values.get(part.signal)


def _shown(part: BodyPart, value: float) -> str:
    unit = SIGNALS[part.signal].unit
    return f"{value:.0%}" if unit == "fraction" else f"{value:.0f} {unit}"


def _aged(age_days: int) -> str:
    return "" if age_days == 0 else f", from {age_days} day{'s' if age_days > 1 else ''} ago"
