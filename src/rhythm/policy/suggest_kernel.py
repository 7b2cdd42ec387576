"""The search of the assistant, compiled: plans in which only some slots may change, and what accepting is worth.

A plan is a row of actions for a stretch of slots that begins with a morning. Some slots are
open; the others stay as they are. The worth of a plan is the sum of wellbeing over its slots
under expected events, averaged over draws of the person.
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


@inlined
def _roll(people: Floats, i: Index, meters: Floats, plan: Bytes, start: int, end: int) -> float:
    """Summed wellbeing of person ``i`` over ``plan[start:end]``."""
    v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
    total = 0.0
    for t in range(start, end):
        d = step_person(
            people, i, v, c, p, s, n, np.uint64(plan[t]), np.uint64(t & 3), np.uint64(EXPECTED_EVENT)
        )  # fmt: skip
        v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
        total += wellbeing(people, i, v, c, p, s, n)
    return total


@inlined
def _mean_worth(people: Floats, meters: Floats, plan: Bytes, start: int, end: int) -> float:
    total = 0.0
    for j in range(people.shape[0]):
        total += _roll(people, np.uint64(j), meters, plan, start, end)
    mean: float = total / people.shape[0]
    return mean


@kernel
def improve_open(
    people: Floats, meters: Floats, plan: Bytes, is_open: NDArray[np.bool_], start: int, sweeps: int
) -> float:
    """Improve the open slots of ``plan[start:]`` in place, one change at a time, until none helps.

    Args:
        people: draws of the person, shape (n, 15).
        meters: as slot ``start`` begins, shape (n, 5).
        plan: action indices, shape (slots,); slot 0 is a morning.
        is_open: which slots may change, shape (slots,).
        start: first slot that is not over.
        sweeps: at most so many passes.

    Returns:
        Summed wellbeing over ``plan[start:]``, averaged over the draws.
    """
    end = plan.shape[0]
    now = meters.copy()
    best_total = _mean_worth(people, now, plan, start, end)
    for _ in range(sweeps):
        changed = False
        now[:] = meters
        earned = 0.0
        for t in range(start, end):
            if is_open[t]:
                kept = plan[t]
                best = kept
                for action in range(_ACTIONS):
                    if action == kept:
                        continue
                    plan[t] = action
                    total = earned + _mean_worth(people, now, plan, t, end)
                    if total > best_total + 1e-9:
                        best_total = total
                        best = np.int8(action)
                        changed = True
                plan[t] = best
            earned += _advance(people, now, plan[t], t)
        if not changed:
            break
    return best_total


@inlined
def _advance(people: Floats, now: Floats, action: int, t: int) -> float:
    """Live a slot: ``now`` moves on; gives the mean wellbeing after it."""
    total = 0.0
    for j in range(people.shape[0]):
        i = np.uint64(j)
        v, c, p, s, n = now[i, 0], now[i, 1], now[i, 2], now[i, 3], now[i, 4]
        d = step_person(
            people, i, v, c, p, s, n, np.uint64(action), np.uint64(t & 3), np.uint64(EXPECTED_EVENT)
        )  # fmt: skip
        now[i, 0], now[i, 1], now[i, 2], now[i, 3], now[i, 4] = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
        total += wellbeing(people, i, now[i, 0], now[i, 1], now[i, 2], now[i, 3], now[i, 4])
    mean: float = total / people.shape[0]
    return mean


@kernel
def live_plan(people: Floats, meters: Floats, plan: Bytes, start: int, stop: int) -> None:
    """Live ``plan[start:stop]``; ``meters`` are moved on in place."""
    for t in range(start, stop):
        _advance(people, meters, plan[t], t)


@kernel
def weigh_actions(
    people: Floats, styles: Floats, meters: Floats, usual: Floats, plan: Bytes, t: int, exposure: float, burden: float,
    worths: Floats, accepts: Floats, gains: Floats,
) -> None:  # fmt: skip
    """What suggesting each action for a slot is worth, for each draw of the person.

    Args:
        people, styles, meters: draws, shapes (n, 15), (n, 17), (n, 5); meters as the slot begins.
        usual: chance of each action that the person would do unasked, shape (n, 10).
        plan: what follows, shape (slots,).
        t: the slot, a place in the plan.
        exposure, burden: see `rhythm.life.answer_kernel.after_slot`.
        worths: filled with summed wellbeing from ``t`` on where the slot is spent on each action, shape (n, 10).
        accepts: filled with the chance that a suggestion of it is accepted, shape (n, 10).
        gains: filled with what suggesting it adds to summed wellbeing, shape (n, 10):
            sum over usual actions u of chance(u) x chance that it replaces u x (worth(action) - worth(u)).
    """
    end = plan.shape[0]
    part = np.uint64(t & 3)
    now = np.empty(_ACTIONS)
    row = plan.copy()
    for j in range(people.shape[0]):
        i = np.uint64(j)
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        for a in range(_ACTIONS):
            row[t] = a
            worths[i, a] = _roll(people, i, meters, row, t, end)
            now[a] = worth(people, i, v, c, p, s, n, np.uint64(a), part)
        mood = mood_logit(styles, i, exposure, burden)
        look = seen_chance(styles, i, part, burden)
        slip, adherence, sharpness = styles[i, _SLIP], styles[i, _ADHERENCE], styles[i, _SHARPNESS]
        for a in range(_ACTIONS):
            accepts[i, a], gains[i, a] = 0.0, 0.0
            for u in range(_ACTIONS):
                seen = usual[i, u] * available_chance(styles, i, u) * look
                accept = sigmoid(sharpness * (now[a] - now[u]) + mood)
                meant = seen * (1.0 - slip) * accept
                accepts[i, a] += meant + seen * slip * 0.5
                gains[i, a] += meant * adherence * (worths[i, a] - worths[i, u])
