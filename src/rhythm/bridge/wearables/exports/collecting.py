"""From what a vendor wrote to records: converted, gated, counted where they cannot be used."""

import math
from datetime import datetime
from typing import NamedTuple

from rhythm.bridge.wearables.problems import ProblemKind, ProblemTally
from rhythm.bridge.wearables.records import Record, gate
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.units import convert

LONGEST_NAME = 200


class Times(NamedTuple):
    """Start and end in UTC, and the local time minus UTC at the start, in minutes."""

    start_at: datetime
    end_at: datetime
    offset_min: int


class UnusableError(Exception):
    """A row, or a signal of it, that is counted and left out."""

    def __init__(self, kind: ProblemKind, signal: Signal | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.signal = signal


class Collector:
    """Takes what a reader finds.

    Args:
        source: the source's registry name.
        tally: where problems are counted.
    """

    def __init__(self, source: str, tally: ProblemTally) -> None:
        self.records: list[Record] = []
        self.at_byte = 0
        """About where in the unpacked export the row at hand stands."""
        self._source = source
        self._tally = tally

    def add(
        self,
        signal: Signal,
        value: object,
        times: Times,
        *,
        unit: str = "",
        device: object = "",
        external_id: object = "",
        detail: object = "",
    ) -> None:
        """One value of a signal. Nothing (None, an empty text) is nothing: vendors leave fields empty.

        Args:
            signal: what was measured.
            value: a number or the text of one.
            times: when.
            unit: the vendor's; the signal's own where it is empty.
            device: the vendor's word for what measured it.
            external_id: the vendor's own id of the sample.
            detail: the vendor's word for what it was.
        """
        if value is None or value == "":
            return
        try:
            number = _in_unit(number_of(value), unit, signal)
        except UnusableError as error:
            self.problem(error.kind, signal)
            return
        problem = gate(signal, number, times.start_at, times.end_at)
        if problem is not None:
            self.problem(problem, signal)
            return
        start_at, end_at, offset_min = times
        source = f"{self._source}/{word(device)}"
        self.records.append(
            Record(signal, number, start_at, end_at, offset_min, source, word(external_id), word(detail).lower())
        )

    def span(self, signal: Signal, times: Times, *, device: object = "", external_id: object = "") -> None:
        """A stretch of time whose length is the signal's value."""
        assert SIGNALS[signal].is_interval_length
        minutes = (times.end_at - times.start_at).total_seconds() / 60.0
        if minutes < 0:
            self.problem(ProblemKind.REVERSED, signal)
        else:
            self.add(signal, minutes, times, device=device, external_id=external_id)

    def problem(self, kind: ProblemKind, signal: Signal | None = None) -> None:
        """Counts something that cannot be used."""
        self._tally.add(kind, signal, self.at_byte)


def _in_unit(number: float, unit: str, signal: Signal) -> float:
    converted = convert(number, unit, signal) if unit else number
    if converted is None:
        raise UnusableError(ProblemKind.UNKNOWN_UNIT)
    return converted


def number_of(value: object) -> float:
    """A number, or the text of one.

    Raises:
        UnusableError: it is neither, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnusableError(ProblemKind.BAD_VALUE)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise UnusableError(ProblemKind.BAD_VALUE) from None
    if not math.isfinite(number):
        raise UnusableError(ProblemKind.BAD_VALUE)
    return number


def word(value: object) -> str:
    """A short text, or the text of a whole number; empty for anything else."""
    if isinstance(value, str):
        return value.strip()[:LONGEST_NAME]
    return str(value)[:LONGEST_NAME] if isinstance(value, int) and abs(value) < 1 << 64 else ""
