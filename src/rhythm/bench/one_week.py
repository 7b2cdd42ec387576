"""One person's week in full: what a picture or a terminal shows of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rhythm.bench.graders import Episodes, belief_errors, grade_v2
from rhythm.bench.play import play
from rhythm.bench.rows import Row
from rhythm.bench.versions import versions
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import ARCHETYPES, Profile
from rhythm.policy.registry import make_policy
from rhythm.vocab import METERS, WEEK_STEPS, Action, LifeEvent, UnknownNameError


@dataclass(frozen=True)
class OneWeek:
    """A week and whose it was.

    Attributes:
        config: policy, seed, population or archetype, versions.
        person: the hidden person.
        played: the week, a batch of one.
    """

    config: dict[str, Any]
    person: Profile
    played: Episodes

    def action(self, step: int) -> Action:
        """What the step was spent on."""
        return Action(int(self.played.actions[0, step]))

    def event(self, step: int) -> LifeEvent:
        """What happened in the step."""
        return LifeEvent(int(self.played.events[0, step]))


def one_week(policy: str, seed: int, population: str, archetype: str | None = None) -> OneWeek:
    """Play one week.

    Args:
        policy: name in the registry.
        seed: of the person and the events.
        population: ``classic`` or ``peaked``.
        archetype: this archetype's week instead of a drawn person's.

    Raises:
        UnknownNameError: no such policy, population or archetype.
    """
    decider = make_policy(policy)
    if population not in tuple(Population):
        raise UnknownNameError("population", population, tuple(p.value for p in Population))
    if archetype is not None and archetype not in ARCHETYPES:
        raise UnknownNameError("archetype", archetype, tuple(ARCHETYPES))
    seeds = np.array([seed], np.int64)
    people = sample_people(seeds, Population(population)) if archetype is None else ARCHETYPES[archetype].row[None, :]
    who = {"population": population} if archetype is None else {"archetype": archetype}
    config = {"policy": policy, "told": decider.told, "seed": seed, **who, "versions": versions()}
    return OneWeek(config, Profile.from_row(people[0]), play(decider, people, seeds))


def week_rows(week: OneWeek) -> list[Row | dict[str, Any]]:
    """A row for each step (``value`` is wellbeing after it), then the grades of the week."""
    played = week.played
    rows: list[Row | dict[str, Any]] = [
        {
            "name": f"step/{step}",
            "value": float(played.wellbeing[0, step]),
            "action": week.action(step).name,
            "event": week.event(step).name,
            "reward": float(played.rewards[0, step]),
            "meters": {m.label: float(played.meters[0, step, m]) for m in METERS},
            "belief": None if np.isnan(played.beliefs[0, step]).any() else played.beliefs[0, step].tolist(),
        }
        for step in range(WEEK_STEPS)
    ]
    rows.append(Row("wellbeing", float(played.wellbeing.mean())))
    rows += [Row(name, float(values[0])) for name, values in grade_v2(played).items()]
    if np.isfinite(played.beliefs).any():
        rows.append(Row("belief_mae", float(belief_errors(played)[0, -1])))
    return rows
