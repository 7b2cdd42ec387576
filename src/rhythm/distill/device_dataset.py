"""A folder of shards of taught lives: lived here or by a cluster, resumable, with its configuration beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.versions import files_digest, versions
from rhythm.distill.device_lives import LIVES_SCHEMA, TaughtLives, lived, write_lives
from rhythm.distill.sent_weights import SentWeights, packed, unpacked
from rhythm.distill.shards import claim_folder, described_folder
from rhythm.policy.student.device_model import read_device_card, read_device_model
from rhythm.policy.student.device_tokens import DEVICE_TOKENS_VERSION
from rhythm.spread import opened
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


def make_lives(plan: LivesPlan, folder: Path, on_lives: OnLives = lambda _l, _n: None, *, cluster: str = "") -> int:
    """Live what the folder does not hold yet; how many lives it holds then.

    Args:
        plan: what it holds in the end.
        folder: made if it is missing.
        on_lives: told of lives that are there.
        cluster: address of the scheduler of a cluster that lives them (see `rhythm.spread`); empty for this process,
            whose cores all help with every shard.

    Raises:
        InvalidValueError: nothing to live, or the folder holds lives of another plan.
        ReservedSeedError: a seed belongs to the benchmark.
        SchemaError, DamagedModelError: the student cannot be read.
        SpreadError: the cluster is lost; the shards that were made are kept.
    """
    if min(plan.lives, plan.weeks, plan.shard) < 1:
        raise InvalidValueError("give at least one life of one week")
    starts = range(plan.first_seed, plan.first_seed + plan.lives, plan.shard)
    check_training_seeds(range(plan.first_seed, starts[-1] + plan.shard))
    claim_folder(folder, FILE_NAME, plan.config(), "lives of another first seed, length or version of Rhythm")
    student = read_device_model(plan.student) if plan.student else None
    missing = [start for start in starts if not _shard(folder, start).exists()]
    on_lives("kept", plan.shard * (len(starts) - len(missing)))
    slots = plan.weeks * WEEK_STEPS
    if not cluster:
        for start in missing:
            write_lives(_shard(folder, start), lived(np.arange(start, start + plan.shard), slots, student))
            on_lives("lived", plan.shard)
        return len(starts) * plan.shard
    sent = packed(plan.student) if plan.student else None
    with opened(None, cluster, len(missing)) as crew:
        for start, lives in crew.finished(_lived, {start: (start, plan.shard, slots, sent) for start in missing}):
            write_lives(_shard(folder, start), lives)
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


def _shard(folder: Path, start: int) -> Path:
    return folder / f"lives-{start}.npz"


def _lived(start: int, count: int, slots: int, student: SentWeights | None) -> TaughtLives:
    """An item: the lives of a shard."""
    seeds = np.arange(start, start + count)
    if student is None:
        return lived(seeds, slots)
    with unpacked(student) as weights:
        return lived(seeds, slots, read_device_model(weights))


def described_lives(folder: Path) -> dict[str, Any]:
    """What a folder holds: its configuration and how many lives.

    Raises:
        SchemaError: it has no configuration, or a damaged one.
    """
    config, lives = described_folder(folder, FILE_NAME, shard="shard", pattern="lives-*.npz", what="lives")
    return {**config, "lives": lives}
