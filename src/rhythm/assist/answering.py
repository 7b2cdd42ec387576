"""A tap: accepted, turned down or moved."""

from datetime import datetime

from rhythm.assist.context import Context
from rhythm.assist.keeping_up import CLOCK, expire
from rhythm.assist.suggesting import taken_slots
from rhythm.store import Answer, Suggestion
from rhythm.store.errors import AlreadyAnsweredError
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.responses import Outcome, Response
from rhythm.vocab.slots import SLOTS_PER_DAY

TAPS = (Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED)
FURTHEST_SLOTS = 7 * SLOTS_PER_DAY
PAGE = "page"
"""Channel of a tap on an open page, which offers only slots that were open when it was loaded."""


class TooLateError(AlreadyAnsweredError):
    """When they tapped, the suggestion's time was over or taken; what became of it stays."""


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
    known = _known(context, suggestion, outcome, moved_to=moved_to, key=key)
    if known is not None:
        return known
    of = context.person.suggestions.get(suggestion)
    at = _believed(at, of, context)
    late = _comes_late(context, of, at)
    if outcome is Outcome.RESCHEDULED:
        moved_to = next_open(context, of) if moved_to is None else moved_to
        if not of.slot < moved_to <= of.slot + FURTHEST_SLOTS:
            raise InvalidValueError("a suggestion is moved to a later slot of the next seven days")
        if channel == PAGE:
            _check_still_open(context, moved_to, of)
    response = Response(outcome, moved_to if outcome is Outcome.RESCHEDULED else None)
    return context.person.answers.give(suggestion, response, at=at, channel=channel, key=key, replace=late)


def _known(
    context: Context, suggestion: int, outcome: Outcome, *, moved_to: int | None, key: str | None
) -> Answer | None:
    """The answer, where this very tap was recorded before; what was open then may be taken by it now.

    Raises:
        KeyReusedError: the key belongs to another tap.
    """
    response = Response(outcome, moved_to if outcome is Outcome.RESCHEDULED else None)
    return context.person.answers.known(key, suggestion, response)


def _believed(at: datetime | None, of: Suggestion, context: Context) -> datetime | None:
    """When they tapped, as their device says; None, which is now, where it cannot have been then.

    Raises:
        InvalidValueError: it has no time zone.
    """
    if at is not None and at.tzinfo is None:
        raise InvalidValueError("when you tapped needs a time zone, such as 2026-03-12T08:30:00Z")
    return at if at is not None and of.created_at <= at <= context.now_at else None


def _comes_late(context: Context, of: Suggestion, at: datetime | None) -> bool:
    """Whether a tap made offline in time arrives only now that the clock has closed its suggestion: it counts.

    Raises:
        TooLateError: they tapped when it was over or closed. Where nothing had closed it yet, it is closed now.
    """
    settings = context.settings
    over = of.slot < (context.slot if at is None else settings.slot_times.slot_at(at, settings.zone_info))
    holding = context.person.answers.holding([of.number]).get(of.number)
    if holding is None and over:
        expire(context)
    elif holding is None or holding.channel != CLOCK:
        return False
    elif at is not None and not over:
        return True
    raise TooLateError("the time of that suggestion is over or taken by now; open Today to see what is open")


def _check_still_open(context: Context, slot: int, of: Suggestion) -> None:
    """That a slot which an open page offers for a suggestion is still ahead and free.

    Raises:
        InvalidValueError: it is not; the page was loaded some time ago.
    """
    use = context.uses.get(slot)
    taken = _taken_by_others(context, of, context.slot - SLOTS_PER_DAY, slot)
    if slot < context.slot or (use is not None and use.busy) or slot in taken:
        raise InvalidValueError("that time is over or taken by now; open Today again and choose another")


def _taken_by_others(context: Context, of: Suggestion, first: int, last: int) -> set[int]:
    """Slots that something else takes; where a suggestion was moved to by a tap that comes again is free for it."""
    exchanges = context.person.answers.exchanges(first, last)
    return taken_slots([one for one in exchanges if one.suggestion.number != of.number], context)


def next_open(context: Context, of: Suggestion) -> int:
    """The next slot after a suggestion's that nothing takes; the one after it where the calendar does not reach."""
    slot = of.slot
    taken = _taken_by_others(context, of, context.slot - SLOTS_PER_DAY, slot + FURTHEST_SLOTS)
    for candidate in range(slot + 1, context.calendar.last + 1):
        use = context.uses.get(candidate)
        if candidate > context.slot and use is not None and not use.busy and candidate not in taken:
            return candidate
    return slot + 1
