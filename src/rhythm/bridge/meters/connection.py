"""Connection: time with people, as the calendar has it. Evidence: bookkeeping, no sensor measures it.

Slots of family time and of meeting friends a day, a week ago weighing half as much as today,
against the own level of earlier days. Who has no such slot in 60 days of calendar gets no value:
a calendar without friends is not a life without them. The half-life is a design choice.
"""

from rhythm.bridge.meters.baseline import baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.bookkeeping import days_ago, fading
from rhythm.bridge.meters.estimates import Evidence, MeterEstimate, Missing, combine, evidence
from rhythm.bridge.meters.inputs import MeterInputs
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.actions import Action
from rhythm.vocab.meters import Meter

WORTH = {Action.FAMILY_TIME: 1.0, Action.SOCIALIZE: 1.0}
HALF_LIFE_DAYS = 7.0
FLOOR = 0.1
NOISE_SD = 0.24

SIGNALS_USED: frozenset[Signal] = frozenset()


def connection(slot: int, inputs: MeterInputs) -> MeterEstimate:
    """Connection before a slot."""
    return combine(Meter.CONNECTION, slot, inputs.start_at(slot), [_people(slot, inputs)])


def _people(slot: int, inputs: MeterInputs) -> Evidence | Missing:
    name = "time with people"
    time = fading(slot, inputs, WORTH, HALF_LIFE_DAYS)
    if time.last_day is None:
        return Missing(name, f"no time with people in {len(time.earlier)} known days of your calendar", 1.0)
    usual = baseline_of(time.earlier, FLOOR)
    if usual is None:
        return Missing(name, f"time with people: still learning your usual, {len(time.earlier)} earlier days", 1.0)
    score = shrunk(squash(usual.z(time.now)), NOISE_SD, reliance(usual.days))
    last = days_ago(time.last_day, slot)
    text = f"last time with people {last}; lately {time.now:.1f} slots a day, your usual {usual.center:.1f}"
    return evidence(name, text, score, 1.0, "calendar", inputs.calendar_as_of(slot))
