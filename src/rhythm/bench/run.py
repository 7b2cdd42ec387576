"""Run policies through conditions: resumable, on all cores, the same numbers however it is split.

People are played in chunks by threads (the compiled kernels let go of the interpreter lock);
a chunk's people do not see each other, so the split changes nothing. What a results folder
already holds under the same digest is not played again.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import SEALED, Condition, find_conditions
from rhythm.bench.graders import Episodes, belief_errors, grade_week, states_beliefs
from rhythm.bench.play import joined, play
from rhythm.bench.result_checks import check_result, content_digest
from rhythm.bench.results import Curve, Result, read_result, result_path, write_result, write_whole
from rhythm.bench.seal import seal_of
from rhythm.bench.statistics import BOOTSTRAP_SEED, DRAWS, INTERVAL, means
from rhythm.bench.versions import digest_of, versions
from rhythm.policy.registry import make_policy
from rhythm.vocab import InvalidValueError

REFERENCES: Final = ("heuristic", "average", "oracle")
"""Policies that others are measured against; played with every run."""
CHUNK: Final = 128
CONFIG_SCHEMA: Final = "rhythm.bench-config/1"

OnProgress = Callable[[str, int], None]
"""Called with what was played and how many more people's weeks are done."""


@dataclass(frozen=True)
class Unit:
    """One policy under one condition on one population: one file of results."""

    policy: str
    condition: Condition
    population: str
    seal: int = 0

    @property
    def label(self) -> str:
        """``oracle, ood, peaked``."""
        return f"{self.policy}, {self.condition.name}, {self.population}"

    @property
    def secret(self) -> int:
        """See `Condition.secret`."""
        return self.condition.secret(self.population, self.seal)

    def config(self) -> dict[str, Any]:
        """What its numbers depend on, versions apart."""
        return {
            "policy": self.policy,
            "policy_version": _policy_version(self.policy),
            "condition": self.condition.name,
            "population": self.population,
            "first_seed": self.condition.seeds.start,
            "people": len(self.condition.seeds),
            "seal": self.seal,
        }

    def digest(self) -> str:
        """Digest of its configuration and of all versions."""
        return digest_of({**self.config(), "versions": versions()})


def units_of(policies: Sequence[str], conditions: Sequence[Condition], seal: int = 0) -> list[Unit]:
    """Every unit of a run; references and repeated names are added and dropped by the caller."""
    return [
        Unit(policy, condition, population, condition.seal(seal))
        for condition in conditions
        for population in condition.populations
        for policy in policies
    ]


def run(
    policies: Sequence[str],
    conditions: Sequence[str],
    folder: Path,
    *,
    force: bool = False,
    seal: int | None = None,
    workers: int | None = None,
    on_progress: OnProgress = lambda _label, _weeks: None,
) -> list[Result]:
    """Play what the folder does not hold yet.

    Args:
        policies: names in the registry; the references are played too.
        conditions: names of conditions or of groups of them (see `find_conditions`).
        folder: results folder; made if it is missing.
        force: play everything again.
        seal: what sealed conditions are drawn under; the folder's own without it (see `seal_of`).
        workers: threads; one for each core by default.
        on_progress: told of progress.

    Returns:
        A result for each unit, references included.

    Raises:
        UnknownNameError: an unknown policy or condition.
        SchemaError: a file in the folder is damaged or of another schema version.
        InvalidValueError: the folder is sealed with another number, or a seal was given for open conditions.
    """
    everyone = tuple(dict.fromkeys((*policies, *REFERENCES)))
    found = find_conditions(conditions)
    # Asked once: what is handed to a policy is what the result says was handed to it.
    told = {name: bool(make_policy(name).told) for name in everyone}
    if seal is not None and not any(condition.sealed for condition in found):
        raise InvalidValueError(f"a seal was given, but no condition is sealed; sealed are: {', '.join(SEALED)}")
    sealed = seal_for(conditions, folder, seal)
    config = resolved_config(policies, conditions, sealed)
    write_whole(folder / "config.json", msgspec.json.format(msgspec.json.encode(config), indent=2))
    return run_units(
        units_of(everyone, found, sealed), folder, force=force, workers=workers, on_progress=on_progress, told=told
    )


def run_units(
    units: Sequence[Unit],
    folder: Path,
    *,
    force: bool = False,
    workers: int | None = None,
    on_progress: OnProgress = lambda _label, _weeks: None,
    told: Mapping[str, bool] | None = None,
) -> list[Result]:
    """Play just these units as `run` does; ``told`` says which policies are handed who the people are."""
    told = told or {u.policy: bool(make_policy(u.policy).told) for u in units}
    digests = {unit: unit.digest() for unit in units}
    held = {} if force else {u: r for u in units if (r := _held(folder, u, digests[u]))}
    for unit in held:
        on_progress(unit.label, len(unit.condition.seeds))
    made: dict[Unit, Result] = {}
    executor = ThreadPoolExecutor(workers or os.cpu_count() or 1)
    try:
        waiting = {unit: _submit(executor, unit, told[unit.policy], on_progress) for unit in units if unit not in held}
        for unit in list(waiting):
            parts = [future.result() for future in waiting.pop(unit)]
            seconds = sum(s for _, s in parts)
            made[unit] = measure(unit, digests[unit], joined([p for p, _ in parts]), seconds, told=told[unit.policy])
            write_result(folder, made[unit])
    finally:
        executor.shutdown(cancel_futures=True)
    return [held.get(unit) or made[unit] for unit in units]


def seal_for(conditions: Sequence[str], folder: Path, wanted: int | None = None) -> int:
    """What these conditions are drawn under in that folder; 0 where all are open. Errors as `seal_of`."""
    return seal_of(folder, wanted) if any(c.sealed for c in find_conditions(conditions)) else 0


def weeks_to_play(policies: Sequence[str], conditions: Sequence[str]) -> int:
    """How many people's weeks a run comes to, references included."""
    everyone = tuple(dict.fromkeys((*policies, *REFERENCES)))
    return sum(len(unit.condition.seeds) for unit in units_of(everyone, find_conditions(conditions)))


def resolved_config(policies: Sequence[str], conditions: Sequence[str], seal: int = 0) -> dict[str, Any]:
    """The whole configuration of a run, defaults filled in, and all versions."""
    return {
        "schema": CONFIG_SCHEMA,
        "policies": list(dict.fromkeys((*policies, *REFERENCES))),
        "conditions": [
            {
                "name": c.name,
                "first_seed": c.seeds.start,
                "people": len(c.seeds),
                "populations": list(c.populations),
                "corners": c.corners,
                "archetypes": c.archetypes,
                "seal": c.seal(seal),
            }
            for c in find_conditions(conditions)
        ],
        "bootstrap": {"draws": DRAWS, "seed": BOOTSTRAP_SEED, "interval": list(INTERVAL)},
        "versions": versions(),
    }


def measure(unit: Unit, digest: str, played: Episodes, seconds: float, *, told: bool) -> Result:
    """Grade what was played; ``told`` says whether the policy was handed who the people are."""
    population = unit.condition.graded_as(unit.population)
    curves = {"wellbeing": played.wellbeing}
    if states_beliefs(played):
        curves["belief_error"] = belief_errors(played)
    result = Result(
        digest=digest,
        policy=unit.policy,
        condition=unit.condition.name,
        population=unit.population,
        told=told,
        first_seed=unit.condition.seeds.start,
        people=len(played.people),
        seconds=seconds,
        versions=versions(),
        graded={name: values.tolist() for name, values in grade_week(played, population).items()},
        curves={name: _curve(values) for name, values in curves.items()},
        policy_version=_policy_version(unit.policy),
        seal=unit.seal,
    )
    return msgspec.structs.replace(result, content=content_digest(result))


def _curve(values: NDArray[np.float64]) -> Curve:
    steps = means(values)
    return Curve([s.value for s in steps], [s.low for s in steps], [s.high for s in steps])


def _held(folder: Path, unit: Unit, digest: str) -> Result | None:
    path = result_path(folder, unit.policy, unit.condition.name, unit.population)
    if not path.exists():
        return None
    result = read_result(path)
    if result.digest != digest:
        return None
    check_result(result, path.name)
    return result


def _policy_version(policy: str) -> str:
    return str(getattr(make_policy(policy), "version", ""))


def _submit(
    executor: ThreadPoolExecutor, unit: Unit, told: bool, on_progress: OnProgress
) -> list[Future[tuple[Episodes, float]]]:
    people, seeds = unit.condition.people(unit.population, unit.seal), unit.condition.seed_array

    def chunk(start: int) -> tuple[Episodes, float]:
        begun = time.thread_time()
        part = slice(start, start + CHUNK)
        played = play(make_policy(unit.policy), people[part], seeds[part], seal=unit.secret, told=told)
        on_progress(unit.label, len(played.people))
        return played, time.thread_time() - begun

    return [executor.submit(chunk, start) for start in range(0, len(seeds), CHUNK)]
