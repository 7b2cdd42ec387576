"""A rehearsal: many people, several policies, each person's weeks kept as a file, and the rows made of them.

Captured is (policy - average) / (oracle - average) in mean wellbeing, the same people throughout.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.results import write_whole
from rhythm.bench.rows import Row
from rhythm.bench.versions import digest_of, files_digest, versions
from rhythm.rehearse.living import FIRST_SLOT, ZONE, Lived, rehearse
from rhythm.rehearse.suggesters import NAMES
from rhythm.spread import opened
from rhythm.vocab import InvalidValueError, SchemaError, UnknownNameError

Floats = NDArray[np.float64]

SCHEMA: Final = "rhythm.rehearsal-part/1"
FIRST_SEED: Final = 1_320_000
PEOPLE: Final = 24
WEEKS: Final = 8
REFERENCES: Final = ("average", "oracle")
PLANNER: Final = "planner"
_REPORTING: Final = ("run.py", "plot.py")
"""Modules here that change no life."""


class _Part(msgspec.Struct, frozen=True):
    schema: str
    digest: str
    lived: Lived


def config_of(names: Sequence[str], people: int, weeks: int) -> dict[str, Any]:
    """What the rows depend on."""
    return {
        "policies": list(names), "people": people, "weeks": weeks, "first_seed": FIRST_SEED, "population": "peaked",
        "styles": "benchmark", "zone": ZONE, "first_slot": FIRST_SLOT, "versions": versions(), "sources": _sources(),
    } | _model(names)  # fmt: skip


def run(
    names: Sequence[str], folder: Path, *, people: int, weeks: int, on_progress: Callable[[str, int], None],
    workers: int | None = None, references: bool = True, cluster: str = "",
) -> dict[str, list[Lived]]:  # fmt: skip
    """Live what the folder does not hold.

    Args:
        names: of policies; see `rhythm.rehearse.suggesters.NAMES`.
        folder: keeps a file for each person and policy; a run that was cut short goes on there.
        people: how many.
        weeks: how many each.
        on_progress: called with a policy's name and 1 for each person who is done.
        workers: processes; one for each core by default.
        references: whether average and oracle are added.
        cluster: address of the scheduler of one that lives them (see `rhythm.spread`); empty for this machine.

    Raises:
        UnknownNameError: no such policy.
        InvalidValueError: a language model was to suggest in a cluster.
        SchemaError: a file in the folder that cannot be read.
        RehearsalError: the assistant refused what a person may do.
        SpreadError: the cluster or a process is lost; the lives that were lived are kept.
    """
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("policy of a rehearsal", name, NAMES)
    if cluster and "lm" in names:
        raise InvalidValueError(
            "the policy lm stays on this machine, where its model is; leave it out of --policies, or say --cluster ''"
        )
    wanted = list(dict.fromkeys((*names, *(REFERENCES if references else ()))))
    digest = digest_of({"weeks": weeks, "versions": versions(), "sources": _sources()} | _model(wanted))
    seeds = range(FIRST_SEED, FIRST_SEED + people)
    found: dict[tuple[str, int], Lived] = {}
    items = {}
    for seed in seeds:
        for name in wanted:
            held = _held(_path(folder, name, seed), digest)
            if held is None:
                items[name, seed] = (name, seed, weeks)
            else:
                found[name, seed] = held
                on_progress(name, 1)
    with opened(workers, cluster, len(items)) as crew:
        for (name, seed), lived in crew.finished(rehearse, items):
            found[name, seed] = lived
            write_whole(_path(folder, name, seed), msgspec.json.encode(_Part(SCHEMA, digest, lived)))
            on_progress(name, 1)
    return {name: [found[name, seed] for seed in seeds] for name in wanted}


def rows_of(lived: dict[str, list[Lived]]) -> list[Row]:
    """Wellbeing, acceptance and beliefs by policy, over all weeks and week by week; time of *Today*.

    Less the planner on the same people where it was lived with; captured where average and oracle were.
    """
    wellbeing = {name: np.array([one.wellbeing for one in each]) for name, each in lived.items()}
    weeks = next(iter(wellbeing.values())).shape[1]
    stretches = [("all", slice(None)), *((f"week-{week + 1}", slice(week, week + 1)) for week in range(weeks))]
    rows: list[Row] = []
    for name, each in lived.items():
        for label, week in stretches:
            rows += [_row(f"wellbeing/{name}/{label}", statistics.mean(wellbeing[name][:, week].mean(axis=1)))]
            rows += [_row(f"acceptance/{name}/{label}", _acceptance(each, week)), *_apart(lived, name, label, week)]
            if name not in REFERENCES:
                rows += [*_captured(wellbeing, name, label, week), *_beliefs(each, name, label, week)]
        taken = float(np.median([one.today_ms for one in each]))
        rows.append(Row(f"today-ms/{name}/all", taken, n=len(each), note="median time of Today over HTTP"))
    return rows


def _acceptance(each: Sequence[Lived], week: slice) -> statistics.Estimate | None:
    looked, accepted = (np.array([getattr(one, field) for one in each]) for field in ("looked_at", "accepted"))
    return statistics.ratio(accepted[:, week].sum(axis=1), looked[:, week].sum(axis=1))


def _apart(lived: dict[str, list[Lived]], name: str, label: str, week: slice) -> list[Row]:
    """Wellbeing and suggestions accepted less the planner's."""
    if PLANNER not in lived or name == PLANNER:
        return []
    rows = []
    for field in ("wellbeing", "accepted"):
        ours, theirs = (np.array([getattr(one, field) for one in lived[who]]) for who in (name, PLANNER))
        apart = (ours - theirs)[:, week].mean(axis=1)
        rows.append(_row(f"{field}-less-planner/{name}/{label}", statistics.mean(apart)))
    return rows


def _captured(wellbeing: dict[str, Floats], name: str, label: str, week: slice) -> list[Row]:
    if not set(REFERENCES) <= set(wellbeing):
        return []
    above = (wellbeing[name] - wellbeing["average"])[:, week].mean(axis=1)
    room = (wellbeing["oracle"] - wellbeing["average"])[:, week].mean(axis=1)
    return [_row(f"captured/{name}/{label}", statistics.ratio(above, room))]


def _beliefs(each: Sequence[Lived], name: str, label: str, week: slice) -> list[Row]:
    errors, covered = np.array([one.errors for one in each]), np.array([one.covered for one in each])
    return [
        _row(f"belief-mae/{name}/{label}", statistics.mean(errors[:, week].mean(axis=(1, 2)))),
        _row(f"coverage80/{name}/{label}", statistics.mean(covered[:, week].mean(axis=(1, 2)))),
    ]


def _row(name: str, estimate: statistics.Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="nothing to divide by: too few people, or nothing was suggested")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)


def _model(names: Sequence[str]) -> dict[str, str]:
    """Which language model lives among them, where one does."""
    if "lm" not in names:
        return {}
    from rhythm.lm.models import digest_of_model  # noqa: PLC0415
    from rhythm.lm.serving import named  # noqa: PLC0415

    model, base_url = named("", "")
    reading = files_digest(sorted((Path(__file__).parents[1] / "lm").glob("*.py")))
    return {"lm": f"{base_url} {model}" if base_url else digest_of_model(model), "lm_sources": reading}


def _sources() -> str:
    """Digest of the assistant's sources, of the rehearsal's own, and of the student's card, which names its weights."""
    root = Path(__file__).parents[1]
    parts = ("assist", "adapt", "bridge", "store", "web", "rehearse")
    paths = [path for part in parts for path in (root / part).rglob("*.py")]
    paths += (root / "bench" / name for name in ("living_assistants.py", "living_play.py"))
    paths = [path for path in paths if path.parent.name != "rehearse" or path.name not in _REPORTING]
    paths += (root / "policy" / "student" / "weights").glob("student-device*.json")
    return files_digest(sorted(paths))


def _path(folder: Path, name: str, seed: int) -> Path:
    return folder / f"{name}.{seed}.json"


def _held(path: Path, digest: str) -> Lived | None:
    if not path.is_file():
        return None
    try:
        part = msgspec.json.decode(path.read_bytes(), type=_Part)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"{path.name} is damaged: {error}; remove it") from None
    return part.lived if (part.schema, part.digest) == (SCHEMA, digest) else None
