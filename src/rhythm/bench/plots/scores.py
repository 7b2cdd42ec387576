"""Score bars with intervals: one panel for each measure and condition, published results as hollow bars."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.plots.canvas import BLACK, GREY, canvas, colour_of
from rhythm.bench.published import PUBLISHED
from rhythm.bench.rows import Row
from rhythm.policy.registry import policy_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES: Final[dict[str, str]] = {
    "v2": "Grade v2 (as published)",
    "wellbeing": "Wellbeing over the week (v3)",
    "belief_mae": "Belief error at the end (less is better)",
}


def scores_data(rows: Sequence[Row], form: str = "published") -> dict[str, Any]:
    """What the picture shows: for each measure and condition a list of bars.

    Args:
        rows: ``metric/policy/condition`` rows.
        form: of which conditions (see `Condition.form`).
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        metric, policy, condition = row.name.split("/")
        if metric in MEASURES and CONDITIONS[condition].form == form and row.value is not None:
            bar = {"policy": policy, "value": row.value, "low": row.low, "high": row.high, "published": False}
            found.setdefault((metric, condition), []).append(bar)
    names = policy_names()
    for bars in found.values():
        bars.sort(key=lambda bar: names.index(bar["policy"]) if bar["policy"] in names else len(names))
    for entry in PUBLISHED:
        if (entry.metric, entry.condition) in found and "table" not in entry.policy:
            bar = {"policy": f"† {entry.policy}", "value": entry.value, "low": None, "high": None, "published": True}
            found[entry.metric, entry.condition].append(bar)
    conditions = [name for name in CONDITIONS if any(c == name for _, c in found)]
    return {
        "title": "Scores",
        "conditions": conditions,
        "panels": [
            {"metric": metric, "condition": condition, "bars": found.get((metric, condition), [])}
            for metric in MEASURES
            for condition in conditions
        ],
    }


def draw_scores(data: dict[str, Any], path: Path) -> None:
    """Draw `scores_data` to a file."""
    conditions = data["conditions"]
    panels = {(p["metric"], p["condition"]): p["bars"] for p in data["panels"]}
    metrics = [m for m in MEASURES if any(panels[m, c] for c in conditions)]
    counts = [max(len(panels[m, c]) for c in conditions) for m in metrics]
    with canvas(path, data, 3.4 * len(conditions) + 1.8, 0.34 * sum(counts) + 0.75 * len(metrics) + 0.5) as figure:
        grid = figure.subplots(
            len(metrics), len(conditions), squeeze=False, sharex="row", gridspec_kw={"height_ratios": counts}
        )
        for metric, line in zip(metrics, grid, strict=True):
            labels = list(dict.fromkeys(bar["policy"] for c in conditions for bar in panels[metric, c]))
            for place, (condition, axes) in enumerate(zip(conditions, line, strict=True)):
                _panel(axes, panels[metric, condition], labels, named=place == 0)
                axes.set_title(f"{MEASURES[metric]}\n{condition}" if place == 0 else f"\n{condition}", fontsize=10)
        figure.supxlabel(
            "Bars: mean over people, with 95 % interval.  † hollow: published by others, on their own simulator.",
            fontsize=9, color=GREY,
        )  # fmt: skip


def _panel(axes: "Axes", bars: Sequence[dict[str, Any]], labels: list[str], *, named: bool) -> None:
    top = max((bar["high"] or bar["value"] for bar in bars), default=1.0)
    for bar in bars:
        height = len(labels) - 1 - labels.index(bar["policy"])
        end = bar["high"] if bar["high"] is not None else bar["value"]
        if bar["published"]:
            axes.barh(height, bar["value"], 0.62, color="none", edgecolor=GREY, linestyle="--", linewidth=1.1)
        else:
            axes.barh(height, bar["value"], 0.72, color=colour_of(bar["policy"], tuple(labels)), alpha=0.9)
            axes.plot([bar["low"], bar["high"]], [height, height], color="white", linewidth=3.2, zorder=3)
            axes.plot([bar["low"], bar["high"]], [height, height], color=BLACK, linewidth=1.4, zorder=4)
        axes.text(end + 0.02 * top, height, f"{bar['value']:.3f}", va="center", fontsize=8.5, color=BLACK)
    axes.set_yticks(range(len(labels)), labels[::-1] if named else [""] * len(labels))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.set_xlim(0, max(axes.get_xlim()[1], top * 1.2))
    axes.grid(axis="x")
    axes.set_axisbelow(True)
