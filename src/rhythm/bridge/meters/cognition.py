"""Cognition: how clear the head can be expected to be in a slot. Evidence: moderate, at best.

0.6 alertness by the two-process model (`alertness`) two hours into the slot, against the own alertness in all
slots of earlier days; 0.4 sleep debt over 14 days (`sleep_need`), as 1 / (1 + exp((hours - 5) / 2.5)): one
half at the 5 hours that RISE advises to stay under. That debt and time of day change how people think is well
shown; how much for one person on one day is not. The share of deep sleep is left out on purpose: little
speaks for it. The weights and the steepness are design choices.
"""

import math
from datetime import timedelta

from rhythm.bridge.meters.alertness import alertness, waking_pressures
from rhythm.bridge.meters.baseline import WINDOW_DAYS, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs
from rhythm.bridge.meters.sleep_need import DEBT_DAYS, mid_sleep_h, nights_known, sleep_debt
from rhythm.bridge.wearables.days import DaySummary
from rhythm.bridge.wearables.nights import ASLEEP_SIGNALS
from rhythm.vocab.meters import Meter
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, day_of, slot_number

ALERTNESS_WEIGHT, DEBT_WEIGHT = 0.6, 0.4
INTO_SLOT = timedelta(hours=2)
ALERTNESS_FLOOR = 0.02
ALERTNESS_NOISE_SD, DEBT_NOISE_SD = 0.2, 0.18
TOLERABLE_DEBT_H, DEBT_STEEPNESS_H = 5.0, 2.5

SIGNALS_USED = frozenset(ASLEEP_SIGNALS)


def cognition(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Cognition in a slot."""
    return combine(Meter.COGNITION, slot, inputs.start_at(slot), [_alertness(slot, inputs), _debt(slot, inputs)])


def _alertness(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "alertness"
    known = nights_known(slot, inputs, WINDOW_DAYS + 1)[::-1]
    if not known or known[-1].day != day_of(slot):
        return Missing(name, "no sleep recorded last night, so no alertness can be worked out", ALERTNESS_WEIGHT)
    middle_h = mid_sleep_h(known[:-1] or known)
    *earlier, last = zip(known, waking_pressures(known), strict=True)
    before = [one for one in earlier if _device(one[0]) == _device(last[0])]  # devices differ on one night
    own = [
        alertness(summary, pressure, inputs.start_at(slot_number(summary.day, PartOfDay(part))) + INTO_SLOT, middle_h)
        for summary, pressure in before
        for part in range(SLOTS_PER_DAY)
    ]
    usual = baseline_of(own, ALERTNESS_FLOOR)
    if usual is None or len(before) < 2:
        return Missing(name, f"alertness: still learning your nights, {len(before)} earlier ones", ALERTNESS_WEIGHT)
    z = usual.z(alertness(*last, inputs.start_at(slot) + INTO_SLOT, middle_h))
    score = shrunk(squash(z), ALERTNESS_NOISE_SD, reliance(len(before)))
    night = last[0].night
    assert night is not None
    awake_h = max(0.0, (inputs.start_at(slot) + INTO_SLOT - night.awake_at).total_seconds() / 3600)
    text = f"two hours into this slot you have been awake {awake_h:.0f} h after {night.asleep_min / 60:.1f} h of sleep"
    return evidence(name, text, score, ALERTNESS_WEIGHT, night.source, night.awake_at)


def _device(summary: DaySummary) -> str:
    return "" if summary.night is None else summary.night.source


def _debt(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "sleep debt"
    debt = sleep_debt(slot, inputs)
    if debt is None:
        return Missing(name, f"no night of the last {DEBT_DAYS} recorded", DEBT_WEIGHT)
    level = 1.0 / (1.0 + math.exp((debt.hours - TOLERABLE_DEBT_H) / DEBT_STEEPNESS_H))
    score = shrunk(level, DEBT_NOISE_SD, reliance(debt.nights))
    text = (
        f"sleep debt {debt.hours:.1f} h against a need of {debt.need_min / 60:.1f} h "
        f"({debt.nights} of {DEBT_DAYS} nights known)"
    )
    latest = nights_known(slot, inputs, DEBT_DAYS)[0].night
    assert latest is not None
    return evidence(name, text, score, DEBT_WEIGHT, latest.source, latest.awake_at)
