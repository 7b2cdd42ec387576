"""The person's word on events: what every event of a title is, kept when its calendar is read again."""

from datetime import datetime, timedelta

import msgspec

from rhythm.assist.context import Context
from rhythm.assist.keeping_up import keep_up
from rhythm.bridge.calendar.ics import DAYS_AHEAD, DAYS_BACK
from rhythm.store import Occurrence, PersonStore
from rhythm.store.calendar_records import EventOverride, OverrideScope, title_key
from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError

MOST_ASKED = 3
"""Titles that are asked about at once: a question is a burden, a list of them a chore."""


class EventWord(msgspec.Struct, frozen=True):
    """What the person said of a title: its key, and what such an event is, in words."""

    key: str
    words: str
    at: datetime


class UnknownTitle(msgspec.Struct, frozen=True):
    """A title that nothing is known of: as the calendar has it, and how many events bear it."""

    title: str
    count: int


def unknown_titles(context: Context, most: int = MOST_ASKED) -> tuple[UnknownTitle, ...]:
    """The titles that are worth asking about, most frequent first; once the person has said it, never again.

    Only events that take time count. A title that stood once, in the past, is not asked about: nothing hangs on it.

    Args:
        context: the person now.
        most: how many at once.
    """
    start_at = context.now_at - timedelta(days=DAYS_BACK)
    events = context.person.occurrences.window(start_at, context.now_at + timedelta(days=DAYS_AHEAD))
    found: dict[str, list[Occurrence]] = {}
    for one in events:
        if one.busy and not one.all_day and one.is_activity is None and title_key(one.title):
            found.setdefault(title_key(one.title), []).append(one)
    asked = [own for own in found.values() if len(own) > 1 or own[0].start_at > context.now_at]
    asked.sort(key=lambda own: (-len(own), own[0].start_at))
    return tuple(UnknownTitle(own[-1].title, len(own)) for own in asked[:most])


def correct_title(context: Context, title: str, action: Action | None) -> None:
    """Takes the person's word on every event of a title.

    Args:
        context: the person now.
        title: as the calendar has it; letter case and spacing do not matter.
        action: what it is; None for no activity.

    Raises:
        InvalidValueError: an empty title.
    """
    key = title_key(title)
    if not key:
        raise InvalidValueError("an event without a title cannot be told from others; give it one in your calendar")
    said = EventOverride(OverrideScope.TITLE, key, context.now_at, is_activity=action is not None, action=action)
    context.person.occurrences.correct(said)
    keep_up(Context(context.person, context.now_at), force=True)


def withdraw_title(context: Context, key: str) -> None:
    """Takes that word back.

    Raises:
        UnknownEntryError: none was given.
    """
    context.person.occurrences.uncorrect(OverrideScope.TITLE, key)
    keep_up(Context(context.person, context.now_at), force=True)


def words_on_titles(person: PersonStore) -> tuple[EventWord, ...]:
    """Everything the person said of titles, newest first."""
    said = [one for one in person.occurrences.overrides() if one.scope is OverrideScope.TITLE]
    return tuple(
        EventWord(one.key, "no activity" if one.action is None else one.action.noun, one.at) for one in reversed(said)
    )
