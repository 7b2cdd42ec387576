"""A posterior as bytes: a header that names schema and version, one record of facts, raw arrays.

Layout: the length of the header (4 bytes, big-endian), the header in MessagePack, the arrays
one after the other, little-endian. What can be worked out from the rest is not written.
"""

import struct
from dataclasses import fields
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.belief.estimates import Influence
from rhythm.belief.habit_forming import tendencies_of
from rhythm.belief.particles import NEVER, Memory, Particles, prior_particles
from rhythm.vocab import ACTION_COUNT, METER_COUNT, SLOTS_PER_DAY, WEEK_STEPS, Evidence, RhythmError, SchemaError

_ARRAYS: Final = ("people", "styles", "meters", "patterns", "typical", "formed_at", "log_weights")
_COUNTS: Final = {
    "asked": (ACTION_COUNT, SLOTS_PER_DAY, 5),
    "done": (ACTION_COUNT, SLOTS_PER_DAY),
}


class _Facts(msgspec.Struct):
    exposure: float
    burden: float
    seen_today: int
    planned_slot: int
    planned: int
    read_slot: tuple[int, ...]
    read_source: tuple[str, ...]
    record_slot: int
    surprise: float
    surprise_variance: float
    surprised_slot: int
    influences: tuple[Influence, ...]
    recent: tuple[tuple[Evidence, ...], ...]


class _Header(msgspec.Struct):
    schema: str
    version: int
    slot: int
    facts: _Facts
    entries: tuple[Evidence, ...]
    arrays: list[tuple[str, str, list[int]]]


def pack(schema: str, version: int, base: Particles, entries: tuple[Evidence, ...]) -> bytes:
    """Particles and evidence as bytes; particles of the untouched prior are not written."""
    memory = base.memory
    arrays: dict[str, NDArray[Any]] = {}
    if base.slot != NEVER:
        arrays = {name: getattr(base, name) for name in _ARRAYS} | {name: getattr(memory, name) for name in _COUNTS}
        arrays["habits"] = np.stack(base.habits)
    facts = _Facts(**{f.name: getattr(memory, f.name) for f in fields(memory) if f.name not in _COUNTS})
    portable = {name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for name, a in arrays.items()}
    listed = [(name, a.dtype.str, list(a.shape)) for name, a in portable.items()]
    header = msgspec.msgpack.encode(_Header(schema, version, base.slot, facts, entries, listed))
    return b"".join([struct.pack(">I", len(header)), header, *(a.tobytes() for a in portable.values())])


def unpack(schema: str, version: int, payload: bytes) -> tuple[Particles, tuple[Evidence, ...]]:
    """The particles and the evidence that were packed.

    Raises:
        SchemaError: not such a payload, or another version.
    """
    try:
        length = struct.unpack(">I", payload[:4])[0]
        head = msgspec.msgpack.decode(payload[4 : 4 + length], type=dict[str, Any])
        if (head.get("schema"), head.get("version")) != (schema, version):
            raise SchemaError(f"got a document that is not {schema}/{version}; build the posterior anew from history")
        header = msgspec.convert(head, _Header)
        return _read(header, payload[4 + length :]), header.entries
    except (struct.error, msgspec.MsgspecError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"not a {schema}/{version} document: {type(error).__name__}") from None
    except RhythmError as error:
        raise SchemaError(f"not a {schema}/{version} document: {type(error).__name__}") from None


def _read(header: _Header, body: bytes) -> Particles:
    first = prior_particles()
    if header.slot == NEVER:
        return first
    got: dict[str, NDArray[Any]] = {}
    place = 0
    for name, kind, shape in header.arrays:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        got[name] = (
            np.frombuffer(body[place : place + size], kind).reshape(shape).astype(np.dtype(kind).newbyteorder("="))
        )
        place += size
    for name in _ARRAYS:
        wanted = getattr(first, name)
        if got[name].shape != wanted.shape or got[name].dtype != wanted.dtype or not np.isfinite(got[name]).all():
            raise SchemaError(f"array {name} does not fit; build the posterior anew from history")
    if got["habits"].shape != (WEEK_STEPS, len(first.people), ACTION_COUNT) or got["habits"].dtype != np.float32:
        raise SchemaError("array habits does not fit; build the posterior anew from history")
    facts: dict[str, Any] = {name: getattr(header.facts, name) for name in header.facts.__struct_fields__}
    counts: dict[str, Any] = {name: got[name].reshape(shape) for name, shape in _COUNTS.items()}
    if len(header.facts.read_slot) != METER_COUNT or len(header.facts.recent) != ACTION_COUNT:
        raise SchemaError("facts do not fit; build the posterior anew from history")
    return Particles(
        slot=header.slot,
        tendencies=tendencies_of(got["people"], got["formed_at"]),
        memory=Memory(**facts, **counts),
        origin=first.origin,
        habits=tuple(got["habits"]),
        **{name: got[name] for name in _ARRAYS},
    )
