"""What is right of a slot, compiled: how the person would answer each suggestion, and what suggesting it is worth.

Only training and grading look here: it knows the hidden person.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.table_kernel import wellbeing, worth
from rhythm.life.answer_kernel import available_chance, mood_logit, seen_chance, sigmoid
from rhythm.life.answer_styles import AnswerStyle
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.kernel import EXPECTED_EVENT, step_person

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

_SHARPNESS, _SLIP, _ADHERENCE = int(AnswerStyle.SHARPNESS), int(AnswerStyle.SLIP), int(AnswerStyle.ADHERENCE)
_ACTIONS = 10
_STEPS = 28


@inlined
def _lived(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, first: int, schedule: Bytes, slot: int,
    horizon: int,
) -> float:  # fmt: skip
    """Summed wellbeing over ``horizon`` slots from ``slot`` on: ``first``, then the habits, under expected events."""
    total = 0.0
    for ahead in range(horizon):
        action = first if ahead == 0 else schedule[i, np.uint64((slot + ahead) % _STEPS)]
        d = step_person(
            people, i, v, c, p, s, n, np.uint64(action), np.uint64((slot + ahead) & 3), np.uint64(EXPECTED_EVENT)
        )  # fmt: skip
        v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
        total += wellbeing(people, i, v, c, p, s, n)
    return total


@kernel
def fill_truth(
    people: Floats, styles: Floats, meters: Floats, schedule: Bytes, usual: Bytes, slot: int, exposure: Floats,
    burden: Floats, horizon: int, accepts: Floats, seen: Floats, gains: Floats,
) -> None:  # fmt: skip
    """How everyone would answer each suggestion for a slot, and what suggesting it would bring.

    Args:
        people, styles, meters: rows, shapes (people, 15), (people, 17), (people, 5); meters as the slot begins.
        schedule: habits, shape (people, 28).
        usual: what they will do unasked in the slot, shape (people,).
        slot: slot number.
        exposure, burden: before the slot, shape (people,).
        horizon: slots over which wellbeing is summed.
        accepts: filled with the chance that a suggestion that is looked at is accepted, shape (people, 10).
        seen: filled with the chance that a suggestion is looked at, shape (people,).
        gains: filled with what suggesting it adds to summed wellbeing, habits following, shape (people, 10).
    """
    part = np.uint64(slot & 3)
    for row in range(people.shape[0]):
        i = np.uint64(row)
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        mood = mood_logit(styles, i, exposure[i], burden[i])
        seen[i] = available_chance(styles, i, usual[i]) * seen_chance(styles, i, part, burden[i])
        slip = styles[i, _SLIP]
        now = worth(people, i, v, c, p, s, n, np.uint64(usual[i]), part)
        unasked = _lived(people, i, v, c, p, s, n, usual[i], schedule, slot, horizon)
        for a in range(_ACTIONS):
            gain = worth(people, i, v, c, p, s, n, np.uint64(a), part) - now
            meant = (1.0 - slip) * sigmoid(styles[i, _SHARPNESS] * gain + mood)
            accepts[i, a] = meant + 0.5 * slip
            done = seen[i] * meant * styles[i, _ADHERENCE]
            gains[i, a] = done * (_lived(people, i, v, c, p, s, n, a, schedule, slot, horizon) - unasked)


@kernel
def fill_acceptance(
    people: Floats, styles: Floats, meters: Floats, usual: Floats, suggested: int, part: int, exposure: float,
    burden: float, accepted: Floats, seen: Floats,
) -> None:  # fmt: skip
    """Chance of each possible person to look at a suggestion, and to look and accept it.

    Args:
        people, styles, meters: possible people, shapes (n, 15), (n, 17), (n, 5); meters as the slot begins.
        usual: chance of each action that they would do unasked, shape (n, 10).
        suggested: action.
        part: of the day.
        exposure, burden: before the slot.
        accepted, seen: filled, shape (n,).
    """
    at = np.uint64(part)
    for row in range(people.shape[0]):
        i = np.uint64(row)
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        mood = mood_logit(styles, i, exposure, burden)
        look, slip = seen_chance(styles, i, at, burden), styles[i, _SLIP]
        there = worth(people, i, v, c, p, s, n, np.uint64(suggested), at)
        accepted[i], seen[i] = 0.0, 0.0
        for u in range(_ACTIONS):
            if usual[i, u] <= 0.0:
                continue
            here = usual[i, u] * available_chance(styles, i, u) * look
            now = worth(people, i, v, c, p, s, n, np.uint64(u), at)
            yes = (1.0 - slip) * sigmoid(styles[i, _SHARPNESS] * (there - now) + mood) + 0.5 * slip
            accepted[i] += here * yes
            seen[i] += here
