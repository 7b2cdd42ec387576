"""Share of people whose archetype is rightly known after so many taps, by learner."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from rhythm.bench.plots.canvas import GREY, canvas, colour_of
from rhythm.bench.taps_play import Taps

SHOWN_TAPS: Final = 120


def taps_data(asked: Mapping[str, Taps]) -> dict[str, Any]:
    """What the picture shows: for each learner the share rightly known after 0, 1, ... taps."""
    lines = {
        name: [float((one.right & (one.taps <= taps)).mean()) for taps in range(SHOWN_TAPS + 1)]
        for name, one in asked.items()
    }
    return {"title": "Archetype rightly known after so many taps", "lines": lines}


def draw_taps(asked: Mapping[str, Taps], path: Path) -> None:
    """Draw `taps_data` to a file, the data beside it."""
    data = taps_data(asked)
    names = tuple(data["lines"])
    with canvas(path, data, 7.0, 4.2) as figure:
        axes = figure.subplots()
        for name, shares in data["lines"].items():
            colour = colour_of("planner" if name == "rhythm" else name, names)
            axes.plot(np.arange(SHOWN_TAPS + 1), shares, color=colour, linewidth=1.8, label=name)
        axes.axhline(0.95, color=GREY, linestyle=":", linewidth=1.0)
        axes.set_xlabel("taps (answers)")
        axes.set_ylabel("share of people")
        axes.set_title(data["title"])
        axes.legend(fontsize=8)
