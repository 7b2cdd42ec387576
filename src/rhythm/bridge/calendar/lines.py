"""Bytes to raw components: the lines of an iCalendar stream, unfolded and paired, in bounded memory.

Only the properties that something here reads are kept; the rest (descriptions, pictures,
alarms) is passed over as it streams by, so a gigabyte in one line costs time but no memory.
The grammar is RFC 5545, section 3.1, read with tolerance: any line end, a byte order mark,
missing or wrong ENDs.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from rhythm.bridge.calendar.events import NotACalendarError, ProblemKind
from rhythm.bridge.calendar.limits import Deadline, Limits
from rhythm.bridge.calendar.problems import ProblemLog

KEPT: dict[str, frozenset[str]] = {
    "VCALENDAR": frozenset({"METHOD", "X-WR-TIMEZONE", "X-WR-CALNAME", "NAME"}),
    "VEVENT": frozenset(
        {"UID", "RECURRENCE-ID", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "SUMMARY", "STATUS"}
        | {"TRANSP", "SEQUENCE", "ATTENDEE", "ORGANIZER", "X-MICROSOFT-CDO-BUSYSTATUS"}
    ),
    "VTIMEZONE": frozenset({"TZID", "X-LIC-LOCATION"}),
    "STANDARD": frozenset({"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"}),
    "DAYLIGHT": frozenset({"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"}),
}
"""The components that are read and the properties that are kept of each."""

MAX_DEPTH = 8
MAX_LINES_PER_COMPONENT = 5_000
_CHUNK = 64 * 1024
_NAME = re.compile(rb"[A-Za-z0-9-]+")
_LINE = re.compile(r'([A-Za-z0-9-]+)((?:[ \t]*;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';[ \t]*([A-Za-z0-9-]+)[ \t]*=[ \t]*("[^"]*"|[^;"]*)')


class Line:
    """One property: its value as written and its parameters, names in upper case."""

    __slots__ = ("number", "parameters", "value")

    def __init__(self, value: str, parameters: dict[str, str], number: int) -> None:
        self.value = value
        self.parameters = parameters
        self.number = number


class Component:
    """A component with the kept properties and the kept parts inside it."""

    __slots__ = ("lines", "name", "number", "parts")

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.lines: dict[str, list[Line]] = {}
        self.parts: list[Component] = []

    @property
    def where(self) -> str:
        """The place for a problem."""
        return f"line {self.number}"

    def first(self, name: str) -> Line | None:
        """The first line of that property, or None."""
        lines = self.lines.get(name)
        return lines[0] if lines else None

    def text(self, name: str) -> str:
        """The first value of that property as written, or empty."""
        line = self.first(name)
        return line.value.strip() if line else ""


def read_components(stream: BinaryIO, limits: Limits, deadline: Deadline, log: ProblemLog) -> list[Component]:
    """The VCALENDARs of a stream.

    Raises:
        NotACalendarError: the stream holds none.
    """
    return _Builder(limits, log).build(_unfold(stream, limits, deadline, log))


def split_line(text: str) -> tuple[str, dict[str, str], str] | None:
    """Name, parameters and value of an unfolded line, or None where it is not one."""
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    name, parameters, value = match.groups()
    pairs = {m[1].upper(): m[2].strip('"').strip() for m in _PARAMETER.finditer(parameters)} if parameters else {}
    return name.upper(), pairs, value


_ALL_KEPT = frozenset[str]().union(*KEPT.values()) | {"BEGIN", "END"}


def _unfold(stream: BinaryIO, limits: Limits, deadline: Deadline, log: ProblemLog) -> Iterator[tuple[int, bytes]]:
    """Line number and bytes of each unfolded line whose property is kept by some component."""
    pieces: list[bytes] = []
    started = size = 0
    long = False
    for number, raw in _physical(stream, limits, deadline, log):
        if raw[:1] in (b" ", b"\t"):
            if pieces and not long:
                size += len(raw)
                long = size > limits.max_line_bytes
                pieces.append(raw[1:])
            continue
        if long:
            log.add(ProblemKind.LONG_LINE, f"line {started}")
        elif pieces:
            yield started, b"".join(pieces)
        name = _NAME.match(raw)
        keep = name is not None and name[0].upper().decode() in _ALL_KEPT
        pieces, started, size = ([raw] if keep else []), number, len(raw)
        long = keep and size > limits.max_line_bytes
    if long:
        log.add(ProblemKind.LONG_LINE, f"line {started}")
    elif pieces:
        yield started, b"".join(pieces)


def _physical(stream: BinaryIO, limits: Limits, deadline: Deadline, log: ProblemLog) -> Iterator[tuple[int, bytes]]:
    """Physical lines without their ends, cut a little above the line limit; empty ones are passed over."""
    number = total = 0
    while total < limits.max_bytes:
        raw = stream.readline(limits.max_line_bytes + 1)
        if not raw:
            return
        total += len(raw)
        number += 1
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if number % 1024 == 0 and deadline.passed:
            log.add(ProblemKind.OUT_OF_TIME, f"line {number}")
            return
        end_seen = raw.endswith(b"\n")
        pieces = raw.rstrip(b"\r\n").split(b"\r") if b"\r" in raw else [raw.rstrip(b"\n")]
        yield from ((number, piece) for piece in pieces if piece)
        while not end_seen and total < limits.max_bytes:
            rest = stream.readline(_CHUNK)
            total += len(rest)
            if not rest:
                return
            end_seen = rest.endswith(b"\n")
            if deadline.passed:
                log.add(ProblemKind.OUT_OF_TIME, f"line {number}")
                return
    log.add(ProblemKind.TOO_LARGE, f"byte {limits.max_bytes}")


class _Builder:
    """Pairs BEGIN and END into components."""

    def __init__(self, limits: Limits, log: ProblemLog) -> None:
        self._limits = limits
        self._log = log
        self._calendars: list[Component] = []
        self._stack: list[Component] = []
        self._kept_bytes = 0
        self._events = 0

    def build(self, lines: Iterator[tuple[int, bytes]]) -> list[Component]:
        for number, raw in lines:
            if not self._take(number, raw):
                break
        if not self._calendars:
            raise NotACalendarError(
                "no BEGIN:VCALENDAR in it, so this is not an iCalendar file; "
                "choose the .ics file that your calendar exports, or its secret iCal address"
            )
        if self._stack:
            self._log.add(ProblemKind.UNFINISHED, self._stack[-1].where)
        return self._calendars

    def _take(self, number: int, raw: bytes) -> bool:
        parts = split_line(self._decode(raw, number))
        if parts is None:
            if self._stack:
                self._log.add(ProblemKind.BROKEN_LINE, f"line {number}")
            return True
        name, parameters, value = parts
        if name == "BEGIN":
            return self._begin(value.strip().upper(), number)
        if name == "END":
            self._end(value.strip().upper(), number)
        elif self._stack:
            top = self._stack[-1]
            if name in KEPT.get(top.name, ()):
                return self._keep(top, name, Line(value, parameters, number), len(raw))
        return True

    def _decode(self, raw: bytes, number: int) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self._log.add(ProblemKind.NOT_UTF8, f"line {number}")
            return raw.decode("latin-1")

    def _begin(self, name: str, number: int) -> bool:
        component = Component(name, number)
        if not self._stack:
            if name != "VCALENDAR":
                return True
            self._calendars.append(component)
        elif name == "VCALENDAR" or (name == "VEVENT" and self._stack[-1].name != "VCALENDAR"):
            # An END is missing: a calendar or an event never stands inside another one.
            self._log.add(ProblemKind.BROKEN_STRUCTURE, f"line {number}")
            del self._stack[1 if name == "VEVENT" else 0 :]
            return self._begin(name, number)
        elif name in KEPT:
            self._stack[-1].parts.append(component)
        if len(self._stack) >= MAX_DEPTH:
            self._log.add(ProblemKind.BROKEN_STRUCTURE, f"line {number}")
            return True
        self._stack.append(component)
        if name == "VEVENT":
            self._events += 1
            if self._events > self._limits.max_events:
                self._stack[-2].parts.pop()
                self._log.add(ProblemKind.TOO_LARGE, f"line {number}")
                return False
        return True

    def _end(self, name: str, number: int) -> None:
        for depth in range(len(self._stack) - 1, -1, -1):
            if self._stack[depth].name == name:
                if depth != len(self._stack) - 1:
                    self._log.add(ProblemKind.BROKEN_STRUCTURE, f"line {number}")
                del self._stack[depth:]
                return
        if self._stack:
            self._log.add(ProblemKind.BROKEN_STRUCTURE, f"line {number}")

    def _keep(self, component: Component, name: str, line: Line, size: int) -> bool:
        self._kept_bytes += size
        if self._kept_bytes > self._limits.max_kept_bytes:
            self._log.add(ProblemKind.TOO_LARGE, f"line {line.number}")
            return False
        lines = component.lines.setdefault(name, [])
        if len(lines) >= MAX_LINES_PER_COMPONENT:
            self._log.add(ProblemKind.LONG_LINE, f"line {line.number}")
        else:
            lines.append(line)
        return True
