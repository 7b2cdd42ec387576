"""The published conditions as OpenEnv tasks: a split is a condition, a task one of its weeks.

A task says which week to play and nothing of the person: not even its seed.
"""

from typing import Any

from rhythm.sim.arguments import shown, whole_number
from rhythm.sim.conditions import SPLITS
from rhythm.vocab import RhythmError
from rhythm.vocab.checks import is_whole

_FAR = 2**63 - 1


class TaskNotFoundError(RhythmError, IndexError):
    """A split or a task that does not exist; an IndexError, which OpenEnv answers with status 400."""


def split_range(split: object) -> range:
    """The seeds of a split.

    Raises:
        TaskNotFoundError: no such split.
    """
    if not isinstance(split, str) or split not in SPLITS:
        raise TaskNotFoundError(f"unknown split {shown(split)}; choose one of: {', '.join(SPLITS)}")
    return SPLITS[split]


def task_seed(split: object, index: object) -> int:
    """The seed of a task.

    Raises:
        TaskNotFoundError: no such split, or an index outside it.
    """
    seeds = split_range(split)
    if not is_whole(index, 0, len(seeds) - 1):
        raise TaskNotFoundError(f"split {split} has tasks 0 to {len(seeds) - 1}; got {shown(index)}")
    return seeds[int(index)]  # type: ignore[call-overload]


class TaskProvider:
    """OpenEnv's task discovery; select a task by ``reset(split=, index=)``."""

    def list_splits(self) -> list[dict[str, str]]:
        """The published conditions; all are for evaluation."""
        return [{"name": split, "type": "test"} for split in SPLITS]

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        return len(split_range(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """All tasks of a split."""
        return self.get_task_range(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task.

        Raises:
            TaskNotFoundError: no such split, or an index outside it.
        """
        task_seed(split, index)
        return {"id": f"{split}-{index}", "split": split, "index": index}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """The tasks of a Python slice.

        Raises:
            TaskNotFoundError: no such split.
            InvalidValueError: an end that is no whole number.
        """
        for end in (start, stop):
            if end is not None:
                whole_number(end, "an end of a range of tasks", -_FAR, _FAR)
        return [self.get_task(split, index) for index in range(self.num_tasks(split))[start:stop]]
