"""Progress: whether the work gets done, as the calendar has it. Evidence: bookkeeping, no sensor measures it.

0.6 work done (deep work counts 1, learning 0.6, small work 0.4; halved every three days), against the own
level of earlier days; 0.4 the share of planned work slots of seven days that were spent as planned, (done +
1) / (planned + 2), whose uncertainty is that of so few trials (a Beta distribution with a flat prior). Who
has no work in 60 days of calendar gets no value. Weights and half-life are design choices.
"""

import math

from rhythm.bridge.meters.baseline import Score, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.bookkeeping import days_ago, fading
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs, days_before
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.actions import Action
from rhythm.vocab.meters import Meter
from rhythm.vocab.slots import day_of

WORTH = {Action.DEEP_WORK: 1.0, Action.LEARN: 0.6, Action.ADMIN_WORK: 0.4}
HALF_LIFE_DAYS = 3.0
WORK_WEIGHT, PLAN_WEIGHT = 0.6, 0.4
PLAN_DAYS = 7
FLOOR = 0.2
NOISE_SD = 0.24

SIGNALS_USED: frozenset[Signal] = frozenset()


def progress(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Progress before a slot."""
    return combine(Meter.PROGRESS, slot, inputs.start_at(slot), [_work(slot, inputs), _plans(slot, inputs)])


def _work(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "work done"
    work = fading(slot, inputs, WORTH, HALF_LIFE_DAYS)
    if work.last_day is None:
        return Missing(name, f"no work in {len(work.earlier)} known days of your calendar", WORK_WEIGHT)
    usual = baseline_of(work.earlier, FLOOR)
    if usual is None:
        return Missing(name, f"work done: still learning your usual, {len(work.earlier)} earlier days", WORK_WEIGHT)
    score = shrunk(squash(usual.z(work.now)), NOISE_SD, reliance(usual.days))
    last = days_ago(work.last_day, slot)
    text = f"last work {last}; lately {work.now:.1f} full slots a day, your usual {usual.center:.1f}"
    return evidence(name, text, score, WORK_WEIGHT, "calendar", inputs.calendar_as_of(slot))


def _plans(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "plans kept"
    planned: dict[int, Action] = {}
    done: dict[int, Action] = {}
    for day in [day_of(slot), *days_before(slot, PLAN_DAYS - 1)]:
        facts = inputs.calendar.get(day)
        if facts is not None:
            planned |= {p.slot: p.action for p in facts.planned if p.action in WORTH and p.slot < slot}
            done |= {d.slot: d.action for d in facts.done}
    if not planned:
        return Missing(name, f"no work was planned in {PLAN_DAYS} days", PLAN_WEIGHT)
    kept = sum(done.get(at) is action for at, action in planned.items())
    mean = (kept + 1) / (len(planned) + 2)
    score = Score(mean, math.sqrt(mean * (1 - mean) / (len(planned) + 3)))
    text = f"{kept} of {len(planned)} planned work slots spent as planned in {PLAN_DAYS} days"
    return evidence(name, text, score, PLAN_WEIGHT, "calendar", inputs.calendar_as_of(slot))
