"""The posterior as it stands when a slot begins: particles, and what is known for certain beside them."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.estimates import Influence
from rhythm.belief.habit_forming import formed_typical, tendencies_of
from rhythm.life.profiles import People, belief_targets
from rhythm.vocab import ACTION_COUNT, METER_COUNT, SLOTS_PER_DAY, WEEK_STEPS, Evidence

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

NEVER: Final = -(10**6)
"""Slot number of what has not happened yet."""


TRUST: Final = 0.35
"""Every particle has lived one path of many, so its chances of what was seen scatter around the person's own, and so
many people are told apart by so few that full trust is false precision: intervals that should hold the truth four times
in five held it six times in ten."""


@dataclass(frozen=True)
class Memory:
    """What needs no particles: counts and what follows from the answers alone. Arrays are never changed in place.

    Attributes:
        exposure, burden, seen_today: see `rhythm.life.answer_kernel.after_slot`.
        planned_slot, planned: where an action was moved to, and which; NEVER, -1.
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
class Origin:
    """What particles start from, and what they go back to as they forget or are falsified.

    Attributes:
        people, styles, patterns, log_weights: see `Particles`.
        groups: rows of the particles that are drawn anew among themselves, by name; together all rows.
        told: the people are known, not guessed: they neither drift nor are they smoothed.
        trust: power to which the chance of an answer or a record is raised before it counts.
    """

    people: People
    styles: Floats
    patterns: NDArray[np.int8]
    log_weights: Floats
    groups: dict[str, slice]
    told: bool = False
    trust: float = TRUST


@dataclass(frozen=True)
class Particles:
    """Weighted people as a slot begins. Arrays are shared between states and never changed in place.

    Attributes:
        slot: slot number that begins; NEVER where nothing has been seen.
        people, styles, meters: shapes (n, 15), (n, 17), (n, 5).
        patterns: working days, rows of `rhythm.belief.person_prior.pattern_kinds`, shape (n,).
        typical: where meters stood when the habits were formed, shape (n, 5).
        formed_at: the typical meters that `tendencies` were worked out for, shape (n, 5).
        tendencies: chance of each action by kind of slot, shape (n, 6, 10).
        habits: for each step of the week the chance of each action to be what is done as a habit, 28 arrays of
            shape (n, 10).
        log_weights: shape (n,); exp of them sums to 1.
        memory: what needs no particles.
        origin: what they started from.
    """

    slot: int
    people: People
    styles: Floats
    meters: Floats
    patterns: NDArray[np.int8]
    typical: Floats
    formed_at: Floats
    tendencies: Floats
    habits: tuple[Singles, ...]
    log_weights: Floats
    memory: Memory
    origin: Origin

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

    def with_people(
        self, people: People, styles: Floats, typical: Floats, changed: NDArray[np.bool_] | None = None
    ) -> "Particles":
        """The same with other people, whose habits are worked out anew; only rows ``changed``, shape (n,), if given."""
        rows = np.ones(len(people), np.bool_) if changed is None else changed
        formed_at, tendencies = self.formed_at.copy(), self.tendencies.copy()
        formed_at[rows] = typical[rows]
        tendencies[rows] = tendencies_of(people[rows], typical[rows])
        return replace(self, people=people, styles=styles, typical=typical, formed_at=formed_at, tendencies=tendencies)


def starting(origin: Origin) -> Particles:
    """Particles before anything was seen."""
    count = len(origin.people)
    typical = formed_typical(origin.people, origin.patterns)
    tendencies = tendencies_of(origin.people, typical)
    kinds = prior.pattern_kinds()[origin.patterns]
    rows = np.arange(count)
    return Particles(
        slot=NEVER,
        people=origin.people,
        styles=origin.styles,
        meters=prior.draw_meters(0, count),
        patterns=origin.patterns,
        typical=typical,
        formed_at=typical,
        tendencies=tendencies,
        habits=tuple(tendencies[rows, kinds[:, step]].astype(np.float32) for step in range(WEEK_STEPS)),
        log_weights=origin.log_weights,
        memory=Memory(),
        origin=origin,
    )


@cache
def prior_particles() -> Particles:
    """Before anything was seen of a stranger."""
    origin = Origin(
        people=np.ascontiguousarray(prior.draw_people()),
        styles=np.ascontiguousarray(prior.draw_styles()),
        patterns=prior.working_patterns(),
        log_weights=prior.prior_log_weights(),
        groups=dict(zip(prior.GROUPS, prior.group_slices(), strict=True)),
    )
    return starting(origin)


def normalised(log_weights: Floats) -> Floats:
    """Log weights whose exponentials sum to 1."""
    top = log_weights.max()
    shifted: Floats = log_weights - (top + np.log(np.exp(log_weights - top).sum()))
    return shifted


def effective(log_weights: Floats) -> float:
    """Effective sample size of log weights, which need not be normalised."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / (weights**2).sum())
