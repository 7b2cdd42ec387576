"""The benchmark of living: eight weeks of many people by many assistants, kept as files, and the rows made of them.

Captured is (assistant - average) / (oracle - average) in mean wellbeing, the same people
throughout: average and oracle are the same assistant told the mean person and the true one.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.living_assistants import ASSISTANTS, KINDS, assistant_of
from rhythm.bench.living_play import play
from rhythm.bench.results import write_whole
from rhythm.bench.rows import Row, demanded
from rhythm.bench.versions import digest_of, versions
from rhythm.policy.student.device_model import device_model
from rhythm.spread import opened
from rhythm.vocab import SchemaError, UnknownNameError

Floats = NDArray[np.float64]

PART_SCHEMA: Final = "rhythm.bench-living-part/1"
FIRST_SEED: Final = 1_300_000
PEOPLE: Final = 96
WEEKS: Final = 8
PART: Final = 8
"""People who are played together and kept in one file."""
REFERENCES: Final = ("average", "oracle")
_PLAYING: Final = ("living_assistants.py", "living_play.py")


class Part(msgspec.Struct, frozen=True):
    """Some people's weeks with one assistant, as a file.

    Attributes:
        schema: `PART_SCHEMA`.
        digest: of configuration, versions and sources.
        seconds: of processor time.
        wellbeing, accepted: by person and week.
        timings_ms: see `rhythm.bench.living_play.Assistant.timings_ms`.
        errors, covered: by person, week and belief; no weeks where no belief was stated.
        constant: absolute error of the belief 0.5, by person, week and belief.
    """

    schema: str
    digest: str
    seconds: float
    wellbeing: list[list[float]]
    accepted: list[list[float]]
    errors: list[list[list[float]]]
    covered: list[list[list[float]]]
    constant: list[list[list[float]]]
    timings_ms: dict[str, list[float]] = {}


def config_of(names: Sequence[str], people: int, weeks: int) -> dict[str, Any]:
    """What the rows depend on."""
    return {
        "assistants": list(names), "people": people, "weeks": weeks, "first_seed": FIRST_SEED, "population": "peaked",
        "styles": "benchmark", "versions": versions(),
    }  # fmt: skip


def play_part(name: str, first: int, count: int, weeks: int, digest: str) -> Part:
    """Play some people with one assistant."""
    begun = time.process_time()
    seeds = np.arange(first, first + count)
    played = play(seeds, weeks, assistant_of(name, seeds))
    return Part(
        PART_SCHEMA, digest, time.process_time() - begun, played.wellbeing.tolist(), played.accepted.tolist(),
        played.errors.tolist(), played.covered.tolist(), played.constant.tolist(),
        played.timings_ms,
    )  # fmt: skip


def run(
    names: Sequence[str], folder: Path, *, people: int, weeks: int, on_progress: Callable[[str, int], None],
    cluster: str = "",
) -> dict[str, list[Part]]:  # fmt: skip
    """Play what the folder does not hold, on all cores or by a cluster.

    Args:
        names: assistants; average and oracle are added.
        folder: keeps one file for every few people; a run that was cut short goes on there.
        people: how many.
        weeks: how many each.
        on_progress: called with an assistant's name and how many people more are done.
        cluster: address of its scheduler (see `rhythm.spread`); empty for this machine.

    Raises:
        UnknownNameError: a name that is no assistant.
        SchemaError: a file in the folder that cannot be read.
        SpreadError: the cluster or a process is lost; the parts that were played are kept.
    """
    for name in names:
        if name not in ASSISTANTS:
            raise UnknownNameError("assistant", name, ASSISTANTS)
    wanted = list(dict.fromkeys((*REFERENCES, *names)))
    digests = {name: _digest(name, weeks) for name in wanted}
    starts = range(FIRST_SEED, FIRST_SEED + people, PART)
    found: dict[str, dict[int, Part]] = {name: {} for name in wanted}
    items = {}
    for first in starts:
        count = min(PART, FIRST_SEED + people - first)
        for name in wanted:
            part = _held(_path(folder, name, first, count), digests[name])
            if part is None:
                items[name, first, count] = (name, first, count, weeks, digests[name])
            else:
                found[name][first] = part
                on_progress(name, count)
    with opened(None, cluster, len(items)) as crew:
        for (name, first, count), part in crew.finished(play_part, items):
            found[name][first] = part
            write_whole(_path(folder, name, first, count), msgspec.json.encode(part))
            on_progress(name, count)
    return {name: [parts[first] for first in starts] for name, parts in found.items()}


def _path(folder: Path, name: str, first: int, count: int) -> Path:
    return folder / f"{name}.{first}.{count}.json"


def _digest(name: str, weeks: int) -> str:
    """Of all that an assistant's weeks depend on."""
    config = {"weeks": weeks, "versions": versions(), "playing": _playing_digest()}
    if name in KINDS and KINDS[name].advised:
        config["student"] = device_model().card.name
    return digest_of(config)


def _playing_digest() -> str:
    """Digest of the sources that say who suggests and what is graded."""
    here = Path(__file__).parent
    return hashlib.sha256(b"".join((here / name).read_bytes() for name in _PLAYING)).hexdigest()[:16]


def _held(path: Path, digest: str) -> Part | None:
    if not path.is_file():
        return None
    try:
        part = msgspec.json.decode(path.read_bytes(), type=Part)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"{path.name} is damaged: {error}; remove it") from None
    return part if (part.schema, part.digest) == (PART_SCHEMA, digest) else None


def _joined(parts: Sequence[Part], column: str) -> Floats:
    return np.concatenate([np.array(getattr(part, column)) for part in parts])


def rows_of(played: dict[str, list[Part]]) -> list[Row]:
    """Wellbeing, captured, belief skill and coverage of each assistant: over all weeks, and week by week."""
    wellbeing = {name: _joined(parts, "wellbeing") for name, parts in played.items()}
    average, oracle = wellbeing["average"], wellbeing["oracle"]
    weeks = average.shape[1]
    stretches = [("all", slice(None)), *((f"week-{week + 1}", slice(week, week + 1)) for week in range(weeks))]
    rows: list[Row] = []
    for name, levels in wellbeing.items():
        for label, week in stretches:
            each = levels[:, week].mean(axis=1)
            rows.append(_row(f"wellbeing/{name}/{label}", statistics.mean(each)))
            rows.append(_row(f"wellbeing25/{name}/{label}", statistics.quantile_estimate(each, 0.25)))
            if name not in REFERENCES:
                above = each - average[:, week].mean(axis=1)
                room = (oracle - average)[:, week].mean(axis=1)
                rows.append(_captured(name, label, above, room, weeks))
        rows += [*_belief_rows(name, played[name], stretches), *_speed_rows(name, played[name])]
    return rows


def _captured(name: str, label: str, above: Floats, room: Floats, weeks: int) -> Row:
    row = _row(f"captured/{name}/{label}", statistics.ratio(above, room))
    if name == "rhythm" and label == "week-2":
        return demanded(row, 0.5, None)
    return demanded(row, 0.7, None) if name == "rhythm" and label == f"week-{weeks}" and weeks >= WEEKS else row


def _belief_rows(name: str, parts: Sequence[Part], stretches: Sequence[tuple[str, slice]]) -> list[Row]:
    errors = _joined(parts, "errors")
    if errors.size == 0:
        return []
    covered, constant = _joined(parts, "covered"), _joined(parts, "constant")
    rows = []
    for label, week in stretches:
        mine, theirs = errors[:, week].mean(axis=(1, 2)), constant[:, week].mean(axis=(1, 2))
        skill = _row(f"belief-skill/{name}/{label}", statistics.ratio(theirs - mine, theirs))
        held = _row(f"coverage80/{name}/{label}", statistics.mean(covered[:, week].mean(axis=(1, 2))))
        rows += [skill, demanded(held, 0.75, 0.85) if name == "rhythm" else held]
    return rows


SPEED_LIMITS_MS: Final = {"decision": 50.0, "update": 5.0}


def _speed_rows(name: str, parts: Sequence[Part]) -> list[Row]:
    """Median processor time of a decision and of an update, on one core."""
    rows = []
    for kind, limit in SPEED_LIMITS_MS.items():
        taken = [ms for part in parts for ms in part.timings_ms.get(kind, [])]
        if taken:
            row = Row(f"{kind}-ms/{name}/all", float(np.median(taken)), n=len(taken), note="median processor time")
            rows.append(demanded(row, None, limit) if name == "rhythm" else row)
    return rows


def _row(name: str, estimate: statistics.Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="oracle and average are not clearly apart")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)


ABLATIONS: Final = tuple(name for name in KINDS if name.startswith("no-") or name == "point")
DEFAULT: Final = ("rhythm", "sees-all", "bandit", "heuristic", "random", "silent", *ABLATIONS)
