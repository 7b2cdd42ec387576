"""Which evidence moved the beliefs, and how far, in a sentence each."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.estimates import Influence
from rhythm.belief.particles import Particles
from rhythm.vocab import BELIEF_NAMES, Answered, Done, Evidence, Observed, Outcome, Reading, SelfReport, describe_slot

INFLUENCES_KEPT: Final = 24
LEAST_SHIFT: Final = 0.002
"""Shifts smaller than this are not remembered."""

_POLES: Final = {
    "social": ("drained by people", "fed by people"),
    "morning": ("an evening person", "a morning person"),
    "work": ("worn by work", "fed by work"),
}
_DID: Final = {
    Outcome.ACCEPTED: "accepted",
    Outcome.RESCHEDULED: "moved",
    Outcome.IGNORED: "declined",
    Outcome.EXPIRED: "did not answer",
    Outcome.UNAVAILABLE: "were not free for",
}


def noted(before: Particles, after: Particles, entry: Evidence) -> Particles:
    """``after``, whose memory also holds what the entry moved, if it is among the largest shifts."""
    values = _beliefs_of(before)
    shifts = after.weights @ values - before.weights @ values
    place = int(np.abs(shifts).argmax())
    shift = float(shifts[place])
    if abs(shift) < LEAST_SHIFT:
        return after
    name = BELIEF_NAMES[place]
    influence = Influence(entry, name, shift, _sentence(entry, name, shift))
    ranked = sorted((*after.memory.influences, influence), key=lambda one: -abs(one.shift))
    return replace(after, memory=replace(after.memory, influences=tuple(ranked[:INFLUENCES_KEPT])))


def _beliefs_of(particles: Particles) -> NDArray[np.float64]:
    """`Particles.beliefs`, worked out once for people that many pieces of evidence meet; arrays are never changed."""
    people, values = _LATEST[0]
    if people is not particles.people:
        values = particles.beliefs
        _LATEST[0] = particles.people, values
    return values


_NOBODY = np.empty((0, 0))
_LATEST: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = [(_NOBODY, _NOBODY)]
"""People and their beliefs; replaced as a pair."""


def what_happened(entry: Evidence) -> str:
    """The entry in a few words, to the person: ``you accepted exercise on Tuesday evening``."""
    when = f"on {describe_slot(entry.slot)}"
    if isinstance(entry, Answered):
        return f"you {_DID[entry.response.outcome]} {entry.action.noun} {when}"
    if isinstance(entry, Done | Observed):
        return f"you spent {describe_slot(entry.slot)} on {entry.action.noun}"
    if isinstance(entry, SelfReport):
        return f"you said how your {entry.meter.label} stood {when}"
    assert isinstance(entry, Reading)
    return f"a reading of your {entry.meter.label} came {when}"


def _sentence(entry: Evidence, name: str, shift: float) -> str:
    said = what_happened(entry)
    pole = _POLES[name][1 if shift > 0 else 0]
    return f"{said[0].upper()}{said[1:]}: a sign that you are rather {pole}."
