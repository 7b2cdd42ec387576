"""The rehearsal's curves: wellbeing, acceptance and captured over the weeks, policy by policy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rhythm.bench.plots.canvas import canvas, colour_of
from rhythm.bench.rows import Row

PANELS: Final = {
    "wellbeing": "Wellbeing",
    "acceptance": "Suggestions accepted",
    "wellbeing-less-planner": "Wellbeing less the planner's, same people",
    "captured": "Captured",
}


def rehearsal_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What the picture shows: for each metric the line of each policy over the weeks."""
    panels: list[dict[str, Any]] = []
    for metric, title in PANELS.items():
        lines: dict[str, dict[str, list[Any]]] = {}
        for row in rows:
            kind, name, label = row.name.split("/")
            if kind == metric and label.startswith("week-") and row.value is not None:
                line = lines.setdefault(name, {"weeks": [], "mean": [], "low": [], "high": []})
                line["weeks"].append(int(label.removeprefix("week-")))
                for key, value in (("mean", row.value), ("low", row.low), ("high", row.high)):
                    line[key].append(value)
        if lines:
            panels.append({"metric": metric, "title": title, "lines": lines})
    return {"title": "Weeks through the real assistant", "panels": panels}


def draw_rehearsal(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `rhythm.rehearse.run.rows_of` to a file, the data beside it."""
    data = rehearsal_data(rows)
    everybody = tuple(data["panels"][0]["lines"])
    with canvas(path, data, 4.5 * len(data["panels"]), 4.2) as figure:
        axes_of_panels = figure.subplots(1, len(data["panels"]), squeeze=False)[0]
        for panel, axes in zip(data["panels"], axes_of_panels, strict=True):
            for name, line in panel["lines"].items():
                colour = colour_of(name, everybody)
                axes.plot(line["weeks"], line["mean"], color=colour, linewidth=1.8, label=name)
                if name == "planner" or panel["metric"] == "wellbeing-less-planner":
                    axes.fill_between(line["weeks"], line["low"], line["high"], color=colour, alpha=0.18, linewidth=0)
            if panel["metric"] == "captured":
                axes.set_ylim(-1.0, 1.6)
            axes.set_title(panel["title"], fontsize=10)
            axes.set_xlabel("week")
            axes.legend(fontsize=7)
        figure.suptitle(data["title"], x=0.01, ha="left", fontweight="bold", fontsize=11)
