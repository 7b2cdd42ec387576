"""One VEVENT read into values, before its series is laid out."""

import hashlib
import re
from datetime import datetime, timedelta
from urllib.parse import unquote

import msgspec

from rhythm.bridge.calendar.events import EventKind, EventStatus, ProblemKind
from rhythm.bridge.calendar.lines import Component, Line
from rhythm.bridge.calendar.problems import ProblemLog
from rhythm.bridge.calendar.repeat_rule import BadRuleError, Rule, read_rule
from rhythm.bridge.calendar.values import BadValueError, Moment, read_duration, read_moment, read_text
from rhythm.bridge.calendar.zones import Zones, is_plain, to_utc

NO_TIME = timedelta(0)
ONE_DAY = timedelta(days=1)
MAX_DATES_PER_LINE = 5_000
CANCELLED_TITLE = re.compile(r"(?:cancel+ed|abgesagt|cancelad[oa]|annul[ée]e?) ?:", re.IGNORECASE)
_STATE_OF_BUSY = {"OOF": EventKind.OUT_OF_OFFICE, "WORKINGELSEWHERE": EventKind.WORKING_LOCATION}


class Length(msgspec.Struct, frozen=True):
    """How long an event lasts: a nominal part on the wall, and an exact part behind it."""

    nominal: timedelta = NO_TIME
    exact: timedelta = NO_TIME

    def end_at(self, moment: Moment) -> datetime:
        """The end of an occurrence that starts there.

        The end keeps its wall time over a change of the clocks, save where start or end is
        itself skipped or repeated: there the length decides, so that no occurrence shrinks
        to nothing or doubles.

        Raises:
            OverflowError: after year 9999.
        """
        end_wall = moment.wall + self.nominal
        if is_plain(moment.wall, moment.zone) and is_plain(end_wall, moment.zone):
            return to_utc(end_wall, moment.zone) + self.exact
        return moment.at + self.nominal + self.exact

    @property
    def total(self) -> timedelta:
        """Both parts together."""
        return self.nominal + self.exact


class Draft(msgspec.Struct, frozen=True):
    """The values of one VEVENT: a single event, the master of a series, or an override.

    Attributes:
        uid: its UID, or one made from its content.
        order: place in the file; of two versions with one SEQUENCE the later counts.
        recurrence: for an override, the occurrence that it replaces.
        and_future: the override also holds for all later occurrences.
        dates: whole-day dates instead of times.
    """

    uid: str
    order: int
    where: str
    start: Moment
    length: Length
    dates: bool
    sequence: int = 0
    recurrence: Moment | None = None
    and_future: bool = False
    cancelled: bool = False
    title: str = ""
    others: int = 0
    transparent: bool = False
    declined: bool = False
    status: EventStatus = EventStatus.CONFIRMED
    kind: EventKind = EventKind.DEFAULT
    rules: tuple[Rule, ...] = ()
    more: tuple[Moment, ...] = ()
    excluded: tuple[Moment, ...] = ()

    @property
    def rank(self) -> tuple[int, int]:
        """Which of two versions is the newer."""
        return self.sequence, self.order


def read_draft(component: Component, order: int, zones: Zones, own: frozenset[str], log: ProblemLog) -> Draft | None:
    """The values of a VEVENT; None, and a problem counted, where it has no start that can be read."""
    start_line = component.first("DTSTART")
    if start_line is None:
        log.add(ProblemKind.NO_START, component.where)
        return None
    try:
        start = read_moment(start_line.value, start_line, zones)
        length, dates = _length(component, start, zones, log)
        recurrence_line = component.first("RECURRENCE-ID")
        recurrence = read_moment(recurrence_line.value, recurrence_line, zones) if recurrence_line else None
    except (BadValueError, OverflowError) as error:
        kind = error.kind if isinstance(error, BadValueError) else ProblemKind.OUT_OF_RANGE
        log.add(kind, component.where)
        return None
    others, declined = _people(component, own)
    busy_status = component.text("X-MICROSOFT-CDO-BUSYSTATUS").upper()
    status = component.text("STATUS").upper()
    title = read_text(component.text("SUMMARY"))
    tentative = status == "TENTATIVE" or busy_status == "TENTATIVE"
    return Draft(
        uid_of(component),
        order,
        component.where,
        start,
        length,
        dates,
        sequence=_sequence(component),
        recurrence=recurrence,
        and_future=recurrence_line is not None and recurrence_line.parameters.get("RANGE", "") == "THISANDFUTURE",
        cancelled=status in ("CANCELLED", "CANCELED") or CANCELLED_TITLE.match(title) is not None,
        title=title,
        others=others,
        transparent=component.text("TRANSP").upper() == "TRANSPARENT" or busy_status == "FREE",
        declined=declined,
        status=EventStatus.TENTATIVE if tentative else EventStatus.CONFIRMED,
        kind=_STATE_OF_BUSY.get(busy_status, EventKind.DEFAULT),
        rules=_rules(component, log),
        more=_dates(component, "RDATE", zones, log),
        excluded=_dates(component, "EXDATE", zones, log),
    )


def uid_of(component: Component) -> str:
    """The UID, or for an event without one a stable name made from its content."""
    uid = component.text("UID")
    if uid:
        return uid[:500]
    content = "\n".join(component.text(name) for name in ("DTSTART", "DTEND", "DURATION", "SUMMARY", "RRULE"))
    return "no-uid-" + hashlib.sha256(content.encode()).hexdigest()[:20]


def _sequence(component: Component) -> int:
    text = component.text("SEQUENCE")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _length(component: Component, start: Moment, zones: Zones, log: ProblemLog) -> tuple[Length, bool]:
    """How long the event lasts and whether it is one of dates."""
    end_line = component.first("DTEND")
    if end_line is not None:
        return _length_to(read_moment(end_line.value, end_line, zones), start, component, log)
    if component.first("DURATION") is None:
        return (Length(ONE_DAY), True) if start.is_date else (Length(), False)
    nominal, exact = read_duration(component.text("DURATION"))
    if nominal + exact < NO_TIME:
        log.add(ProblemKind.END_BEFORE_START, component.where)
        nominal = exact = NO_TIME
    if start.is_date:
        return Length(max(ONE_DAY, timedelta(days=-((-nominal - exact) // ONE_DAY)))), True
    return Length(nominal, exact), False


def _length_to(end: Moment, start: Moment, component: Component, log: ProblemLog) -> tuple[Length, bool]:
    if start.is_date and end.is_date:
        if end.wall < start.wall:
            log.add(ProblemKind.END_BEFORE_START, component.where)
        return Length(max(ONE_DAY, end.wall - start.wall)), True
    same_wall = end.zone is start.zone
    length = Length(end.wall - start.wall) if same_wall else Length(exact=end.at - start.at)
    if length.total < NO_TIME:
        log.add(ProblemKind.END_BEFORE_START, component.where)
        return Length(), False
    return length, False


def _people(component: Component, own: frozenset[str]) -> tuple[int, bool]:
    """How many others are on it, and whether the owner declined.

    Rooms and equipment are no people, and who declined will not be there. Where nobody on
    it is known to be the owner, one of them is taken to be.
    """
    people: set[str] = set()
    declined = False
    for line in (*component.lines.get("ORGANIZER", ()), *component.lines.get("ATTENDEE", ())):
        address = _address(line)
        refused = line.parameters.get("PARTSTAT", "").upper() == "DECLINED"
        if address in own:
            declined = declined or refused
        if address and not refused and line.parameters.get("CUTYPE", "").upper() not in ("ROOM", "RESOURCE"):
            people.add(address)
    known = people & own
    return max(0, len(people) - max(1, len(known)) + (1 if declined and not known else 0)), declined


def _address(line: Line) -> str:
    """A guest's e-mail address, whether it is the value or, as Apple writes it, stands beside one."""
    value = line.value.strip().casefold()
    beside = line.parameters.get("EMAIL", "").casefold()
    if "@" in beside and not value.startswith("mailto:"):
        return beside
    return unquote(value.removeprefix("mailto:")).casefold()


def _rules(component: Component, log: ProblemLog) -> tuple[Rule, ...]:
    rules = []
    for line in component.lines.get("RRULE", ()):
        try:
            rules.append(read_rule(line.value))
        except BadRuleError:
            log.add(ProblemKind.BAD_RULE, f"line {line.number}")
    return tuple(rules)


def _dates(component: Component, name: str, zones: Zones, log: ProblemLog) -> tuple[Moment, ...]:
    """The moments of RDATE or EXDATE lines; of a period its start."""
    moments = []
    for line in component.lines.get(name, ()):
        texts = line.value.split(",")
        if len(texts) > MAX_DATES_PER_LINE:
            log.add(ProblemKind.LONG_LINE, f"line {line.number}")
        for text in texts[:MAX_DATES_PER_LINE]:
            if text.strip():
                moments += _date(text.partition("/")[0], line, zones, log)
    return tuple(moments)


def _date(text: str, line: Line, zones: Zones, log: ProblemLog) -> list[Moment]:
    try:
        return [read_moment(text, line, zones)]
    except BadValueError as error:
        log.add(error.kind, f"line {line.number}")
        return []
