"""What to suggest to one person: plan the coming week under who they may be, and choose with a known chance.

The open slots of today and of the days after are planned for draws from the posterior, with
planned slots as they stand and all others as the person usually spends them. What a
suggestion is worth is what it adds to the summed wellbeing of the coming week, times the
chance that it changes what is done; what its answer would tell of the person counts too.
One action is drawn for each slot by a softmax of that worth, mixed with a uniform share of
`FLOOR`, so every action has a chance of at least FLOOR / 10 and every chance is known.

Whoever keeps the device student at hand gives its weighing too, as advice: two judges that err in
different ways choose better than one (decision 0052). Reasons and alternatives stay the posterior's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.particles import Memory, Particles
from rhythm.belief.person import PersonPosterior
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.policy.choices import chances_of, drawn
from rhythm.policy.reasons import Level, Reason, reason_for, what_it_tells
from rhythm.vocab import (
    ACTION_COUNT,
    ACTIONS,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    Action,
    Evidence,
    InvalidValueError,
    Meter,
    week_step,
)

Floats = NDArray[np.float64]

HORIZON: Final = WEEK_STEPS
"""Slots that are looked ahead."""
SWEEPS: Final = 2
FLOOR: Final = 0.1
"""Share of the choice that is uniform over the actions, unless settings say otherwise."""


@dataclass(frozen=True)
class Settings:
    """How a suggestion is chosen.

    Attributes:
        floor: share of the choice that is uniform over the actions.
        temperature: summed wellbeing that a suggestion must add for its odds to rise by a factor of e.
        worth_of_knowing: summed wellbeing that a nat about the person is worth.
        planning_draws: people drawn from the posterior to plan for; at most, and a divisor of, ``weighing_draws``.
        weighing_draws: people drawn to weigh the first actions with.
        point: plan for the mean person instead of draws, as if nothing were uncertain but the meters.
        about_archetype: count only what an answer tells of the archetype, not of the person as a whole.
        advice: share of what a suggestion adds that is taken from advice, where there is some.
    """

    floor: float = FLOOR
    temperature: float = 0.02
    worth_of_knowing: float = 0.05
    planning_draws: int = 24
    weighing_draws: int = 192
    point: bool = False
    about_archetype: bool = False
    advice: float = 0.8


SETTINGS: Final = Settings()


class Suggested(msgspec.Struct, frozen=True):
    """A suggestion and why.

    Attributes:
        slot: slot number it is for.
        action: what is suggested.
        propensity: chance with which this action was chosen for the slot, in (0, 1].
        gain: what suggesting it is expected to add to wellbeing, summed over the coming week.
        reason: one sentence from the person's own evidence.
        evidence: the pieces that the sentence rests on, oldest first.
        alternatives: all actions with the mean wellbeing over the coming week if the slot is spent on them, best first.
        learns: what the answer would tell of the person; None where it tells next to nothing.
    """

    slot: int
    action: Action
    propensity: float
    gain: float
    reason: str
    evidence: tuple[Evidence, ...]
    alternatives: tuple[tuple[Action, float], ...]
    learns: str | None


@dataclass(frozen=True)
class Weighed:
    """The actions for one slot, weighed over draws of the person.

    Attributes:
        worths: summed wellbeing from the slot on by action, shape (10,).
        accepts: chance of acceptance by draw and action, shape (n, 10).
        gains: what suggesting it adds to summed wellbeing, shape (10,).
        told: what the answer would tell of the person, in nats, shape (10,).
        slots: how many slots `worths` sums over.
    """

    worths: Floats
    accepts: Floats
    gains: Floats
    told: Floats
    slots: int


def suggest(
    posterior: PersonPosterior,
    *,
    slot: int,
    free: Sequence[int],
    planned: Mapping[int, Action],
    count: int = 1,
    rng_key: int = 0,
    usual: Mapping[int, Action] | None = None,
    shown: Mapping[Meter, Level] | None = None,
    advice: Mapping[int, NDArray[np.floating]] | None = None,
    settings: Settings = SETTINGS,
) -> tuple[Suggested, ...]:
    """Suggestions for the best of the free slots.

    Args:
        posterior: who the person is thought to be.
        slot: the present slot number.
        free: slot numbers, none before the present one, for which something may be suggested.
        planned: slots whose action is settled, by the calendar or an accepted suggestion.
        count: at most so many suggestions; those that add most are given.
        rng_key: number that the choice is drawn with; the same number gives the same choice.
        usual: what the person will do unasked in a slot, where more is known than their habits.
        shown: meter levels as the person is shown them, for reasons to cite.
        advice: what suggesting each action adds in the eyes of another judge, by slot, each of shape (10,).
        settings: how to choose.

    Returns:
        In the order of their slots; none for a slot where no suggestion is expected to help.

    Raises:
        InvalidValueError: a free slot that is over, planned already or beyond the horizon; a count below 0.
    """
    wanted = _checked(slot, free, planned, count)
    if not wanted or count == 0:
        return ()
    outlook = Outlook(posterior, slot, wanted, {**(usual or {}), **planned}, settings)
    key = scramble_seeds(np.array([rng_key], np.int64), Stream.POLICY)
    made: list[Suggested] = []
    for place in wanted:
        weighed = outlook.weigh(place)
        if advice is not None and place in advice:
            weighed = advised(weighed, advice[place], settings)
        chances = choice_chances(weighed, settings)
        if weighed.gains.max() <= 0.0:
            continue
        action = ACTIONS[int(drawn(chances, uniforms(key, place)[0]))]
        made.append(_suggested(outlook, place, action, weighed, float(chances[action]), shown or {}))
    best = sorted(made, key=lambda one: -one.gain)[:count]
    return tuple(sorted(best, key=lambda one: one.slot))


def choice_chances(weighed: Weighed, settings: Settings = SETTINGS) -> Floats:
    """Chance of choosing each action, shape (10,), none below a tenth of the floor."""
    return chances_of((weighed.gains + settings.worth_of_knowing * weighed.told) / settings.temperature, settings.floor)


def advised(weighed: Weighed, advice: NDArray[np.floating], settings: Settings = SETTINGS) -> Weighed:
    """The actions with what suggesting them adds taken from advice in part, shape (10,)."""
    gains = (1.0 - settings.advice) * weighed.gains + settings.advice * advice.astype(np.float64)
    return replace(weighed, gains=gains)


class Outlook:
    """The coming week for one person: draws, a plan, and what each action would be worth in a slot."""

    def __init__(
        self,
        posterior: PersonPosterior,
        slot: int,
        free: Sequence[int],
        fixed: Mapping[int, Action],
        settings: Settings = SETTINGS,
    ) -> None:
        """Plan.

        Args:
            posterior: who the person is thought to be.
            slot: the present slot number.
            free: slots that may be suggested for.
            fixed: slots whose action is known.
            settings: how many people to plan for.
        """
        from rhythm.policy import suggest_kernel  # noqa: PLC0415 - the compiler is loaded on first use

        self.morning = slot // SLOTS_PER_DAY * SLOTS_PER_DAY
        self.start = slot - self.morning
        self._about_archetype = settings.about_archetype
        draws = posterior.draws(slot, settings.weighing_draws)
        self.draws = _as_one(posterior, draws) if settings.point else draws
        self.plan = self._usual_plan(self.start + HORIZON)
        for at, action in fixed.items():
            if 0 <= at - self.morning < len(self.plan):
                self.plan[at - self.morning] = action
        is_open = np.isin(self.morning + np.arange(len(self.plan)), list(free))
        few = slice(None, None, settings.weighing_draws // settings.planning_draws)
        suggest_kernel.improve_open(
            np.ascontiguousarray(self.draws.people[few]), np.ascontiguousarray(self.draws.meters[few]), self.plan,
            is_open, self.start, SWEEPS,
        )  # fmt: skip

    def _usual_plan(self, slots: int) -> NDArray[np.int8]:
        """What is likeliest done unasked in each slot from this morning on."""
        from rhythm.belief import slot_kernel  # noqa: PLC0415

        draws, memory = self.draws, self.draws.memory
        chances = np.empty((slots, ACTION_COUNT))
        slot_kernel.fill_week(
            draws.styles, draws.patterns, draws.tendencies, prior.pattern_kinds(), np.stack(draws.habits),
            week_step(self.morning), chances,
        )  # fmt: skip
        if 0 <= memory.planned_slot - self.morning < slots:
            chances[memory.planned_slot - self.morning, memory.planned] += 1.0
        plan: NDArray[np.int8] = chances.argmax(axis=1).astype(np.int8)
        return plan

    @property
    def memory(self) -> Memory:
        """What is counted beside the particles."""
        return self.draws.memory

    def weigh(self, slot: int) -> Weighed:
        """What each action is worth in a slot, the slots before and after it spent by the plan."""
        from rhythm.policy import suggest_kernel  # noqa: PLC0415

        t = slot - self.morning
        meters = self.draws.meters.copy()
        suggest_kernel.live_plan(self.draws.people, meters, self.plan, self.start, t)
        shape = (len(meters), ACTION_COUNT)
        worths, accepts, gains = np.empty(shape), np.empty(shape), np.empty(shape)
        suggest_kernel.weigh_actions(
            self.draws.people, self.draws.styles, meters, usual_chances(self.draws, slot), self.plan, t,
            self.memory.exposure, self.memory.burden, worths, accepts, gains,
        )  # fmt: skip
        told = _entropy(accepts.mean(axis=0)) - self._left(accepts)
        return Weighed(worths.mean(axis=0), accepts, gains.mean(axis=0), told, len(self.plan) - t)

    def _left(self, accepts: Floats) -> Floats:
        """Entropy that is left in an answer once the person, or only the archetype, is known, shape (10,)."""
        if not self._about_archetype:
            left: Floats = _entropy(accepts).mean(axis=0)
            return left
        groups = [accepts[rows] for rows in self.draws.origin.groups.values() if rows.stop > rows.start]
        within: Floats = np.sum([len(group) / len(accepts) * _entropy(group.mean(axis=0)) for group in groups], axis=0)
        return within


def usual_chances(draws: Particles, slot: int) -> Floats:
    """Chance of what each draw does unasked in a slot number, shape (n, 10)."""
    from rhythm.belief import slot_kernel  # noqa: PLC0415

    memory, place = draws.memory, week_step(slot)
    chances = np.empty((len(draws.people), ACTION_COUNT))
    kinds = np.ascontiguousarray(prior.pattern_kinds()[:, place])
    planned = memory.planned if memory.planned_slot == slot else -1
    slot_kernel.fill_usual_chances(
        draws.styles, draws.patterns, draws.tendencies, kinds, draws.habits[place], planned, chances
    )
    return chances


def _as_one(posterior: PersonPosterior, draws: Particles) -> Particles:
    """The draws, all of the mean person with the mean style."""
    count, weights = len(draws.people), posterior.particles.weights
    person = posterior.profile().row
    style = weights @ posterior.particles.styles
    typical = np.tile(weights @ posterior.particles.typical, (count, 1))
    return draws.with_people(np.tile(person, (count, 1)), np.tile(style, (count, 1)), typical)


def _entropy(chances: Floats) -> Floats:
    inside = np.clip(chances, 1e-9, 1.0 - 1e-9)
    entropy: Floats = -(inside * np.log(inside) + (1.0 - inside) * np.log(1.0 - inside))
    return entropy


def _checked(slot: int, free: Sequence[int], planned: Mapping[int, Action], count: int) -> list[int]:
    if count < 0:
        raise InvalidValueError(f"count is {count}; ask for 0 suggestions or more")
    wanted = sorted(set(free))
    for place in wanted:
        if place < slot or place >= slot + HORIZON:
            raise InvalidValueError(f"slot {place} is free, but only slots {slot} to {slot + HORIZON - 1} are open")
        if place in planned:
            raise InvalidValueError(f"slot {place} is both free and planned; leave it out of one of them")
    return wanted


def _suggested(
    outlook: Outlook, slot: int, action: Action, weighed: Weighed, chance: float, shown: Mapping[Meter, Level]
) -> Suggested:
    order = sorted(ACTIONS, key=lambda a: -weighed.worths[a])
    reason: Reason = reason_for(outlook.draws, slot, action, shown)
    return Suggested(
        slot=slot,
        action=action,
        propensity=chance,
        gain=float(weighed.gains[action]),
        reason=reason.sentence,
        evidence=reason.evidence,
        alternatives=tuple((a, float(weighed.worths[a]) / weighed.slots) for a in order),
        learns=what_it_tells(outlook.draws, weighed.accepts[:, action], float(weighed.told[action])),
    )
