"""Why a suggestion is made, in one sentence that only says what is on record.

The sentence counts the person's own answers and records of that action and, where a reading or
report of a meter came lately, says where the meter that the action raises most is thought to
stand. Where nothing of the kind is on record it says that the suggestion is a guess from
people in general.
"""

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
    SLOTS_PER_DAY,
    Action,
    Answered,
    Evidence,
    Meter,
    Outcome,
    part_of,
)

Floats = NDArray[np.float64]

READ_LATELY: Final = 3 * SLOTS_PER_DAY
"""Slots for which a reading of a meter is worth mentioning."""
LOW_BELOW, HIGH_ABOVE = 0.45, 0.7
LEAST_TOLD: Final = 0.005
"""Nats below which an answer tells next to nothing."""
_ACCEPTED, _MOVED, _IGNORED = (OUTCOMES.index(o) for o in (Outcome.ACCEPTED, Outcome.RESCHEDULED, Outcome.IGNORED))
_QUESTIONS: Final = {
    "social": "whether company feeds or drains you",
    "morning": "whether you are a morning or an evening person",
    "work": "whether work feeds or wears you",
}


class Reason(msgspec.Struct, frozen=True):
    """A sentence and the evidence that it rests on, oldest first."""

    sentence: str
    evidence: tuple[Evidence, ...]


def reason_for(state: Particles, now: int, slot: int, action: Action) -> Reason:
    """Why that action in that slot, from what is on record.

    Args:
        state: people as they are thought to be now.
        now: the present slot number.
        slot: the slot that it is suggested for.
        action: what is suggested.
    """
    memory = state.memory
    said, evidence = _own_answers(memory, slot, action)
    if said is None:
        said, evidence = _own_records(memory, slot, action)
    level = _level(state, now, action)
    parts = [part for part in (said, level) if part is not None]
    if not parts:
        return Reason(f"A first guess from people in general: nothing is known yet of you and {action.label}.", ())
    sentence = ", and ".join(parts)
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
            said = f"you accepted {action.label} {of}" if accepted else _never(action, answered)
            kept = tuple(e for e in memory.recent[action] if isinstance(e, Answered))
            if where != "times":
                kept = tuple(e for e in kept if part_of(e.slot) == part)
            return said, kept
    return None, ()


def _never(action: Action, answered: int) -> str:
    times = "the one time" if answered == 1 else f"all {answered} times"
    return f"you passed on {action.label} {times} you answered, but it is worth another try"


def _own_records(memory: Memory, slot: int, action: Action) -> tuple[str | None, tuple[Evidence, ...]]:
    part = part_of(slot)
    here, anywhere = int(memory.done[action, part]), int(memory.done[action].sum())
    kept = tuple(e for e in memory.recent[action] if not isinstance(e, Answered))
    if here:
        times = "one" if here == 1 else str(here)
        return f"you spent {times} {part.label}{'' if here == 1 else 's'} on {action.label}", kept
    if anywhere:
        times = "once" if anywhere == 1 else f"{anywhere} times"
        return f"{action.label} is something you did {times} of late", kept
    return None, ()


def _level(state: Particles, now: int, action: Action) -> str | None:
    """Where the meter that the action raises most stands, if it was read or told lately."""
    memory = state.memory
    raised = [m for m in METERS if ACTION_DELTAS[action, m] > 0.0]
    read = [m for m in raised if 0 <= now - memory.read_slot[m] <= READ_LATELY]
    if not read:
        return None
    meter: Meter = max(read, key=lambda m: float(ACTION_DELTAS[action, m]))
    mean = float(state.weights @ state.meters[:, meter])
    how = "low" if mean < LOW_BELOW else "high already" if mean > HIGH_ABOVE else "in the middle"
    return f"by all that is on record your {meter.label} is probably {how} (about {100 * mean:.0f} of 100)"


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
