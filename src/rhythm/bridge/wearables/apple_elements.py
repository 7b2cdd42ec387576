"""The elements of an Apple Health export to records: what the XML parser calls, once per element.

While the parser runs, wanted elements only wait in a list; what comes inside one (its own time
zone, its own id, a workout's distance) is added to its attributes. After each chunk the
finished ones become records: plain quantities many at a time, anything unusual one by one.
Records inside a Correlation stand at the top level too, as Apple's format says, and are taken
from there only.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import repeat
from operator import itemgetter
from xml.parsers import expat

from rhythm.bridge.wearables.apple_dates import AppleDates, DateError
from rhythm.bridge.wearables.apple_plain import FIELDS, PlainRun, places, true_text
from rhythm.bridge.wearables.apple_types import (
    MINDFUL_TYPE,
    QUANTITIES,
    SLEEP_STAGES,
    SLEEP_TYPE,
    SOURCE,
    workout_words,
)
from rhythm.bridge.wearables.problems import ProblemKind, ProblemTally
from rhythm.bridge.wearables.records import Record, all_plausible, gate
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.units import FACTORS, convert

DEEPEST = 16
LONGEST_NAME = 200

_ZONE, _ID = "HKTimeZone", "external id"
_ID_KEYS = frozenset({"HKExternalUUID", "HKMetadataKeySyncIdentifier"})
_DISTANCE = "HKQuantityTypeIdentifierDistance"
_WORKOUT_MIN = Signal.WORKOUT_MIN  # bound once: Python 3.11 takes a fifth of a microsecond to find an enum's member
_INTERVALS = frozenset(signal for signal, spec in SIGNALS.items() if spec.is_interval_length)

_PLAIN = {s: FACTORS[SIGNALS[s].unit] for s in QUANTITIES.values()}
"""The factor of each unit in which a signal's value is a number times one."""

_Element = tuple[Signal, list[str], int]
"""A wanted element: of what, its attributes (name, value, name, value ...), and the byte at which it begins."""

_REGULAR = ("sourceName", "unit", "creationDate", "startDate", "endDate", "value")
_REGULAR_LENGTH = 14
_PLAIN_NAMES = ("sourceName", "unit", "startDate", "endDate", "value")
_names = itemgetter(2, -10, -8, -6, -4, -2)
_values = itemgetter(3, -9, -5, -3, -1)
"""Where the attributes stand in a quantity as Apple writes it; in any other order it is read one by one."""

_Span = tuple[datetime, datetime, int]
"""Start and end in UTC, and the local offset in minutes."""


class TooDeepError(Exception):
    """Elements nested deeper than any export has."""


class _UnusableError(Exception):
    """A record that is counted and left out."""

    def __init__(self, kind: ProblemKind, signal: Signal) -> None:
        super().__init__(kind)
        self.kind = kind
        self.signal = signal


class _Sources(dict[str, str]):
    """A device's name to the source of its records; bounded, as a file may hold any number of names."""

    def __missing__(self, name: str) -> str:
        if len(self) >= 10_000:
            self.clear()
        source = self[name] = f"{SOURCE}/{name[:LONGEST_NAME]}"
        return source


class ElementReader:
    """Collects records.

    Args:
        tally: where problems are counted.
    """

    def __init__(self, tally: ProblemTally) -> None:
        self.records: list[Record] = []
        self.depth = 0
        self.root_closed = False
        self.in_cdata = False
        self._base = 0
        self._tally = tally
        self._dates = AppleDates()
        self._sources = _Sources()
        self._waiting: list[_Element] = []
        self._done = 0

    def attach(self, parser: expat.XMLParserType, base: int) -> None:
        """Listen to a fresh parser whose byte 0 is byte ``base`` of the file."""
        self.depth = 0
        self.root_closed = self.in_cdata = False
        self._base = base
        inside_wanted = False
        waiting = self._waiting

        def start(name: str, attributes: list[str]) -> None:
            nonlocal inside_wanted
            depth = self.depth
            self.depth = depth + 1
            if depth == 1:
                signal = self._wanted(name, attributes)
                inside_wanted = signal is not None
                if signal is not None:
                    waiting.append((signal, attributes, self._base + parser.CurrentByteIndex))
            elif depth == 2 and inside_wanted:
                _add_inner(waiting[-1][1], name, attributes)
            elif depth >= DEEPEST:
                raise TooDeepError

        def end(_name: str) -> None:
            self.depth -= 1
            if not self.depth:
                self.root_closed = True

        def cdata(*, begins: bool) -> None:
            self.in_cdata = begins

        parser.ordered_attributes = True
        parser.StartCdataSectionHandler = partial(cdata, begins=True)
        parser.EndCdataSectionHandler = partial(cdata, begins=False)
        parser.StartElementHandler = start
        parser.EndElementHandler = end

    def finish(self, position: int) -> None:
        """Close the element at hand; everything before ``position`` is done."""
        self._read(self._waiting)
        self._waiting.clear()
        self._done = position

    def pass_over(self, text: str, begin: int, run: PlainRun, at_byte: int) -> None:
        """Take a run of plain elements that the parser, which stands before it, will never see.

        Args:
            text: in which the run is.
            begin: where in the text it begins.
            run: the run.
            at_byte: where in the file the text begins.
        """
        self.finish(at_byte + run.end)
        self._base += run.end - begin
        for signal, elements in run.found.items():
            _, names, units, starts, ends, texts, *_ = zip(*elements, strict=True)
            try:
                true = {name: true_text(name) for name in set(names)}
                names = tuple(map(true.__getitem__, names))
                self.records += self._read_columns(signal, names, set(map(true_text, set(units))), starts, ends, texts)
            except (_UnusableError, ValueError):  # one of them is unusual
                for place, element in zip(places(text, run, begin, signal), elements, strict=True):
                    attributes = dict(zip(_PLAIN_NAMES, map(true_text, element[FIELDS]), strict=True))
                    self._read_one(signal, attributes, at_byte + place)

    @property
    def position(self) -> int:
        """The byte before which everything has become a record or a problem."""
        return self._waiting[-1][2] if self._waiting else self._done

    def collect(self) -> None:
        """Turn the elements that are finished into records; the last one waits for what may belong to it."""
        self._read(self._waiting[:-1])
        del self._waiting[:-1]

    def _wanted(self, name: str, attributes: list[str]) -> Signal | None:
        """Of which signal an element at the top level is; None where nothing is taken from it."""
        if name == "Record" and attributes:
            kind = attributes[1] if attributes[0] == "type" else _dict(attributes).get("type", "")
            signal = QUANTITIES.get(kind)
            if signal is None and kind == SLEEP_TYPE:
                signal = SLEEP_STAGES.get(_dict(attributes).get("value", ""), Signal.SLEEP_ASLEEP_MIN)
            elif kind == MINDFUL_TYPE:
                signal = Signal.MINDFUL_MIN
            return signal
        return _WORKOUT_MIN if name == "Workout" else None

    def _read(self, ready: list[_Element]) -> None:
        regular: dict[Signal, list[_Element]] = {}
        for element in ready:
            signal, attributes, at_byte = element
            if signal in _PLAIN and len(attributes) >= _REGULAR_LENGTH and _names(attributes) == _REGULAR:
                regular.setdefault(signal, []).append(element)
            else:
                self._read_one(signal, _dict(attributes), at_byte)
        for signal, elements in regular.items():
            try:
                self.records += self._read_regular(signal, [e[1] for e in elements])
            except (_UnusableError, ValueError):  # one of them is unusual
                for _, attributes, at_byte in elements:
                    self._read_one(signal, _dict(attributes), at_byte)

    def _read_regular(self, signal: Signal, elements: list[list[str]]) -> Iterator[Record]:
        """All of them as records.

        Raises:
            _UnusableError: one has an unknown unit, or a value that is no number.
            ValueError: they have different units, or one has a date or value that cannot be
                read, or must be quarantined.
        """
        names, units, starts, ends, texts = zip(*map(_values, elements), strict=True)
        return self._read_columns(signal, names, set(units), starts, ends, texts)

    def _read_columns(
        self,
        signal: Signal,
        names: Sequence[str],
        units: set[str],
        starts: Sequence[str],
        ends: Sequence[str],
        texts: Sequence[str],
    ) -> Iterator[Record]:
        """The same, where their attributes have been sorted out."""
        (unit,) = units
        factor = _PLAIN[signal].get(unit)
        values = [_number(t, unit, signal) for t in texts] if factor is None else [float(t) * factor for t in texts]
        starts_at, ends_at = self._dates.spans(starts, ends)
        if not all_plausible(signal, values, starts_at, ends_at):
            raise ValueError("one must be quarantined")
        sources = map(self._sources.__getitem__, names)
        return map(Record, repeat(signal), values, starts_at, ends_at, self._dates.offsets_min(starts), sources)

    def _read_one(self, signal: Signal, attributes: dict[str, str], at_byte: int) -> None:
        try:
            (start_at,), (end_at,) = self._dates.spans([attributes["startDate"]], [attributes["endDate"]])
            (offset_min,) = self._dates.offsets_min([attributes["startDate"]])
            if _ZONE in attributes:
                there = self._dates.offset_in(attributes[_ZONE], start_at)
                offset_min = offset_min if there is None else there
            if signal is _WORKOUT_MIN:
                self._read_workout(attributes, (start_at, end_at, offset_min))
                return
            if signal in _INTERVALS:
                value = _interval_min(attributes, signal, start_at, end_at)
            else:
                value = _number(attributes["value"], attributes.get("unit", ""), signal)
            self._keep(attributes, signal, value, (start_at, end_at, offset_min))
        except KeyError:
            self._tally.add(ProblemKind.MISSING_FIELD, signal, at_byte)
        except DateError:
            self._tally.add(ProblemKind.BAD_DATE, signal, at_byte)
        except _UnusableError as error:
            self._tally.add(error.kind, error.signal, at_byte)

    def _read_workout(self, attributes: dict[str, str], span: _Span) -> None:
        detail = workout_words(attributes.get("workoutActivityType", ""))
        if "duration" in attributes:
            lasted = _number(attributes["duration"], attributes.get("durationUnit", "min"), _WORKOUT_MIN)
        else:
            lasted = (span[1] - span[0]).total_seconds() / 60.0
        self._keep(attributes, _WORKOUT_MIN, lasted, span, detail)
        if far := attributes.get("totalDistance"):
            distance = _number(far, attributes.get("totalDistanceUnit", ""), Signal.WORKOUT_DISTANCE_KM)
            self._keep(attributes, Signal.WORKOUT_DISTANCE_KM, distance, span, detail)

    def _keep(self, attributes: dict[str, str], signal: Signal, value: float, span: _Span, detail: str = "") -> None:
        start_at, end_at, offset_min = span
        problem = gate(signal, value, start_at, end_at)
        if problem is not None:
            raise _UnusableError(problem, signal)
        source = self._sources[attributes.get("sourceName", "")]
        external_id = attributes.get(_ID, "")
        self.records.append(Record(signal, value, start_at, end_at, offset_min, source, external_id, detail))


def _dict(attributes: list[str]) -> dict[str, str]:
    return dict(zip(attributes[::2], attributes[1::2], strict=True))


def _add_inner(outer: list[str], name: str, inner: list[str]) -> None:
    """What an inner element says of the outer one is added to its attributes."""
    if name == "MetadataEntry":
        if len(inner) == 4 and inner[0] == "key":
            key = inner[1]
            if key == _ZONE:
                outer += (_ZONE, inner[3])
            elif key in _ID_KEYS:
                outer += (_ID, inner[3][:LONGEST_NAME])
    elif name == "WorkoutStatistics":
        attributes = _dict(inner)
        if attributes.get("type", "").startswith(_DISTANCE):
            outer += ("totalDistance", attributes.get("sum", ""), "totalDistanceUnit", attributes.get("unit", ""))


def _interval_min(attributes: dict[str, str], signal: Signal, start_at: datetime, end_at: datetime) -> float:
    if signal is Signal.SLEEP_ASLEEP_MIN and attributes.get("value") not in SLEEP_STAGES:
        raise _UnusableError(ProblemKind.BAD_VALUE, signal)
    return (end_at - start_at).total_seconds() / 60.0


def _number(text: str, unit: str, signal: Signal) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _UnusableError(ProblemKind.BAD_VALUE, signal) from None
    value = convert(number, unit, signal)
    if value is None:
        raise _UnusableError(ProblemKind.UNKNOWN_UNIT, signal)
    return value
