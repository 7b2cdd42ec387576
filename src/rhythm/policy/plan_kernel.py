"""The search of the planner, compiled: improve a whole plan for the rest of the week, one change at a time.

A plan is a row of actions to the end of the week. Its worth is the sum over the remaining
steps of wellbeing under expected events, averaged over the people that the plan is for
(one, or draws from a posterior). The search takes any plan and applies the best single
change of each slot in turn until none helps (coordinate ascent), first change and later
swaps alike.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.table_kernel import wellbeing
from rhythm.life.compiled import kernel
from rhythm.life.kernel import EXPECTED_EVENT, step_person

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

IMPROVED = 4
"""First actions for which the rest of the plan is improved before they are compared."""


@kernel
def roll(people: Floats, first: int, count: int, states: Floats, plan: Bytes, start: int, event: int) -> float:
    """Worth of ``plan[start:]`` from ``states[start]``, averaged over the people; states are not changed."""
    total = 0.0
    for j in range(count):
        i = np.uint64(first + j)
        v, c, p, s, n = (
            states[start, j, 0],
            states[start, j, 1],
            states[start, j, 2],
            states[start, j, 3],
            states[start, j, 4],
        )
        happening = np.uint64(event)
        for t in range(start, plan.shape[0]):
            d = step_person(people, i, v, c, p, s, n, np.uint64(plan[t]), np.uint64(t & 3), happening)
            v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
            total += wellbeing(people, i, v, c, p, s, n)
            happening = np.uint64(EXPECTED_EVENT)
    return total / count


@kernel
def advance_states(people: Floats, first: int, count: int, states: Floats, action: int, t: int, event: int) -> float:
    """Fill ``states[t + 1]`` and give the wellbeing there, averaged over the people."""
    total = 0.0
    for j in range(count):
        i = np.uint64(first + j)
        v, c, p, s, n = states[t, j, 0], states[t, j, 1], states[t, j, 2], states[t, j, 3], states[t, j, 4]
        d = step_person(people, i, v, c, p, s, n, np.uint64(action), np.uint64(t & 3), np.uint64(event))
        v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
        states[t + 1, j, 0], states[t + 1, j, 1], states[t + 1, j, 2] = v, c, p
        states[t + 1, j, 3], states[t + 1, j, 4] = s, n
        total += wellbeing(people, i, v, c, p, s, n)
    return total / count


@kernel
def improve(
    people: Floats, first: int, count: int, states: Floats, plan: Bytes, start: int, event: int, sweeps: int
) -> float:
    """Improve ``plan[start:]`` in place.

    Args:
        people: profile rows; the plan is for rows ``first`` to ``first + count - 1``.
        states: work space, shape (29, count, 5), with ``states[start]`` filled.
        plan: actions of the whole week, shape (28,).
        start: step of the week that is to be decided.
        event: event index of that step.
        sweeps: at most so many passes over the rest of the week.

    Returns:
        The worth of the plan: summed wellbeing of the remaining steps.
    """
    best_total = roll(people, first, count, states, plan, start, event)
    for _ in range(sweeps):
        changed = False
        earned = 0.0
        for t in range(start, plan.shape[0]):
            happening = event if t == start else EXPECTED_EVENT
            kept = plan[t]
            best = kept
            for action in range(10):
                if action == kept:
                    continue
                plan[t] = action
                total = earned + roll(people, first, count, states, plan, t, happening)
                if total > best_total + 1e-9:
                    best_total = total
                    best = np.int8(action)
                    changed = True
            plan[t] = best
            if t + 1 < plan.shape[0]:
                following = plan[t + 1]
                if following != best:
                    plan[t], plan[t + 1] = following, best
                    total = earned + roll(people, first, count, states, plan, t, happening)
                    if total > best_total + 1e-9:
                        best_total = total
                        changed = True
                    else:
                        plan[t], plan[t + 1] = best, following
            earned += advance_states(people, first, count, states, plan[t], t, happening)
        if not changed:
            break
    return best_total


@kernel
def improve_each(
    people: Floats, meters: Floats, plans: Bytes, start: int, events: Bytes, sweeps: int, worths: Floats
) -> None:
    """`improve` for each person alone: rows of people, meters, plans, events and worths belong together."""
    states = np.empty((plans.shape[1] + 1, 1, 5))
    for i in range(meters.shape[0]):
        for m in range(5):
            states[start, 0, m] = meters[i, m]
        worths[i] = improve(people, i, 1, states, plans[i], start, events[i], sweeps)


@kernel
def first_values(
    people: Floats, meters: Floats, plans: Bytes, start: int, events: Bytes, sweeps: int, values: Floats
) -> None:
    """Worth of the rest of each person's week for every first action, the rest improved after it.

    Args:
        people: profile rows, shape (people, 15).
        meters: shape (people, 5).
        plans: good plans of the whole week, shape (people, 28); not changed.
        start: step that is to be decided.
        events: event index of that step, shape (people,).
        sweeps: passes over the steps after the first, for the `IMPROVED` first actions that
            look best with the rest of the plan as it is; the others keep that worth.
        values: filled with summed wellbeing of the remaining steps, shape (people, 10).
    """
    states = np.empty((plans.shape[1] + 1, 1, 5))
    for i in range(meters.shape[0]):
        for m in range(5):
            states[start, 0, m] = meters[i, m]
        plan = plans[i].copy()
        for action in range(10):
            plan[start] = action
            values[i, action] = roll(people, i, 1, states, plan, start, events[i])
        if start + 1 == plan.shape[0]:
            continue
        for action in np.argsort(values[i])[-IMPROVED:]:
            plan[:] = plans[i]
            plan[start] = action
            first = advance_states(people, i, 1, states, action, start, events[i])
            values[i, action] = first + improve(people, i, 1, states, plan, start + 1, EXPECTED_EVENT, sweeps)
