"""Weeks as conversations to be trained on, one JSON object a line: ``{"seed": 2000000, "messages": [...]}``.

They come from trajectories of any teacher, or from the taught weeks of `rhythm.distill`, in which
the planner was asked in every state while somebody who makes mistakes acted: there the answer is what
it would have done, and the next state what was done, so that a model learns to go on from mistakes.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.play import view_of
from rhythm.distill.teacher import people_of
from rhythm.distill.weeks import TaughtWeeks, read_weeks
from rhythm.life.week import Weeks
from rhythm.lm.answers import read_answer
from rhythm.lm.episode import observation_of
from rhythm.lm.prompt import PROMPT_VERSION, Message, state_text, week_messages
from rhythm.lm.trajectories import BadLine, Status, Trajectory, read_file
from rhythm.policy.knowledge import Learned
from rhythm.vocab import (
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


class Conversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A week.

    Attributes:
        seed: of the person and the events.
        prompt: version of the wording.
        messages: rules, then states and answers in turn.
    """

    seed: int
    prompt: str
    messages: tuple[dict[str, str], ...]

    def __post_init__(self) -> None:
        if not is_whole(self.seed, 0, 2**62):
            raise InvalidValueError("a seed is a whole number from 0")
        roles = tuple(message.get("role") for message in self.messages)
        if roles != _ROLES or not all("content" in message for message in self.messages):
            raise InvalidValueError(f"a week is one system message and {WEEK_STEPS} states with their answers")


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
    for seed, said, answered in zip(taught.seeds.tolist(), states, answers, strict=True):
        yield _made(seed, PROMPT_VERSION, week_messages(said, answered))


def _made(seed: int, prompt: str, messages: list[Message]) -> Conversation:
    return Conversation(seed, prompt, tuple({"role": m["role"], "content": m["content"]} for m in messages))


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
        InvalidValueError: nothing in it can be learned from.
        ReservedSeedError: a seed is kept for evaluation.
        SchemaError: a damaged shard of taught weeks.
        OSError: a file cannot be read or written.
    """
    found, bad = _of_folder(source) if source.is_dir() else _of_file(source, reasoning=reasoning)
    written = left_out = 0
    output.parent.mkdir(parents=True, exist_ok=True)
    waiting = output.with_name(output.name + ".part")
    with waiting.open("wb") as file:
        for conversation in found:
            if conversation is None:
                left_out += 1
                continue
            check_training_seeds([conversation.seed])
            file.write(msgspec.json.encode(conversation) + b"\n")
            written += 1
    if not written:
        waiting.unlink()
        raise InvalidValueError(f"no week in {source} can be learned from; {left_out} were left out")
    waiting.replace(output)
    return Converted(written, left_out, bad)


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
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                found.append(msgspec.json.decode(line, type=Conversation))
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                bad.append(BadLine(number, f"no conversation: {str(error)[:200]}"))
    if not found:
        raise InvalidValueError(f"{path.name} holds no conversation; make one with `rhythm lm convert`")
    check_training_seeds([week.seed for week in found])
    return found, tuple(bad)


def as_training_rows(weeks: Iterable[Conversation]) -> Iterator[dict[str, Any]]:
    """Rows of the form that TRL reads."""
    for week in weeks:
        yield {"messages": list(week.messages)}
