"""How a person answers, compiled: the worth of an action to them, the five chances, the draw.

`outcome_chances` is the exact likelihood of an answer, and `draw_answers` draws from the same
pieces, so a learner that uses the first has the simulated person's own model. Formulas are
explained in docs/device-channel.md; constants stand here.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life import constants as k
from rhythm.life import counter
from rhythm.life.answer_styles import AnswerStyle
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.kernel import EXPECTED_EVENT, step_person
from rhythm.vocab import Action

Five = tuple[float, float, float, float, float]
Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]
Longs = NDArray[np.int64]

KAPPA: Final = 15.0
"""Units of worth for a change of one in log wellbeing."""
RESCHEDULE_MARGIN: Final = 0.8
"""Units of worth by which another part of the day must be better for an even chance of moving there."""
LOOK_SHARE: Final = 0.5
"""How much of the burden's cost also keeps a person from looking at all."""
BURDEN_KEPT: Final = math.exp(-1.0 / 8.0)
"""Share of burden that is left after a slot: it recovers with a time constant of two days."""

ACCEPTED, RESCHEDULED, IGNORED, EXPIRED, UNAVAILABLE = 0, 1, 2, 3, 4
"""Positions of the outcomes, in the order of `rhythm.vocab.OUTCOMES`."""

SLOT_COUNTERS: Final = 4096
"""Draws that belong to a slot start here in the ANSWERS stream; lower counters belong to the person."""
DRAWS_PER_SLOT: Final = 16

_FLOOR = k.WELLBEING_FLOOR
_SHARPNESS, _WILLINGNESS = int(AnswerStyle.SHARPNESS), int(AnswerStyle.WILLINGNESS)
_FIRST, _DAYS, _COST = (
    int(AnswerStyle.FIRST_EFFECT),
    int(AnswerStyle.HABITUATION_DAYS),
    int(AnswerStyle.BURDEN_COST),
)
_LOOK, _AWAY, _MEETING = int(AnswerStyle.LOOK_MORNING), int(AnswerStyle.AWAY), int(AnswerStyle.MEETING)
_ASLEEP, _SLIP = int(AnswerStyle.ASLEEP), int(AnswerStyle.SLIP)
_EASE, _ADHERENCE = int(AnswerStyle.RESCHEDULE_EASE), int(AnswerStyle.ADHERENCE)
_SLEEP = int(Action.SLEEP)
_LAST_WORK = int(Action.LEARN)
_GOLDEN = counter.GOLDEN
_TO_UNIT = counter.TO_UNIT
_mix = inlined(counter.mix)


@inlined
def uniform_at(base: np.uint64, place: int) -> float:
    """A uniform number in [0, 1) at a counter; ``base`` is the mixed key of the stream."""
    word = _mix(base + np.uint64(place) * _GOLDEN)
    return np.float64(word >> np.uint64(11)) * _TO_UNIT


@inlined
def sigmoid(logit: float) -> float:
    """Chance that a logit stands for."""
    return 1.0 / (1.0 + math.exp(-logit))


@inlined
def log_wellbeing_person(people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float) -> float:
    """Log of `rhythm.life.kernel.wellbeing_person`."""
    total: float = (
        people[i, 0] * math.log(max(v, _FLOOR))
        + people[i, 1] * math.log(max(c, _FLOOR))
        + people[i, 2] * math.log(max(p, _FLOOR))
        + people[i, 3] * math.log(max(s, _FLOOR))
        + people[i, 4] * math.log(max(n, _FLOOR))
    )
    return total


@inlined
def worth_after(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, action: Index, slot: Index, event: Index
) -> float:
    """KAPPA times log wellbeing after one slot of an action; ``slot`` is a part of the day."""
    d = step_person(people, i, v, c, p, s, n, action, slot, event)
    return KAPPA * log_wellbeing_person(people, i, v + d[0], c + d[1], p + d[2], s + d[3], n + d[4])


@inlined
def action_value(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, action: Index, slot: Index, event: Index
) -> float:
    """What one slot of an action is worth to person ``i``, by their own weights.

    Args:
        people: profile rows, shape (people, 15).
        i: row of the person.
        v, c, p, s, n: meters before the slot, each in [0, 1].
        action: action index, 0..9.
        slot: part of the day, 0..3.
        event: event index, or `rhythm.life.kernel.EXPECTED_EVENT`.

    Returns:
        KAPPA x (log wellbeing after the slot - log wellbeing now).
    """
    after = worth_after(people, i, v, c, p, s, n, action, slot, event)
    return after - KAPPA * log_wellbeing_person(people, i, v, c, p, s, n)


@inlined
def mood_logit(styles: Floats, j: Index, exposure: float, burden: float) -> float:
    """The part of the acceptance logit that does not depend on what is suggested."""
    novelty = math.log1p(styles[j, _FIRST]) * max(1.0 - exposure / styles[j, _DAYS], 0.0)
    mood: float = styles[j, _WILLINGNESS] + novelty - styles[j, _COST] * burden
    return mood


@inlined
def accept_logit(
    people: Floats, i: Index, styles: Floats, j: Index, v: float, c: float, p: float, s: float, n: float,
    slot: Index, event: Index, suggested: Index, usual: Index, exposure: float, burden: float,
) -> float:  # fmt: skip
    """Logit of accepting a suggestion that was looked at, accidental taps aside.

    Args:
        people, i: profile rows, shape (people, 15), and the person's row.
        styles, j: style rows, shape (styles, 17), and the person's row in them.
        v, c, p, s, n: meters before the slot, each in [0, 1].
        slot: part of the day, 0..3.
        event: event index, or EXPECTED_EVENT; people decide under EXPECTED_EVENT.
        suggested, usual: action suggested, and the one they would do unasked, 0..9.
        exposure: days on which a suggestion was looked at.
        burden: recent suggestions that were looked at, decaying (`after_slot`).
    """
    gain = 0.0
    for turn in range(2):  # a loop, so that the step is pasted once
        action = np.uint64(suggested) if turn == 0 else np.uint64(usual)
        worth = worth_after(people, i, v, c, p, s, n, action, slot, event)
        gain += worth if turn == 0 else -worth
    logit: float = styles[j, _SHARPNESS] * gain + mood_logit(styles, j, exposure, burden)
    return logit


@inlined
def seen_chance(styles: Floats, j: Index, slot: Index, burden: float) -> float:
    """Chance that a suggestion made to somebody available is looked at."""
    look: float = styles[j, np.uint64(_LOOK) + np.uint64(slot)] * math.exp(-LOOK_SHARE * styles[j, _COST] * burden)
    return look


@inlined
def available_chance(styles: Floats, j: Index, usual: Index) -> float:
    """Chance that a person is awake, not in a meeting, and in reach."""
    free = 1.0 - styles[j, _AWAY]
    if usual == _SLEEP:
        free *= 1.0 - styles[j, _ASLEEP]
    elif usual <= _LAST_WORK:
        free *= 1.0 - styles[j, _MEETING]
    chance: float = free
    return chance


@inlined
def better_part(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, slot: Index, suggested: Index
) -> tuple[float, int]:
    """By how much another part of the day suits an action better, and how many slots ahead it is (1 to 3)."""
    here = 0.0
    best = -1e9
    ahead = 1
    for parts in range(4):
        part = (np.uint64(slot) + np.uint64(parts)) & np.uint64(3)
        worth = worth_after(people, i, v, c, p, s, n, suggested, part, np.uint64(EXPECTED_EVENT))
        if parts == 0:
            here = worth
        elif worth > best + 1e-12:
            best = worth
            ahead = parts
    return best - here, ahead


@inlined
def reschedule_chance(styles: Floats, j: Index, gain: float) -> float:
    """Chance that a declined suggestion is moved to the part of the day that suits it better by ``gain``."""
    chance: float = styles[j, _EASE] * sigmoid(styles[j, _SHARPNESS] * 2.0 * (gain - RESCHEDULE_MARGIN))
    return chance


@inlined
def outcome_chances(
    people: Floats, i: Index, styles: Floats, j: Index, v: float, c: float, p: float, s: float, n: float,
    slot: Index, event: Index, suggested: Index, usual: Index, exposure: float, burden: float,
) -> Five:  # fmt: skip
    """Chances of the five outcomes in the order of `rhythm.vocab.OUTCOMES`; they sum to 1.

    Arguments as `accept_logit`.
    """
    available = available_chance(styles, j, usual)
    seen = available * seen_chance(styles, j, slot, burden)
    logit = accept_logit(people, i, styles, j, v, c, p, s, n, slot, event, suggested, usual, exposure, burden)
    accept = sigmoid(logit)
    gain, _ = better_part(people, i, v, c, p, s, n, slot, suggested)
    moved = reschedule_chance(styles, j, gain)
    slip = styles[j, _SLIP]
    meant = seen * (1.0 - slip)
    return (
        meant * accept + seen * slip * 0.5,
        meant * (1.0 - accept) * moved,
        meant * (1.0 - accept) * (1.0 - moved) + seen * slip * 0.5,
        available - seen,
        1.0 - available,
    )


@kernel
def fill_outcome_chances(
    people: Floats, styles: Floats, meters: Floats, slot: int, events: Bytes, suggested: Bytes, usual: Bytes,
    exposure: Floats, burden: Floats, chances: Floats,
) -> None:  # fmt: skip
    """`outcome_chances` of everyone; fills ``chances``, shape (people, 5)."""
    part = np.uint64(slot & 3)
    for i in range(people.shape[0]):
        got = outcome_chances(
            people, i, styles, i, meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4], part,
            np.uint64(events[i]), np.uint64(suggested[i]), np.uint64(usual[i]), exposure[i], burden[i],
        )  # fmt: skip
        for o in range(5):
            chances[i, o] = got[o]


@kernel
def fill_action_values(people: Floats, meters: Floats, slot: int, values: Floats) -> None:
    """`action_value` of every action to everyone under expected events; fills ``values``, shape (people, 10)."""
    part = np.uint64(slot & 3)
    for i in range(people.shape[0]):
        for action in range(values.shape[1]):
            values[i, action] = action_value(
                people, i, meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4], np.uint64(action),
                part, np.uint64(EXPECTED_EVENT),
            )  # fmt: skip


@kernel
def draw_answers(
    keys: NDArray[np.uint64], people: Floats, styles: Floats, meters: Floats, slot: int, suggested: Bytes,
    usual: Bytes, exposure: Floats, burden: Floats, outcomes: Bytes, moved_to: Longs, done: Bytes,
) -> None:  # fmt: skip
    """Everyone's answer to a suggestion for a slot, and what they then do in it.

    Args:
        keys: ANSWERS keys, shape (people,); draws are a pure function of key and slot number.
        people, styles, meters: rows, shapes (people, 15), (people, 17), (people, 5).
        slot: slot number.
        suggested: action indices, shape (people,); -1 where nothing is suggested.
        usual: what they would do unasked, shape (people,).
        exposure, burden: state before the slot, shape (people,).
        outcomes: filled with outcome positions, -1 where nothing was suggested.
        moved_to: filled with the slot number a suggestion was moved to, -1 where it was not.
        done: filled with action indices.
    """
    part = np.uint64(slot & 3)
    for i in range(people.shape[0]):
        outcomes[i], moved_to[i], done[i] = -1, -1, usual[i]
        if suggested[i] < 0:
            continue
        base = _mix(keys[i])
        first = SLOT_COUNTERS + slot * DRAWS_PER_SLOT
        action = np.uint64(suggested[i])
        if uniform_at(base, first) >= available_chance(styles, i, usual[i]):
            outcomes[i] = UNAVAILABLE
            continue
        if uniform_at(base, first + 1) >= seen_chance(styles, i, part, burden[i]):
            outcomes[i] = EXPIRED
            continue
        if uniform_at(base, first + 2) < styles[i, _SLIP]:
            outcomes[i] = ACCEPTED if uniform_at(base, first + 3) < 0.5 else IGNORED
            continue
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        logit = accept_logit(
            people, i, styles, i, v, c, p, s, n, part, np.uint64(EXPECTED_EVENT), action, np.uint64(usual[i]),
            exposure[i], burden[i],
        )  # fmt: skip
        if uniform_at(base, first + 3) < sigmoid(logit):
            outcomes[i] = ACCEPTED
            if uniform_at(base, first + 4) < styles[i, _ADHERENCE]:
                done[i] = suggested[i]
            continue
        gain, ahead = better_part(people, i, v, c, p, s, n, part, action)
        if uniform_at(base, first + 4) < reschedule_chance(styles, i, gain):
            outcomes[i] = RESCHEDULED
            moved_to[i] = slot + ahead
        else:
            outcomes[i] = IGNORED


@kernel
def after_slot(slot: int, outcomes: Bytes, exposure: Floats, burden: Floats, seen_today: Bytes) -> None:
    """What an answer leaves behind, in place: exposure, burden, and whether one was looked at today.

    All three follow from the outcomes alone, so whoever made the suggestions knows them too.
    Burden decays by BURDEN_KEPT a slot and grows by 1 with each suggestion that was looked at;
    exposure grows by 1 on each day on which one was; the day begins with the morning.
    """
    for i in range(outcomes.shape[0]):
        if slot & 3 == 0:
            seen_today[i] = 0
        burden[i] *= BURDEN_KEPT
        if outcomes[i] >= 0 and outcomes[i] <= IGNORED:
            burden[i] += 1.0
            if seen_today[i] == 0:
                exposure[i] += 1.0
                seen_today[i] = 1
