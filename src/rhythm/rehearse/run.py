"""A rehearsal: many people, several policies, each person's weeks kept as a file, and the rows made of them.

Captured is (policy - average) / (oracle - average) in mean wellbeing, the same people throughout.
"""

import hashlib
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.results import write_whole
from rhythm.bench.rows import Row
from rhythm.bench.versions import digest_of, versions
from rhythm.life.cores import CORES
from rhythm.rehearse.living import FIRST_SLOT, ZONE, Lived, rehearse
from rhythm.rehearse.suggesters import NAMES
from rhythm.vocab import SchemaError, UnknownNameError

Floats = NDArray[np.float64]

SCHEMA: Final = "rhythm.rehearsal-part/1"
FIRST_SEED: Final = 1_320_000
PEOPLE: Final = 24
WEEKS: Final = 8
REFERENCES: Final = ("average", "oracle")


class _Part(msgspec.Struct, frozen=True):
    schema: str
    digest: str
    lived: Lived


def config_of(names: Sequence[str], people: int, weeks: int) -> dict[str, Any]:
    """What the rows depend on."""
    return {
        "policies": list(names), "people": people, "weeks": weeks, "first_seed": FIRST_SEED, "population": "peaked",
        "styles": "benchmark", "zone": ZONE, "first_slot": FIRST_SLOT, "versions": versions(), "sources": _sources(),
    }  # fmt: skip


def run(
    names: Sequence[str], folder: Path, *, people: int, weeks: int, on_progress: Callable[[str, int], None],
    workers: int | None = None,
) -> dict[str, list[Lived]]:  # fmt: skip
    """Live what the folder does not hold; average and oracle are added.

    Args:
        names: of policies; see `rhythm.rehearse.suggesters.NAMES`.
        folder: keeps a file for each person and policy; a run that was cut short goes on there.
        people: how many.
        weeks: how many each.
        on_progress: called with a policy's name and 1 for each person who is done.
        workers: processes; one for each core by default.

    Raises:
        UnknownNameError: no such policy.
        SchemaError: a file in the folder that cannot be read.
        RehearsalError: the assistant refused what a person may do.
    """
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("policy of a rehearsal", name, NAMES)
    wanted = list(dict.fromkeys((*names, *REFERENCES)))
    digest = digest_of({"weeks": weeks, "versions": versions(), "sources": _sources()})
    seeds = range(FIRST_SEED, FIRST_SEED + people)
    found: dict[tuple[str, int], Lived] = {}
    # Each in a process of its own kind: a server's threads must not be forked.
    with ProcessPoolExecutor(min(workers or CORES, people * len(wanted)), multiprocessing.get_context("spawn")) as pool:
        waiting = {}
        for seed in seeds:
            for name in wanted:
                path = folder / f"{name}.{seed}.json"
                held = _held(path, digest)
                if held is None:
                    waiting[pool.submit(rehearse, name, seed, weeks)] = (name, seed, path)
                else:
                    found[name, seed] = held
                    on_progress(name, 1)
        for done in as_completed(waiting):
            name, seed, path = waiting[done]
            found[name, seed] = done.result()
            write_whole(path, msgspec.json.encode(_Part(SCHEMA, digest, found[name, seed])))
            on_progress(name, 1)
    return {name: [found[name, seed] for seed in seeds] for name in wanted}


def rows_of(lived: dict[str, list[Lived]]) -> list[Row]:
    """Wellbeing, captured, acceptance and beliefs by policy, over all weeks and week by week; time of *Today*."""
    wellbeing = {name: np.array([one.wellbeing for one in each]) for name, each in lived.items()}
    average, oracle = wellbeing["average"], wellbeing["oracle"]
    weeks = average.shape[1]
    stretches = [("all", slice(None)), *((f"week-{week + 1}", slice(week, week + 1)) for week in range(weeks))]
    rows: list[Row] = []
    for name, levels in wellbeing.items():
        each = lived[name]
        looked, accepted = (np.array([getattr(one, field) for one in each]) for field in ("looked_at", "accepted"))
        errors, covered = np.array([one.errors for one in each]), np.array([one.covered for one in each])
        for label, week in stretches:
            rows.append(_row(f"wellbeing/{name}/{label}", statistics.mean(levels[:, week].mean(axis=1))))
            share = statistics.ratio(accepted[:, week].sum(axis=1), looked[:, week].sum(axis=1))
            rows.append(_row(f"acceptance/{name}/{label}", share))
            if name not in REFERENCES:
                above = (levels - average)[:, week].mean(axis=1)
                room = (oracle - average)[:, week].mean(axis=1)
                rows.append(_row(f"captured/{name}/{label}", statistics.ratio(above, room)))
                rows.append(_row(f"belief-mae/{name}/{label}", statistics.mean(errors[:, week].mean(axis=(1, 2)))))
                rows.append(_row(f"coverage80/{name}/{label}", statistics.mean(covered[:, week].mean(axis=(1, 2)))))
        taken = float(np.median([one.today_ms for one in each]))
        rows.append(Row(f"today-ms/{name}/all", taken, n=len(each), note="median time of Today over HTTP"))
    return rows


def _row(name: str, estimate: statistics.Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="nothing to divide by: too few people, or nothing was suggested")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)


def _sources() -> str:
    """Digest of the assistant's sources, of the rehearsal's own, and of the student's card, which names its weights."""
    root = Path(__file__).parents[1]
    parts = ("assist", "adapt", "bridge", "store", "web", "rehearse")
    paths = [path for part in parts for path in (root / part).rglob("*.py")]
    paths += (root / "policy" / "student" / "weights").glob("student-device*.json")
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _held(path: Path, digest: str) -> Lived | None:
    if not path.is_file():
        return None
    try:
        part = msgspec.json.decode(path.read_bytes(), type=_Part)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"{path.name} is damaged: {error}; remove it") from None
    return part.lived if (part.schema, part.digest) == (SCHEMA, digest) else None
