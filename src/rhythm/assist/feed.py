"""Suggestions as an iCalendar feed to subscribe to."""

from rhythm.assist.context import Context
from rhythm.bridge.calendar.feed_out import FeedEntry, suggestions_feed
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY

BACK_SLOTS = 7 * SLOTS_PER_DAY
AHEAD_SLOTS = 8 * SLOTS_PER_DAY
_SHOWN = (None, Outcome.ACCEPTED, Outcome.RESCHEDULED)


def feed_of(context: Context) -> bytes:
    """What waits for an answer, was accepted or was moved; what was turned down or ran out is left out."""
    entries = []
    exchanges = context.person.answers.exchanges(context.slot - BACK_SLOTS, context.slot + AHEAD_SLOTS)
    for one in exchanges:
        outcome = None if one.answer is None else one.answer.outcome
        if outcome not in _SHOWN:
            continue
        moved_to = None if one.answer is None else one.answer.moved_to
        slot = one.suggestion.slot if moved_to is None else moved_to
        start_at, end_at = context.settings.slot_times.bounds_at(slot, context.settings.zone_info)
        use = context.uses.get(slot)
        if use is not None and use.open_at is not None:
            start_at, end_at = use.open_at
        title = one.suggestion.action.label.capitalize()
        entries.append(
            FeedEntry(
                slot,
                one.suggestion.action,
                start_at,
                end_at,
                title if outcome is not None else f"{title}?",
                one.suggestion.reason,
                one.suggestion.created_at if one.answer is None else one.answer.at,
            )
        )
    return suggestions_feed(entries)
