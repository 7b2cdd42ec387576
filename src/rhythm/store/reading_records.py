"""Records of health: readings, the streams they form, runs of import, and what is derived by day."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.meters import Meter


class ReadingLike(Protocol):
    """Whatever has these can be stored as a reading; the bridge's own record does."""

    @property
    def kind(self) -> str:
        """What was measured."""

    @property
    def value(self) -> float:
        """The finite value, in the unit."""

    @property
    def unit(self) -> str:
        """The unit."""

    @property
    def start_at(self) -> datetime:
        """From when."""

    @property
    def end_at(self) -> datetime:
        """Until when."""

    @property
    def offset_min(self) -> int | None:
        """Local time minus UTC, minutes."""

    @property
    def source(self) -> str:
        """What measured it."""

    @property
    def external_id(self) -> str | None:
        """The source's own id, where it has one."""

    @property
    def detail(self) -> str:
        """The vendor's word for what it was; empty for none."""


class HealthReading(msgspec.Struct, frozen=True, gc=False):
    """One value that a device or an app gave.

    Attributes:
        kind: what was measured, in the bridge's words.
        value: finite, in ``unit``.
        unit: the unit.
        start_at, end_at: the instants between which it holds; equal for a spot value.
        source: what measured it.
        offset_min: local time minus UTC in minutes, at the start; None where unknown.
        external_id: the source's own id; empty where it has none.
        detail: the vendor's word for what it was, such as ``running``; empty for none.
    """

    kind: str
    value: float
    unit: str
    start_at: datetime
    end_at: datetime
    source: str
    offset_min: int | None = None
    external_id: str = ""
    detail: str = ""


class ReadingStream(msgspec.Struct, frozen=True):
    """All readings of one kind, unit and source.

    Attributes:
        number: its number.
        kind, source, unit: what, from where, in which unit.
        reading_count: how many.
        first_at: start of the earliest; None while empty.
        last_at: start of the latest; None while empty.
    """

    number: int
    kind: str
    source: str
    unit: str
    reading_count: int
    first_at: datetime | None
    last_at: datetime | None


class Added(msgspec.Struct, frozen=True):
    """What became of readings that were offered.

    Attributes:
        added: how many are new.
        known: how many were there already.
        corrected: how many of these had another value, which was taken.
        refused: how many of each problem: ``not_finite``, ``ends_before_start``, ``no_zone``.
        from_at, until_at: the stretch that the offered ones touch; None where none was fit.
    """

    added: int = 0
    known: int = 0
    corrected: int = 0
    refused: dict[str, int] = {}
    from_at: datetime | None = None
    until_at: datetime | None = None


class ImportState(StrEnum):
    """Where a run of import stands."""

    RUNNING = "running"
    """Begun; if its process is gone, it resumes from its checkpoint."""
    DONE = "done"
    FAILED = "failed"
    """Given up; what it had added was taken out again."""
    UNDONE = "undone"
    """Taken back by the person."""


class ImportRun(msgspec.Struct, frozen=True):
    """One reading of one file, or of one stretch of an account.

    Attributes:
        number: its number.
        kind: the source's name in the bridge.
        file_name: what the person gave.
        file_hash: hash of the content, to know it again.
        byte_count: size.
        state: where it stands.
        checkpoint: where to go on, in the reader's own form; None at the start.
        counts: records by what became of them: ``added``, ``known`` and the reader's own.
        problems: records that were left out, by problem.
        started_at, updated_at, finished_at: when.
    """

    number: int
    kind: str
    file_name: str
    file_hash: str
    byte_count: int
    state: ImportState
    checkpoint: bytes | None
    counts: dict[str, int]
    problems: dict[str, int]
    started_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class DayValue(msgspec.Struct, frozen=True):
    """One summary of one local day: minutes asleep, resting heart rate, share in meetings.

    Attributes:
        day: the person's local day (for sleep, the day of waking).
        name: which summary.
        value: finite, in ``unit``.
        unit: the unit.
        source: from what, for the person to read.
        samples: how many readings it rests on.
        detail: what else its maker keeps: evidence, what was missing.
        computed_at: when.
    """

    day: date
    name: str
    value: float
    unit: str
    computed_at: datetime
    source: str = ""
    samples: int = 0
    detail: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise InvalidValueError(f"day value {self.name} is not a finite number; leave out what is not known")


class MeterValue(msgspec.Struct, frozen=True):
    """A meter as derived for one slot, with its evidence.

    Attributes:
        slot: slot number.
        meter: which meter.
        value: level in [0, 1].
        sd: standard deviation of its error, above 0.
        computed_at: when.
        source: from what, for the person to read.
        detail: evidence, age, what was missing.
        number: its number; 0 until it is stored, and a new one when its value changes.
    """

    slot: int
    meter: Meter
    value: float
    sd: float
    computed_at: datetime
    source: str = ""
    detail: Mapping[str, Any] = {}
    number: int = 0
