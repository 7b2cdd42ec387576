"""A folder of shards of taught lives: resumable, with its configuration beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.versions import files_digest, versions
from rhythm.distill.device_lives import LIVES_SCHEMA, lived, write_lives
from rhythm.distill.shards import claim_folder, described_folder
from rhythm.policy.student.device_model import read_device_card, read_device_model
from rhythm.policy.student.device_tokens import DEVICE_TOKENS_VERSION
from rhythm.vocab import WEEK_STEPS, InvalidValueError, SchemaError

FILE_NAME: Final = "lives.json"
_TEACHING: Final = ("device_kernel.py", "device_lives.py", "device_policies.py", "teacher.py")
OnLives = Callable[[str, int], None]


@dataclass(frozen=True)
class LivesPlan:
    """What a folder holds.

    Attributes:
        first_seed: of the training seeds in a row.
        lives: how many.
        weeks: of each.
        shard: lives in each file, which are lived side by side.
        student: weights of a student that suggests in some of them too; None for none.
    """

    first_seed: int = 5_000_000
    lives: int = 14_000
    weeks: int = 8
    shard: int = 500
    student: Path | None = None

    def config(self) -> dict[str, Any]:
        """What its lives depend on."""
        return {
            "schema": LIVES_SCHEMA, "tokens": DEVICE_TOKENS_VERSION, "first_seed": self.first_seed,
            "weeks": self.weeks, "shard": self.shard, "versions": versions(),
            "teaching": files_digest(Path(__file__).parent / name for name in _TEACHING),
            **({"student": read_device_card(self.student).name} if self.student else {}),
        }  # fmt: skip


def make_lives(plan: LivesPlan, folder: Path, on_lives: OnLives = lambda _l, _n: None) -> int:
    """Live what the folder does not hold yet; how many lives it holds then.

    Raises:
        InvalidValueError: nothing to live, or the folder holds lives of another plan.
        ReservedSeedError: a seed belongs to the benchmark.
        SchemaError, DamagedModelError: the student cannot be read.
    """
    if min(plan.lives, plan.weeks, plan.shard) < 1:
        raise InvalidValueError("give at least one life of one week")
    starts = range(plan.first_seed, plan.first_seed + plan.lives, plan.shard)
    check_training_seeds(range(plan.first_seed, starts[-1] + plan.shard))
    claim_folder(folder, FILE_NAME, plan.config(), "lives of another first seed, length or version of Rhythm")
    student = read_device_model(plan.student) if plan.student else None
    for start in starts:
        shard = folder / f"lives-{start}.npz"
        if not shard.exists():
            write_lives(shard, lived(np.arange(start, start + plan.shard), plan.weeks * WEEK_STEPS, student))
        on_lives("lived", plan.shard)
    return len(starts) * plan.shard


def shards_of(folder: Path) -> list[Path]:
    """The shards of a folder, in order.

    Raises:
        SchemaError: it holds none.
    """
    found = sorted(folder.glob("lives-*.npz"))
    if not found:
        raise SchemaError(f"no taught lives in {folder}; make some with `rhythm student teach`")
    return found


def described_lives(folder: Path) -> dict[str, Any]:
    """What a folder holds: its configuration and how many lives.

    Raises:
        SchemaError: it has no configuration, or a damaged one.
    """
    config, lives = described_folder(folder, FILE_NAME, shard="shard", pattern="lives-*.npz", what="lives")
    return {**config, "lives": lives}
