"""Serenity: how calm the body is and how much room the day leaves. Evidence: moderate; it measures no mood.

0.35 heart-rate variability (as in `vitality`) + 0.30 the device's stress score (Garmin's 3-minute averages,
day mean / 100, without its -1 and -2: https://github.com/RADAR-base/RADAR-Schemas/pull/247) + 0.20 meeting
density (share of the working window in merged meetings, after Clockwise) + 0.15 mindful minutes of three
days. Each is taken against the own baseline without today. In LifeSnaps sleep correlates with the stress
score by 0.15 only, and no signal here stands for a feeling: the one-tap self-report does. The weights are
design choices.
"""

from datetime import timedelta

from rhythm.bridge.meters.baseline import WINDOW_DAYS, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.body import HRV_RMSSD, HRV_SDNN, STRESS, body_part
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs, days_before
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.meters import Meter
from rhythm.vocab.slots import day_of

HRV_WEIGHT, STRESS_WEIGHT, MEETINGS_WEIGHT, MINDFUL_WEIGHT = 0.35, 0.30, 0.20, 0.15
MEETINGS_FLOOR, MINDFUL_FLOOR_MIN = 0.08, 5.0
MEETINGS_NOISE_SD, MINDFUL_NOISE_SD = 0.24, 0.24
MINDFUL_DAYS = 3

SIGNALS_USED = frozenset({HRV_RMSSD.signal, HRV_SDNN.signal, STRESS.signal, Signal.MINDFUL_MIN})


def serenity(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Serenity on a slot's day."""
    parts = [
        body_part("heart-rate variability", HRV_WEIGHT, (HRV_RMSSD, HRV_SDNN), slot, inputs),
        body_part("device stress", STRESS_WEIGHT, (STRESS,), slot, inputs),
        _meetings(slot, inputs),
        _mindful(slot, inputs),
    ]
    return combine(Meter.SERENITY, slot, inputs.start_at(slot), parts)


def _meetings(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "meetings"
    today = inputs.calendar.get(day_of(slot))
    if today is None or today.meeting_share is None:
        return Missing(name, "no calendar for this day", MEETINGS_WEIGHT)
    shares = [
        before.meeting_share
        for day in days_before(slot, WINDOW_DAYS)
        if (before := inputs.calendar.get(day)) is not None and before.meeting_share is not None
    ]
    usual = baseline_of(shares, MEETINGS_FLOOR)
    if usual is None:
        return Missing(name, f"meetings: still learning your usual, {len(shares)} earlier days", MEETINGS_WEIGHT)
    score = shrunk(squash(-usual.z(today.meeting_share)), MEETINGS_NOISE_SD, reliance(usual.days))
    text = f"meetings take {today.meeting_share:.0%} of the working day, your usual {usual.center:.0%}"
    if today.longest_free_min is not None:
        text += f"; longest free stretch {today.longest_free_min / 60:.1f} h"
    return evidence(name, text, score, MEETINGS_WEIGHT, "calendar", inputs.calendar_as_of(slot))


def _mindful(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    """Three-day sums, once the person has recorded any: a day without is then a day of none."""
    name = "mindful minutes"
    minutes = {
        day: value.value
        for day in [day_of(slot), *days_before(slot, WINDOW_DAYS)]
        if (summary := inputs.days.get(day)) and (value := summary.values.get(Signal.MINDFUL_MIN))
    }
    if not minutes:
        return Missing(name, "no mindful minutes recorded", MINDFUL_WEIGHT)
    first = min(minutes)

    def recent(days_back: int) -> float:
        end = day_of(slot) - timedelta(days=days_back)
        return sum(minutes.get(end - timedelta(days=i), 0.0) for i in range(MINDFUL_DAYS))

    span = (day_of(slot) - first).days
    usual = baseline_of([recent(back) for back in range(1, span + 1)], MINDFUL_FLOOR_MIN)
    if usual is None:
        return Missing(name, f"mindful minutes: still learning your usual, {span} earlier days", MINDFUL_WEIGHT)
    now = recent(0)
    score = shrunk(squash(usual.z(now)), MINDFUL_NOISE_SD, reliance(usual.days))
    latest = inputs.days[max(minutes)].values[Signal.MINDFUL_MIN]
    text = f"{now:.0f} mindful minutes in {MINDFUL_DAYS} days, your usual {usual.center:.0f}"
    return evidence(name, text, score, MINDFUL_WEIGHT, latest.source, latest.last_at)
