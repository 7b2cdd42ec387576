"""The plain format: a CSV or JSON that anybody can write, for devices that have no reader of their own.

`docs/plain-format.md` explains it by example; what it says is held by a test.
"""

from collections.abc import Iterator
from datetime import timedelta, tzinfo

from rhythm.bridge.wearables.exports.clocks import between, lasting, moment, whole_day, within_day
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, load, members, objects, value_of
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.exports.tables import headers_of, rows
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import SIGNALS, Signal

SCHEMA = "rhythm.readings/1"
"""The JSON form's name and version, as in ``{"schema": ..., "data": [...]}``."""

_NAMES = {signal.value: signal for signal in Signal}
_START, _END, _SIGNAL, _VALUE = "start", "end", "signal", "value"
_SUMS = frozenset({Signal.STEPS_COUNT, Signal.ACTIVE_ENERGY_KCAL, Signal.EXERCISE_MIN})
_DAY_LENGTH = len("2026-03-02")


class Plain(ExportSource):
    """The plain format of readings."""

    name = "plain"
    title = "plain CSV or JSON of readings"
    advice = "a CSV needs a column start and columns named by signals, or signal and value; see docs/plain-format.md"
    delivers = frozenset(Signal)

    def knows(self, export: Export) -> bool:
        """Whether the file, or one in the zip, has the format's columns or its schema."""
        return any(_is_plain(export.head(part, 1 << 14)) for part in _parts(export))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The rows of every part of the format."""
        for part in _parts(export):
            if not _is_plain(export.head(part, 1 << 14)):
                continue
            for fields in _fields(export, part, out):
                try:
                    _take(fields, out, zone)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield


def _parts(export: Export) -> list[Part]:
    named = [part for part in export.parts if part.name.endswith((".csv", ".json", ".txt", ".tsv"))]
    return named[:100] if export.is_zip else export.parts


def _is_plain(head: bytes) -> bool:
    if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"{":
        return SCHEMA.encode() in head[:200]
    headers = set(headers_of(head))
    return _START in headers and ({_SIGNAL, _VALUE} <= headers or bool(headers & _NAMES.keys()))


def _fields(export: Export, part: Part, out: Collector) -> Iterator[Fields]:
    if not export.head(part, 64).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        yield from rows(export, part, out)
        return
    data = load(export, part, out)
    top = members(data) if data is not None else None
    if top is None or "data" not in top or value_of(top.get("schema", top["data"])) != SCHEMA:
        out.problem(ProblemKind.DAMAGED)
        return
    yield from objects(top["data"], out)


def _take(fields: Fields, out: Collector, zone: tzinfo) -> None:
    """A row: one signal in ``signal`` and ``value``, or one in each column that is named by a signal."""
    if _SIGNAL in fields:
        signal = _NAMES.get(word(fields[_SIGNAL]).lower())
        if signal is None:
            raise UnusableError(ProblemKind.BAD_VALUE)
        _add(signal, fields.get(_VALUE), fields, out, zone)
        return
    for name in fields:
        if name in _NAMES:
            _add(_NAMES[name], fields[name], fields, out, zone)


def _add(signal: Signal, value: object, fields: Fields, out: Collector, zone: tzinfo) -> None:
    try:
        times = _times(signal, value, fields, zone)
    except UnusableError as error:
        raise UnusableError(error.kind, signal) from None
    device, name = fields.get("device", ""), fields.get("id", "")
    if SIGNALS[signal].is_interval_length:
        out.span(signal, times, device=device, external_id=name)
    else:
        unit, detail = word(fields.get("unit")), fields.get("detail", "")
        out.add(signal, value, times, unit=unit, device=device, external_id=name, detail=detail)


def _times(signal: Signal, value: object, fields: Fields, zone: tzinfo) -> Times:
    """From start to end; a day without a clock is the whole day, and a start without an end lasts its value."""
    start, end = fields.get(_START), fields.get(_END)
    is_day = isinstance(start, str) and len(start.strip()) == _DAY_LENGTH
    if is_day and end in (None, "") and not SIGNALS[signal].is_interval_length:
        day = moment(start, zone)
        local = (day.at + timedelta(minutes=day.offset_min)).date()
        return whole_day(local, zone) if signal in _SUMS else within_day(local, zone)
    begin = moment(start, zone)
    if end not in (None, ""):
        return between(begin, moment(end, zone))
    return lasting(begin, 60 * number_of(value) if SIGNALS[signal].is_interval_length else 0)
