"""Curves over the weeks of the benchmark of living: captured, belief skill, coverage."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rhythm.bench.plots.canvas import GREY, canvas, colour_of
from rhythm.bench.rows import Row

PANELS: Final = {"captured": "Captured", "belief-skill": "Belief skill", "coverage80": "Coverage of 80 % intervals"}


def living_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What the picture shows: for each metric the line of each assistant over the weeks."""
    panels = []
    for metric, title in PANELS.items():
        lines: dict[str, list[Row]] = {}
        for row in rows:
            kind, name, label = row.name.split("/")
            if kind == metric and label.startswith("week-") and row.value is not None:
                lines.setdefault(name, []).append(row)
        panels.append(
            {
                "metric": metric,
                "title": title,
                "lines": [
                    {
                        "assistant": name,
                        "weeks": [int(row.name.rsplit("-", 1)[1]) for row in found],
                        "mean": [row.value for row in found],
                        "low": [row.low for row in found],
                        "high": [row.high for row in found],
                    }
                    for name, found in lines.items()
                ],
            }
        )
    return {"title": "Weeks through the device channel", "panels": panels}


def draw_living(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `rhythm.bench.living_run.rows_of` to a file, the data beside it."""
    data = living_data(rows)
    with canvas(path, data, 13.5, 4.2) as figure:
        line = figure.subplots(1, len(data["panels"]), squeeze=False)[0]
        for panel, axes in zip(data["panels"], line, strict=True):
            names = tuple(entry["assistant"] for entry in panel["lines"])
            for entry in panel["lines"]:
                colour = colour_of("planner" if entry["assistant"] == "rhythm" else entry["assistant"], names)
                axes.plot(entry["weeks"], entry["mean"], color=colour, linewidth=1.8, label=entry["assistant"])
                if entry["assistant"] == "rhythm":
                    axes.fill_between(
                        entry["weeks"], entry["low"], entry["high"], color=colour, alpha=0.18, linewidth=0
                    )
            if panel["metric"] == "coverage80":
                axes.axhspan(0.75, 0.85, color=GREY, alpha=0.2)
            if panel["metric"] == "captured":
                axes.set_ylim(-1.0, 1.6)
            axes.set_title(panel["title"], fontsize=10)
            axes.set_xlabel("week")
            if names:
                axes.legend(fontsize=7)
        figure.suptitle(data["title"], x=0.01, ha="left", fontweight="bold", fontsize=11)
