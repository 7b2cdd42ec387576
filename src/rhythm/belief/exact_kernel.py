"""What one exactly seen step says of a person, compiled: linear equations in traits and weights.

Given state, action, slot and event, each change of a meter is affine in the traits (in
units of their ranges) unless the meter hit a limit, and the reward is affine in the
weights. Equations are added up as information (sum of h h^T / r and of h y / r), so their
order does not matter.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm.life import constants as k
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.kernel import step_person
from rhythm.life.traits import TRAIT_RANGES, TRAITS, Trait
from rhythm.vocab import CRASH_BELOW, METER_COUNT

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

TRAIT_COUNT = len(TRAITS)
LOW: Floats = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
SPAN: Floats = np.array([TRAIT_RANGES[t][1] - TRAIT_RANGES[t][0] for t in TRAITS])

_BASE = k.ACTION_DELTAS[:, None, :] * k.slot_factors()
_SHARES = k.trait_shares()
_PASSIVE = k.passive_losses()
_EVENTS = k.EVENT_DELTAS
_LARK = k.LARK_BY_SLOT * k.CHRONOTYPE_WEIGHT
_PER_FULL = 1.0 / k.FULL_GAIN_BELOW
_STRESS = k.STRESS_COST
_SCALE, _P_BONUS, _N_BONUS, _CRASH = k.REWARD_SCALE, k.PROGRESS_BONUS, k.CONNECTION_BONUS, k.CRASH_PENALTY
_CRASHED = CRASH_BELOW
_DRAIN, _WARMTH, _SOLO, _CHRONO, _RECOVERY, _CALM, _GUILT, _TOLERANCE, _DECAY, _IMPACT = (
    int(t) - METER_COUNT for t in Trait
)
_PER_VARIANCE = 1e8
"""One over the variance of what rounding leaves in an exactly seen delta."""
_NEAR = 1e-9


@inlined
def _row(h: Floats, m: Index, a: Index, slot: Index, vitality: float) -> Any:
    """What action ``a`` does to meter ``m`` as a row over the traits (fills ``h``) and a constant, before limits."""
    work, company, crowd, solo, guilt = (
        _SHARES[a, 0],
        _SHARES[a, 1],
        _SHARES[a, 2],
        _SHARES[a, 3],
        _SHARES[a, 4],
    )
    h[:] = 0.0
    h0: Any = _BASE[a, slot, m]
    if m == 0:
        h0 += company * _BASE[a, slot, 0] * (LOW[_DRAIN] - 1.0)
        h0 += work * LOW[_RECOVERY] + solo * LOW[_SOLO]
        h[_DRAIN] = company * _BASE[a, slot, 0] * SPAN[_DRAIN]
        h[_RECOVERY] = work * SPAN[_RECOVERY]
        h[_SOLO] = solo * SPAN[_SOLO]
    elif m == 1:
        h0 += solo * LOW[_SOLO]
        h[_SOLO] = solo * SPAN[_SOLO]
    elif m == 2:
        full = _BASE[a, slot, 2] * (0.5 + 0.5 * vitality)
        h0 = full * (1.0 + LOW[_CHRONO] * _LARK[slot])
        h[_CHRONO] = full * SPAN[_CHRONO] * _LARK[slot]
    elif m == 3:
        h0 += work * LOW[_CALM] + company * LOW[_WARMTH] - guilt * LOW[_GUILT]
        h[_CALM] = work * SPAN[_CALM]
        h[_WARMTH] = company * SPAN[_WARMTH]
        h[_GUILT] = -guilt * SPAN[_GUILT]
    else:
        h0 += crowd * LOW[_WARMTH]
        h[_WARMTH] = crowd * SPAN[_WARMTH]
    return h0


@kernel
def absorb(
    before: Floats, deltas: Floats, actions: Bytes, slot: int, events: Bytes, rewards: Floats, traits_at: Floats,
    information: Floats, evidence: Floats, tolerance: Floats, weight_information: Floats, weight_evidence: Floats,
) -> None:  # fmt: skip
    """Add what a step says, for everyone.

    Args:
        before: meters before the step, shape (people, 5).
        deltas: change of each meter, shape (people, 5).
        actions: shape (people,).
        slot: part of the day 0..3.
        events: shape (people,).
        rewards: shape (people,); NaN where no reward was seen.
        traits_at: current means of the traits in units of their ranges, shape (people, 10);
            they decide only between branches (was there stress, did the gain shrink).
        information, evidence: of the traits, shapes (people, 10, 10) and (people, 10).
        tolerance: lowest and highest stress tolerance still possible, shape (people, 2).
        weight_information, weight_evidence: of the weights within the simplex, shapes
            (people, 5, 5) and (people, 5).
    """
    h = np.zeros(TRAIT_COUNT)
    for i in range(before.shape[0]):
        a, e = actions[i], events[i]
        solo = _SHARES[a, 3]
        impact_at = LOW[_IMPACT] + traits_at[i, _IMPACT] * SPAN[_IMPACT]
        s = before[i, 3]
        # Was there stress? Cognition tells, since nothing else of the person is in it but the
        # event's impact and, for time alone, the recharge.
        stress = 0.0
        if s < tolerance[i, 0]:
            stress = _STRESS
        elif s < tolerance[i, 1]:
            room = min((1.0 - before[i, 1]) * _PER_FULL, 1.0)
            gain = _BASE[a, slot, 1] + solo * (LOW[_SOLO] + traits_at[i, _SOLO] * SPAN[_SOLO])
            calm = max(gain, 0.0) * room + min(gain, 0.0) + impact_at * _EVENTS[e, 1] - _PASSIVE[a, 1]
            floor = -before[i, 1]
            if abs(deltas[i, 1] - max(calm - _STRESS, floor)) < abs(deltas[i, 1] - max(calm, floor)):
                stress = _STRESS
                tolerance[i, 0] = max(tolerance[i, 0], s)
            else:
                tolerance[i, 1] = min(tolerance[i, 1], s)
        for m in range(METER_COUNT):
            after = before[i, m] + deltas[i, m]
            if after <= _NEAR or after >= 1.0 - _NEAR:
                continue
            h0 = _row(h, m, a, slot, before[i, 0])
            passive = _PASSIVE[a, m]
            if m == 0:
                passive += stress + LOW[_DECAY] + traits_at[i, _DECAY] * SPAN[_DECAY]
            elif m == 1:
                passive += stress
            room = min((1.0 - before[i, m]) * _PER_FULL, 1.0)
            if deltas[i, m] + passive - impact_at * _EVENTS[e, m] <= 0.0:
                room = 1.0
            y = deltas[i, m] - room * h0 - LOW[_IMPACT] * _EVENTS[e, m] + _PASSIVE[a, m]
            if m <= 1:
                y += stress
            for j in range(TRAIT_COUNT):
                h[j] *= room
            if m == 0:
                y += LOW[_DECAY]
                h[_DECAY] = -SPAN[_DECAY]
            h[_IMPACT] = SPAN[_IMPACT] * _EVENTS[e, m]
            for j in range(TRAIT_COUNT):
                if h[j] != 0.0:
                    evidence[i, j] += _PER_VARIANCE * h[j] * y
                    for l in range(TRAIT_COUNT):  # noqa: E741
                        information[i, j, l] += _PER_VARIANCE * h[j] * h[l]
        if np.isnan(rewards[i]):
            continue
        crashes = 0
        mean = 0.0
        for m in range(METER_COUNT):
            mean += deltas[i, m] / METER_COUNT
            if before[i, m] + deltas[i, m] < _CRASHED:
                crashes += 1
        paid = rewards[i] - _P_BONUS * deltas[i, 2] - _N_BONUS * deltas[i, 4] + _CRASH * crashes
        y = paid / _SCALE - mean
        for m in range(METER_COUNT):
            weight_evidence[i, m] += (deltas[i, m] - mean) * y
            for l in range(METER_COUNT):  # noqa: E741
                weight_information[i, m, l] += (deltas[i, m] - mean) * (deltas[i, l] - mean)


@kernel
def expected_information(
    people: Floats, meters: Floats, slot: int, events: Bytes, covariance: Floats, weight_covariance: Floats,
    resolution: float, out: Floats,
) -> None:  # fmt: skip
    """How much each action would tell of each person; fills ``out``, shape (people, 10), in nats.

    The sum over the meters' equations and the reward's of half the log of one plus the
    variance that the equation would explain over the square of a resolution: differences
    finer than that are not worth knowing.

    Args:
        people: rows of who they seem to be now, shape (people, 15).
        meters: shape (people, 5).
        slot: part of the day.
        events: shape (people,).
        covariance: of the traits in units of their ranges, shape (people, 10, 10).
        weight_covariance: shape (people, 5, 5).
        resolution: in units of a meter.
        out: see above.
    """
    h = np.zeros(TRAIT_COUNT)
    per = 1.0 / (resolution * resolution)
    for i in range(meters.shape[0]):
        e = events[i]
        for a in range(_BASE.shape[0]):
            d = step_person(
                people, i, meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4],
                np.uint64(a), np.uint64(slot), np.uint64(e),
            )  # fmt: skip
            total = 0.0
            for m in range(METER_COUNT):
                _row(h, m, a, slot, meters[i, 0])
                if m == 0:
                    h[_DECAY] = -SPAN[_DECAY]
                h[_IMPACT] = SPAN[_IMPACT] * _EVENTS[e, m]
                explained = 0.0
                for j in range(TRAIT_COUNT):
                    if h[j] != 0.0:
                        for l in range(TRAIT_COUNT):  # noqa: E741
                            explained += h[j] * h[l] * covariance[i, j, l]
                total += 0.5 * np.log(1.0 + max(explained, 0.0) * per)
            explained = 0.0
            for j in range(METER_COUNT):
                for l in range(METER_COUNT):  # noqa: E741
                    explained += d[j] * d[l] * weight_covariance[i, j, l]
            out[i, a] = total + 0.5 * np.log(1.0 + max(explained, 0.0) * per)
