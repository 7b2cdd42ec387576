"""How a model plays as its training goes on: each checkpoint of a run lives the weeks of the same people.

They are people of training seeds that no file of weeks is made of by default; the evaluation's
own stay unseen until the end.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.graders import Episodes, belief_errors, grade_v2, states_beliefs, wellbeing_of_week
from rhythm.bench.play import play
from rhythm.bench.results import write_whole
from rhythm.bench.rows import Row
from rhythm.life.populations import Population, sample_people
from rhythm.lm.models import load_model
from rhythm.lm.player import LoadedPolicy
from rhythm.lm.sft import whole_checkpoints
from rhythm.policy.face import Policy
from rhythm.policy.registry import make_policy
from rhythm.vocab import InvalidValueError, SchemaError

FOLLOW_SCHEMA: Final = "rhythm.lm-follow/1"
FILE: Final = "played.json"
FIRST_SEED: Final = 900_000_000
"""Of the people who are played; a training seed far from those that weeks are usually taught on."""
REFERENCES: Final = ("random", "heuristic", "average", "oracle")

Floats = NDArray[np.float64]


def checkpoints_of(run: Path) -> dict[int, Path]:
    """The checkpoints of a run's folder by step, in order; one that is just being written is left for another time.

    Raises:
        InvalidValueError: it has none.
    """
    found = whole_checkpoints(run)
    if not found:
        raise InvalidValueError(f"{run} holds no checkpoint; it is the folder that `rhythm lm sft` or `grpo` writes")
    return found


def follow(run: Path, people: int, on_checkpoint: Callable[[str, int], None] = lambda _l, _n: None) -> list[Row]:
    """Play every checkpoint that was not played yet, and write what came of it beside them.

    Args:
        run: folder of a training run.
        people: of each population.
        on_checkpoint: told of every checkpoint.

    Returns:
        Rows ``measure/step``: ``belief_error`` at the end of the week and ``v2`` of the classic population, and
        ``captured`` of the peaked one; the references' own ``v2`` and ``belief_error`` have their name for a step.

    Raises:
        InvalidValueError: no checkpoints, or nobody to play.
        NoModelError: a checkpoint is damaged.
        SchemaError: what was played before is damaged.
    """
    if people < 2:
        raise InvalidValueError(f"at least two people are played; got {people}")
    path = run / FILE
    rows = _played_before(path, people)
    seeds = np.arange(FIRST_SEED, FIRST_SEED + people)
    beside = {name: _wellbeing(make_policy(name), seeds) for name in ("average", "oracle")}
    if not rows:
        rows = [row for name in REFERENCES for row in _classic(make_policy(name), seeds, name)]
    done = {row.name.split("/")[1] for row in rows}
    for step, folder in checkpoints_of(run).items():
        if str(step) not in done:
            policy = LoadedPolicy(load_model(str(folder)), max_tokens=64)
            rows += _classic(policy, seeds, str(step))
            rows += _captured(_wellbeing(policy, seeds), beside, str(step))
            document = {"schema": FOLLOW_SCHEMA, "config": {"people": people, "first_seed": FIRST_SEED}, "rows": rows}
            write_whole(path, msgspec.json.format(msgspec.json.encode(document), indent=2))
        on_checkpoint(folder.name, 1)
    return rows


def _played_before(path: Path, people: int) -> list[Row]:
    """What a run's file holds of as many people."""
    if not path.exists():
        return []
    try:
        held = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        same = held["config"] == {"people": people, "first_seed": FIRST_SEED}
        return [msgspec.convert(row, Row) for row in held["rows"]] if same else []
    except (msgspec.DecodeError, UnicodeError, KeyError, TypeError):
        raise SchemaError(f"{path} is damaged; remove it, and its checkpoints are played again") from None


def _played(policy: Policy, seeds: NDArray[np.int64], population: Population) -> Episodes:
    return play(policy, sample_people(seeds, population), seeds)


def _wellbeing(policy: Policy, seeds: NDArray[np.int64]) -> Floats:
    return wellbeing_of_week(_played(policy, seeds, Population.PEAKED))


def _classic(policy: Policy, seeds: NDArray[np.int64], step: str) -> list[Row]:
    week = _played(policy, seeds, Population.CLASSIC)
    measured = {"v2": grade_v2(week)["v2"]}
    if states_beliefs(week):
        measured["belief_error"] = belief_errors(week)[:, -1]
    return [_row(f"{name}/{step}", statistics.mean(values)) for name, values in measured.items()]


def _captured(own: Floats, beside: dict[str, Floats], step: str) -> list[Row]:
    share = statistics.ratio(own - beside["average"], beside["oracle"] - beside["average"])
    return [] if share is None else [_row(f"captured/{step}", share)]


def _row(name: str, estimate: statistics.Estimate) -> Row:
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)
