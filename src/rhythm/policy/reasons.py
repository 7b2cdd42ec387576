"""Why a suggestion is made, in one sentence that only says what is on record.

The sentence counts the person's own answers and records of that action and names the meter that
the action raises most, with the level and interval that the person is shown. A shown level is a
reading against the person's own usual; what actions are weighed with is the posterior's level,
which also knows what was done since. Where the two contradict each other, the reading is no
reason, and the sentence leaves it out. Where nothing of the kind is on record it says that the
suggestion is a guess from people in general.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.belief.particles import Memory, Particles
from rhythm.life.constants import ACTION_DELTAS
from rhythm.vocab import (
    BELIEF_NAMES,
    METERS,
    OUTCOMES,
    Action,
    Answered,
    Evidence,
    Meter,
    Outcome,
    PartOfDay,
    part_of,
)

Floats = NDArray[np.float64]

HIGH_ABOVE: Final = 0.7
"""A level above which there is more to keep than to lift."""
LEAST_TOLD: Final = 0.005
"""Nats below which an answer tells next to nothing."""
_ACCEPTED, _MOVED, _IGNORED = (OUTCOMES.index(o) for o in (Outcome.ACCEPTED, Outcome.RESCHEDULED, Outcome.IGNORED))
_QUESTIONS: Final = {
    "social": "whether company feeds or drains you",
    "morning": "whether you are a morning or an evening person",
    "work": "whether work feeds or wears you",
}


class Level(msgspec.Struct, frozen=True):
    """Where a meter stands as the person is shown it: a value in [0, 1] and its 90 % interval."""

    value: float
    low: float
    high: float


class Reason(msgspec.Struct, frozen=True):
    """A sentence and the evidence that it rests on, oldest first."""

    sentence: str
    evidence: tuple[Evidence, ...]


def reason_for(state: Particles, slot: int, action: Action, shown: Mapping[Meter, Level]) -> Reason:
    """Why that action in that slot, from what is on record.

    Args:
        state: people as they are thought to be now.
        slot: the slot that it is suggested for.
        action: what is suggested.
        shown: the levels that the person is shown.
    """
    memory = state.memory
    said, evidence = _own_answers(memory, slot, action)
    if said is None:
        said, evidence = _own_records(memory, slot, action)
    level = _level(state, action, shown, "it" if said else action.noun)
    parts = [part for part in (said, level) if part is not None]
    if not parts:
        return Reason(f"A first guess from people in general: nothing is on record yet of you and {action.noun}.", ())
    sentence = "; ".join(parts)
    return Reason(sentence[0].upper() + sentence[1:] + ".", evidence)


def _own_answers(memory: Memory, slot: int, action: Action) -> tuple[str | None, tuple[Evidence, ...]]:
    part = part_of(slot)
    for counts, where in (
        (memory.asked[action, part], f"{part.label}s"),
        (memory.asked[action].sum(axis=0), "times"),
    ):
        answered = int(counts[_ACCEPTED] + counts[_MOVED] + counts[_IGNORED])
        accepted = int(counts[_ACCEPTED])
        if answered:
            of = "once" if (accepted, answered) == (1, 1) else f"on {accepted} of {answered} {where}"
            if where == "times" and of != "once":
                of = f"{accepted} of {answered} times"
            if (accepted, answered) == (1, 1) and where != "times":
                of = f"on the one {part.label} it was suggested"
            said = f"you said yes to {action.noun} {of}" if accepted else _never(action, answered)
            kept = tuple(e for e in memory.recent[action] if isinstance(e, Answered))
            if where != "times":
                kept = tuple(e for e in kept if part_of(e.slot) == part)
            return said, kept
    return None, ()


def _never(action: Action, answered: int) -> str:
    times = "the one time" if answered == 1 else "both times" if answered == 2 else f"all {answered} times"
    return f"you said no to {action.noun} {times} so far, yet it still seems worth a try"


def _own_records(memory: Memory, slot: int, action: Action) -> tuple[str | None, tuple[Evidence, ...]]:
    part = part_of(slot)
    here, anywhere = int(memory.done[action, part]), int(memory.done[action].sum())
    kept = tuple(e for e in memory.recent[action] if not isinstance(e, Answered))
    if here:
        spent = f"one {part.label}" if here == 1 else f"{here} {part.label}s"
        return f"you have spent {spent} on {action.noun}", kept
    if anywhere:
        times = "once" if anywhere == 1 else f"{anywhere} times"
        when = "at night" if part is PartOfDay.NIGHT else f"in the {part.label}"
        return f"{action.noun} is on record {times}, though never {when}", kept
    return None, ()


def _level(state: Particles, action: Action, shown: Mapping[Meter, Level], subject: str) -> str | None:
    """What is shown of the meter that the action raises most, where the action was weighed with such a level."""
    raised = [m for m in METERS if ACTION_DELTAS[action, m] > 0.0 and m in shown]
    if not raised:
        return None
    meter: Meter = max(raised, key=lambda m: float(ACTION_DELTAS[action, m]))
    level = shown[meter]
    if not level.low <= float(state.weights @ state.meters[:, meter]) <= level.high:
        return None
    reads = f"{round(100 * level.value)} of 100 (likely {round(100 * level.low)} to {round(100 * level.high)})"
    does = f"keeps {meter.label} up" if level.value > HIGH_ABOVE else f"lifts {meter.label}"
    return f"for most people {subject} {does}, and yours reads {reads}"


def what_it_tells(draws: Particles, accepts: Floats, told: float) -> str | None:
    """What the answer to a suggestion would tell, None where it is next to nothing.

    Args:
        draws: people as likely as each other, n of them.
        accepts: chance that each accepts, shape (n,).
        told: nats.
    """
    if told < LEAST_TOLD:
        return None
    beliefs = draws.beliefs
    away = accepts - accepts.mean()
    shared = np.abs(away @ (beliefs - beliefs.mean(axis=0))) / np.maximum(beliefs.std(axis=0), 1e-9)
    return f"Your answer would tell {_QUESTIONS[BELIEF_NAMES[int(shared.argmax())]]}."
