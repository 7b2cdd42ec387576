"""From results to rows: which number comes from which population, and against whom it is measured.

=====================================================  ===========  ================================
rows                                                   population   in
=====================================================  ===========  ================================
v2 and its six parts, belief_mae, belief_mae_step7     classic      comparable with published tables
wellbeing, wellbeing_p25, captured, belief_skill,      peaked       v3, the headline
coverage80, interval_width, crps, crps_skill,
steps_to_identify
=====================================================  ===========  ================================

The same number from the other population has a suffix: ``captured_classic``, ``v2_peaked``.
The archetypes are the same people in both, so their rows have none. ``A_minus_B`` is the
paired difference of metric A to policy B. Belief rows exist where a policy states beliefs,
coverage rows where it gives intervals.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.conditions import EVERYONE
from rhythm.bench.graders import V2_WEIGHTS
from rhythm.bench.results import Result
from rhythm.bench.rows import Row
from rhythm.bench.statistics import Estimate
from rhythm.life.populations import Population
from rhythm.vocab import SchemaError

Floats = NDArray[np.float64]
Key = tuple[str, str, str]

CLASSIC_METRICS: Final = ("v2", *V2_WEIGHTS, "v2_minus_heuristic", "v2_minus_average", "belief_mae", "belief_mae_step7")
PEAKED_METRICS: Final = (
    "wellbeing", "wellbeing_p25", "wellbeing_minus_heuristic", "wellbeing_minus_average", "captured",
    "belief_skill", "coverage80", "interval_width", "crps", "crps_skill", "steps_to_identify",
)  # fmt: skip
METRICS: Final = (*CLASSIC_METRICS, *PEAKED_METRICS)
_HOME: Final = dict.fromkeys(CLASSIC_METRICS, Population.CLASSIC) | dict.fromkeys(PEAKED_METRICS, Population.PEAKED)
_AT_HOME_ONLY: Final = frozenset(V2_WEIGHTS)
_DIFFERENCES: Final = ("v2_minus_heuristic", "v2_minus_average", "wellbeing_minus_heuristic", "wellbeing_minus_average")
_NO_HEADROOM: Final = "the oracle is not clearly above the average person here, so there is nothing to capture"


def metric_name(metric: str, population: str) -> str | None:
    """The name of a metric's row in that population; None where it has none."""
    if population in (EVERYONE, _HOME[metric].value):
        return metric
    return None if metric in _AT_HOME_ONLY else f"{metric}_{population}"


def rows_of(results: Sequence[Result]) -> list[Row]:
    """All rows of all results, those of one condition and policy together.

    Differences and captured need the references' results under the same condition; rows
    whose references are missing are left out.

    Raises:
        SchemaError: results that belong together were made by different versions, or under different seals.
    """
    by_key = {(r.policy, r.condition, r.population): r for r in results}
    made_by = {r.versions.get("sources", "") for r in results}
    if len(made_by) > 1:
        raise SchemaError(
            "these results were made by different versions of Rhythm and cannot be compared; "
            "play them again with `rhythm bench run`"
        )
    for condition in {r.condition for r in results}:
        if len({r.seal for r in results if r.condition == condition}) > 1:
            raise SchemaError(
                f"results of {condition} were drawn under different seals, so they are not about the same people; "
                "play them again in a fresh folder"
            )
    order = list(dict.fromkeys((r.policy, r.condition) for r in results))
    rows: list[Row] = []
    for policy, condition in order:
        for population in (Population.CLASSIC.value, Population.PEAKED.value, EVERYONE):
            if result := by_key.get((policy, condition, population)):
                rows += _rows_of_one(result, by_key)
    return rows


def _rows_of_one(result: Result, by_key: dict[Key, Result]) -> list[Row]:
    estimates = _estimates(result, by_key)
    rows = []
    for metric in METRICS:
        name = metric_name(metric, result.population)
        if name is None or metric not in estimates:
            continue
        found = estimates[metric]
        full = f"{name}/{result.policy}/{result.condition}"
        if found is None:
            rows.append(Row(full, None, n=result.people, note=_NO_HEADROOM))
        else:
            rows.append(Row(full, found.value, found.low, found.high, found.n))
    return rows


def _estimates(result: Result, by_key: dict[Key, Result]) -> dict[str, Estimate | None]:
    graded = {name: np.array(values) for name, values in result.graded.items()}

    def of(policy: str, name: str) -> Floats | None:
        other = by_key.get((policy, result.condition, result.population))
        return None if other is None else np.array(other.graded[name])

    averaged = {name: graded[name] for name in ("v2", *V2_WEIGHTS, "wellbeing")}
    if "belief_error" in graded:
        averaged |= {"belief_mae": graded["belief_error"], "belief_mae_step7": graded["belief_error_step7"]}
        averaged["crps"] = graded["crps"]
        if graded["interval_width"].any():
            averaged |= {"coverage80": graded["covered"], "interval_width": graded["interval_width"]}
    for name in _DIFFERENCES:
        metric, reference = name.split("_minus_")
        if result.policy != reference and (values := of(reference, metric)) is not None:
            averaged[name] = graded[metric] - values
    estimates: dict[str, Estimate | None] = dict(
        zip(averaged, statistics.means(np.column_stack(list(averaged.values()))), strict=True)
    )
    estimates["wellbeing_p25"] = statistics.quantile_estimate(graded["wellbeing"], 0.25)
    estimates |= _captured(graded["wellbeing"], of)
    if "belief_error" in graded:
        estimates["belief_skill"] = skill(graded["belief_error"], graded["constant_error"])
        estimates["crps_skill"] = skill(graded["crps"], graded["crps_reference"])
        estimates["steps_to_identify"] = statistics.quantile_estimate(graded["steps_to_identify"], 0.5)
    return estimates


def skill(error: Floats, reference: Floats) -> Estimate | None:
    """1 - mean error / mean error of a reference, over the same seeds: 0 as good, 1 perfect, below 0 worse."""
    return statistics.ratio(reference - error, reference)


def _captured(wellbeing: Floats, of: Callable[[str, str], Floats | None]) -> dict[str, Estimate | None]:
    average, oracle = of("average", "wellbeing"), of("oracle", "wellbeing")
    if average is None or oracle is None:
        return {}
    return {"captured": statistics.ratio(wellbeing - average, oracle - average)}
