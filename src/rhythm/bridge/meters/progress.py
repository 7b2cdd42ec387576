"""Progress: how much work gets done, as the calendar has it. Evidence: bookkeeping, no sensor measures it.

Deep work counts 1, learning 0.6, small work 0.4; halved every three days, against the own level of earlier
days. Who has no work in 60 days of calendar gets no value. Worths and half-life are design choices. Whether
plans are kept is no part of it: a calendar has one entry for both, the plan, which is taken for what was
done once its slot is over.
"""

from rhythm.bridge.meters.baseline import baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.bookkeeping import days_ago, fading
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.actions import Action
from rhythm.vocab.meters import Meter

WORTH = {Action.DEEP_WORK: 1.0, Action.LEARN: 0.6, Action.ADMIN_WORK: 0.4}
HALF_LIFE_DAYS = 3.0
FLOOR = 0.2
NOISE_SD = 0.24

SIGNALS_USED: frozenset[Signal] = frozenset()


def progress(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Progress before a slot."""
    return combine(Meter.PROGRESS, slot, inputs.start_at(slot), [_work(slot, inputs)])


def _work(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "work done"
    work = fading(slot, inputs, WORTH, HALF_LIFE_DAYS)
    if work.last_day is None:
        return Missing(name, f"no work in {len(work.earlier)} known days of your calendar", 1.0)
    usual = baseline_of(work.earlier, FLOOR)
    if usual is None:
        return Missing(name, f"work done: still learning your usual, {len(work.earlier)} earlier days", 1.0)
    score = shrunk(squash(usual.z(work.now)), NOISE_SD, reliance(usual.days))
    last = days_ago(work.last_day, slot)
    text = f"last work {last}; lately {work.now:.1f} full slots a day, your usual {usual.center:.1f}"
    return evidence(name, text, score, 1.0, "calendar", inputs.calendar_as_of(slot))
