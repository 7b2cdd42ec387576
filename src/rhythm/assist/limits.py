"""When to be silent: the daily cap, the rest after two refusals, quiet hours."""

from collections.abc import Sequence
from datetime import datetime, time

from rhythm.assist.context import Context
from rhythm.store import Exchange, PersonSettings
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY

MOST_AT_ONCE = 3
"""Suggestions on a page at the same time."""
COOL_AFTER = 2
"""Refusals in a row after which nothing new is suggested until the next day."""


def is_cooling(exchanges: Sequence[Exchange], context: Context) -> bool:
    """Whether the last answers of the day were refusals, so that the rest of it is left in peace.

    Args:
        exchanges: suggestions with the answers that hold.
        context: the person now.
    """
    zone = context.settings.zone_info
    start_at = context.settings.slot_times.bounds_at(context.first_slot, zone)[0]
    given = [
        one.answer
        for one in exchanges
        if one.answer is not None and one.answer.channel != "clock" and one.answer.at >= start_at
    ]
    latest = sorted(given, key=lambda answer: (answer.at, answer.number))[-COOL_AFTER:]
    return len(latest) == COOL_AFTER and all(answer.outcome is Outcome.IGNORED for answer in latest)


def room_today(exchanges: Sequence[Exchange], context: Context) -> int:
    """How many more suggestions the daily cap allows.

    Those that met a busy slot do not count, nor those of a day that were moved into it.
    """
    made = [
        one
        for one in exchanges
        if context.first_slot <= one.suggestion.slot < context.first_slot + SLOTS_PER_DAY
        and not (one.answer is not None and one.answer.outcome is Outcome.UNAVAILABLE)
    ]
    return max(0, context.settings.daily_cap - len(made))


def is_quiet(settings: PersonSettings, at: datetime) -> bool:
    """Whether nothing may be sent at that instant; a stretch over midnight is one stretch."""
    local: time = at.astimezone(settings.zone_info).time()
    begins, ends = settings.quiet_from, settings.quiet_until
    if begins == ends:
        return False
    if begins < ends:
        return begins <= local < ends
    return local >= begins or local < ends
