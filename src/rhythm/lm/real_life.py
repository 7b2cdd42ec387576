"""A real person's moment as a language model reads it: their own answers, records and taps, then the meters as known.

What a suggestion is asked with and what an adapter learns from is the same text, made here: nothing of
the slot itself or later stands in it, so that no answer can be foreseen from itself.
"""

from collections.abc import Callable, Iterable, Sequence

from rhythm.lm.prompt import HISTORY_SLOTS, Message, question
from rhythm.vocab import Evidence, Observation, Reading, SensedValues, week_step


def history_before(evidence: Iterable[Evidence], slot: int) -> tuple[Evidence, ...]:
    """What a model may read of the thirty days before a slot, oldest first; readings are in the meters already."""
    told = (e for e in evidence if not isinstance(e, Reading) and slot - HISTORY_SLOTS <= e.slot < slot)
    return tuple(sorted(told, key=lambda entry: entry.slot))


def moment(slot: int, meters: SensedValues, history: Sequence[Evidence]) -> list[Message]:
    """One question about a slot.

    Args:
        slot: the slot number that something is to be suggested for.
        meters: the five levels as they were known when it was asked, None where one was missing.
        history: see `history_before`.
    """
    return question(Observation(week_step(slot), meters), history, now=slot)


def newest_that_fit(history: Sequence[Evidence], fits: Callable[[Sequence[Evidence]], bool]) -> Sequence[Evidence]:
    """As much of a history as a model can read, the newest; none of it where even one line is too much.

    Args:
        history: oldest first.
        fits: whether a question with that much of it can be read.
    """
    if fits(history):
        return history
    short, long = 0, len(history)
    while long - short > 1:
        middle = (short + long) // 2
        short, long = (middle, long) if fits(history[-middle:]) else (short, middle)
    return history[-short:] if short else ()
