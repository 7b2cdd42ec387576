"""How adapters of one student are fitted and gated: chosen once on training people, shipped beside the weights."""

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.adapt.adapter import GROUPS
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, SchemaError

PLAN_SCHEMA: Final = "rhythm.adapter-plan/1"


class AdapterPlan(msgspec.Struct, frozen=True):
    """How to adapt.

    Attributes:
        schema: `PLAN_SCHEMA`.
        base: the student that it belongs to, by name and hash.
        spreads: standard deviation by which people are taken to differ, by `GROUPS`; 0 keeps a group out.
        directions: of the hidden state in which people differ, rows of the student's width.
        least_answers: answers before the held-out week, and in it, below which nothing is fitted.
        least_gain: nats an answer by which the held-out week must be foreseen better.
        least_sure: the same in standard errors of that gain.
        chosen: on whom and by what figures, for people to read.
    """

    schema: str
    base: str
    spreads: dict[str, float]
    directions: tuple[tuple[float, ...], ...]
    least_answers: tuple[int, int]
    least_gain: float
    least_sure: float
    chosen: dict[str, float]

    @property
    def direction_rows(self) -> NDArray[np.float64]:
        """The directions, shape (count, width)."""
        return np.array(self.directions, np.float64)

    @property
    def precisions(self) -> NDArray[np.float64]:
        """Precision of each coefficient around 0, infinite where a group is kept out."""
        sizes = (1, 1, SLOTS_PER_DAY, ACTION_COUNT, len(self.directions))
        spreads = np.concatenate([np.full(n, self.spreads[g]) for g, n in zip(GROUPS, sizes, strict=True)])
        with np.errstate(divide="ignore"):
            precisions: NDArray[np.float64] = 1.0 / spreads**2
        return precisions


def read_plan(path: Path, base: str, width: int) -> AdapterPlan:
    """A plan from its file.

    Raises:
        SchemaError: missing, damaged, of another version, or of another student.
    """
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=AdapterPlan)
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(
            f"{path.name} is no plan of adapters ({type(error).__name__}); install Rhythm again"
        ) from None
    if plan.schema != PLAN_SCHEMA or plan.base != base:
        raise SchemaError(
            f"{path.name} is of another version, or of other weights of the student; install Rhythm again"
        )
    numbers = np.array([*plan.spreads.values(), plan.least_gain, plan.least_sure])
    if set(plan.spreads) != set(GROUPS) or not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        raise SchemaError(f"{path.name} holds numbers that no choice gives; install Rhythm again")
    if any(len(row) != width or not np.isfinite(row).all() for row in plan.directions):
        raise SchemaError(f"{path.name} has directions that do not fit the student; install Rhythm again")
    return plan


@lru_cache(maxsize=4)
def plan_path(weights: Path) -> Path:
    """Where the plan of a file of weights stands: beside it."""
    return weights.with_name(f"{weights.stem}-adapters.json")


def plan_beside(weights: Path, base: str, width: int) -> AdapterPlan:
    """The plan beside a file of weights; errors as `read_plan`."""
    return read_plan(plan_path(weights), base, width)
