"""Pictures of the posterior's calibration: coverage by step, and where the truth ranks among the draws."""

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
