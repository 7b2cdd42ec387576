"""Calendar records: one occurrence of an event, a problem that was met, and both together.

Every record is immutable and holds aware UTC instants, so that nothing behind this module
has to know of recurrence, of zone names or of the format that a calendar came in.
"""

from datetime import date, datetime
from enum import StrEnum

import msgspec

from rhythm.vocab.errors import InvalidValueError, RhythmError


class CalendarError(RhythmError):
    """A calendar that could not be read at all; nothing of it was taken."""


class NotACalendarError(CalendarError, ValueError):
    """Bytes that hold no iCalendar object."""


class EventStatus(StrEnum):
    """How sure an event is. Cancelled events are not materialised."""

    CONFIRMED = "confirmed"
    TENTATIVE = "tentative"


class EventKind(StrEnum):
    """What a calendar itself says an event is; all but DEFAULT are states, not meetings."""

    DEFAULT = "default"
    FOCUS_TIME = "focus_time"
    OUT_OF_OFFICE = "out_of_office"
    WORKING_LOCATION = "working_location"
    BIRTHDAY = "birthday"


class CalendarEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One occurrence of one event.

    Attributes:
        uid: the calendar's own identifier of the event or series.
        recurrence_id: which occurrence of the series, as the start that the rule gave it
            (ISO 8601: UTC instant, or date for an all-day series); None for a single event.
        start_at: start, aware UTC.
        end_at: end, aware UTC, never before the start. Equal to it where the calendar
            gives no end: such an event takes no time.
        all_day: the event is one of dates, not of instants.
        start_day: first local date of an all-day event.
        end_day: the date after its last one.
        title: as written, whitespace trimmed; may be empty.
        others: how many people besides the owner are on it.
        transparent: marked free: it takes no time of its owner.
        declined: the owner said no.
        status: confirmed or tentative.
        kind: a state that the calendar marks as such.
        source: which calendar it came from, as the person named it.
        zone_guessed: its zone name is unknown, so its times were read in the calendar's own zone.
    """

    uid: str
    recurrence_id: str | None
    start_at: datetime
    end_at: datetime
    all_day: bool = False
    start_day: date | None = None
    end_day: date | None = None
    title: str = ""
    others: int = 0
    transparent: bool = False
    declined: bool = False
    status: EventStatus = EventStatus.CONFIRMED
    kind: EventKind = EventKind.DEFAULT
    source: str = ""
    zone_guessed: bool = False

    def __post_init__(self) -> None:
        if self.start_at.tzinfo is None or self.end_at.tzinfo is None:
            raise InvalidValueError("start_at and end_at are instants; give them with a time zone")
        if self.end_at < self.start_at:
            raise InvalidValueError("end_at lies before start_at; an event cannot end before it starts")
        if self.all_day and (self.start_day is None or self.end_day is None or self.end_day <= self.start_day):
            raise InvalidValueError("an all-day event needs start_day and a later end_day")

    @property
    def length_min(self) -> float:
        """Minutes from start to end."""
        return (self.end_at - self.start_at).total_seconds() / 60


class ProblemKind(StrEnum):
    """What can be wrong with a calendar, each with what was done about it."""

    NOT_UTF8 = "not_utf8"
    LONG_LINE = "long_line"
    BROKEN_LINE = "broken_line"
    BROKEN_STRUCTURE = "broken_structure"
    UNFINISHED = "unfinished"
    TOO_LARGE = "too_large"
    OUT_OF_TIME = "out_of_time"
    NO_START = "no_start"
    BAD_TIME = "bad_time"
    OUT_OF_RANGE = "out_of_range"
    END_BEFORE_START = "end_before_start"
    BAD_RULE = "bad_rule"
    TOO_MANY_OCCURRENCES = "too_many_occurrences"
    UNKNOWN_ZONE = "unknown_zone"
    GUESSED_ZONE = "guessed_zone"
    BAD_ZONE_DEFINITION = "bad_zone_definition"


ADVICE: dict[ProblemKind, str] = {
    ProblemKind.NOT_UTF8: "text that is not UTF-8 was read as Latin-1; export the calendar again as UTF-8",
    ProblemKind.LONG_LINE: "a line too long to hold was left out; the rest of its event was read",
    ProblemKind.BROKEN_LINE: "a line that is not `NAME:value` was left out; the rest of its event was read",
    ProblemKind.BROKEN_STRUCTURE: "BEGIN and END do not match; what could be paired was read",
    ProblemKind.UNFINISHED: "the calendar stops in the middle; download or export it again",
    ProblemKind.TOO_LARGE: "the calendar is larger than what is read at once; export a shorter span",
    ProblemKind.OUT_OF_TIME: "reading took too long and was stopped; export a shorter span",
    ProblemKind.NO_START: "an event without a start was left out; give it one in your calendar",
    ProblemKind.BAD_TIME: "a date or time that does not exist was left out; correct it in your calendar",
    ProblemKind.OUT_OF_RANGE: "a date before year 1 or after year 9999 was left out; correct it in your calendar",
    ProblemKind.END_BEFORE_START: "an event that ends before it starts was read as one without length",
    ProblemKind.BAD_RULE: "a repeat rule that cannot be read was left out; the first occurrence was kept",
    ProblemKind.TOO_MANY_OCCURRENCES: "a repeat rule with absurdly many occurrences was left out; the first was kept",
    ProblemKind.UNKNOWN_ZONE: "an unknown time zone name; times were read in the calendar's own zone",
    ProblemKind.GUESSED_ZONE: "an unusual time zone name; the zone it seems to mean was used",
    ProblemKind.BAD_ZONE_DEFINITION: "a time zone definition that cannot be read was left out",
}
"""What was done, and what the person can do, for each kind of problem."""


class Problem(msgspec.Struct, frozen=True):
    """Something that was wrong, counted once per kind.

    Attributes:
        kind: what was wrong.
        where: the first places, as line numbers or file parts; never a title.
        count: how often it was met.
    """

    kind: ProblemKind
    where: str
    count: int = 1

    @property
    def advice(self) -> str:
        """What was done about it and what to do next, for a person to read."""
        return ADVICE[self.kind]


INCOMPLETE_KINDS = frozenset({ProblemKind.UNFINISHED, ProblemKind.TOO_LARGE, ProblemKind.OUT_OF_TIME})
"""Problems after which events may be missing that the calendar does hold."""


class Window(msgspec.Struct, frozen=True):
    """The stretch of time for which occurrences are wanted: start inclusive, end exclusive."""

    start_at: datetime
    end_at: datetime

    def __post_init__(self) -> None:
        if self.start_at.tzinfo is None or self.end_at.tzinfo is None:
            raise InvalidValueError("a window needs instants with a time zone")
        if self.end_at <= self.start_at:
            raise InvalidValueError("a window ends after it starts")

    def meets(self, start_at: datetime, end_at: datetime) -> bool:
        """Whether an event from start to end touches the window; one without length by its start."""
        if start_at == end_at:
            return self.start_at <= start_at < self.end_at
        return start_at < self.end_at and self.start_at < end_at


class CalendarContents(msgspec.Struct, frozen=True):
    """What a calendar gave for a window: occurrences and problems travel together.

    Attributes:
        events: occurrences that touch the window, by start, end, uid.
        problems: what was wrong, at most one record per kind.
        read: how many events and overrides the calendar holds, inside the window or not.
        name: the calendar's own name for itself, or empty.
    """

    events: tuple[CalendarEvent, ...] = ()
    problems: tuple[Problem, ...] = ()
    read: int = 0
    name: str = ""

    @property
    def complete(self) -> bool:
        """False where events may be missing: then absence of an event does not mean that it was deleted."""
        return not any(p.kind in INCOMPLETE_KINDS for p in self.problems)
