"""Weeks as conversations to be trained on, one JSON object a line: ``{"seed": 2000000, "messages": [...]}``.

They come from trajectories of any teacher, or from the taught weeks of `rhythm.distill`, in which
the planner was asked in every state while somebody who makes mistakes acted: there the answer is what
it would have done, and the next state what was done, so that a model learns to go on from mistakes.
Such weeks say beside the answer by how much every other action falls short of it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.play import view_of
from rhythm.distill.teacher import people_of
from rhythm.distill.weeks import TaughtWeeks, read_weeks
from rhythm.life.week import Weeks
from rhythm.lm.answers import read_answer
from rhythm.lm.episode import observation_of
from rhythm.lm.prompt import PROMPT_VERSION, Message, state_text, week_messages
from rhythm.lm.trajectories import BadLine, Status, Trajectory, numbered_lines, read_file
from rhythm.policy.knowledge import Learned
from rhythm.vocab import (
    ACTION_COUNT,
    WEEK_STEPS,
    Action,
    Belief,
    Decision,
    InvalidValueError,
    MalformedDecisionError,
    format_decision,
)
from rhythm.vocab.checks import is_whole

_ROLES: Final = ("system", *("user", "assistant") * WEEK_STEPS)
_BATCH: Final = 128
_MOST_SHORT: Final = 0.5
"""Actions further below the best one than this are all as bad; the planner's values of them are rough."""


class Conversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A week.

    Attributes:
        seed: of the person and the events.
        prompt: version of the wording.
        messages: rules, then states and answers in turn.
        shortfalls: for each step and action, the summed wellbeing by which it falls short of the best, from 0 to 0.5;
            empty where the teacher did not say.
    """

    seed: int
    prompt: str
    messages: tuple[dict[str, str], ...]
    shortfalls: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if not is_whole(self.seed, 0, 2**62):
            raise InvalidValueError("a seed is a whole number from 0")
        roles = tuple(message.get("role") for message in self.messages)
        if roles != _ROLES or not all("content" in message for message in self.messages):
            raise InvalidValueError(f"a week is one system message and {WEEK_STEPS} states with their answers")
        if self.shortfalls and not (
            len(self.shortfalls) == WEEK_STEPS
            and all(len(step) == ACTION_COUNT for step in self.shortfalls)
            and all(0.0 <= short <= _MOST_SHORT for step in self.shortfalls for short in step)
        ):
            raise InvalidValueError(
                f"shortfalls are {WEEK_STEPS} times {ACTION_COUNT} numbers from 0 to {_MOST_SHORT}, or none"
            )


def of_trajectory(week: Trajectory, *, reasoning: bool = True) -> Conversation:
    """The conversation that a completed week was.

    Args:
        week: of any teacher.
        reasoning: keep what was thought before the answer; without it an answer is its last line.

    Raises:
        MalformedDecisionError: an answer says nothing readable, and nobody should learn it.
        InvalidValueError: the week was not completed.
    """
    if week.status is not Status.COMPLETED:
        raise InvalidValueError(f"a week that {week.status} is not learned from")
    decisions = [read_answer(step.text) for step in week.steps]
    if not reasoning:
        decisions = [Decision(decision.action, decision.belief) for decision in decisions]
    messages = week_messages([step.state for step in week.steps], [format_decision(d) for d in decisions])
    return _made(week.seed, week.prompt, messages)


def of_taught(weeks: TaughtWeeks) -> Iterator[Conversation]:
    """Conversations of taught weeks: the best first action, and the exact posterior's belief at the time.

    The weeks are lived anew, so that the posterior reads exact numbers.
    """
    for start in range(0, len(weeks), _BATCH):
        part = np.zeros(len(weeks), bool)
        part[start : start + _BATCH] = True
        yield from _lived(weeks.rows(part))


def _lived(taught: TaughtWeeks) -> Iterator[Conversation]:
    weeks, known = Weeks(people_of(taught.seeds), taught.seeds), Learned(len(taught))
    states: list[list[str]] = [[] for _ in taught.seeds]
    answers: list[list[str]] = [[] for _ in taught.seeds]
    for step in range(WEEK_STEPS):
        view = view_of(weeks)
        known.update(view)
        beliefs = known.beliefs()[0]
        wanted = taught.values[:, step].argmax(axis=1)
        for place in range(len(taught)):
            decision = Decision(Action(int(wanted[place])), Belief(*beliefs[place].tolist()))
            states[place].append(state_text(observation_of(view, place)))
            answers[place].append(format_decision(decision))
        if step + 1 < WEEK_STEPS:
            weeks.take(taught.done[:, step + 1])
    short = shortfalls_of(taught.values)
    for seed, said, answered, falls in zip(taught.seeds.tolist(), states, answers, short, strict=True):
        yield _made(seed, PROMPT_VERSION, week_messages(said, answered), falls)


def shortfalls_of(values: NDArray[np.float32]) -> list[tuple[tuple[float, ...], ...]]:
    """How far each action falls short of the best of its step, as `Conversation` tells it.

    Args:
        values: the worth of each action, shape (weeks, 28, 10).
    """
    short = (values.max(axis=2, keepdims=True) - values).astype(np.float64).clip(0.0, _MOST_SHORT).round(3)
    return [tuple(tuple(step) for step in week) for week in short.tolist()]


def _made(
    seed: int, prompt: str, messages: list[Message], shortfalls: tuple[tuple[float, ...], ...] = ()
) -> Conversation:
    told = tuple({"role": m["role"], "content": m["content"]} for m in messages)
    return Conversation(seed, prompt, told, shortfalls)


class Converted(msgspec.Struct, frozen=True):
    """What became of a source: how many weeks were written, and what was left out."""

    written: int
    left_out: int
    bad: tuple[BadLine, ...]


def convert(source: Path, output: Path, *, reasoning: bool = True) -> Converted:
    """Write the conversations of a file of trajectories, or of a folder of taught weeks.

    Args:
        source: ``.jsonl`` of `rhythm lm teach`, or folder of `rhythm distill teach`.
        output: file to write, anew.
        reasoning: see `of_trajectory`; taught weeks have none.

    Raises:
        InvalidValueError: nothing in it can be learned from, or it would be written over.
        ReservedSeedError: a seed is kept for evaluation.
        SchemaError: a damaged shard of taught weeks.
        OSError: a file cannot be read or written.
    """
    if output.exists() and output.samefile(source):
        raise InvalidValueError(f"{output} is what is converted; name another file to write")
    found, bad = _of_folder(source) if source.is_dir() else _of_file(source, reasoning=reasoning)
    output.parent.mkdir(parents=True, exist_ok=True)
    waiting = output.with_name(output.name + ".part")
    try:
        written, left_out = _write(found, waiting)
        if not written:
            raise InvalidValueError(f"no week in {source} can be learned from; {left_out} were left out")
        waiting.replace(output)
    finally:
        waiting.unlink(missing_ok=True)
    return Converted(written, left_out, bad)


def _write(found: Iterable[Conversation | None], path: Path) -> tuple[int, int]:
    """How many were written, and how many were left out."""
    written = left_out = 0
    with path.open("wb") as file:
        for conversation in found:
            if conversation is None:
                left_out += 1
                continue
            check_training_seeds([conversation.seed])
            file.write(msgspec.json.encode(conversation) + b"\n")
            written += 1
    return written, left_out


def _of_folder(source: Path) -> tuple[Iterable[Conversation | None], tuple[BadLine, ...]]:
    shards = sorted(source.glob("weeks-*.npz"))
    return (week for shard in shards for week in of_taught(read_weeks(shard))), ()


def _of_file(source: Path, *, reasoning: bool) -> tuple[Iterable[Conversation | None], tuple[BadLine, ...]]:
    contents = read_file(source)

    def usable(week: Trajectory) -> Conversation | None:
        try:
            return of_trajectory(week, reasoning=reasoning)
        except (MalformedDecisionError, InvalidValueError):
            return None

    return map(usable, contents.weeks.values()), contents.bad


def read_conversations(path: Path) -> tuple[list[Conversation], tuple[BadLine, ...]]:
    """The weeks of a file that `convert` wrote, and the lines that are none.

    Raises:
        InvalidValueError: no line is one.
        ReservedSeedError: a seed is kept for evaluation.
        OSError: the file cannot be read.
    """
    found: list[Conversation] = []
    bad: list[BadLine] = []
    for number, line in numbered_lines(path):
        if isinstance(line, BadLine):
            bad.append(line)
            continue
        try:
            found.append(msgspec.json.decode(line, type=Conversation))
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            bad.append(BadLine(number, f"no conversation: {str(error)[:200]}"))
    if not found:
        raise InvalidValueError(f"{path.name} holds no conversation; make one with `rhythm lm convert`")
    check_training_seeds([week.seed for week in found])
    return found, tuple(bad)


def as_training_rows(weeks: Iterable[Conversation], *, soft: bool = False) -> Iterator[dict[str, Any]]:
    """Rows of the form that TRL reads, with ``shortfalls`` if `soft`.

    Raises:
        InvalidValueError: `soft`, and a week has none.
    """
    for week in weeks:
        row: dict[str, Any] = {"messages": list(week.messages)}
        if soft and not week.shortfalls:
            raise InvalidValueError(
                f"the week of seed {week.seed} does not say what other actions are worth; convert weeks of "
                "`rhythm distill teach`, or leave out --soften"
            )
        yield row | {"shortfalls": [list(step) for step in week.shortfalls]} if soft else row
