"""Suggestions as an iCalendar feed to subscribe to. The person's own calendar is never written.

Each suggestion is a transparent event, so it never makes anyone look busy. Its UID is made from
slot and action, so that a calendar program updates it in place and a subscriber sees no doubles.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec
from icalendar import Calendar, Event

from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError

CALENDAR_NAME = "Rhythm suggestions"
PRODUCT = "-//Rhythm//suggestions//EN"
UID_DOMAIN = "rhythm.invalid"
REFRESH = "PT1H"


class FeedEntry(msgspec.Struct, frozen=True):
    """One suggestion for the feed.

    Attributes:
        slot: slot number.
        action: what is suggested.
        start_at: start, aware.
        end_at: end, aware, after the start.
        title: what a person reads.
        reason: why, one sentence; may be empty.
        made_at: when it was made, aware; the event's DTSTAMP, so that the same feed has the same bytes.
    """

    slot: int
    action: Action
    start_at: datetime
    end_at: datetime
    title: str
    reason: str
    made_at: datetime

    def __post_init__(self) -> None:
        if any(moment.tzinfo is None for moment in (self.start_at, self.end_at, self.made_at)):
            raise InvalidValueError("a feed entry needs instants with a time zone")
        if self.end_at <= self.start_at:
            raise InvalidValueError("a feed entry ends after it starts")
        if not self.title.strip():
            raise InvalidValueError("a feed entry needs a title")

    @property
    def uid(self) -> str:
        """The same for the same slot and action, whatever else changes."""
        digest = hashlib.sha256(f"{self.slot} {self.action.name}".encode()).hexdigest()[:24]
        return f"suggestion-{digest}@{UID_DOMAIN}"


def suggestions_feed(entries: Iterable[FeedEntry], name: str = CALENDAR_NAME) -> bytes:
    """The feed as iCalendar bytes, entries by start; of two with one slot and action the later made.

    Args:
        entries: the suggestions.
        name: what the calendar is called where it is subscribed to.
    """
    latest: dict[str, FeedEntry] = {}
    for entry in sorted(entries, key=lambda e: e.made_at):
        latest[entry.uid] = entry
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", _clean(name))
    calendar.add("x-published-ttl", REFRESH)
    for entry in sorted(latest.values(), key=lambda e: (e.start_at, e.uid)):
        event = Event()
        event.add("uid", entry.uid)
        event.add("dtstamp", entry.made_at.astimezone(UTC))
        event.add("dtstart", entry.start_at.astimezone(UTC))
        event.add("dtend", entry.end_at.astimezone(UTC))
        event.add("summary", _clean(entry.title))
        if entry.reason.strip():
            event.add("description", _clean(entry.reason))
        event.add("transp", "TRANSPARENT")
        event.add("class", "PRIVATE")
        event.add("status", "TENTATIVE")
        event.add("categories", [entry.action.label])
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _clean(text: str) -> str:
    """Text without control characters, which iCalendar does not allow."""
    return "".join(c for c in text if c.isprintable() or c == "\n").strip()
