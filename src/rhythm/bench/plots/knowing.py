"""Pictures of how well the planner knows people: its posterior's calibration, and what more time brings it."""

from pathlib import Path
from typing import Any

from rhythm.bench.plots.canvas import BLUE, GREEN, GREY, PALE, canvas


def draw_calibration(data: dict[str, Any], path: Path) -> None:
    """Draw what `rhythm.bench.knowing.calibration` gives to a file; the data go beside it."""
    panels = data["panels"]
    with canvas(path, data, 9.5, 3.2 * len(panels)) as figure:
        lines = figure.subplots(len(panels), 2, squeeze=False)
        for panel, (left, right) in zip(panels, lines, strict=True):
            left.axhspan(0.75, 0.85, color=PALE)
            left.plot(panel["steps"], panel["coverage"], color=GREEN, marker="o", linewidth=1.8)
            left.set_ylim(0.0, 1.0)
            left.set_title(f"{panel['condition']}: coverage of 80 % intervals", fontsize=10)
            left.set_xlabel("steps seen")
            for step, colour in (("0", GREY), ("1", BLUE), ("3", GREEN)):
                counts = panel["ranks"][step]
                total = max(sum(counts), 1)
                places = [(i + 0.5) / data["bins"] for i in range(data["bins"])]
                right.plot(places, [c * data["bins"] / total for c in counts], color=colour, label=f"after {step}")
            right.axhline(1.0, color=GREY, linestyle=":", linewidth=1.0)
            right.set_ylim(bottom=0.0)
            right.set_title("rank of the truth among the draws (1 = as it should be)", fontsize=10)
            right.legend(fontsize=8)


def draw_effort(data: dict[str, Any], path: Path) -> None:
    """Draw what `rhythm.bench.effort.effort_rows` gives to a file; the data go beside it."""
    points = sorted((p for p in data["points"] if p["more"] is not None), key=lambda p: float(p["ms"]))
    with canvas(path, data, 8.0, 4.4) as figure:
        axes = figure.subplots()
        axes.axhline(0.0, color=GREY, linewidth=1.0)
        axes.axvline(50.0, color=GREY, linestyle=":", linewidth=1.0)
        for i, point in enumerate(points):
            colour = BLUE if point["name"].startswith("hindsight") else GREEN
            ends = [[point["more"] - point["low"]], [point["high"] - point["more"]]]
            axes.errorbar(point["ms"], point["more"], yerr=ends, color=colour, marker="o", capsize=3)
            end, down = (point["high"], 6) if i % 2 else (point["low"], -14)
            axes.annotate(
                point["name"], (point["ms"], end), xytext=(0, down), textcoords="offset points", fontsize=8, ha="center"
            )
        axes.set_xscale("log")
        axes.set_xlim(0.2, 2000.0)
        axes.margins(y=0.15)
        axes.set_xlabel("processor time of a decision, ms (dotted: the limit of 50)")
        known = "" if data["captured"] is None else f" ({data['captured']:.3f})"
        axes.set_title(f"Captured, more than the planner's{known}; paired 95 % intervals")
