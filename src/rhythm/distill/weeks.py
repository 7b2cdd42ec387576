"""Weeks played for training: what was seen in each step, what the teacher said of it, who the person was.

A shard is one ``.npz`` file of many weeks, written whole or not at all, named by the seeds that
it holds; a folder of shards has a ``dataset.json`` beside them. Seeds of the benchmark are
refused (`rhythm.bench.conditions.check_training_seeds`).
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import check_training_seeds
from rhythm.distill.shards import read_arrays, write_arrays
from rhythm.policy.face import View
from rhythm.policy.student.fields import Tokens
from rhythm.policy.student.tokens import exact_tokens
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, METER_COUNT, WEEK_STEPS, InvalidValueError, SchemaError

WEEKS_SCHEMA: Final = "rhythm.weeks/1"

_SHAPES: Final[dict[str, tuple[tuple[int, ...], type[np.generic]]]] = {
    "seeds": ((), np.int64),
    "meters": ((WEEK_STEPS, METER_COUNT), np.float32),
    "events": ((WEEK_STEPS,), np.int8),
    "before": ((WEEK_STEPS, METER_COUNT), np.float32),
    "deltas": ((WEEK_STEPS, METER_COUNT), np.float32),
    "anomalies": ((WEEK_STEPS, METER_COUNT), np.float32),
    "done": ((WEEK_STEPS,), np.int8),
    "last_events": ((WEEK_STEPS,), np.int8),
    "rewards": ((WEEK_STEPS,), np.float32),
    "values": ((WEEK_STEPS, ACTION_COUNT), np.float32),
    "targets": ((BELIEF_COUNT,), np.float32),
}


@dataclass(frozen=True)
class TaughtWeeks:
    """Many weeks; each array has the weeks first.

    Attributes:
        seeds: of the episodes, shape (weeks,).
        meters, events, before, deltas, anomalies, last_events, rewards: what `View` shows before each step.
        done: what was done in the step before, -1 at step 0, shape (weeks, 28).
        values: worth of the rest of the week for each first action, said by the teacher, shape (weeks, 28, 10).
        targets: the right belief, shape (weeks, 3).
    """

    seeds: NDArray[np.int64]
    meters: NDArray[np.float32]
    events: NDArray[np.int8]
    before: NDArray[np.float32]
    deltas: NDArray[np.float32]
    anomalies: NDArray[np.float32]
    done: NDArray[np.int8]
    last_events: NDArray[np.int8]
    rewards: NDArray[np.float32]
    values: NDArray[np.float32]
    targets: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.seeds)

    def rows(self, chosen: NDArray[np.bool_]) -> "TaughtWeeks":
        """Some of the weeks, chosen by a mask of shape (weeks,)."""
        return TaughtWeeks(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def view(self, step: int) -> View:
        """What a policy saw before a step."""
        return View(
            step=step,
            meters=self.meters[:, step].astype(np.float64),
            events=self.events[:, step],
            before=self.before[:, step].astype(np.float64),
            deltas=self.deltas[:, step].astype(np.float64),
            anomalies=self.anomalies[:, step].astype(np.float64),
            actions=self.done[:, step],
            last_events=self.last_events[:, step],
            rewards=self.rewards[:, step].astype(np.float64),
        )

    def tokens(self) -> Tokens:
        """What the student reads, shape (weeks, 28, TOKEN_WIDTH)."""
        return np.stack([exact_tokens(self.view(step)) for step in range(WEEK_STEPS)], axis=1)


def check_weeks(weeks: TaughtWeeks) -> TaughtWeeks:
    """Weeks of the right shapes, finite, whose seeds may be trained on.

    Raises:
        InvalidValueError: they are not.
        ReservedSeedError: a seed belongs to the benchmark.
    """
    check_training_seeds(weeks.seeds)
    for name, (shape, kind) in _SHAPES.items():
        array = getattr(weeks, name)
        if array.shape != (len(weeks), *shape) or array.dtype != kind:
            raise InvalidValueError(
                f"{name} of taught weeks are {np.dtype(kind)} of shape (weeks, {', '.join(map(str, shape))}); "
                f"got {array.dtype} of shape {array.shape}"
            )
        if not np.isfinite(array).all():
            raise InvalidValueError(f"{name} of taught weeks hold a number that is not finite")
    return weeks


def joined(parts: list[TaughtWeeks]) -> TaughtWeeks:
    """All weeks of the parts, in order."""
    return TaughtWeeks(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(TaughtWeeks)})


def write_weeks(path: Path, weeks: TaughtWeeks) -> None:
    """Write a shard; errors as `check_weeks`."""
    check_weeks(weeks)
    write_arrays(path, WEEKS_SCHEMA, {name: getattr(weeks, name) for name in _SHAPES})


def read_weeks(path: Path) -> TaughtWeeks:
    """The weeks in a shard.

    Raises:
        SchemaError: the file is damaged or of another schema version.
        ReservedSeedError: a seed belongs to the benchmark.
    """
    held = read_arrays(path, WEEKS_SCHEMA, _SHAPES)
    try:
        return check_weeks(TaughtWeeks(**held))
    except InvalidValueError as error:
        raise SchemaError(f"{path.name} is damaged ({type(error).__name__}); remove it and make it again") from None
