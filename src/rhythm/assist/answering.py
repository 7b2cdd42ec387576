"""A tap: accepted, turned down or moved."""

from datetime import datetime

from rhythm.assist.context import Context
from rhythm.assist.suggesting import taken_slots
from rhythm.store import Answer, Suggestion
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.responses import Outcome, Response
from rhythm.vocab.slots import SLOTS_PER_DAY

TAPS = (Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED)
FURTHEST_SLOTS = 7 * SLOTS_PER_DAY
PAGE = "page"
"""Channel of a tap on an open page, which offers only slots that were open when it was loaded."""


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
    of = context.person.suggestions.get(suggestion)
    at = _believed(at, of, context)
    if outcome is Outcome.RESCHEDULED:
        moved_to = next_open(context, of.slot) if moved_to is None else moved_to
        if not of.slot < moved_to <= of.slot + FURTHEST_SLOTS:
            raise InvalidValueError("a suggestion is moved to a later slot of the next seven days")
        if channel == PAGE:
            _check_still_open(context, moved_to)
    response = Response(outcome, moved_to if outcome is Outcome.RESCHEDULED else None)
    late = at is not None and _ran_out(context, suggestion) and at < _end_at(context, of.slot)
    return context.person.answers.give(suggestion, response, at=at, channel=channel, key=key, replace=late)


def _believed(at: datetime | None, of: Suggestion, context: Context) -> datetime | None:
    """When they tapped, as their device says; None, which is now, where it cannot have been then.

    Raises:
        InvalidValueError: it has no time zone.
    """
    if at is not None and at.tzinfo is None:
        raise InvalidValueError("when you tapped needs a time zone, such as 2026-03-12T08:30:00Z")
    return at if at is not None and of.created_at <= at <= context.now_at else None


def _ran_out(context: Context, suggestion: int) -> bool:
    """Whether the clock has closed it: a tap made offline before that arrives only now, and counts."""
    holding = context.person.answers.holding([suggestion]).get(suggestion)
    return holding is not None and holding.channel == "clock"


def _end_at(context: Context, slot: int) -> datetime:
    return context.settings.slot_times.bounds_at(slot, context.settings.zone_info)[1]


def _check_still_open(context: Context, slot: int) -> None:
    """That a slot which an open page offers is still ahead and free.

    Raises:
        InvalidValueError: it is not; the page was loaded some time ago.
    """
    use = context.uses.get(slot)
    exchanges = context.person.answers.exchanges(context.slot - SLOTS_PER_DAY, slot)
    if slot < context.slot or (use is not None and use.busy) or slot in taken_slots(exchanges, context):
        raise InvalidValueError("that time is over or taken by now; open Today again and choose another")


def next_open(context: Context, slot: int) -> int:
    """The next slot after one that nothing takes; the one after it where the calendar does not reach."""
    exchanges = context.person.answers.exchanges(context.slot - SLOTS_PER_DAY, slot + FURTHEST_SLOTS)
    taken = taken_slots(exchanges, context)
    for candidate in range(slot + 1, context.calendar.last + 1):
        use = context.uses.get(candidate)
        if candidate > context.slot and use is not None and not use.busy and candidate not in taken:
            return candidate
    return slot + 1
