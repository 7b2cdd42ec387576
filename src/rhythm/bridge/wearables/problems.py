"""What can be wrong with a file or a record: typed, counted, and told without any health value."""

from enum import StrEnum

import msgspec

from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.errors import RhythmError


class WearableFileError(RhythmError, ValueError):
    """A file that cannot be imported at all; nothing of it was taken."""


class NotThisFormatError(WearableFileError):
    """The file is not what the source reads."""


class UnsafeFileError(WearableFileError):
    """The file would cost absurd time or memory: a zip bomb, not an export."""


class ProblemKind(StrEnum):
    """Why a record, or a stretch of a file, was not taken."""

    MISSING_FIELD = "missing_field"
    BAD_DATE = "bad_date"
    BAD_VALUE = "bad_value"
    UNKNOWN_UNIT = "unknown_unit"
    IMPLAUSIBLE = "implausible"
    REVERSED = "reversed"
    TOO_LONG = "too_long"
    OUT_OF_ERA = "out_of_era"
    DAMAGED = "damaged"
    TRUNCATED = "truncated"
    OVERSIZED = "oversized"
    TOO_DAMAGED = "too_damaged"
    STALE_CHECKPOINT = "stale_checkpoint"
    NOT_GIVEN = "not_given"


SENTENCES: dict[ProblemKind, str] = {
    ProblemKind.MISSING_FIELD: "lacks a start, an end or a value, and was left out",
    ProblemKind.BAD_DATE: "has a date that no calendar knows, and was left out",
    ProblemKind.BAD_VALUE: "has a value that is not a number, and was left out",
    ProblemKind.UNKNOWN_UNIT: "has a unit that this version does not know, and was left out",
    ProblemKind.IMPLAUSIBLE: "is outside what a living person can show, and was set aside",
    ProblemKind.REVERSED: "ends before it starts, and was set aside",
    ProblemKind.TOO_LONG: "lasts longer than is plausible, and was set aside",
    ProblemKind.OUT_OF_ERA: "is dated before 1990 or after 2099, and was set aside",
    ProblemKind.DAMAGED: "is damaged in the file; reading went on behind it",
    ProblemKind.TRUNCATED: "is where the file breaks off; everything before it was kept. Export again for the rest",
    ProblemKind.OVERSIZED: "is an absurdly long piece of text, and was skipped",
    ProblemKind.TOO_DAMAGED: "is where reading stopped, after too much damage; everything before it was kept",
    ProblemKind.STALE_CHECKPOINT: "is not where the last import stopped: the file has changed, so it was read from "
    "its start; what was already there is not added twice",
    ProblemKind.NOT_GIVEN: "is a kind of record that the account does not give for some days, and was passed over",
}
"""What each problem says of a record or place, after its subject."""


class Problem(msgspec.Struct, frozen=True):
    """A problem and how often it was met.

    Attributes:
        kind: what is wrong.
        signal: of which signal; None where that is not known.
        count: how many records or places.
        first_byte: where in the (unzipped) file it was first met.
    """

    kind: ProblemKind
    signal: Signal | None
    count: int
    first_byte: int

    @property
    def message(self) -> str:
        """One sentence for the person; it carries no health value."""
        what = self.signal.value if self.signal is not None else "a place"
        return f"{self.count} x {what} (first at byte {self.first_byte:,}): {SENTENCES[self.kind]}"


class ProblemTally:
    """Counts problems by kind and signal, so that a million bad records cost no more memory than one."""

    def __init__(self) -> None:
        self._counts: dict[tuple[ProblemKind, Signal | None], tuple[int, int]] = {}
        self._met: set[ProblemKind] = set()

    def add(self, kind: ProblemKind, signal: Signal | None, at_byte: int) -> None:
        """One more of that kind."""
        count, first_byte = self._counts.get((kind, signal), (0, at_byte))
        self._counts[kind, signal] = (count + 1, min(first_byte, at_byte))
        self._met.add(kind)

    def met(self, kind: ProblemKind) -> bool:
        """Whether one of that kind was ever added, taken since or not."""
        return kind in self._met

    def take(self) -> tuple[Problem, ...]:
        """The problems since the last call."""
        found = tuple(Problem(kind, signal, count, at) for (kind, signal), (count, at) in self._counts.items())
        self._counts.clear()
        return found


def merge_problems(problems: "list[Problem]") -> tuple[Problem, ...]:
    """The same problems, one entry for each kind and signal."""
    merged: dict[tuple[ProblemKind, Signal | None], Problem] = {}
    for p in problems:
        old = merged.get((p.kind, p.signal))
        count, first = (
            (p.count, p.first_byte) if old is None else (old.count + p.count, min(old.first_byte, p.first_byte))
        )
        merged[p.kind, p.signal] = Problem(p.kind, p.signal, count, first)
    return tuple(merged.values())
