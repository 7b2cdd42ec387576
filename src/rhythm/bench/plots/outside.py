"""Bars of the outside test-bed: what each agent walks in each setting, mean and 25th percentile, with intervals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rhythm.bench.plots.canvas import GREEN, GREY, ORANGE, PINK, SKY, canvas, colour_of
from rhythm.bench.rows import Row

_COLOURS: Final = {"random": GREY, "thompson": ORANGE, "gradient": PINK, "average": SKY, "rhythm": GREEN}
_METRICS: Final = {"return": "mean", "return_p25": "25th percentile"}


def outside_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What the picture shows: for each setting and metric the bar of each agent, from `rhythm.bench.outside.run`."""
    settings = list(dict.fromkeys(row.name.split("/")[2] for row in rows if row.metric == "return"))
    return {
        "title": "Steps walked in the outside test-bed, with 95 % intervals",
        "panels": [
            {
                "setting": setting,
                "metric": metric,
                "bars": [
                    {"agent": row.name.split("/")[1], "value": row.value, "low": row.low, "high": row.high}
                    for row in rows
                    if row.metric == metric and row.name.endswith(f"/{setting}")
                ],
            }
            for metric in _METRICS
            for setting in settings
        ],
    }


def draw_outside(rows: Sequence[Row], path: Path) -> None:
    """Draw `outside_data` to a file, the data beside it."""
    data = outside_data(rows)
    panels = data["panels"]
    columns = len(panels) // len(_METRICS)
    with canvas(path, data, 2.4 * columns + 1.2, 5.6) as figure:
        grid = figure.subplots(len(_METRICS), columns, squeeze=False, sharey="row")
        for panel, axes in zip(panels, grid.ravel(), strict=True):
            for place, bar in enumerate(panel["bars"]):
                colour = _COLOURS.get(bar["agent"], colour_of(bar["agent"]))
                axes.bar(place, bar["value"], color=colour, width=0.75)
                axes.plot([place, place], [bar["low"], bar["high"]], color="black", linewidth=1.2)
            axes.set_xticks(range(len(panel["bars"])), [bar["agent"] for bar in panel["bars"]], rotation=60, fontsize=8)
            axes.set_title(panel["setting"], fontsize=9)
        for metric, line in zip(_METRICS.values(), grid, strict=True):
            line[0].set_ylabel(f"steps walked, {metric}", fontsize=9)
        figure.suptitle(data["title"], x=0.01, ha="left", fontweight="bold", fontsize=11)
