"""One step of a life, compiled: the only implementation, for one person and for many.

`step_person` is the model; everything else here loops over people. Formulas are those of
docs/life-model.md, constants those of `rhythm.life.constants`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rhythm.life import constants as k
from rhythm.life import counter
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.traits import NEUTRAL_TRAITS, PROFILE_WIDTH, Trait
from rhythm.vocab import CRASH_BELOW, METER_COUNT

Five = tuple[float, float, float, float, float]
Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

EXPECTED_EVENT = len(k.EVENT_DELTAS)
"""Index of what events do on average, for looking ahead."""

_BASE = k.ACTION_DELTAS[:, None, :] * k.slot_factors()
_SHARES = k.trait_shares()
_EVENTS = np.vstack([k.EVENT_DELTAS, k.EVENT_PROBABILITIES @ k.EVENT_DELTAS])
_LARK = k.LARK_BY_SLOT * k.CHRONOTYPE_WEIGHT
_PASSIVE = k.passive_losses()
_PER_FULL = 1.0 / k.FULL_GAIN_BELOW
_STRESS = k.STRESS_COST
_EVENT_UP_TO = np.cumsum(k.EVENT_PROBABILITIES)
_EVENT_LAST = len(k.EVENT_PROBABILITIES) - 1
_GOLDEN = counter.GOLDEN
_TO_UNIT = counter.TO_UNIT
_SCALE, _P_BONUS, _N_BONUS, _CRASH = k.REWARD_SCALE, k.PROGRESS_BONUS, k.CONNECTION_BONUS, k.CRASH_PENALTY
_FLOOR = k.WELLBEING_FLOOR
_LOW = CRASH_BELOW

_DRAIN, _WARMTH, _SOLO = int(Trait.SOCIAL_DRAIN), int(Trait.SOCIAL_WARMTH), int(Trait.SOLO_RECHARGE)
_CHRONO, _RECOVERY, _CALM = int(Trait.CHRONOTYPE), int(Trait.WORK_RECOVERY), int(Trait.WORK_CALM)
_GUILT, _TOLERANCE = int(Trait.LEISURE_GUILT), int(Trait.STRESS_TOLERANCE)
_V_DECAY, _IMPACT = int(Trait.VITALITY_DECAY), int(Trait.EVENT_IMPACT)

NEUTRAL_ROW: Floats = np.zeros((1, PROFILE_WIDTH))
NEUTRAL_ROW[0, :METER_COUNT] = 1.0 / METER_COUNT
for _trait, _value in NEUTRAL_TRAITS.items():
    NEUTRAL_ROW[0, _trait] = _value


@inlined
def _settle(level: float, action_delta: float, passive: float) -> float:
    """The change of one meter: gains shrink near the top, the level stays in [0, 1]."""
    gain = max(action_delta, 0.0) * min((1.0 - level) * _PER_FULL, 1.0)
    after = level + (gain + min(action_delta, 0.0) + passive)
    return min(max(after, 0.0), 1.0) - level


@inlined
def step_person(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, action: Index, slot: Index, event: Index
) -> Five:
    """Change of the five meters of person ``i`` in one slot.

    Args:
        people: profile rows, shape (people, 15).
        i: row of the person.
        v, c, p, s, n: meters before the step, each in [0, 1].
        action: action index, 0..9.
        slot: part of the day, 0..3.
        event: event index, 0..6, or EXPECTED_EVENT.

    Returns:
        The five changes, after limits.
    """
    work, company = _SHARES[action, 0], _SHARES[action, 1]
    crowd, solo, guilt = _SHARES[action, 2], _SHARES[action, 3], _SHARES[action, 4]
    lark = people[i, _CHRONO] * _LARK[slot]
    dv = (
        _BASE[action, slot, 0] * (1.0 + company * (people[i, _DRAIN] - 1.0))
        + work * people[i, _RECOVERY]
        + solo * people[i, _SOLO]
    )
    dc = _BASE[action, slot, 1] + solo * people[i, _SOLO]
    dp = _BASE[action, slot, 2] * (0.5 + 0.5 * v) * (1.0 + lark)
    ds = _BASE[action, slot, 3] + work * people[i, _CALM] + company * people[i, _WARMTH] - guilt * people[i, _GUILT]
    dn = _BASE[action, slot, 4] + crowd * people[i, _WARMTH]
    impact = people[i, _IMPACT]
    stress = _STRESS if s < people[i, _TOLERANCE] else 0.0
    return (
        _settle(v, dv, impact * _EVENTS[event, 0] - people[i, _V_DECAY] - stress),
        _settle(c, dc, impact * _EVENTS[event, 1] - _PASSIVE[action, 1] - stress),
        _settle(p, dp, impact * _EVENTS[event, 2] - _PASSIVE[action, 2]),
        _settle(s, ds, impact * _EVENTS[event, 3] - _PASSIVE[action, 3]),
        _settle(n, dn, impact * _EVENTS[event, 4] - _PASSIVE[action, 4]),
    )


@inlined
def reward_person(people: Floats, i: Index, deltas: Five, crashes: int) -> float:
    """What a step pays person ``i``: weighted changes, the bonuses of everyone, crash penalties."""
    weighted: float = (
        people[i, 0] * deltas[0]
        + people[i, 1] * deltas[1]
        + people[i, 2] * deltas[2]
        + people[i, 3] * deltas[3]
        + people[i, 4] * deltas[4]
    )
    return _SCALE * weighted + _P_BONUS * deltas[2] + _N_BONUS * deltas[4] - _CRASH * crashes


@inlined
def wellbeing_person(people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float) -> float:
    """The person's own weighted geometric mean of the meters, each at least the floor; in [0.02, 1]."""
    return math.exp(
        people[i, 0] * math.log(max(v, _FLOOR))
        + people[i, 1] * math.log(max(c, _FLOOR))
        + people[i, 2] * math.log(max(p, _FLOOR))
        + people[i, 3] * math.log(max(s, _FLOOR))
        + people[i, 4] * math.log(max(n, _FLOOR))
    )


@inlined
def _advance(
    people: Floats, before: Floats, actions: Bytes, slot: int, events: Bytes, meters: Floats, deltas: Floats,
    rewards: Floats, crashes: Bytes, i: Index,
) -> None:  # fmt: skip
    v, c, p, s, n = before[i, 0], before[i, 1], before[i, 2], before[i, 3], before[i, 4]
    d = step_person(people, i, v, c, p, s, n, np.uint64(actions[i]), np.uint64(slot), np.uint64(events[i]))
    v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
    crashed = (v < _LOW) + (c < _LOW) + (p < _LOW) + (s < _LOW) + (n < _LOW)
    meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4] = v, c, p, s, n
    deltas[i, 0], deltas[i, 1], deltas[i, 2], deltas[i, 3], deltas[i, 4] = d
    crashes[i] = crashed
    rewards[i] = reward_person(people, i, d, crashed)


@kernel
def advance(
    start: int, stop: int, people: Floats, before: Floats, actions: Bytes, slot: int, events: Bytes, meters: Floats,
    deltas: Floats, rewards: Floats, crashes: Bytes,
) -> None:  # fmt: skip
    """One step of the people in rows ``start`` to ``stop``; fills the last four arrays from ``before``.

    Args:
        start, stop: rows to compute, so that cores can share a batch.
        people: profile rows, shape (people, 15).
        before: levels before the step, shape (people, 5); may be the same array as ``meters``.
        actions: action indices, shape (people,).
        slot: part of the day, 0..3.
        events: event indices, shape (people,).
        meters: filled with the levels after the step, shape (people, 5).
        deltas: filled with the changes, shape (people, 5).
        rewards: filled with what the step paid, shape (people,).
        crashes: filled with the meters that ended below 0.10, shape (people,).
    """
    for i in range(start, stop):
        _advance(people, before, actions, slot, events, meters, deltas, rewards, crashes, np.uint64(i))


@kernel
def advance_watched(
    start: int, stop: int, people: Floats, before: Floats, actions: Bytes, slot: int, events: Bytes, meters: Floats,
    deltas: Floats, rewards: Floats, crashes: Bytes, anomalies: Floats,
) -> None:  # fmt: skip
    """`advance` that also fills ``anomalies``: deltas minus the neutral person's, shape (people, 5).

    ``before`` and ``meters`` must be two arrays here.
    """
    for i in range(start, stop):
        j = np.uint64(i)
        _advance(people, before, actions, slot, events, meters, deltas, rewards, crashes, j)
        d = step_person(
            NEUTRAL_ROW, np.uint64(0), before[j, 0], before[j, 1], before[j, 2], before[j, 3], before[j, 4],
            np.uint64(actions[j]), np.uint64(slot), np.uint64(events[j]),
        )  # fmt: skip
        for m in range(5):
            anomalies[j, m] = deltas[j, m] - d[m]


@kernel
def neutral_deltas(meters: Floats, actions: Bytes, slot: int, events: Bytes, deltas: Floats) -> None:
    """What the neutral person's meters would have done from these states; fills ``deltas``, shape (people, 5)."""
    for i in range(meters.shape[0]):
        d = step_person(
            NEUTRAL_ROW, 0, meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4], actions[i], slot,
            events[i],
        )  # fmt: skip
        for m in range(5):
            deltas[i, m] = d[m]


@kernel
def wellbeing(people: Floats, meters: Floats, out: Floats) -> None:
    """Wellbeing of everyone; fills ``out``, shape (people,)."""
    for i in range(meters.shape[0]):
        out[i] = wellbeing_person(people, i, meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4])


_mix = inlined(counter.mix)


@kernel
def draw_events(keys: NDArray[np.uint64], first_slot: int, events: Bytes) -> None:
    """The event of each slot by counter; fills ``events``, shape (people, slots)."""
    for i in range(events.shape[0]):
        base = _mix(keys[i])
        for j in range(events.shape[1]):
            word = _mix(base + np.uint64(first_slot + j) * _GOLDEN)
            u = np.float64(word >> np.uint64(11)) * _TO_UNIT
            event = 0
            while event < _EVENT_LAST and u >= _EVENT_UP_TO[event]:
                event += 1
            events[i, j] = event
