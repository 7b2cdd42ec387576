"""What suggestions do in simulated weeks: who accepts what and when, and what there is to gain.

``python -m rhythm.bench.living_rows`` prints the tables.
"""

from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.answers import action_values
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import ARCHETYPES
from rhythm.vocab import ACTION_COUNT, ACTIONS, OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS, Outcome, PartOfDay

FIRST_SEED: Final = 770_000
_ACCEPTED = OUTCOMES.index(Outcome.ACCEPTED)
_ANSWERS: Final = (Outcome.ACCEPTED, Outcome.RESCHEDULED, Outcome.IGNORED)


class Offers(StrEnum):
    """Who makes the suggestions."""

    USUAL = "usual"
    """Nobody: the life that people lead unasked."""
    RANDOM = "random"
    """Any action, in every slot."""
    NEXT_STEP = "next-step"
    """The action that is worth most to the person right now, told who they are; no looking ahead."""


def offered_by(offers: Offers, lives: Lives, keys: NDArray[np.uint64]) -> NDArray[np.int8]:
    """What they suggest for the coming slot, -1 for nothing, shape (people,)."""
    if offers is Offers.USUAL:
        return np.full(len(lives), -1, np.int8)
    if offers is Offers.RANDOM:
        drawn: NDArray[np.int8] = (uniforms(keys, lives.slot) * ACTION_COUNT).astype(np.int8)
        return drawn
    best: NDArray[np.int8] = action_values(lives.people, lives.meters, lives.slot).argmax(axis=1).astype(np.int8)
    return best


def acceptance(archetype: str, *, people: int = 2000, weeks: int = 2) -> NDArray[np.float64]:
    """Share of answered random suggestions that people of an archetype accept, by action and part of day, (10, 4)."""
    seeds = FIRST_SEED + np.arange(people)
    rows = np.tile(ARCHETYPES[archetype].row, (people, 1))
    lives = Lives(seeds, rows, sample_styles(seeds, StyleRange.TRAINED), drift=0.0)
    keys = scramble_seeds(seeds, Stream.POLICY)
    answered, accepted = np.zeros((ACTION_COUNT, SLOTS_PER_DAY)), np.zeros((ACTION_COUNT, SLOTS_PER_DAY))
    answers = [OUTCOMES.index(outcome) for outcome in _ANSWERS]
    for slot in range(weeks * WEEK_STEPS):
        offered = offered_by(Offers.RANDOM, lives, keys)
        outcomes = lives.offer(offered).outcomes
        part = slot % SLOTS_PER_DAY
        answered[:, part] += np.bincount(offered[np.isin(outcomes, answers)], minlength=ACTION_COUNT)
        accepted[:, part] += np.bincount(offered[outcomes == _ACCEPTED], minlength=ACTION_COUNT)
    share: NDArray[np.float64] = accepted / answered
    return share


def accepted_by_week(styles: StyleRange, *, daily: bool, people: int = 1000, weeks: int = 8) -> NDArray[np.float64]:
    """Share of answered random suggestions that are accepted, week by week, shape (weeks,).

    Args:
        styles: whose styles.
        daily: one suggestion a day, in the morning, afternoon or evening; else one in every slot.
        people: how many, of the peaked population.
        weeks: how long.
    """
    seeds = FIRST_SEED + np.arange(people)
    lives = Lives(seeds, sample_people(seeds, Population.PEAKED), sample_styles(seeds, styles))
    keys = scramble_seeds(seeds, Stream.POLICY)
    answers = [OUTCOMES.index(outcome) for outcome in _ANSWERS]
    answered, accepted = np.zeros(weeks), np.zeros(weeks)
    for slot in range(weeks * WEEK_STEPS):
        offered = offered_by(Offers.RANDOM, lives, keys)
        if daily:
            offered[seeds % PartOfDay.NIGHT != slot % SLOTS_PER_DAY] = -1
        outcomes = lives.offer(offered).outcomes
        answered[slot // WEEK_STEPS] += np.isin(outcomes, answers).sum()
        accepted[slot // WEEK_STEPS] += (outcomes == _ACCEPTED).sum()
    share: NDArray[np.float64] = accepted / answered
    return share


def rows(*, seed: int = 0, people: int = 1000, weeks: int = 8) -> list[dict[str, Any]]:
    """Mean wellbeing over all weeks by who suggests, population and style range.

    Returns:
        Rows of `name` (``wellbeing/OFFERS/POPULATION-STYLES``), `value`, `low` and `high`
        (95 % interval over people), `n`, and `quarter`: the 25th-percentile person.
    """
    seeds = FIRST_SEED + seed * people + np.arange(people)
    keys = scramble_seeds(seeds, Stream.POLICY)
    table: list[dict[str, Any]] = []
    for population in Population:
        profiles = sample_people(seeds, population)
        for styles in StyleRange:
            for offers in Offers:
                lives = Lives(seeds, profiles, sample_styles(seeds, styles))
                total = np.zeros(people)
                for _ in range(weeks * WEEK_STEPS):
                    lives.offer(offered_by(offers, lives, keys))
                    total += lives.wellbeing
                each = total / (weeks * WEEK_STEPS)
                value, error = float(each.mean()), float(each.std(ddof=1) / np.sqrt(people))
                table.append(
                    {
                        "name": f"wellbeing/{offers}/{population}-{styles}",
                        "value": value,
                        "low": value - 1.96 * error,
                        "high": value + 1.96 * error,
                        "n": people,
                        "quarter": float(np.quantile(each, 0.25)),
                    }
                )
    return table


def main() -> None:
    """Print who accepts what, how that fades, and what suggestions gain."""
    for archetype in ARCHETYPES:
        print(archetype.ljust(20), *(part.label.rjust(10) for part in PartOfDay))  # noqa: T201
        for action, shares in zip(ACTIONS, acceptance(archetype), strict=True):
            print(action.label.rjust(20), *(f"{share:10.2f}" for share in shares))  # noqa: T201
    for styles in StyleRange:
        for daily in (False, True):
            shares = " ".join(f"{share:.2f}" for share in accepted_by_week(styles, daily=daily))
            print(f"accepted by week, {styles}, {'one a day' if daily else 'every slot'}: {shares}")  # noqa: T201
    for row in rows():
        print(f"{row['name']:42s} {row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}] 25 %: {row['quarter']:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
