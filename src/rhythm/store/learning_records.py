"""Records of what was learned of a person, and of the work done for them on a schedule."""

import math
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from rhythm.vocab.errors import InvalidValueError


class Posterior(msgspec.Struct, frozen=True, kw_only=True):
    """What was believed after some of the evidence, in its maker's own form.

    Attributes:
        number: its number.
        kind: which belief.
        schema, version: form of the payload and version of what made it.
        last_number: number of the newest entry that it has learned from.
        payload: opaque.
        created_at: when.
    """

    number: int
    kind: str
    schema: str
    version: str
    last_number: int
    payload: bytes
    created_at: datetime


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of a belief.

    Attributes:
        number: its number.
        subject: what it is about.
        kind: ``set``, ``forget`` or another word of its maker.
        value: what they say it is, where they give one.
        note: their own words; empty for none.
        at: when.
        withdrawn_at: when they took it back; None while it holds.
    """

    number: int
    subject: str
    kind: str
    value: float | None
    note: str
    at: datetime
    withdrawn_at: datetime | None

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise InvalidValueError(f"correction of {self.subject} is not a finite number")


class AdapterState(StrEnum):
    """Where a personal adapter stands."""

    CANDIDATE = "candidate"
    DEPLOYED = "deployed"
    REJECTED = "rejected"
    RETIRED = "retired"


class Adapter(msgspec.Struct, frozen=True, kw_only=True):
    """A personal adapter of a shared model.

    Attributes:
        number: its number.
        base: the model it belongs to, by name and hash.
        schema, version: form of the payload and version of what made it.
        payload: opaque.
        metrics: what its gate measured.
        state: where it stands; at most one of a schema is deployed.
        sentence: one sentence of what changed, for the person.
        created_at: when it was made.
        decided_at: when its state last changed.
    """

    number: int
    base: str
    schema: str
    version: str
    payload: bytes
    metrics: Mapping[str, Any]
    state: AdapterState
    sentence: str
    created_at: datetime
    decided_at: datetime


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is due at some time; one process at a time holds its lease.

    Attributes:
        name: which.
        due_at: when it is next due; None for never again.
        payload: what it needs.
        owner: who holds the lease; None for nobody.
        leased_until: when the lease ends by itself.
        started_at, finished_at: of the last run.
        failures: failed runs in a row.
        last_error: kind of the last failure; None after a success.
    """

    name: str
    due_at: datetime | None
    payload: Mapping[str, Any]
    owner: str | None = None
    leased_until: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    failures: int = 0
    last_error: str | None = None
