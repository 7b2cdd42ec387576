"""iCalendar bytes to occurrences in a window.

Any bytes give a result or a typed error, in bounded time and memory. Reading is done in
four passes, each its own module: lines (`lines`), values (`drafts`, `values`, `zones`),
series (`series`, `recurrence`), and here their assembly. Decision record 0010 says why
recurrence is expanded here and not by a library.
"""

# ruff: noqa: DTZ001 (wall times have no zone)

import io
import re
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import BinaryIO

from rhythm.bridge.calendar.archives import is_zip, read_members
from rhythm.bridge.calendar.defined_zones import define_zone
from rhythm.bridge.calendar.drafts import Draft, read_draft, uid_of
from rhythm.bridge.calendar.events import CalendarContents, CalendarError, CalendarEvent, ProblemKind, Window
from rhythm.bridge.calendar.limits import Deadline, Limits, OutOfTimeError
from rhythm.bridge.calendar.lines import Component, read_components
from rhythm.bridge.calendar.problems import ProblemLog
from rhythm.bridge.calendar.series import Reading, series_events
from rhythm.bridge.calendar.values import read_text
from rhythm.bridge.calendar.zones import Zones, named_zone
from rhythm.vocab.errors import InvalidValueError

DAYS_BACK = 90
DAYS_AHEAD = 60
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)", re.ASCII)
_REPEATS = ("RRULE", "RDATE", "RECURRENCE-ID")


def window_around(now_at: datetime, days_back: int = DAYS_BACK, days_ahead: int = DAYS_AHEAD) -> Window:
    """The window for which occurrences are kept: by default 90 days back and 60 ahead.

    Raises:
        InvalidValueError: the datetime has no time zone.
    """
    if now_at.tzinfo is None:
        raise InvalidValueError("a naive datetime is no instant; give it a time zone")
    return Window(now_at - timedelta(days=days_back), now_at + timedelta(days=days_ahead))


def read_ics(
    data: bytes | BinaryIO,
    zone: tzinfo,
    window: Window,
    *,
    source: str = "",
    own_addresses: frozenset[str] = frozenset(),
    limits: Limits | None = None,
) -> CalendarContents:
    """The occurrences of a calendar that touch a window, and the problems that it has.

    Args:
        data: the file's bytes, or a stream of them.
        zone: the person's time zone, for floating times where the calendar names none.
        window: the stretch of time wanted.
        source: the name that each event carries of where it came from.
        own_addresses: the person's e-mail addresses: to know who declined and who is another.
        limits: bounds on time and memory.

    Raises:
        NotACalendarError: there is no calendar in the bytes.
    """
    limits = limits or Limits()
    deadline = Deadline(limits.budget_s)
    log = ProblemLog()
    stream = io.BytesIO(data) if isinstance(data, bytes | bytearray) else data
    calendars = read_components(stream, limits, deadline, log)
    events: list[CalendarEvent] = []
    read = 0
    try:
        for calendar in calendars:
            own = frozenset(address.casefold() for address in own_addresses) | _own_address(calendar)
            zones = _zones(calendar, zone, limits, deadline, log)
            reading = Reading(zones, window, limits, deadline, log, source)
            components = [part for part in calendar.parts if part.name == "VEVENT"]
            read += len(components)
            if calendar.text("METHOD").upper() != "CANCEL":
                _add_events(events, components, own, reading)
    except OutOfTimeError:
        log.add(ProblemKind.OUT_OF_TIME, "repeating events")
    events.sort(key=lambda e: (e.start_at, e.end_at, e.uid, e.recurrence_id or ""))
    return CalendarContents(tuple(events), log.problems, read, _name(calendars[0]))


def read_ics_file(
    path: Path,
    zone: tzinfo,
    window: Window,
    *,
    source: str = "",
    own_addresses: frozenset[str] = frozenset(),
    limits: Limits | None = None,
) -> CalendarContents:
    """The occurrences of an .ics file, or of a zip of them; the other arguments are those of `read_ics`.

    Raises:
        NotACalendarError: there is no calendar in the file.
        CalendarError: the file cannot be opened or read.
    """

    def read(stream: BinaryIO) -> CalendarContents:
        return read_ics(stream, zone, window, source=source, own_addresses=own_addresses, limits=limits)

    try:
        if is_zip(path):
            return read_members(path, read)
        with path.open("rb") as stream:
            return read(stream)
    except OSError as error:
        raise CalendarError(f"cannot read {path.name}: {error.strerror or 'input error'}; check the file") from None


def _add_events(
    events: list[CalendarEvent], components: list[Component], own: frozenset[str], reading: Reading
) -> None:
    """Read the components by uid and add what touches the window."""
    groups: dict[str, list[tuple[int, Component]]] = {}
    for order, component in enumerate(components):
        groups.setdefault(uid_of(component), []).append((order, component))
    for number, group in enumerate(groups.values()):
        if number % 64 == 0:
            reading.deadline.check()
        if len(group) == 1 and _surely_outside(group[0][1], reading.window):
            continue
        drafts: list[Draft] = []
        for order, component in group:
            draft = read_draft(component, order, reading.zones, own, reading.log)
            if draft is not None:
                drafts.append(draft)
        if drafts:
            events += series_events(drafts, reading)
        if len(events) > reading.limits.max_occurrences:
            del events[reading.limits.max_occurrences :]
            reading.log.add(ProblemKind.TOO_LARGE, group[0][1].where)
            return


def _surely_outside(component: Component, window: Window) -> bool:
    """Whether the dates alone show that a single event lies outside the window, whatever its zone."""
    if any(name in component.lines for name in _REPEATS):
        return False
    start = _day_number(component.text("DTSTART"))
    if start is None:
        return False
    if start > window.end_at.toordinal() + 2:
        return True
    end = _day_number(component.text("DTEND")) if "DTEND" in component.lines else start
    return end is not None and "DURATION" not in component.lines and max(start, end) < window.start_at.toordinal() - 2


def _day_number(text: str) -> int | None:
    match = _DAY.match(text)
    if match is None:
        return None
    try:
        return datetime(int(match[1]), int(match[2]), int(match[3])).toordinal()
    except ValueError:
        return None


def _zones(calendar: Component, zone: tzinfo, limits: Limits, deadline: Deadline, log: ProblemLog) -> Zones:
    """The calendar's zones: its own is the one that it names (X-WR-TIMEZONE), else the person's."""
    stated = calendar.text("X-WR-TIMEZONE")
    named = named_zone(stated) if stated else None
    if stated and named is None:
        log.add(ProblemKind.UNKNOWN_ZONE, calendar.where)
    definitions = {
        part.text("TZID").strip("\"' ").casefold(): part for part in calendar.parts if part.name == "VTIMEZONE"
    }

    def define(name: str) -> tzinfo | None:
        component = definitions.get(name.casefold())
        return None if component is None else define_zone(component, limits, deadline, log)

    return Zones(named or zone, log, stated=named is not None, define=define)


def _own_address(calendar: Component) -> frozenset[str]:
    """Google names a person's first calendar by their address."""
    name = calendar.text("X-WR-CALNAME").casefold()
    return frozenset({name}) if "@" in name and " " not in name else frozenset()


def _name(calendar: Component) -> str:
    return read_text(calendar.text("X-WR-CALNAME") or calendar.text("NAME"))
