"""What others foresee of the same answers: the posterior, one told who the person is, a beta table, the base rate."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.origins import told
from rhythm.belief.person import PersonPosterior
from rhythm.belief.person_prior import pattern_kinds
from rhythm.bench.living_assistants import Kind, evidence_of, retold
from rhythm.distill.device_record import Recorded
from rhythm.life.habits import Habits, slot_kinds
from rhythm.policy.suggest import usual_chances
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, WEEK_STEPS

Floats = NDArray[np.float64]

BETA_STRENGTHS: Final = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Answers that what people in general accept is worth; the best on training people is used."""
_LEAST: Final = 1e-3
_ALL: Final = Kind()


def posterior_logits(lives: Recorded, person: int, first: int, stop: int, *, memory: bool = True) -> Floats:
    """Logits of acceptance by one person's particle posterior, slot by slot, shape (slots,).

    Args:
        lives: what is read.
        person: row.
        first: slot; nothing before it is known.
        stop: slot, not included.
        memory: False for one who begins anew in every slot.
    """
    posterior, logits = PersonPosterior.prior(), np.zeros(stop - first)
    for t in range(first, stop):
        logits[t - first] = _foreseen(posterior, lives, person, t)
        if memory:
            posterior.add(evidence_of(lives.suggested[:, t], lives.seen[t], person, _ALL))
    return logits


def told_logits(lives: Recorded, person: int, stop: int, *, habits: bool = False) -> Floats:
    """`posterior_logits` from slot 0 of somebody told, as each week begins, who the person is and how they answer.

    Meters are still found out, from the answers, records and readings of all weeks so far. So are habits unless they
    are told too; then nothing that lasts of a person is left to be learned of them, for however long they are known.

    Args:
        lives: what is read.
        person: row.
        stop: slot, not included.
        habits: told as well which days the person works, and what they do as a habit in each slot of the week.
    """
    style, logits = lives.styles[person], np.zeros(stop)
    posterior = PersonPosterior(told(lives.people[0, person], style))
    for t in range(stop):
        week, step = divmod(t, WEEK_STEPS)
        if week and step == 0:
            posterior = retold(posterior, t, lives.people[week, person], style)
        if habits and step == 0:
            posterior = _told_habits(posterior, lives.habits, person)
        logits[t] = _foreseen(posterior, lives, person, t)
        posterior.add(evidence_of(lives.suggested[:, t], lives.seen[t], person, _ALL))
    return logits


def _told_habits(posterior: PersonPosterior, habits: Habits, person: int) -> PersonPosterior:
    now = posterior.particles
    count = len(now.people)
    fixed = np.eye(ACTION_COUNT, dtype=np.float32)[habits.schedule[person]]
    (pattern,) = np.flatnonzero((pattern_kinds() == slot_kinds(habits.working[[person]])).all(axis=1))
    return PersonPosterior(
        replace(
            now,
            patterns=np.full(count, pattern, np.int8),
            tendencies=np.tile(habits.tendencies[person], (count, 1, 1)),
            habits=tuple(np.tile(each, (count, 1)) for each in fixed),
        )
    )


def _foreseen(posterior: PersonPosterior, lives: Recorded, person: int, t: int) -> float:
    """Logit of the chance that what is suggested in slot ``t`` is accepted if it is looked at."""
    from rhythm.distill.device_kernel import fill_acceptance  # noqa: PLC0415 - the compiler is loaded on first use

    slot, suggested = lives.seen[t].slot, int(lives.suggested[person, t])
    state = posterior.state_at(slot)
    if suggested < 0:
        return 0.0
    count = len(state.people)
    accepted, seen = np.empty(count), np.empty(count)
    fill_acceptance(
        state.people, state.styles, state.meters, usual_chances(state, slot), suggested, slot % SLOTS_PER_DAY,
        state.memory.exposure, state.memory.burden, accepted, seen,
    )  # fmt: skip
    return _logit(float(state.weights @ accepted / (state.weights @ seen)))


def general_table(lives: Recorded) -> Floats:
    """Share accepted of what was looked at by action and part of the day, shape (10, 4)."""
    part = np.broadcast_to(np.arange(lives.suggested.shape[1]) % SLOTS_PER_DAY, lives.suggested.shape)
    place = (lives.suggested.astype(np.int64), part)
    counts, yes = np.zeros((ACTION_COUNT, SLOTS_PER_DAY)), np.zeros((ACTION_COUNT, SLOTS_PER_DAY))
    np.add.at(counts, place, lives.looked)
    np.add.at(yes, place, lives.accepted)
    table: Floats = (yes + 1.0) / (counts + 2.0)
    return table


def beta_logits(lives: Recorded, first: int, stop: int, table: Floats, strength: float) -> Floats:
    """Logits of acceptance by beta distributions of each action and part of the day, shape (people, slots).

    Args:
        lives: what is read.
        first: slot; nothing before it is known.
        stop: slot, not included.
        table: what people in general accept, shape (10, 4).
        strength: answers that it is worth.
    """
    people = len(lives.seeds)
    rows = np.arange(people)
    yes = np.tile(table * strength, (people, 1, 1))
    no = np.tile((1.0 - table) * strength, (people, 1, 1))
    looked, accepted = lives.looked, lives.accepted
    logits = np.empty((people, stop - first))
    for t in range(first, stop):
        place = (rows, lives.suggested[:, t], t % SLOTS_PER_DAY)
        logits[:, t - first] = np.log(yes[place] / no[place])
        yes[place] += looked[:, t] & accepted[:, t]
        no[place] += looked[:, t] & ~accepted[:, t]
    return logits


def _logit(chance: float) -> float:
    inside = min(max(chance, _LEAST), 1.0 - _LEAST)
    return float(np.log(inside / (1.0 - inside)))
