"""Strategies: any record that the vocabulary allows, and values that it does not."""

import math
from datetime import time

from hypothesis import strategies as st

from rhythm.vocab import (
    ACTIONS,
    EVENTS,
    METERS,
    OUTCOMES,
    WEEK_STEPS,
    WINDOW_STEPS,
    Action,
    Answered,
    Belief,
    Decision,
    Done,
    History,
    LifeEvent,
    Meter,
    Observation,
    Observed,
    Outcome,
    PastStep,
    Reading,
    Response,
    SelfReport,
    SlotTimes,
)

actions: st.SearchStrategy[Action] = st.sampled_from(ACTIONS)
meters: st.SearchStrategy[Meter] = st.sampled_from(METERS)
events: st.SearchStrategy[LifeEvent] = st.sampled_from(EVENTS)
outcomes: st.SearchStrategy[Outcome] = st.sampled_from(OUTCOMES)
levels = st.floats(0.0, 1.0)
changes = st.floats(-1.0, 1.0)
off = st.floats(-2.0, 2.0)
rewards = st.floats(allow_nan=False, allow_infinity=False)
chances = st.floats(0.0, 1.0, exclude_min=True)
slots = st.integers(-(2**63), 2**63 - 1)
writable = st.text(st.characters(exclude_categories=["Cs"]))
"""Text that UTF-8 can hold, control characters and all."""

five_levels = st.tuples(levels, levels, levels, levels, levels)
five_changes = st.tuples(changes, changes, changes, changes, changes)
five_off = st.tuples(off, off, off, off, off)
_sensed = st.none() | levels
sensed = st.tuples(_sensed, _sensed, _sensed, _sensed, _sensed)

beliefs = st.builds(Belief, levels, levels, levels)
stated_beliefs = st.builds(Belief.from_digits, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
decisions = st.builds(Decision, actions, st.none() | beliefs, st.none() | writable, st.none() | chances)

responses = st.builds(Response, outcomes) | st.builds(Response, st.just(Outcome.RESCHEDULED), slots)
evidence = (
    st.builds(Observed, slots, five_levels, actions, events, five_changes, st.none() | rewards)
    | st.builds(Reading, slots, meters, levels, st.floats(5e-324, 1e308), writable)
    | st.builds(Done, slots, actions, writable)
    | st.builds(Answered, slots, actions, responses, st.none() | chances, st.none() | sensed, st.none() | actions)
    | st.builds(SelfReport, slots, meters, levels)
)
histories = st.builds(History, st.lists(evidence, max_size=6).map(tuple))


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    step = draw(st.integers(0, WEEK_STEPS))
    first = draw(st.integers(max(0, step - WINDOW_STEPS), step))
    recent = tuple(
        PastStep(past, draw(actions), draw(rewards), draw(five_changes), draw(five_off)) for past in range(first, step)
    )
    last = draw(st.none() | actions) if step else None
    seen = (draw(sensed), draw(five_changes), draw(events), last, draw(rewards))
    return Observation(step, *seen, done=step == WEEK_STEPS, recent=recent)


@st.composite
def slot_times(draw: st.DrawFn) -> SlotTimes:
    return SlotTimes(*sorted(draw(st.sets(st.times(), min_size=4, max_size=4))))


records = decisions | histories | observations() | responses | slot_times()

not_numbers: list[object] = ["0.5", True, None, math.nan, math.inf, -math.inf, [0.5], b"1", 0.5j, 10**400]
"""None of these is a level, a change, a reward or a chance."""

not_actions: list[object] = [3, "SLEEP", None, 3.0, Meter.SERENITY, time(3)]
"""None of these is a member of `Action`."""
