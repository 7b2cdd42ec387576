"""Choose how adapters are made, on training people: the directions, how far people differ, how sure the gate must be.

Directions are those of the hidden state along which answers depart from what the student foresees
by more than chance. With the scores g of a person (summed error times hidden state) and H the
mean of what chance gives them, they solve S u = l H u with S the mean of g g'; l is 1 where there
is nothing but chance.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.adapt.fitting import Answers, Outcome, Verdict, adapted, fit, losses, weekly
from rhythm.adapt.plan import PLAN_SCHEMA, AdapterPlan, plan_path
from rhythm.bench.results import write_whole
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.device_record import Heard, Recorded, heard, record
from rhythm.distill.teacher import people_of
from rhythm.policy.student.device_model import DeviceModel
from rhythm.vocab import DAYS_PER_WEEK, WEEK_STEPS

Floats = NDArray[np.float64]

FIRST_SEED: Final = 2_900_000
COUNT: Final = 4
"""Directions."""
_RIDGE: Final = 0.02
_SPREADS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
_WEEKS: Final = (2, 4, 6)
"""Weeks behind which the next one is foreseen."""
_LEAST: Final = (20, 6)
_SURE: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
WORSE_AT_MOST: Final = 0.03
"""Share of training people whom the gate may hand an adapter that is worse in the week after: below the twentieth that
is demanded of it, since others are less like those taught."""


def answers_of(lives: Recorded, said: Heard, person: int) -> Answers:
    """What one person answered, and what the student foresaw; slots count from the first that was read."""
    places = np.flatnonzero(lives.looked[person, : said.accepts.shape[1]])
    return Answers(
        places,
        lives.suggested[person, places].astype(np.int64),
        lives.accepted[person, places],
        said.accepts[person, places],
        said.hidden[person, places],
    )


def directions_of(everyone: Sequence[Answers], count: int = COUNT) -> tuple[Floats, Floats]:
    """Directions in which people depart from what is foreseen, shape (count, width), and l of each."""
    width = everyone[0].hidden.shape[1]
    spread, chance = np.zeros((width, width)), np.zeros((width, width))
    for one in everyone:
        hidden = one.hidden.astype(np.float64)
        foreseen = 1.0 / (1.0 + np.exp(-one.logits.astype(np.float64)))
        score = hidden.T @ (one.accepted - foreseen)
        spread += np.outer(score, score) / len(everyone)
        chance += (hidden * (foreseen * (1.0 - foreseen))[:, None]).T @ hidden / len(everyone)
    chance += _RIDGE * np.trace(chance) / width * np.eye(width)
    root = np.linalg.inv(np.linalg.cholesky(chance))
    values, vectors = np.linalg.eigh(root @ spread @ root.T)
    order = np.argsort(-values)[:count]
    return (root.T @ vectors[:, order]).T, values[order]


def choose_plan(model: DeviceModel, people: int = 600) -> AdapterPlan:
    """The plan for a student: a few minutes on one core."""
    seeds = np.arange(FIRST_SEED, FIRST_SEED + 2 * people)
    lives = record(seeds, people_of(seeds), widened_styles(seeds), 8 * DAYS_PER_WEEK)
    said = heard(model, lives, 0, lives.suggested.shape[1])
    everyone = [answers_of(lives, said, person) for person in range(len(seeds))]
    directions, excess = directions_of(everyone[people:])
    blank = {"level": 0.0, "slope": 0.0, "parts": 0.0, "actions": 0.0, "directions": 0.0}
    plan = AdapterPlan(
        PLAN_SCHEMA, model.card.name, blank, tuple(map(tuple, directions.tolist())), _LEAST, 0.0, 0.0,
        {f"direction_{place}": float(value) for place, value in enumerate(excess)},
    )  # fmt: skip
    plan = _spreads(everyone[:people], plan)
    return _gate(everyone[:people], plan)


def foreseen_loss(everyone: Sequence[Answers], plan: AdapterPlan, weeks: Sequence[int] = _WEEKS) -> float:
    """Mean log loss an answer over the weeks after, with adapters fitted on all before."""
    total, count = 0.0, 0
    for one in everyone:
        for week in weeks:
            after = one.between(week * WEEK_STEPS, (week + 1) * WEEK_STEPS)
            if len(after):
                adapter = fit(one.between(0, week * WEEK_STEPS), plan)
                total += float(losses(adapted(adapter, after, plan), after.accepted).sum())
                count += len(after)
    return total / max(count, 1)


def _spreads(everyone: Sequence[Answers], plan: AdapterPlan) -> AdapterPlan:
    """The best spread of each group, one group at a time, twice."""
    best = foreseen_loss(everyone, plan)
    chosen = {**plan.chosen, "loss_without": best}
    for _ in range(2):
        for group in plan.spreads:
            for spread in _SPREADS:
                tried = msgspec.structs.replace(plan, spreads={**plan.spreads, group: spread})
                loss = foreseen_loss(everyone, tried)
                if loss < best - 1e-6:
                    best, plan = loss, tried
    return msgspec.structs.replace(plan, chosen={**chosen, "loss_with": best})


def _gate(everyone: Sequence[Answers], plan: AdapterPlan) -> AdapterPlan:
    """The least sureness with which few enough people get an adapter that is worse in the week after."""
    for sure in _SURE:
        tried = msgspec.structs.replace(plan, least_sure=sure)
        worse = np.mean([np.mean([worse_after(one, week, tried)[1] for week in range(3, 8)]) for one in everyone])
        if worse <= WORSE_AT_MOST:
            break
    return msgspec.structs.replace(tried, chosen={**plan.chosen, "worse_after": float(worse)})


def worse_after(one: Answers, week: int, plan: AdapterPlan) -> tuple[Outcome, bool]:
    """What the gate says as a week begins, and whether it let something pass that was then worse in that week."""
    outcome = weekly(one, week * WEEK_STEPS, plan)
    after = one.between(week * WEEK_STEPS, (week + 1) * WEEK_STEPS)
    if outcome.verdict is not Verdict.DEPLOYED or outcome.adapter is None or not len(after):
        return outcome, False
    with_it = losses(adapted(outcome.adapter, after, plan), after.accepted).mean()
    return outcome, bool(with_it > losses(after.logits, after.accepted).mean())


def write_plan(plan: AdapterPlan, weights: Path) -> Path:
    """Write a plan beside the weights that it belongs to; its path."""
    path = plan_path(weights)
    write_whole(path, msgspec.json.format(msgspec.json.encode(plan), indent=2))
    return path
