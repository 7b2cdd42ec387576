"""The posterior as it stands when a slot begins: particles, and what is known for certain beside them."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.estimates import Influence
from rhythm.life.habits import FIRST_TYPICAL, action_tendencies
from rhythm.life.profiles import People, belief_targets
from rhythm.vocab import ACTION_COUNT, METER_COUNT, SLOTS_PER_DAY, WEEK_STEPS, Evidence

Floats = NDArray[np.float64]

NEVER: Final = -(10**6)
"""Slot number of what has not happened yet."""


@dataclass(frozen=True)
class Memory:
    """What needs no particles: counts and what follows from the answers alone. Arrays are never changed in place.

    Attributes:
        exposure, burden, seen_today: see `rhythm.life.answer_kernel.after_slot`.
        planned_slot, planned: where an action was moved to, and which; NEVER, -1.
        habit: how often each action was recorded unasked in each step of the week, shape (28, 10).
        asked: answered suggestions by action, part of day and outcome, shape (10, 4, 5).
        done: recorded slots by action and part of day, shape (10, 4).
        read_slot: slot of the newest reading of each meter, shape (5,); NEVER.
        read_source: what it was derived from, by meter.
        record_slot: newest slot with a record of what was done; NEVER.
        surprise, surprise_variance: decaying sums of the log scores' departures from what was expected of them.
        surprised_slot: when the evidence was last beyond what the particles could explain; NEVER.
        influences: the largest shifts, largest first.
        recent: newest answers and records by action.
    """

    exposure: float = 0.0
    burden: float = 0.0
    seen_today: int = 0
    planned_slot: int = NEVER
    planned: int = -1
    habit: Floats = field(default_factory=lambda: np.zeros((WEEK_STEPS, ACTION_COUNT)))
    asked: Floats = field(default_factory=lambda: np.zeros((ACTION_COUNT, SLOTS_PER_DAY, 5)))
    done: Floats = field(default_factory=lambda: np.zeros((ACTION_COUNT, SLOTS_PER_DAY)))
    read_slot: tuple[int, ...] = (NEVER,) * METER_COUNT
    read_source: tuple[str, ...] = ("",) * METER_COUNT
    record_slot: int = NEVER
    surprise: float = 0.0
    surprise_variance: float = 0.0
    surprised_slot: int = NEVER
    influences: tuple[Influence, ...] = ()
    recent: tuple[tuple[Evidence, ...], ...] = ((),) * ACTION_COUNT


@dataclass(frozen=True)
class Particles:
    """Weighted people as a slot begins. Arrays are shared between states and never changed in place.

    Attributes:
        slot: slot number that begins; NEVER where nothing has been seen.
        people, styles, meters: shapes (n, 15), (n, 17), (n, 5).
        patterns: working days, rows of `rhythm.belief.person_prior.pattern_kinds`, shape (n,).
        typical: slow mean of the meters, shape (n, 5).
        formed_at: the typical meters that `tendencies` were worked out for, shape (n, 5).
        tendencies: chance of each action by kind of slot, shape (n, 6, 10).
        log_weights: shape (n,); exp of them sums to 1.
        memory: what needs no particles.
    """

    slot: int
    people: People
    styles: Floats
    meters: Floats
    patterns: NDArray[np.int8]
    typical: Floats
    formed_at: Floats
    tendencies: Floats
    log_weights: Floats
    memory: Memory

    @property
    def weights(self) -> Floats:
        """Weights, sum 1, shape (n,)."""
        raw = np.exp(self.log_weights)
        weights: Floats = raw / raw.sum()
        return weights

    @property
    def beliefs(self) -> Floats:
        """Belief dimensions of each particle, shape (n, 3)."""
        return belief_targets(self.people)

    def with_people(self, people: People, styles: Floats, typical: Floats) -> "Particles":
        """The same with other people, whose habits are worked out anew."""
        return replace(
            self,
            people=people,
            styles=styles,
            typical=typical,
            formed_at=typical,
            tendencies=action_tendencies(people, typical),
        )


@cache
def prior_particles() -> Particles:
    """Before anything was seen."""
    people = np.ascontiguousarray(prior.draw_people())
    typical = np.tile(np.array(FIRST_TYPICAL), (prior.PARTICLES, 1))
    return Particles(
        slot=NEVER,
        people=people,
        styles=np.ascontiguousarray(prior.draw_styles()),
        meters=prior.draw_meters(0),
        patterns=prior.working_patterns(),
        typical=typical,
        formed_at=typical,
        tendencies=action_tendencies(people, typical),
        log_weights=prior.prior_log_weights(),
        memory=Memory(),
    )


def normalised(log_weights: Floats) -> Floats:
    """Log weights whose exponentials sum to 1."""
    top = log_weights.max()
    shifted: Floats = log_weights - (top + np.log(np.exp(log_weights - top).sum()))
    return shifted


def effective(log_weights: Floats) -> float:
    """Effective sample size of log weights, which need not be normalised."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / (weights**2).sum())
