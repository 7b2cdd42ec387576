"""Records of calendars: the sources, what they hold on which day, and what the person corrected."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError


class CalendarSource(msgspec.Struct, frozen=True):
    """One calendar that is read.

    Attributes:
        number: its number; 0 until it is stored.
        kind: ``file``, ``feed`` or the name of an account's kind.
        name: what the person calls it.
        origin: file name or host, fit to be shown; a secret address stands under ``secret``.
        created_at: when it was added.
        secret: name of the secret that holds the full address or the credentials.
        zone: IANA zone of its floating times; None for the person's own.
        enabled: whether it is read at all.
        etag, last_modified, content_hash: what the last fetch said, to ask only for news.
        fetched_at: when it was last read with success.
        problems: how many of each kind the last reading met.
        failed_at, failure: when and by what kind of failure it last could not be read; None
            after a success.
    """

    kind: str
    name: str
    origin: str
    created_at: datetime
    number: int = 0
    secret: str | None = None
    zone: str | None = None
    enabled: bool = True
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str | None = None
    fetched_at: datetime | None = None
    problems: dict[str, int] = {}
    failed_at: datetime | None = None
    failure: str | None = None


class Occurrence(msgspec.Struct, frozen=True):
    """One event at one time: recurrence is already worked out.

    Attributes:
        uid: the calendar's id of the event or its series.
        recurrence: which of the series, as text; empty for a single event.
        start_at, end_at: when; the end is not before the start.
        title: as the calendar has it.
        all_day: without times.
        busy: whether it blocks the slots that it spans.
        meeting: timed, with others.
        attendees: how many others.
        offset_min: local time minus UTC at the start, minutes; None where unknown.
        is_activity: True where ``action`` says what it is, False for "not an activity",
            None where nobody knows.
        action: what the person does in it.
        confidence: of the classification, in [0, 1].
        classifier: what classified it: a rule's name and version, or ``person``.
        start_day, end_day: of one without times, its first local day and the day after its last.
        detail: what else the calendar says of it.
        source: number of its calendar source; 0 until it is stored.
    """

    uid: str
    recurrence: str
    start_at: datetime
    end_at: datetime
    title: str
    all_day: bool = False
    busy: bool = True
    meeting: bool = False
    attendees: int = 0
    offset_min: int | None = None
    is_activity: bool | None = None
    action: Action | None = None
    confidence: float | None = None
    classifier: str = ""
    start_day: date | None = None
    end_day: date | None = None
    detail: Mapping[str, Any] = {}
    source: int = 0

    def __post_init__(self) -> None:
        if self.end_at < self.start_at:
            raise InvalidValueError("an occurrence ends before it starts; swap or drop it before it is stored")
        if (self.action is not None) != (self.is_activity is True):
            raise InvalidValueError("an occurrence has an action exactly where it is an activity")
        if self.confidence is not None and not 0.0 <= self.confidence <= 1.0:
            raise InvalidValueError(f"confidence is {self.confidence!r}; it is a number in [0, 1]")


class OverrideScope(StrEnum):
    """How far a person's correction reaches; the narrower one wins."""

    OCCURRENCE = "occurrence"
    SERIES = "series"
    TITLE = "title"


class EventOverride(msgspec.Struct, frozen=True):
    """What a person says of an event, kept when its calendar is read again.

    Attributes:
        scope: how far it reaches.
        key: which ones: `occurrence_key`, the uid, or `title_key`.
        is_activity, action: what it is; both None to leave that as it was.
        busy: whether it blocks; None to leave that as it was.
        hidden: whether it is left out of everything.
        at: when they said so.
        number: its number; 0 until it is stored.
    """

    scope: OverrideScope
    key: str
    at: datetime
    is_activity: bool | None = None
    action: Action | None = None
    busy: bool | None = None
    hidden: bool = False
    number: int = 0

    def __post_init__(self) -> None:
        if (self.action is not None) != (self.is_activity is True):
            raise InvalidValueError("a correction names an action exactly where it says that this is an activity")


def occurrence_key(uid: str, recurrence: str) -> str:
    """The key of one occurrence."""
    return f"{uid}\x1f{recurrence}"


def title_key(title: str) -> str:
    """The key of every event with that title: letter case and spacing aside."""
    return " ".join(title.casefold().split())
