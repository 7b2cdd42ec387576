"""A folder of shards of taught weeks: made on all cores or by a cluster, resumable, its configuration beside it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.versions import files_digest, versions
from rhythm.distill.sent_weights import SentWeights, packed, unpacked
from rhythm.distill.shards import claim_folder, described_folder
from rhythm.distill.weeks import WEEKS_SCHEMA, TaughtWeeks, joined, read_weeks, write_weeks
from rhythm.spread import opened
from rhythm.vocab import InvalidValueError, SchemaError

DATASET_SCHEMA: Final = "rhythm.dataset/1"
FILE_NAME: Final = "dataset.json"
SHARD_WEEKS: Final = 256
_TEACHING: Final = ("teacher.py", "weeks.py")

OnWeeks = Callable[[str, int], None]


@dataclass(frozen=True)
class Plan:
    """What a dataset holds.

    Attributes:
        first_seed: of the training seeds in a row; from 2,000,000.
        weeks: how many.
        actor: file of a student's weights, who acts while the teacher is asked; None for the teacher itself.
        shard: weeks in each file.
    """

    first_seed: int = 2_000_000
    weeks: int = 4096
    actor: Path | None = None
    shard: int = SHARD_WEEKS

    @property
    def rounded(self) -> int:
        """Weeks in whole shards."""
        return -(-self.weeks // self.shard) * self.shard

    def config(self) -> dict[str, Any]:
        """What its weeks depend on."""
        actor = hashlib.sha256(self.actor.read_bytes()).hexdigest() if self.actor else "teacher"
        return {
            "schema": DATASET_SCHEMA,
            "weeks_schema": WEEKS_SCHEMA,
            "first_seed": self.first_seed,
            "shard_weeks": self.shard,
            "actor": actor,
            "versions": versions(),
            "teaching": files_digest(Path(__file__).parent / name for name in _TEACHING),
        }


def make_dataset(
    plan: Plan, folder: Path, *, workers: int | None = None, cluster: str = "",
    on_weeks: OnWeeks = lambda _l, _n: None,
) -> None:  # fmt: skip
    """Play what the folder does not hold yet; more weeks than it holds continue it.

    Args:
        plan: what it holds in the end.
        folder: made if it is missing.
        workers: processes; one for each core by default.
        cluster: address of the scheduler of a cluster that plays them (see `rhythm.spread`); empty for this machine.
        on_weeks: told of weeks that are there.

    Raises:
        InvalidValueError: no weeks, or the folder holds weeks of another plan.
        ReservedSeedError: a seed belongs to the benchmark.
        SchemaError, DamagedModelError: the actor cannot be read.
        SpreadError: the cluster or a process is lost; the shards that were made are kept.
    """
    if plan.weeks < 1 or plan.shard < 1:
        raise InvalidValueError(f"got {plan.weeks} weeks in files of {plan.shard}; give at least one of each")
    check_training_seeds(range(plan.first_seed, plan.first_seed + plan.rounded))
    claim_folder(folder, FILE_NAME, plan.config(), "taught weeks of another first seed, actor or version of Rhythm")
    starts = range(plan.first_seed, plan.first_seed + plan.weeks, plan.shard)
    missing = [start for start in starts if not _shard(folder, start).exists()]
    on_weeks("kept", plan.shard * (len(starts) - len(missing)))
    actor = packed(plan.actor) if plan.actor else None
    with opened(workers, cluster, len(missing)) as crew:
        for start, weeks in crew.finished(_taught, {start: (start, plan.shard, actor) for start in missing}):
            write_weeks(_shard(folder, start), weeks)
            on_weeks("taught", plan.shard)


def read_dataset(*folders: Path) -> TaughtWeeks:
    """All weeks of the folders.

    Raises:
        SchemaError: a folder holds none, or a damaged shard.
    """
    return joined([read_weeks(path) for path in shards_in(*folders)])


def shards_in(*folders: Path) -> list[Path]:
    """The shards of the folders, in order.

    Raises:
        SchemaError: they hold none.
    """
    found = [path for folder in folders for path in sorted(folder.glob("weeks-*.npz"))]
    if not found:
        raise SchemaError(f"no taught weeks in {', '.join(map(str, folders))}; make some with `rhythm distill teach`")
    return found


def described(folder: Path) -> dict[str, Any]:
    """What a folder of taught weeks holds: its configuration and how many weeks.

    Raises:
        SchemaError: it has no configuration, or a damaged one.
    """
    config, weeks = described_folder(folder, FILE_NAME, shard="shard_weeks", pattern="weeks-*.npz", what="weeks")
    return {**config, "weeks": weeks}


def _shard(folder: Path, start: int) -> Path:
    return folder / f"weeks-{start}.npz"


def _taught(start: int, count: int, actor: SentWeights | None) -> TaughtWeeks:
    """An item: the weeks of a shard."""
    from rhythm.distill.teacher import Lesson, taught  # noqa: PLC0415 - the compiler is loaded in the workers

    acting = None
    if actor is not None:
        from rhythm.policy.student.model_file import read_model  # noqa: PLC0415
        from rhythm.policy.student.player import StudentPolicy  # noqa: PLC0415

        with unpacked(actor) as weights:
            acting = StudentPolicy(read_model(weights))
    return taught(Lesson(np.arange(start, start + count), acting))
