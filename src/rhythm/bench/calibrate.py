"""The acceptance table of the life model: does it still stand where the published one stands?

Measured on the wide in-distribution seeds; docs/calibration.md says how the constants were
chosen, docs/life-model.md where the bands come from.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import device_rows, statistics
from rhythm.bench.conditions import find_conditions
from rhythm.bench.determinism import determinism_row
from rhythm.bench.results import Result
from rhythm.bench.rows import Row, as_rows, demanded
from rhythm.bench.run import OnProgress, Unit, run_units
from rhythm.life.populations import Population

CONDITION: Final = "in-distribution-wide"
PLAYED: Final = {
    Population.CLASSIC: ("random", "heuristic", "constant"),
    Population.PEAKED: ("random", "average", "oracle"),
}
"""Policies that are played, by population."""
POLICIES: Final = tuple(dict.fromkeys(policy for played in PLAYED.values() for policy in played))

RANDOM_BAND: Final = (0.38, 0.42)
HEURISTIC_BAND: Final = (0.44, 0.48)
CONSTANT_BAND: Final = (0.19, 0.21)
LEAST_HEADROOM: Final = 0.30


def calibration_units() -> list[Unit]:
    """What is played for the table."""
    (condition,) = find_conditions([CONDITION])
    return [Unit(policy, condition, population.value) for population in PLAYED for policy in PLAYED[population]]


def calibration_rows(
    folder: Path, *, force: bool = False, on_progress: OnProgress = lambda _label, _weeks: None
) -> list[Row]:
    """Measure the whole table: play what the results folder does not hold yet, then the device channel.

    Args:
        folder: results folder.
        force: play again what it holds.
        on_progress: told of progress.
    """
    results = run_units(calibration_units(), folder, force=force, on_progress=on_progress)
    return [*played_rows(results), determinism_row(), *as_rows(device_rows.rows())]


def played_rows(results: Sequence[Result]) -> list[Row]:
    """The four rows that are measured by playing: random, heuristic, constant, headroom."""
    by_key = {(r.policy, r.population): r for r in results if r.condition == CONDITION}

    def graded(policy: str, population: Population, name: str) -> NDArray[np.float64]:
        return np.array(by_key[policy, population.value].graded[name])

    rows = []
    for policy, name, band, note in (
        ("random", "v2", RANDOM_BAND, "grade v2, classic; published 0.393 to 0.402"),
        ("heuristic", "v2", HEURISTIC_BAND, "grade v2, classic; published 0.449 to 0.463"),
        ("constant", "belief_error", CONSTANT_BAND, "error of the belief 0.5, classic; published about 0.20"),
    ):
        found = statistics.mean(graded(policy, Population.CLASSIC, name))
        rows.append(demanded(Row(policy, found.value, found.low, found.high, found.n, note=note), *band))
    random, average, oracle = (graded(p, Population.PEAKED, "wellbeing") for p in ("random", "average", "oracle"))
    headroom = statistics.ratio(oracle - average, oracle - random)
    note = "(oracle - average) / (oracle - random), wellbeing, peaked"
    if headroom is None:
        rows.append(demanded(Row("headroom", None, n=len(oracle), note=note), LEAST_HEADROOM, None))
    else:
        row = Row("headroom", headroom.value, headroom.low, headroom.high, headroom.n, note=note)
        rows.append(demanded(row, LEAST_HEADROOM, None))
    return rows
