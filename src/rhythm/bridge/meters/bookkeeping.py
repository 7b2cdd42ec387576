"""What the calendar says was done, as a mean that fades: the measure under progress and connection."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import msgspec

from rhythm.bridge.meters.baseline import WINDOW_DAYS
from rhythm.bridge.meters.inputs import CalendarDay, MeterInputs, days_before
from rhythm.vocab.actions import Action
from rhythm.vocab.history import Done
from rhythm.vocab.slots import SLOTS_PER_DAY, day_of

Worth = Mapping[Action, float]
"""What one slot of an action counts; actions that are not in it count nothing."""


class Fading(msgspec.Struct, frozen=True):
    """What is done a day lately, the same of earlier days, and the last day on which anything was.

    Attributes:
        now: fading mean of a day's worth, before the slot; 0 where nothing is known.
        earlier: the same at the end of each earlier known day of the window.
        last_day: the last day on which anything counted; None where none did.
    """

    now: float
    earlier: tuple[float, ...]
    last_day: date | None


def fading(slot: int, inputs: MeterInputs, worth: Worth, half_life_days: float) -> Fading:
    """The mean of what was done a day, each day weighing half as much for every half-life that has passed.

    Only slots before ``slot`` count, and today weighs as much as has passed of it. Days without
    a calendar are left out: they are not days on which nothing was done.
    """
    today = day_of(slot)
    keep = 0.5 ** (1.0 / half_life_days)
    total, weight, last_day = 0.0, 0.0, None
    earlier: list[float] = []
    for day in reversed(days_before(slot, WINDOW_DAYS)):
        if day in inputs.calendar:
            added = _worth(inputs.calendar[day], worth, lambda _: True)
            total, weight = total * keep + added, weight * keep + 1.0
            earlier.append(total / weight)
            last_day = day if added else last_day
    if today in inputs.calendar:
        passed = (slot % SLOTS_PER_DAY) / SLOTS_PER_DAY
        added = _worth(inputs.calendar[today], worth, lambda done: done.slot < slot)
        total, weight = total * keep**passed + added, weight * keep**passed + passed
        last_day = today if added else last_day
    return Fading(total / weight if weight else 0.0, tuple(earlier), last_day)


def _worth(day: CalendarDay, worth: Worth, counts: Callable[[Done], bool]) -> float:
    slots = {done.slot: done.action for done in day.done if counts(done)}
    return sum(worth.get(action, 0.0) for action in slots.values())


def days_ago(day: date, slot: int) -> str:
    """``today``, ``yesterday`` or ``3 days ago``."""
    age = (day_of(slot) - day) // timedelta(days=1)
    return ("today", "yesterday")[age] if age < 2 else f"{age} days ago"
