"""The same search for another aim, compiled: a plan that maximises grade v2 itself.

v2 looks at the week as a whole (how much better the late half paid than the early one,
crashes, final meters), so a plan is worth the grade that the week would get with it.
The part for belief accuracy does not depend on the plan and is left out.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.life import grade_v2 as g
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.kernel import EXPECTED_EVENT, reward_person, step_person
from rhythm.vocab import CRASH_BELOW, METER_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

_HALF = WEEK_STEPS // 2
_CELLS = WEEK_STEPS * METER_COUNT
_LOW = CRASH_BELOW
_CRASH_FREE, _PROGRESS, _CONNECTION = (g.V2_WEIGHTS[name] for name in ("crash_free", "progress", "connection"))
_ADAPTATION, _EFFICIENCY = g.V2_WEIGHTS["adaptation"], g.V2_WEIGHTS["efficiency"]
_SPAN, _LATE_FLOOR, _LATE_SPAN = g.ADAPTATION_SPAN, g.LATE_FLOOR, g.LATE_SPAN
_EFFICIENCY_FLOOR, _EFFICIENCY_SPAN = g.EFFICIENCY_FLOOR, g.EFFICIENCY_SPAN

_STATE = METER_COUNT + 3
"""Meters, then crashes so far, rewards of the early half, rewards of the late half."""


@inlined
def _step(people: Floats, i: Index, state: Floats, after: Floats, action: Index, t: int, event: Index) -> None:
    v, c, p, s, n = state[0], state[1], state[2], state[3], state[4]
    d = step_person(people, i, v, c, p, s, n, np.uint64(action), np.uint64(t & 3), np.uint64(event))
    v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
    crashed = (v < _LOW) + (c < _LOW) + (p < _LOW) + (s < _LOW) + (n < _LOW)
    reward = reward_person(people, i, d, crashed)
    after[0], after[1], after[2], after[3], after[4] = v, c, p, s, n
    after[5] = state[5] + crashed
    after[6] = state[6] + (reward if t < _HALF else 0.0)
    after[7] = state[7] + (0.0 if t < _HALF else reward)


@inlined
def _grade(state: Floats) -> float:
    early, late = state[6] / _HALF, state[7] / _HALF
    gate = min(max((late - _LATE_FLOOR) / _LATE_SPAN, 0.0), 1.0)
    adaptation = min(max(0.5 + (late - early) / _SPAN, 0.0), 1.0) * gate
    efficiency = min(max(((early + late) / 2 - _EFFICIENCY_FLOOR) / _EFFICIENCY_SPAN, 0.0), 1.0)
    grade: float = (
        _CRASH_FREE * (1.0 - state[5] / _CELLS)
        + _PROGRESS * state[2]
        + _CONNECTION * state[4]
        + _ADAPTATION * adaptation
        + _EFFICIENCY * efficiency
    )
    return grade


@kernel
def _roll(people: Floats, i: Index, states: Floats, work: Floats, plan: Bytes, start: int, event: Index) -> float:
    for x in range(_STATE):
        work[x] = states[start, x]
    happening = event
    for t in range(start, plan.shape[0]):
        _step(people, i, work, work, plan[t], t, happening)
        happening = EXPECTED_EVENT
    return _grade(work)


@kernel
def improve_v2(
    people: Floats, i: int, states: Floats, work: Floats, plan: Bytes, start: int, event: int, sweeps: int
) -> float:
    """Improve ``plan[start:]`` of person ``i`` in place, from ``states[start]``; gives the grade less its belief part.

    ``states`` has shape (29, 8) and ``work`` (8,): space to work in.
    """
    best_total = _roll(people, np.uint64(i), states, work, plan, start, event)
    for _ in range(sweeps):
        changed = False
        for t in range(start, plan.shape[0]):
            happening = event if t == start else EXPECTED_EVENT
            kept = plan[t]
            best = kept
            for action in range(10):
                if action == kept:
                    continue
                plan[t] = action
                total = _roll(people, np.uint64(i), states, work, plan, t, happening)
                if total > best_total + 1e-9:
                    best_total = total
                    best = np.int8(action)
                    changed = True
            plan[t] = best
            if t + 1 < plan.shape[0] and plan[t + 1] != best:
                following = plan[t + 1]
                plan[t], plan[t + 1] = following, best
                total = _roll(people, np.uint64(i), states, work, plan, t, happening)
                if total > best_total + 1e-9:
                    best_total = total
                    changed = True
                else:
                    plan[t], plan[t + 1] = best, following
            _step(people, np.uint64(i), states[t], states[t + 1], plan[t], t, happening)
        if not changed:
            break
    return best_total


@kernel
def improve_each_v2(
    people: Floats, states_now: Floats, plans: Bytes, start: int, events: Bytes, sweeps: int, worths: Floats
) -> None:
    """`improve_v2` for each person.

    Args:
        people: profile rows, shape (people, 15).
        states_now: meters, crashes so far, summed rewards of the early and the late half so
            far, shape (people, 8).
        plans: actions of the whole week, shape (people, 28).
        start: step of the week that is to be decided.
        events: event index of that step, shape (people,).
        sweeps: at most so many passes.
        worths: filled with the grade (less its belief part) that each plan would get.
    """
    states = np.empty((plans.shape[1] + 1, _STATE))
    work = np.empty(_STATE)
    for i in range(people.shape[0]):
        for x in range(_STATE):
            states[start, x] = states_now[i, x]
        worths[i] = improve_v2(people, i, states, work, plans[i], start, events[i], sweeps)


@kernel
def first_values_v2(
    people: Floats, states_now: Floats, plans: Bytes, start: int, events: Bytes, sweeps: int, values: Floats
) -> None:
    """Grade (less its belief part) of each person's week for every first action; fills ``values``, (people, 10)."""
    states = np.empty((plans.shape[1] + 1, _STATE))
    work = np.empty(_STATE)
    for i in range(people.shape[0]):
        for action in range(10):
            plan = plans[i].copy()
            plan[start] = action
            for x in range(_STATE):
                states[start, x] = states_now[i, x]
            _step(people, np.uint64(i), states[start], states[start + 1], action, start, events[i])
            if start + 1 < plan.shape[0]:
                values[i, action] = improve_v2(people, i, states, work, plan, start + 1, EXPECTED_EVENT, sweeps)
            else:
                values[i, action] = _grade(states[start + 1])
