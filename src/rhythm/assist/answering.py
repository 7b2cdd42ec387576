"""A tap: accepted, turned down or moved."""

from datetime import datetime

from rhythm.assist.context import Context
from rhythm.assist.suggesting import taken_slots
from rhythm.store import Answer
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.responses import Outcome, Response
from rhythm.vocab.slots import SLOTS_PER_DAY

TAPS = (Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED)
FURTHEST_SLOTS = 7 * SLOTS_PER_DAY


def give_answer(
    context: Context,
    suggestion: int,
    outcome: Outcome,
    *,
    moved_to: int | None,
    at: datetime | None,
    channel: str,
    key: str | None,
) -> Answer:
    """Records a tap; the arguments are those of `rhythm.assist.Assistant.answer`."""
    if outcome not in TAPS:
        raise InvalidValueError(f"{outcome} is not a tap; a person gives one of: {', '.join(TAPS)}")
    if at is not None and at > context.now_at:
        at = None  # a clock that runs ahead is not believed
    if outcome is Outcome.RESCHEDULED:
        of = context.person.suggestions.get(suggestion).slot
        moved_to = next_open(context, of) if moved_to is None else moved_to
        if not of < moved_to <= of + FURTHEST_SLOTS:
            raise InvalidValueError("a suggestion is moved to a later slot of the next seven days")
    response = Response(outcome, moved_to if outcome is Outcome.RESCHEDULED else None)
    return context.person.answers.give(suggestion, response, at=at, channel=channel, key=key)


def next_open(context: Context, slot: int) -> int:
    """The next slot after one that nothing takes; the one after it where the calendar does not reach."""
    exchanges = context.person.answers.exchanges(context.slot - SLOTS_PER_DAY, slot + FURTHEST_SLOTS)
    taken = taken_slots(exchanges, context)
    for candidate in range(slot + 1, context.calendar.last + 1):
        use = context.uses.get(candidate)
        if candidate > context.slot and use is not None and not use.busy and candidate not in taken:
            return candidate
    return slot + 1
