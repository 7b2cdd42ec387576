"""The one record that every source is read into, its stable key, and the gates it must pass."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from operator import sub
from typing import Protocol

import msgspec

from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import SIGNALS, Signal

FIRST_YEAR, LAST_YEAR = 1990, 2099
"""Records that leave these are quarantined: no consumer device wrote them with a working clock."""

_GATES = {signal: (spec.low, spec.high, timedelta(minutes=spec.longest_min)) for signal, spec in SIGNALS.items()}
_BY_NAME = {signal.value: signal for signal in Signal}
_MINUTE = timedelta(minutes=1)


class Record(msgspec.Struct, frozen=True, gc=False):
    """One sample, as a device gave it.

    Attributes:
        signal: what was measured; it fixes the unit.
        value: in the signal's unit, within its plausible range.
        start_at, end_at: aware instants in UTC; equal for a spot sample.
        offset_min: the person's local time minus UTC at the start, in minutes.
        source: ``importer/device name``; overlapping devices stay apart by it.
        external_id: the vendor's own id, where it gives one.
        detail: a vendor's word for what it was, for instance ``running``.
    """

    signal: Signal
    value: float
    start_at: datetime
    end_at: datetime
    offset_min: int
    source: str
    external_id: str = ""
    detail: str = ""

    @property
    def kind(self) -> str:
        """The signal's name, as it is stored."""
        return self.signal

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return SIGNALS[self.signal].unit

    @property
    def key(self) -> str:
        """32 hexadecimal digits that are the same whenever the same sample is read again.

        It covers source, signal, start, end and external id, not the value: a vendor that
        corrects a value corrects the record. The person is the store's part of the key.
        """
        parts = (self.source, self.signal, self.start_at.isoformat(), self.end_at.isoformat(), self.external_id)
        return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    @property
    def local_start(self) -> datetime:
        """The wall clock at the start, naive."""
        return self.start_at.replace(tzinfo=None) + self.offset_min * _MINUTE

    @property
    def local_end(self) -> datetime:
        """The wall clock at the end by the offset of the start, naive."""
        return self.end_at.replace(tzinfo=None) + self.offset_min * _MINUTE

    @property
    def local_day(self) -> date:
        """The local calendar day of the start."""
        return self.local_start.date()


class ReadingLike(Protocol):
    """A record as it comes back from where it was stored."""

    @property
    def kind(self) -> str:
        """The signal's name."""
        ...

    @property
    def value(self) -> float:
        """In the signal's unit."""
        ...

    @property
    def start_at(self) -> datetime:
        """Aware."""
        ...

    @property
    def end_at(self) -> datetime:
        """Aware."""
        ...

    @property
    def offset_min(self) -> int | None:
        """Local time minus UTC."""
        ...

    @property
    def source(self) -> str:
        """What measured it."""
        ...


def from_stored(readings: Iterable[ReadingLike]) -> Iterator[Record]:
    """Stored readings as records again; kinds that this release does not know are left out."""
    for r in readings:
        signal = _BY_NAME.get(r.kind)
        if signal is not None:
            start_at, end_at = r.start_at, r.end_at
            if start_at.tzinfo is not UTC or end_at.tzinfo is not UTC:
                start_at, end_at = start_at.astimezone(UTC), end_at.astimezone(UTC)
            yield Record(signal, r.value, start_at, end_at, r.offset_min or 0, r.source)


def gate(signal: Signal, value: float, start_at: datetime, end_at: datetime) -> ProblemKind | None:
    """Why a record must be quarantined, or None if it is plausible.

    Args:
        signal: what was measured.
        value: in the signal's unit; NaN and infinities never pass.
        start_at: aware instant.
        end_at: aware instant.
    """
    low, high, longest = _GATES[signal]
    if not low <= value <= high:
        return ProblemKind.IMPLAUSIBLE
    if end_at is not start_at:
        if end_at < start_at:
            return ProblemKind.REVERSED
        if end_at - start_at > longest:
            return ProblemKind.TOO_LONG
    if start_at.year < FIRST_YEAR or end_at.year > LAST_YEAR:
        return ProblemKind.OUT_OF_ERA
    return None


def all_plausible(
    signal: Signal, values: Sequence[float], starts_at: Sequence[datetime], ends_at: Sequence[datetime]
) -> bool:
    """Whether `gate` would let each of many records of one signal pass; far cheaper than asking it for each."""
    low, high, longest = _GATES[signal]
    lasting = list(map(sub, ends_at, starts_at))
    return (
        math.isfinite(sum(values))
        and low <= min(values)
        and max(values) <= high
        and timedelta(0) <= min(lasting)
        and max(lasting) <= longest
        and min(starts_at).year >= FIRST_YEAR
        and max(ends_at).year <= LAST_YEAR
    )
