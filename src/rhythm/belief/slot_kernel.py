"""One slot of many possible people, compiled: what the answer and the record say of each, and where it leaves them.

For each particle (a person with an answering style, working days and meters) the usual action
is summed out: its chance is the habit's, as far as the records tell of it, times that of what
was seen. What the slot was spent on is then drawn from what is left, and lived.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.table_kernel import worth
from rhythm.life import constants as k
from rhythm.life.answer_kernel import (
    available_chance,
    mood_logit,
    reschedule_chance,
    seen_chance,
    sigmoid,
)
from rhythm.life.answer_styles import AnswerStyle
from rhythm.life.compiled import Index, inlined, kernel
from rhythm.life.kernel import step_person

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]
Singles = NDArray[np.float32]

_SHARPNESS, _SLIP = int(AnswerStyle.SHARPNESS), int(AnswerStyle.SLIP)
_ADHERENCE, _REGULARITY = int(AnswerStyle.ADHERENCE), int(AnswerStyle.REGULARITY)
_RECORDING = int(AnswerStyle.RECORDING)
_EVENT_UP_TO = np.cumsum(k.EVENT_PROBABILITIES)
_EVENT_LAST = len(k.EVENT_PROBABILITIES) - 1
_LEAST = 1e-12
_HABIT_CHANGE = 0.01
_ACCEPTED, _MOVED = 0, 1
_WHERE_IT_SUITS, _ELSEWHERE = 0.85, 0.075
_ACTIONS = 10


@inlined
def fill_usual(
    styles: Floats, i: Index, tendencies: Floats, kind: Index, habit: Singles, planned: int, chance: Floats
) -> None:
    """Chance of each usual action of particle ``i``; fills ``chance``, shape (10,).

    The habit of a step of the week is one action, followed with the person's regularity; else
    the tendencies act. ``habit``, shape (n, 10), is the chance of each action to be it. A
    suggestion that was moved here is done with the person's adherence.
    """
    regular = styles[i, _REGULARITY]
    kept = styles[i, _ADHERENCE] if planned >= 0 else 0.0
    for a in range(_ACTIONS):
        chance[a] = (1.0 - kept) * (regular * habit[i, a] + (1.0 - regular) * tendencies[i, kind, a])
        if a == planned:
            chance[a] += kept


@inlined
def learn_habit(
    styles: Floats,
    i: Index,
    tendencies: Floats,
    kind: Index,
    habit: Singles,
    planned: int,
    fits: Floats,
    after: Singles,
) -> None:
    """The habit of a step after a slot; fills row ``i`` of ``after``, shape (n, 10).

    Args:
        styles, i, tendencies, kind, habit, planned: see `fill_usual`.
        fits: chance of what was seen in the slot by usual action, shape (10,).
        after: the habit's chances, with a little of the tendencies mixed in, since habits change.
    """
    regular = styles[i, _REGULARITY]
    kept = styles[i, _ADHERENCE] if planned >= 0 else 0.0
    anyhow, of_plan = 0.0, 0.0
    for a in range(_ACTIONS):
        anyhow += tendencies[i, kind, a] * fits[a]
        if a == planned:
            of_plan = kept * fits[a]
    total = 0.0
    for a in range(_ACTIONS):
        share = habit[i, a] * (of_plan + (1.0 - kept) * (regular * fits[a] + (1.0 - regular) * anyhow))
        after[i, a] = np.float32(share)
        total += share
    if total <= 0.0:
        for a in range(_ACTIONS):
            after[i, a] = habit[i, a]
        return
    for a in range(_ACTIONS):
        mixed = (1.0 - _HABIT_CHANGE) * after[i, a] / total + _HABIT_CHANGE * tendencies[i, kind, a]
        after[i, a] = np.float32(mixed)


@kernel
def live_slot(
    people: Floats, styles: Floats, patterns: Bytes, tendencies: Floats, kinds: Bytes, habit: Singles,
    meters: Floats, slot: int, planned: int, suggested: int, outcome: int, ahead: int, usual: int,
    exposure: float, burden: float, recorded: NDArray[np.bool_], noted: Floats, event: int, units: Floats,
    outcomes: Floats, answer: Floats, record: Floats, after: Floats, habit_after: Singles,
) -> None:  # fmt: skip
    """Weigh and live a slot.

    Args:
        people, styles, meters: particles, shapes (n, 15), (n, 17), (n, 5); meters as the slot begins.
        patterns: which working days, rows of ``kinds``, shape (n,).
        tendencies: chance of each action by kind of slot, shape (n, 6, 10).
        kinds: kind of this slot by pattern, shape (patterns,).
        habit: chance of each action to be the habit of this step of the week, shape (n, 10).
        slot: part of the day.
        planned: action moved to this slot, -1 for none.
        suggested, outcome: action and outcome position, -1 for none.
        ahead: by how many slots the suggestion was moved, 0 where it was not or by no 1 to 3 slots.
        usual: what the person would have done, where known, else -1.
        exposure, burden: before the slot.
        recorded: which actions the slot is recorded to be spent on, shape (10,); all False for no record.
        noted: chance by action that a slot spent on it is recorded, times the person's RECORDING, shape (10,); all 0
            where nobody keeps records.
        event: event index where known, -1 where it is drawn.
        units: uniform numbers, shape (n, 3).
        outcomes: filled with the chances of the five outcomes, shape (n, 5); untouched without a suggestion.
        answer: filled with the chance of the outcome, 1 without one, shape (n,).
        record: filled with the chance of the record, or of there being none, given the outcome, shape (n,).
        after: filled with the meters after the slot, shape (n, 5).
        habit_after: filled with the habit after the slot, shape (n, 10).
    """
    part = np.uint64(slot & 3)
    chance, worths, accepts = np.empty(_ACTIONS), np.empty(_ACTIONS), np.zeros(_ACTIONS)
    joint, gots, seen_as, fits = np.empty(_ACTIONS), np.ones(_ACTIONS), np.empty(_ACTIONS), np.empty(_ACTIONS)
    any_record = recorded.any()
    for row in range(people.shape[0]):
        i = np.uint64(row)
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        if usual >= 0:
            chance[:] = 0.0
            chance[usual] = 1.0
        else:
            fill_usual(styles, i, tendencies, kinds[patterns[i]], habit, planned, chance)
        slip, adherence = styles[i, _SLIP], styles[i, _ADHERENCE]
        answer[i], record[i] = 1.0, 1.0
        if suggested >= 0:
            for a in range(_ACTIONS):
                worths[a] = worth(people, i, v, c, p, s, n, np.uint64(a), part)
            best, suits = -1e9, 0
            for later_by in range(1, 4):
                other = (part + np.uint64(later_by)) & np.uint64(3)
                there = worth(people, i, v, c, p, s, n, np.uint64(suggested), other)
                if there > best:
                    best, suits = there, later_by
            moved = reschedule_chance(styles, i, best - worths[suggested])
            mood = mood_logit(styles, i, exposure, burden)
            look = seen_chance(styles, i, part, burden)
            for o in range(5):
                outcomes[i, o] = 0.0
            for a in range(_ACTIONS):
                available = available_chance(styles, i, a)
                seen = available * look
                accept = sigmoid(styles[i, _SHARPNESS] * (worths[suggested] - worths[a]) + mood)
                meant = seen * (1.0 - slip)
                accepts[a] = meant * accept
                yes = accepts[a] + seen * slip * 0.5
                later = meant * (1.0 - accept) * moved
                no = meant * (1.0 - accept) * (1.0 - moved) + seen * slip * 0.5
                outcomes[i, 0] += chance[a] * yes
                outcomes[i, 1] += chance[a] * later
                outcomes[i, 2] += chance[a] * no
                outcomes[i, 3] += chance[a] * (available - seen)
                outcomes[i, 4] += chance[a] * (1.0 - available)
                if outcome == 0:
                    got = yes
                elif outcome == 1:
                    got = later
                elif outcome == 2:
                    got = no
                elif outcome == 3:
                    got = available - seen
                else:
                    got = 1.0 - available
                joint[a] = chance[a] * got
                gots[a] = got
            answer[i] = outcomes[i, outcome]
            if outcome == _MOVED and ahead > 0:
                answer[i] *= _WHERE_IT_SUITS if ahead == suits else _ELSEWHERE
            answer[i] = max(answer[i], _LEAST)
        else:
            for a in range(_ACTIONS):
                joint[a] = chance[a]
        # From the usual action to what was done: an accepted suggestion is done with the adherence.
        total, swapped = 0.0, 0.0
        for a in range(_ACTIONS):
            if suggested >= 0 and outcome == _ACCEPTED:
                followed = chance[a] * accepts[a] * adherence
                swapped += followed
                joint[a] -= followed
            total += joint[a]
        if suggested >= 0 and outcome == _ACCEPTED:
            joint[suggested] += swapped
            total += swapped
        kept = 0.0
        for a in range(_ACTIONS):
            told = min(noted[a] * styles[i, _RECORDING], 1.0)
            if not any_record:
                seen_as[a] = 1.0 - told
            elif not recorded[a]:
                seen_as[a] = 0.0
            else:
                seen_as[a] = told if told > 0.0 else 1.0
            joint[a] *= seen_as[a]
            kept += joint[a]
        for a in range(_ACTIONS):
            fits[a] = gots[a] * seen_as[a]
            if suggested >= 0 and outcome == _ACCEPTED:
                followed = accepts[a] * adherence
                fits[a] = (gots[a] - followed) * seen_as[a] + followed * seen_as[suggested]
            if usual >= 0 and a != usual:
                fits[a] = 0.0
        learn_habit(styles, i, tendencies, kinds[patterns[i]], habit, planned, fits, habit_after)
        record[i] = max(kept / max(total, _LEAST), 1e-6)
        if any_record and kept <= 0.0:
            for a in range(_ACTIONS):
                if recorded[a]:
                    joint[a] = 1.0
                    kept += 1.0
        place = units[i, 0] * kept
        done = 0
        while done < _ACTIONS - 1 and (place >= joint[done] or joint[done] <= 0.0):
            place -= joint[done]
            done += 1
        while joint[done] <= 0.0 and done > 0:
            done -= 1
        happened = event
        if event < 0:
            happened = 0
            while happened < _EVENT_LAST and units[i, 1] >= _EVENT_UP_TO[happened]:
                happened += 1
        d = step_person(people, i, v, c, p, s, n, np.uint64(done), part, np.uint64(happened))
        after[i, 0], after[i, 1], after[i, 2] = v + d[0], c + d[1], p + d[2]
        after[i, 3], after[i, 4] = s + d[3], n + d[4]


@kernel
def observed_misfit(
    people: Floats, before: Floats, deltas: Floats, action: int, slot: int, event: int, reward: float, per_sd: float,
    per_reward_sd: float, misfit: Floats,
) -> None:  # fmt: skip
    """Half the squared misfit of a step seen exactly, in the given widths; fills ``misfit``, shape (n,)."""
    crashes = 0
    for m in range(5):
        if before[m] + deltas[m] < 0.10:
            crashes += 1
    for i in range(people.shape[0]):
        d = step_person(
            people, i, before[0], before[1], before[2], before[3], before[4], np.uint64(action), np.uint64(slot & 3),
            np.uint64(event),
        )  # fmt: skip
        total = 0.0
        paid = k_bonus(deltas) - _CRASH * crashes
        for m in range(5):
            off = (d[m] - deltas[m]) * per_sd
            total += off * off
            paid += _SCALE * people[i, m] * deltas[m]
        if not math.isnan(reward):
            off = (paid - reward) * per_reward_sd
            total += off * off
        misfit[i] = 0.5 * total


_SCALE, _CRASH = k.REWARD_SCALE, k.CRASH_PENALTY
_P_BONUS, _N_BONUS = k.PROGRESS_BONUS, k.CONNECTION_BONUS


@inlined
def k_bonus(deltas: Floats) -> float:
    """What progress and connection pay everyone."""
    bonus: float = _P_BONUS * deltas[2] + _N_BONUS * deltas[4]
    return bonus


@kernel
def fill_usual_chances(
    styles: Floats, patterns: Bytes, tendencies: Floats, kinds: Bytes, habit: Singles, planned: int, chances: Floats
) -> None:
    """`fill_usual` of every particle; fills ``chances``, shape (n, 10)."""
    for row in range(styles.shape[0]):
        i = np.uint64(row)
        fill_usual(styles, i, tendencies, kinds[patterns[i]], habit, planned, chances[i])


@kernel
def fill_week(
    styles: Floats, patterns: Bytes, tendencies: Floats, kinds: Bytes, habits: Singles, first: int, chances: Floats
) -> None:
    """Mean chances of `fill_usual` over equally likely particles, for each slot from step ``first`` of the week on.

    Args:
        styles, patterns, tendencies: see `live_slot`.
        kinds: kind of each step by pattern, shape (patterns, 28).
        habits: chance of each action to be the habit of each step, shape (28, n, 10).
        first: step of the week of the first slot.
        chances: filled, shape (slots, 10).
    """
    one = np.empty(_ACTIONS)
    for t in range(chances.shape[0]):
        place = (first + t) % kinds.shape[1]
        chances[t] = 0.0
        for row in range(styles.shape[0]):
            i = np.uint64(row)
            fill_usual(styles, i, tendencies, kinds[patterns[i], place], habits[place], -1, one)
            for a in range(_ACTIONS):
                chances[t, a] += one[a] / styles.shape[0]
