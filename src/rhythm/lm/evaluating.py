"""A language model through the benchmark: its rows, beside those of other policies, in one file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from rhythm.bench import run as bench_run
from rhythm.bench import statistics
from rhythm.bench.measures import rows_of
from rhythm.bench.results import Result, read_results, write_whole
from rhythm.bench.rows import Row
from rhythm.lm.decoding import MAX_TOKENS
from rhythm.lm.environment import MAX_TOKENS_VARIABLE, MODEL_VARIABLE, URL_VARIABLE
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.vocab import InvalidValueError, SchemaError

EVAL_SCHEMA: Final = "rhythm.lm-eval/1"
FILE: Final = "lm-eval.json"
POLICY: Final = "lm"
PAIRED: Final = ("v2", "wellbeing", "belief_error")
GRADED_BY: Final = ("life", "population", "grader_v2", "grader_v3")
"""Versions by which two models' grades of the same people can be told from each other."""


def evaluate(
    model: str,
    base_url: str,
    conditions: Sequence[str],
    beside: Sequence[str],
    results: Path,
    *,
    max_tokens: int = MAX_TOKENS,
    force: bool = False,
    on_progress: Callable[[str, int], None] = lambda _l, _n: None,
) -> tuple[dict[str, Any], list[Row]]:
    """Play a model and others through conditions; what the rows depend on, and the rows.

    Args:
        model: folder, name on the hub, or its name at a server.
        base_url: of that server; empty for a model in this process.
        conditions: see `rhythm.bench.conditions.find_conditions`.
        beside: names of other policies.
        results: folder that keeps what was played, and `FILE`.
        max_tokens: of an answer.
        force: play again what the folder holds.
        on_progress: told of progress.

    Raises:
        NoModelError, MissingPackagesError: see `rhythm.lm.player.from_environment`.
        NoAnswerError: the server could not be brought to answer.
        UnknownNameError: an unknown policy or condition.
    """
    os.environ |= {MODEL_VARIABLE: model, URL_VARIABLE: base_url, MAX_TOKENS_VARIABLE: str(max_tokens)}
    # One thread: the network takes the cores for itself, and the others play in no time beside it.
    played = bench_run.run([POLICY, *beside], conditions, results, force=force, workers=1, on_progress=on_progress)
    rows = rows_of(played)
    version = next(result.policy_version for result in played if result.policy == POLICY)
    config = {
        "model": Path(model).name if Path(model).is_dir() else model,
        "model_version": version,
        "prompt": PROMPT_VERSION,
        "conditions": list(conditions),
        "seconds": {f"{r.condition}/{r.population}": r.seconds for r in played if r.policy == POLICY},
    }
    document = {"schema": EVAL_SCHEMA, "config": config, "rows": rows}
    write_whole(results / FILE, msgspec.json.format(msgspec.json.encode(document), indent=2))
    return config, rows


def paired(results: Path, against: Path) -> list[Row]:
    """By how much a model's grades lie above another's on the same people, with 95 % intervals paired by seed.

    Args:
        results: folder of `evaluate`.
        against: that of the other model.

    Returns:
        Rows ``measure_over/condition/population``.

    Raises:
        SchemaError: a folder is damaged, or holds no results.
        InvalidValueError: a folder holds no results of a model, or they have no people in common.
    """
    own, others = results_of_model(results), results_of_model(against)
    rows = []
    for (condition, population), result in own.items():
        other = others.get((condition, population))
        if other is None or _who(other) != _who(result):
            continue
        for name in PAIRED:
            if name in result.graded and name in other.graded:
                found = statistics.mean(np.array(result.graded[name]) - np.array(other.graded[name]))
                rows.append(Row(f"{name}_over/{condition}/{population}", found.value, found.low, found.high, found.n))
    if not rows:
        raise InvalidValueError(f"{results} and {against} hold no results of models on the same people")
    return rows


def results_of_model(folder: Path) -> dict[tuple[str, str], Result]:
    """The results of the model that was played last in a folder, by condition and population.

    What an earlier model left in other conditions is not of it, and left out.

    Raises:
        SchemaError: the folder is damaged, or holds no results.
        InvalidValueError: it holds none of a model, or those of several and does not say which was the last.
    """
    found = {(r.condition, r.population): r for r in read_results(folder) if r.policy == POLICY}
    last = _last_version(folder / FILE)
    kept = {key: r for key, r in found.items() if last is None or r.policy_version == last}
    if len({r.policy_version for r in kept.values()}) != 1:
        raise InvalidValueError(
            f"{folder} holds results of {'several models' if kept else 'no model'}; name a folder that "
            "`rhythm lm eval --results` wrote"
        )
    return kept


def _last_version(path: Path) -> str | None:
    try:
        return str(msgspec.json.decode(path.read_bytes())["config"]["model_version"])
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeError, KeyError, TypeError):
        raise SchemaError(f"{path} is damaged; remove it and evaluate again") from None


def _who(result: Result) -> tuple[object, ...]:
    """People and graders."""
    return result.first_seed, result.people, result.seal, *(result.versions.get(key) for key in GRADED_BY)
