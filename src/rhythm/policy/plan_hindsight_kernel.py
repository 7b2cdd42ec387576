"""What a first action is worth if the person is known from the next step on, compiled.

For each draw of the posterior the rest of the week is planned for that draw alone, after
each first action; the mean over the draws is the hindsight value of the action (the
QMDP rule of Littman, Cassandra and Kaelbling 1995). It is right where a step or two tell
most of what there is to know, as they do here, and it does not settle on a week that is
middling for everyone. Each draw's plan is kept from step to step, so that it only has to be
mended; draws of two steps that share a number share most of who they are.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.life.compiled import kernel
from rhythm.life.kernel import EXPECTED_EVENT
from rhythm.policy.plan_kernel import advance_states, improve, roll

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]


@kernel
def _improve_next(people: Floats, q: int, states: Floats, plan: Bytes, start: int, steps: int) -> float:
    """Improve the next steps of a plan by the best change of each in turn; gives the plan's worth from ``start``."""
    best_total = roll(people, q, 1, states, plan, start, EXPECTED_EVENT)
    earned = 0.0
    for t in range(start, min(start + steps, plan.shape[0])):
        kept = plan[t]
        best = kept
        for action in range(10):
            if action == kept:
                continue
            plan[t] = action
            total = earned + roll(people, q, 1, states, plan, t, EXPECTED_EVENT)
            if total > best_total + 1e-9:
                best_total = total
                best = np.int8(action)
        plan[t] = best
        earned += advance_states(people, q, 1, states, best, t, EXPECTED_EVENT)
    return best_total


@kernel
def hindsight_values(
    draws: Floats,
    meters: Floats,
    fitted: Bytes,
    start: int,
    events: Bytes,
    sweeps: int,
    steps: int,
    kept: int,
    values: Floats,
) -> None:
    """Mean over draws of the worth of the rest of the week for every first action, planned for each draw.

    Args:
        draws: profile rows, shape (people, draws, 15).
        meters: shape (people, 5).
        fitted: a plan of the whole week for each draw, shape (people, draws, 28); mended in place from ``start`` on.
        start: step that is to be decided.
        events: event index of that step, shape (people,).
        sweeps: at most so many passes that fit a plan to its draw.
        steps: how many steps after each first action are then improved once more.
        kept: first actions for which that is done: those that look best with the plans as they are.
        values: filled with summed wellbeing of the remaining steps, shape (people, 10).
    """
    last = fitted.shape[2]
    states = np.empty((last + 1, 1, 5))
    plan = np.empty(last, np.int8)
    count = draws.shape[1]
    for i in range(draws.shape[0]):
        people = draws[i]
        values[i, :] = 0.0
        for m in range(5):
            states[start, 0, m] = meters[i, m]
        for q in range(count):
            improve(people, q, 1, states, fitted[i, q], start, events[i], sweeps)
            plan[:] = fitted[i, q]
            for action in range(10):
                plan[start] = action
                values[i, action] += roll(people, q, 1, states, plan, start, events[i]) / count
        if start + 1 == last:
            continue
        best = np.argsort(values[i])[10 - kept :]
        for action in best:
            values[i, action] = 0.0
        for q in range(count):
            for action in best:
                plan[:] = fitted[i, q]
                plan[start] = action
                worth = advance_states(people, q, 1, states, action, start, events[i])
                worth += _improve_next(people, q, states, plan, start + 1, steps)
                values[i, action] += worth / count
