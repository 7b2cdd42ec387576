"""What a language model reads: the rules once, then where the person stands, with what went before.

Two forms of the same text. `question` is one exchange: the rules, the last thirty days, the
present state. `Conversation` is a whole week as one exchange of many turns, in which the
history is the turns themselves, so that training takes one pass over a week; a turn leaves out
what the turn before has said already, the change of each meter. The wording has a
version, since a model only knows the wording that it was trained on.

Imports the vocabulary and the rules of life alone: the assistant may read from it.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypedDict

import numpy as np

from rhythm.life.step import anomalies
from rhythm.vocab import (
    ACTIONS,
    DAY_NAMES,
    DAYS_PER_WEEK,
    METERS,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    Answered,
    Done,
    Evidence,
    LifeEvent,
    MeterValues,
    Observation,
    Observed,
    PastStep,
    Reading,
    SelfReport,
    describe_slot,
    part_of,
    weekday_of,
)

PROMPT_VERSION: Final = "prompt-2"
HISTORY_DAYS: Final = 30
HISTORY_SLOTS: Final = HISTORY_DAYS * SLOTS_PER_DAY
_LETTERS: Final = ("V", "C", "P", "S", "N")
_SHORT_DAYS: Final = tuple(name[:3] for name in DAY_NAMES)

SYSTEM: Final = f"""\
You plan the days of one person whom you do not know. People differ in how company, mornings and work affect them, \
and nobody tells you: read it from how this person responds.
A week has {DAYS_PER_WEEK} days of {SLOTS_PER_DAY} slots: morning, afternoon, evening, night. \
Five meters run from 0 to 1: {", ".join(f"{m.label} ({c})" for m, c in zip(METERS, _LETTERS, strict=True))}. \
Below 0.10 a meter crashes.
"off" says how far a change lay from what it would have been for most people: that is what tells who the person is.
Choose one of: {", ".join(a.name for a in ACTIONS)}.
First say who you think the person is, as three digits from 0 to 9: \
S (0 drained by people, 9 lives for them), M (0 night owl, 9 morning person), W (0 worn by work, 9 fed by it). \
Then the action. You may think first between <reasoning> and </reasoning>. The last line is your answer:
S M W ACTION_NAME"""
"""The rules, the same for every person and every turn."""


class Message(TypedDict):
    """One turn, in the form that chat templates and OpenAI-compatible servers share."""

    role: str
    content: str


def state_text(seen: Observation, *, changes: bool = False) -> str:
    """Where the person stands, in two or three short lines.

    Args:
        seen: the present.
        changes: tell how the last step changed the meters, which a conversation shows already.
    """
    when = "The week is over." if seen.done else f"{describe_slot(seen.step)}, step {seen.step} of {WEEK_STEPS}."
    if seen.event is not LifeEvent.NONE:
        when += f" Event: {seen.event.label}."
    levels = (
        f"{m.label} unknown" if level is None else f"{m.label} {level:.2f}"
        for m, level in zip(METERS, seen.meters, strict=True)
    )
    lines = [when, ", ".join(levels)]
    if seen.recent:
        lines.append(f"Last: {_past(seen.recent[-1], changes=changes)}")
    elif seen.last_action is not None:
        lines.append(f"Last: {seen.last_action.name} paid {_signed(seen.last_reward)}; {_five(seen.deltas)}")
    return "\n".join(lines)


def question(seen: Observation, history: Iterable[Evidence] = (), *, now: int | None = None) -> list[Message]:
    """One exchange: the rules, what was learned in the last thirty days, the present state.

    Args:
        seen: the present.
        history: evidence of any age and order; readings of devices are in the present state already
            and have no line of their own. Without any, the steps that the observation carries stand for it.
        now: slot number of the present; the observation's step where the week began at slot 0.
    """
    present = seen.step if now is None else now
    recent = sorted(
        (e for e in history if not isinstance(e, Reading) and present - HISTORY_SLOTS <= e.slot <= present),
        key=lambda e: e.slot,
    )
    lines = [history_line(entry) for entry in recent] or [f"{_short(p.step)} {_past(p)}" for p in seen.recent]
    past = "\n".join((f"Last {HISTORY_DAYS} days:", *lines)) if lines else "Nothing is known of the person yet."
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"{past}\n\nNow:\n{state_text(seen, changes=True)}"},
    ]


def history_line(entry: Evidence) -> str:
    """A piece of evidence in one line: ``Mon morning DEEP_WORK suggested: ignored``."""
    when = _short(entry.slot)
    if isinstance(entry, Observed):
        event = f" (event: {entry.event.label})" if entry.event is not LifeEvent.NONE else ""
        return f"{when} {_past(_observed(entry))}{event}"
    if isinstance(entry, Answered):
        known = () if entry.meters is None else zip(_LETTERS, entry.meters, strict=True)
        at = " ".join(f"{letter} {level:.2f}" for letter, level in known if level is not None)
        return f"{when}{f', {at},' if at else ''} {entry.action.name} suggested: {entry.response.outcome}"
    if isinstance(entry, Done):
        return f"{when} {entry.action.name} done"
    if isinstance(entry, SelfReport):
        return f"{when} the person says: {entry.meter.label} {entry.value:.2f}"
    return f"{when} measured: {entry.meter.label} {entry.value:.2f} (sd {entry.sd:.2f})"


class Conversation:
    """A week as one exchange of many turns: rules, state, answer, state, answer, ..."""

    def __init__(self) -> None:
        self._messages: list[Message] = [{"role": "system", "content": SYSTEM}]

    @property
    def messages(self) -> list[Message]:
        """What was said so far, oldest first."""
        return list(self._messages)

    def see(self, seen: Observation) -> None:
        """The next state."""
        self.say(state_text(seen))

    def say(self, state: str) -> None:
        """The next state, in words already."""
        self._messages.append({"role": "user", "content": state})

    def answer(self, text: str) -> None:
        """What the model said to it."""
        self._messages.append({"role": "assistant", "content": text})


def week_messages(states: Sequence[str], answers: Sequence[str]) -> list[Message]:
    """The conversation of a week that was recorded: its states and the answers to them, in order."""
    messages: list[Message] = [{"role": "system", "content": SYSTEM}]
    for state, answer in zip(states, answers, strict=True):
        messages += ({"role": "user", "content": state}, {"role": "assistant", "content": answer})
    return messages


def _short(slot: int) -> str:
    return f"{_SHORT_DAYS[weekday_of(slot)]} {part_of(slot).label}"


def _past(past: PastStep, *, changes: bool = True) -> str:
    change = f"; change {_five(past.deltas)}" if changes else ""
    return f"{past.action.name} paid {_signed(past.reward)}{change}; off {_five(past.anomalies)}"


def _observed(entry: Observed) -> PastStep:
    off = anomalies(
        np.array([entry.before]),
        np.array([entry.action], np.int8),
        entry.slot % SLOTS_PER_DAY,
        np.array([entry.event], np.int8),
        np.array([entry.deltas]),
    )[0]
    five: MeterValues = tuple(off.tolist())
    reward = 0.0 if entry.reward is None else entry.reward
    return PastStep(entry.slot % WEEK_STEPS, entry.action, reward, entry.deltas, five)


def _five(values: MeterValues) -> str:
    return " ".join(f"{c}{_signed(v)}" for c, v in zip(_LETTERS, values, strict=True))


def _signed(value: float) -> str:
    """Two digits with a sign; what rounds to nothing is +0.00."""
    return f"{round(value, 2) + 0.0:+.2f}"
