"""How much sleep a person needs, how much they owe, and when their body's middle of the night is."""

from collections.abc import Sequence
from statistics import fmean, median

import msgspec

from rhythm.bridge.meters.baseline import WINDOW_DAYS
from rhythm.bridge.meters.inputs import MeterInputs, days_before
from rhythm.bridge.wearables.days import DaySummary
from rhythm.vocab.slots import day_of

DEBT_DAYS = 14
USUAL_NEED_MIN = 480.0
SHORTEST_NEED_MIN, LONGEST_NEED_MIN = 390.0, 570.0
NEED_HALF_KNOWN_NIGHTS = 8.0
FREE_WEEKDAYS = (5, 6)
USUAL_MID_SLEEP_H = 4.0


class SleepDebt(msgspec.Struct, frozen=True):
    """What a person owes.

    Attributes:
        hours: over the last 14 days, at least 0.
        need_min: minutes of sleep a day that they need.
        nights: how many of the 14 are known.
    """

    hours: float
    need_min: float
    nights: int


def nights_known(slot: int, inputs: MeterInputs, count: int, *, today: bool = True) -> list[DaySummary]:
    """Summaries with a night of the last ``count`` days up to a slot's own, latest first."""
    days = [day_of(slot), *days_before(slot, count - 1)] if today else days_before(slot, count)
    found = (inputs.days.get(day) for day in days)
    return [summary for summary in found if summary is not None and summary.night is not None]


def sleep_need_min(nights: Sequence[DaySummary]) -> float:
    """Minutes a day: what the person sleeps on free days, shrunk towards 8 hours while these are few.

    Sleep on free days is less cut short by alarms. The need is kept within 6.5 and 9.5 hours.
    Eight hours is the middle of the 7 to 9 that sleep societies advise for adults; the
    shrinkage m / (m + 8) for m free nights and the bounds are design choices.
    """
    free = [s.asleep_min for s in nights if s.day.weekday() in FREE_WEEKDAYS and s.asleep_min is not None]
    if not free:
        return USUAL_NEED_MIN
    share = len(free) / (len(free) + NEED_HALF_KNOWN_NIGHTS)
    need = USUAL_NEED_MIN + share * (median(free) - USUAL_NEED_MIN)
    return min(LONGEST_NEED_MIN, max(SHORTEST_NEED_MIN, need))


def sleep_debt(slot: int, inputs: MeterInputs) -> SleepDebt | None:
    """Sleep owed over 14 days; None where no night of them is known.

    debt = 14 x the weighted mean of (need - slept), the weight of a night falling by
    1 - 2/15 a day of age (an exponential mean with N = 14), after the 14-day weighted sum that RISE publishes
    (its advice: under 5 hours). Nights that are missing are left out: they are not nights of no sleep.
    """
    known = nights_known(slot, inputs, DEBT_DAYS)
    if not known:
        return None
    need_min = sleep_need_min(nights_known(slot, inputs, WINDOW_DAYS))
    today = day_of(slot)
    fall = 1.0 - 2.0 / (DEBT_DAYS + 1)
    weighted = [(fall ** (today - s.day).days, need_min - (s.asleep_min or 0.0)) for s in known]
    mean = sum(w * owed for w, owed in weighted) / sum(w for w, _ in weighted)
    return SleepDebt(max(0.0, DEBT_DAYS * mean / 60.0), need_min, len(known))


def mid_sleep_h(nights: Sequence[DaySummary]) -> float:
    """Chronotype as MSFsc, hours on the local clock: mid-sleep on free days, corrected for catching up.

    MSFsc = MSF - (SDf - SDweek) / 2 where free-day sleep is longer, else MSF (Munich chronotype
    questionnaire, https://docs.ropensci.org/mctq/reference/msf_sc.html). Free days are taken to be Saturday
    and Sunday; it is not valid for who is woken by an alarm on them. Without two free nights it is the
    mid-sleep of all nights; without any night 4 o'clock, the population's middle.
    """
    all_nights = [s.night for s in nights if s.night is not None]
    free = [s.night for s in nights if s.night is not None and s.day.weekday() in FREE_WEEKDAYS]
    if len(free) < 2:
        return median(_wrapped(n.local_middle_h) for n in all_nights) if all_nights else USUAL_MID_SLEEP_H
    middle = median(_wrapped(n.local_middle_h) for n in free)
    work = [n for n in all_nights if n not in free]
    if not work:
        return middle
    free_h, work_h = (fmean(n.asleep_min for n in some) / 60 for some in (free, work))
    week_h = (5 * work_h + 2 * free_h) / 7
    return middle - max(0.0, free_h - week_h) / 2


def _wrapped(hour: float) -> float:
    """Hours around midnight on one scale: 23 is -1. Middles of sleep after 16 o'clock belong to the evening before."""
    return hour - 24.0 if hour >= 16.0 else hour
