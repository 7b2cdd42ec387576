"""Weeks in words, one JSON object a line: what was asked, what was answered, what it cost.

A file is only ever added to. A week that was stopped (a budget was spent, somebody pressed
Ctrl-C) is gone on with, and its later line, which counts everything since the first call, takes
the earlier one's place. A line that is none is reported with its number and skipped.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

import msgspec

from rhythm.vocab import WEEK_STEPS, Action, Belief, InvalidValueError
from rhythm.vocab.checks import check_text, is_number, is_whole

SCHEMA: Final = "rhythm.trajectory/1"
MAX_LINE_BYTES: Final = 16 * 2**20
_LAST_SEED: Final = 2**62


class Status(StrEnum):
    """How a week ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    """The server could not be brought to answer."""
    STOPPED = "stopped"
    """It can be gone on with."""


class Who(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which people: the population's name, and whether from its corners."""

    population: str = "peaked"
    corners: bool = False

    def __post_init__(self) -> None:
        if self.population not in ("classic", "peaked"):
            raise InvalidValueError("population is classic or peaked")


class Usage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the answers took.

    Attributes:
        calls: answers that came whole.
        prompt_tokens, completion_tokens: of those answers, as the server counted them.
        unaccounted: requests that broke off, or answers without a count: the server may charge
            for them, and nobody can say how much.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unaccounted: int = 0

    def __post_init__(self) -> None:
        if not all(is_whole(n, 0, _LAST_SEED) for n in msgspec.structs.astuple(self)):
            raise InvalidValueError("usage is counted in whole numbers from 0")

    def __add__(self, other: "Usage") -> "Usage":
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return Usage(*(a + b for a, b in pairs))


class Step(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One slot.

    Attributes:
        state: the turn that was asked.
        text: the answer as it came.
        action: what was done.
        reward: what it paid.
        belief: social, morning, work as stated, each in [0, 1]; None where none was.
        problem: why no decision could be read from the text; None where one was.
    """

    state: str
    text: str
    action: Action
    reward: float
    belief: tuple[float, float, float] | None = None
    problem: str | None = None

    def __post_init__(self) -> None:
        check_text(self.state, "state")
        check_text(self.text, "text")
        if not is_number(self.reward):
            raise InvalidValueError("reward is not a finite number")
        if self.belief is not None:
            Belief(*self.belief)


class Trajectory(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A week.

    Attributes:
        seed: of the person and the events.
        who: which people.
        teacher: who answered: ``planner``, or the model's name.
        prompt: version of the wording.
        status: how it ended.
        steps: what was lived, 28 where it was completed.
        usage: what it took, all tries together.
        failure: why it failed; None where it did not.
    """

    seed: int
    who: Who
    teacher: str
    prompt: str
    status: Status
    steps: tuple[Step, ...]
    usage: Usage = Usage()
    failure: str | None = None

    def __post_init__(self) -> None:
        if not is_whole(self.seed, 0, _LAST_SEED):
            raise InvalidValueError("a seed is a whole number from 0")
        lived = len(self.steps)
        if (lived != WEEK_STEPS) if self.status is Status.COMPLETED else (lived >= WEEK_STEPS):
            raise InvalidValueError(f"a week that is {self.status} does not hold {lived} steps")
        if (self.failure is not None) is not (self.status is Status.FAILED):
            raise InvalidValueError("a failure is told of a week that failed, and of no other")


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    data: Trajectory


class BadLine(msgspec.Struct, frozen=True):
    """A line that is no trajectory: its number, from 1, and what is wrong with it."""

    number: int
    problem: str


def to_line(trajectory: Trajectory) -> bytes:
    """The line, its end included."""
    return msgspec.json.encode(_Line(SCHEMA, trajectory)) + b"\n"


def read_lines(path: Path) -> Iterator[tuple[int, Trajectory | BadLine]]:
    """Every line of a file in order, with its number from 1; empty ones are passed over.

    Raises:
        OSError: the file cannot be read.
    """
    for number, line in numbered_lines(path):
        yield number, line if isinstance(line, BadLine) else _read_line(line, number)


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes | BadLine]]:
    """The lines of a file with their numbers from 1, however long they are; empty ones are passed over.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES):
            number += 1
            if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE_BYTES)
                yield number, BadLine(number, f"longer than {MAX_LINE_BYTES} bytes")
            elif line.strip():
                yield number, line


def _read_line(line: bytes, number: int) -> Trajectory | BadLine:
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return BadLine(number, f"not a line of {SCHEMA}: {str(error)[:200]}")
    if read.schema != SCHEMA:
        return BadLine(number, f"of schema {read.schema[:60]!r}; this reads {SCHEMA!r}")
    return read.data


class Contents(msgspec.Struct, frozen=True):
    """What a file holds: the last line of each week, by people and seed, and the lines that are none."""

    weeks: Mapping[tuple[Who, int], Trajectory]
    bad: tuple[BadLine, ...]


def read_file(path: Path) -> Contents:
    """The weeks of a file, each once.

    Raises:
        OSError: the file cannot be read.
    """
    weeks: dict[tuple[Who, int], Trajectory] = {}
    bad: list[BadLine] = []
    for number, line in read_lines(path):
        if isinstance(line, BadLine):
            bad.append(line)
            continue
        key = (line.who, line.seed)
        earlier = weeks.get(key)
        if earlier is None or earlier.status is Status.STOPPED:
            weeks[key] = line
        else:
            bad.append(BadLine(number, f"seed {line.seed} stands twice; its first line counts"))
    return Contents(weeks, tuple(bad))


class Writer:
    """Adds lines to a file; each is on disk before the next begins."""

    def __init__(self, path: Path) -> None:
        """Open the file for adding; a last line that was cut off gets its end, so that it spoils no other."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+")
        if self._file.tell():
            self._file.seek(-1, 2)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def add(self, trajectory: Trajectory) -> None:
        """Write one week."""
        self._file.write(to_line(trajectory))
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
