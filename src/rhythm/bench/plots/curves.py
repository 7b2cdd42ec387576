"""Curves over the 28 steps of the week: belief error, and wellbeing, with 95 % bands."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rhythm.bench.conditions import CONDITIONS, EVERYONE
from rhythm.bench.plots.canvas import GREY, canvas, colour_of, spread_labels, week_axis
from rhythm.bench.results import Result
from rhythm.life.populations import Population
from rhythm.policy.registry import policy_names
from rhythm.vocab import WEEK_STEPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES: Final[dict[str, tuple[str, Population]]] = {
    "belief_error": ("Belief error at each step (mean absolute error; less is better)", Population.CLASSIC),
    "wellbeing": ("Wellbeing after each step", Population.PEAKED),
}
"""Title and population of each curve."""
IDENTIFIED: Final = 0.10


def curves_data(results: Sequence[Result], curve: str, form: str = "published") -> dict[str, Any]:
    """What the picture shows: for each condition the curve of each policy that has one."""
    title, population = CURVES[curve]
    names = policy_names()
    chosen = [
        r
        for r in results
        if curve in r.curves and CONDITIONS[r.condition].form == form and r.population in (population.value, EVERYONE)
    ]
    chosen.sort(key=lambda r: names.index(r.policy) if r.policy in names else len(names))
    return {
        "title": title,
        "curve": curve,
        "panels": [
            {
                "condition": condition,
                "lines": [
                    {"policy": r.policy, "mean": c.mean, "low": c.low, "high": c.high}
                    for r in chosen
                    if r.condition == condition and (c := r.curves[curve])
                ],
            }
            for condition in CONDITIONS
            if any(r.condition == condition for r in chosen)
        ],
    }


def draw_curves(data: dict[str, Any], path: Path) -> None:
    """Draw `curves_data` to a file."""
    panels = data["panels"]
    with canvas(path, data, 4.3 * len(panels) + 0.8, 3.9) as figure:
        line = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for panel, axes in zip(panels, line, strict=True):
            _lines(axes, panel["lines"])
            axes.set_title(panel["condition"], fontsize=10)
            if data["curve"] == "belief_error":
                axes.axhline(IDENTIFIED, color=GREY, linestyle=":", linewidth=1.0)
                axes.text(WEEK_STEPS - 0.3, IDENTIFIED, "known: 0.10", fontsize=8, color=GREY, ha="right", va="bottom")
        if data["curve"] == "belief_error":
            line[0].set_ylim(bottom=0.0)
        for panel, axes in zip(panels, line, strict=True):
            _label_ends(axes, panel["lines"])
        figure.suptitle(data["title"], x=0.01, ha="left", fontweight="bold", fontsize=11)
        figure.supxlabel("Bands: 95 % interval of the mean over people.", fontsize=9, color=GREY)


def _lines(axes: "Axes", lines: Sequence[dict[str, Any]]) -> None:
    everyone = tuple(entry["policy"] for entry in lines)
    steps = [step + 0.5 for step in range(WEEK_STEPS)]
    for entry in lines:
        colour = colour_of(entry["policy"], everyone)
        axes.fill_between(steps, entry["low"], entry["high"], color=colour, alpha=0.18, linewidth=0)
        axes.plot(steps, entry["mean"], color=colour, linewidth=1.8)
    week_axis(axes)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def _label_ends(axes: "Axes", lines: Sequence[dict[str, Any]]) -> None:
    """Name each line at its end; lines that coincide share a name in the colour of the one on top."""
    everyone = tuple(entry["policy"] for entry in lines)
    groups: dict[tuple[float, ...], list[str]] = {}
    for entry in lines:
        groups.setdefault(tuple(round(v, 9) for v in entry["mean"]), []).append(entry["policy"])
    low, high = axes.get_ylim()
    places = spread_labels([mean[-1] for mean in groups], 0.055 * (high - low))
    for names, place in zip(groups.values(), places, strict=True):
        axes.annotate(
            " and\n".join(names),
            (WEEK_STEPS + 0.4, place),
            color=colour_of(names[-1], everyone),
            fontsize=8.5,
            va="center",
            annotation_clip=False,
        )
