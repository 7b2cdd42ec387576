"""The one JSON form of every record: an envelope that names its schema and version.

``{"schema": "rhythm.history/1", "data": {...}}``. A reader refuses another schema and a
version that it does not know, before it looks at the data.
"""

from typing import Any, TypeVar

import msgspec

from rhythm.vocab.decisions import Decision
from rhythm.vocab.errors import RhythmError, SchemaError
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


class _Envelope(msgspec.Struct):
    schema: str
    data: msgspec.Raw


def schema_of(kind: type[Any]) -> str:
    """``name/version`` of a record's JSON form.

    Raises:
        SchemaError: the type has no JSON form of its own.
    """
    if kind not in SCHEMAS:
        raise SchemaError(f"{kind.__name__} has no JSON form; those that do: {', '.join(k.__name__ for k in SCHEMAS)}")
    name, version = SCHEMAS[kind]
    return f"{name}/{version}"


def to_json(record: Any) -> bytes:
    """The record's JSON form, UTF-8.

    Raises:
        SchemaError: the type has no JSON form of its own.
    """
    return msgspec.json.encode({"schema": schema_of(type(record)), "data": record})


def from_json(text: bytes | str, kind: type[T]) -> T:
    """The record of that kind.

    Raises:
        SchemaError: not JSON, another schema or version, or data that does not fit it.
    """
    wanted = schema_of(kind)
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
        if envelope.schema != wanted:
            raise SchemaError(f"got a document of schema {envelope.schema[:60]!r}; this reads {wanted!r}")
        return msgspec.json.decode(envelope.data, type=kind)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"not a {wanted} document: {error}") from None
    except RecursionError:
        raise SchemaError(f"not a {wanted} document: nested too deep") from None
    except RhythmError:
        raise
