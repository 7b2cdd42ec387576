"""Insights: a few plain sentences about the person's own weeks, each with its numbers and none about causes."""

from collections import defaultdict
from datetime import timedelta
from statistics import fmean

import msgspec

from rhythm.assist.context import Context
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY, part_of

LEAST_ANSWERS = 4
LEAST_NIGHTS = 5
SHOWN_CHANGE_MIN = 15.0
HALF_DAYS = 14
BACK_SLOTS = 56 * SLOTS_PER_DAY
Tapped = list[tuple[int, str, bool]]
"""Slot, action and whether it was accepted, of every suggestion that was answered by hand."""
_TAPS = (Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED)


class Insight(msgspec.Struct, frozen=True):
    """One sentence, and how many observations it rests on."""

    sentence: str
    count: int


def insights_of(context: Context) -> tuple[Insight, ...]:
    """What stands out, where there is enough to say it."""
    tapped = _tapped(context)
    return (*_sleep(context), *_answers_by_part(tapped), *_answers_by_action(tapped))


def _sleep(context: Context) -> list[Insight]:
    halves: list[list[float]] = [[], []]
    for back in range(2 * HALF_DAYS):
        day = context.days.get(context.day - timedelta(days=back))
        if day is not None and day.night is not None:
            halves[back // HALF_DAYS].append(day.night.asleep_min)
    now, before = halves
    if min(len(now), len(before)) < LEAST_NIGHTS:
        return []
    change = fmean(now) - fmean(before)
    if abs(change) < SHOWN_CHANGE_MIN:
        return []
    more = "longer" if change > 0 else "shorter"
    sentence = (
        f"Your nights of the last two weeks were {abs(change):.0f} minutes {more} than those of the two weeks "
        f"before: {_hours(fmean(now))} against {_hours(fmean(before))}."
    )
    return [Insight(sentence, len(now) + len(before))]


def _hours(minutes: float) -> str:
    whole = round(minutes)
    return f"{whole // 60} h {whole % 60:02d} min"


def _tapped(context: Context) -> Tapped:
    exchanges = context.person.answers.exchanges(context.slot - BACK_SLOTS, context.slot + SLOTS_PER_DAY)
    return [
        (one.suggestion.slot, one.suggestion.action.noun, one.answer.outcome is Outcome.ACCEPTED)
        for one in exchanges
        if one.answer is not None and one.answer.outcome in _TAPS
    ]


def _answers_by_part(tapped: Tapped) -> list[Insight]:
    by_part: dict[str, list[bool]] = defaultdict(list)
    for slot, _, accepted in tapped:
        by_part[part_of(slot).label].append(accepted)
    enough = {part: taps for part, taps in by_part.items() if len(taps) >= LEAST_ANSWERS}
    if len(enough) < 2:
        return []
    best = max(sorted(enough), key=lambda part: fmean(enough[part]))
    least = min(sorted(enough), key=lambda part: fmean(enough[part]))
    if fmean(enough[best]) - fmean(enough[least]) < 0.25:
        return []
    sentence = (
        f"You accepted {sum(enough[best])} of {len(enough[best])} suggestions for the {best}, "
        f"and {sum(enough[least])} of {len(enough[least])} for the {least}."
    )
    return [Insight(sentence, len(enough[best]) + len(enough[least]))]


def _answers_by_action(tapped: Tapped) -> list[Insight]:
    by_action: dict[str, list[bool]] = defaultdict(list)
    for _, action, accepted in tapped:
        by_action[action].append(accepted)
    enough = {action: taps for action, taps in by_action.items() if len(taps) >= LEAST_ANSWERS}
    if not enough:
        return []
    best = max(sorted(enough), key=lambda action: fmean(enough[action]))
    taps = enough[best]
    if fmean(taps) < 0.5:
        return []
    return [Insight(f"You said yes to {best} {sum(taps)} of {len(taps)} times in eight weeks.", len(taps))]
