"""JSON as elements, one at a time: a document is decoded piece by piece, and a bad piece costs only itself."""

from collections.abc import Iterator
from typing import Any

import msgspec

from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.zip_members import StreamBrokenError

MOST_BYTES = 100_000_000
"""Of one document; a year of heart rate by the minute takes about half of it."""
MOST_COMMAS = 6_000_000
"""In one document: with one piece in memory for each, it stays below half a gigabyte."""

Fields = dict[str, Any]

_RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FIELDS = msgspec.json.Decoder(dict[str, Any])
_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError, ValueError)


def load(export: Export, part: Part, out: Collector) -> bytes | None:
    """A document's bytes; None, and counted, where it is damaged, cut off or absurdly large."""
    try:
        data = export.whole(part, MOST_BYTES)
    except StreamBrokenError:
        out.problem(ProblemKind.TRUNCATED)
        return None
    if data is None or data.count(b",") > MOST_COMMAS:
        out.problem(ProblemKind.OVERSIZED)
        return None
    return data.removeprefix(b"\xef\xbb\xbf")


def elements(data: bytes | msgspec.Raw, out: Collector) -> Iterator[msgspec.Raw]:
    """The elements of a list; an object that stands alone is the one element of itself.

    A document that is neither is counted as damaged.
    """
    begin = out.at_byte
    try:
        found = _RAW_LIST.decode(data) if _starts(data) == b"[" else [msgspec.Raw(data)]
    except _UNREADABLE:
        out.problem(ProblemKind.DAMAGED)
        return
    for element in found:
        out.at_byte = begin
        yield element
        begin += memoryview(element).nbytes + 1
    out.at_byte = begin


def objects(data: bytes | msgspec.Raw, out: Collector) -> Iterator[Fields]:
    """The objects of a list, each with everything in it; what is none is counted as damaged, null is skipped."""
    for element in elements(data, out):
        if memoryview(element).tobytes() == b"null":
            continue
        try:
            yield _FIELDS.decode(element)
        except _UNREADABLE:
            out.problem(ProblemKind.DAMAGED)


def members(data: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """An object's members, undecoded; None where it is no object or no JSON."""
    try:
        return _RAW_FIELDS.decode(data)
    except _UNREADABLE:
        return None


def value_of(data: msgspec.Raw) -> Any:
    """A piece decoded; None where it cannot be."""
    try:
        return msgspec.json.decode(data)
    except _UNREADABLE:
        return None


def nested(fields: Fields, *names: str) -> Any:
    """What stands at the end of a path of names; None where the path breaks off."""
    value: Any = fields
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def objects_at(fields: Fields, *names: str) -> list[Fields]:
    """The objects of the list at the end of a path; what is no object is left out, vendors mix in nulls."""
    value = nested(fields, *names)
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _starts(data: bytes | msgspec.Raw) -> bytes:
    return memoryview(data)[:64].tobytes().lstrip()[:1]
