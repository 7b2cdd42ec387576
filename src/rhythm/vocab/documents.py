"""The one JSON form of every record: an envelope that names its schema and version.

``{"schema": "rhythm.history/1", "data": {...}}``. A reader refuses another schema and a
version that it does not know, before it looks at the data, and then what the schema does not
know: other keys, and a key that stands twice.
"""

import json
from numbers import Integral, Real
from typing import Any, TypeVar

import msgspec

from rhythm.vocab.decisions import Decision
from rhythm.vocab.errors import SchemaError
from rhythm.vocab.history import History
from rhythm.vocab.observations import Observation
from rhythm.vocab.responses import Response
from rhythm.vocab.slots import SlotTimes

T = TypeVar("T")

SCHEMAS: dict[type[Any], tuple[str, int]] = {
    Decision: ("rhythm.decision", 1),
    History: ("rhythm.history", 1),
    Observation: ("rhythm.observation", 1),
    Response: ("rhythm.response", 1),
    SlotTimes: ("rhythm.slot_times", 1),
}
"""Name and version of the JSON form of each record that travels alone."""


class _Envelope(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    data: msgspec.Raw


def schema_of(kind: type[Any]) -> str:
    """``name/version`` of a record's JSON form.

    Raises:
        SchemaError: the type has no JSON form of its own.
    """
    if not isinstance(kind, type) or kind not in SCHEMAS:
        got = kind.__name__ if isinstance(kind, type) else f"a {type(kind).__name__}"
        raise SchemaError(f"{got} has no JSON form; those that do: {', '.join(k.__name__ for k in SCHEMAS)}")
    name, version = SCHEMAS[kind]
    return f"{name}/{version}"


def to_json(record: Any) -> bytes:
    """The record's JSON form, UTF-8.

    Raises:
        SchemaError: the type has no JSON form of its own, or a number in it is none that JSON has.
    """
    schema = schema_of(type(record))
    try:
        return msgspec.json.encode({"schema": schema, "data": record}, enc_hook=_plain)
    except (TypeError, OverflowError, ValueError) as error:
        raise SchemaError(f"this record cannot be written as {schema}: {error}") from None


def from_json(text: bytes | str, kind: type[T]) -> T:
    """The record of that kind.

    Raises:
        SchemaError: not JSON, another schema or version, data that does not fit it, or a key
            that stands twice.
    """
    wanted = schema_of(kind)
    if not isinstance(text, bytes | bytearray | memoryview | str):
        raise SchemaError(f"got {type(text).__name__}; a {wanted} document is JSON, as bytes or text")
    text = str(text) if isinstance(text, str) else bytes(text)
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
        if envelope.schema != wanted:
            raise SchemaError(f"got a document of schema {envelope.schema[:60]!r}; this reads {wanted!r}")
        record = msgspec.json.decode(envelope.data, type=kind)
        _refuse_twins(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"not a {wanted} document: {error}") from None
    except RecursionError:
        raise SchemaError(f"not a {wanted} document: nested too deep") from None
    return record


def _plain(value: object) -> float | int:
    """A NumPy scalar as the number that JSON has; the fields let no other foreign type in."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} is no number")


def _refuse_twins(text: str | bytes) -> None:
    """Refuse a document that names a key twice in one object, of which readers take one or the other."""
    json.loads(text, object_pairs_hook=_without_twins, parse_int=len, parse_float=len)


def _without_twins(pairs: list[tuple[str, object]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise SchemaError(f"the key {twin[:60]!r} stands twice in one object; remove one")
