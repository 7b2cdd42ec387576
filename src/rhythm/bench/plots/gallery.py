"""All pictures of a results folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rhythm.bench.measures import rows_of
from rhythm.bench.one_week import one_week
from rhythm.bench.plots.curves import CURVES, curves_data, draw_curves
from rhythm.bench.plots.scores import draw_scores, scores_data
from rhythm.bench.plots.week import draw_week, week_data
from rhythm.bench.results import Result
from rhythm.life.populations import Population

WEEK_SEED: Final = 7
"""Whose week is drawn: an evaluation person of the in-distribution condition."""


def draw_all(results: Sequence[Result], folder: Path) -> list[Path]:
    """Draw everything that these results can show into a folder; gives the pictures' paths.

    Score bars and curves, for the published, wide and sealed conditions, and one week
    under the last policy in the table that is not told who the person is.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    rows = rows_of(results)
    drawn: list[Path] = []
    for form, ending in (("published", ""), ("wide", "-wide"), ("sealed", "-sealed")):
        scores = scores_data(rows, form)
        if scores["conditions"]:
            drawn.append(folder / f"scores{ending}.png")
            draw_scores(scores, drawn[-1])
        for curve in CURVES:
            data = curves_data(results, curve, form)
            if data["panels"]:
                drawn.append(folder / f"{curve.replace('_', '-')}{ending}.png")
                draw_curves(data, drawn[-1])
    policies = list(dict.fromkeys(r.policy for r in results if not r.told))
    if policies:
        chosen = "planner" if "planner" in policies else policies[-1]
        drawn.append(folder / f"week-{chosen}.png")
        draw_week(week_data(one_week(chosen, WEEK_SEED, Population.PEAKED.value)), drawn[-1])
    return drawn
