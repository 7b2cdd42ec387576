"""The three pictures of a trained model: its loss, its belief as training went on, and its scores beside others'."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import typer

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.plots.canvas import BLUE, GREEN, GREY, ORANGE, PINK, MissingPlotsError, canvas
from rhythm.bench.rows import Row

_SHOWN: Final = {"random": GREY, "heuristic": ORANGE, "lm": PINK, "planner": GREEN}
_CALLED: Final = {"lm": "student (language model)", "planner": "teacher (planner)"}
PUBLISHED_ERROR: Final = 0.213
"""Belief error of the published 3B student, in-distribution."""


def draw_if_possible(draw: Callable[[], None]) -> None:
    """Draw; where matplotlib is missing, say so and go on."""
    try:
        draw()
    except MissingPlotsError as error:
        typer.echo(f"no picture: {error}", err=True)


def _points(rows: Sequence[tuple[str, float]], name: str) -> tuple[list[int], list[float]]:
    found = sorted((int(row.split("/")[1]), value) for row, value in rows if row.split("/")[0] == name)
    return [step for step, _ in found], [value for _, value in found]


def draw_loss(document: dict[str, Any], path: Path) -> None:
    """Draw the loss of a training run, on what it learned and on weeks kept aside.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    rows = [(row["name"], row["value"]) for row in document["rows"]]
    lines: list[dict[str, Any]] = [
        {"label": label, "steps": steps, "values": values}
        for name, label in (("loss", "weeks learned from"), ("eval_loss", "weeks kept aside"))
        for steps, values in [_points(rows, name)]
        if steps
    ]
    with canvas(path, {"title": "Training loss", "lines": lines}, 6.4, 3.9) as figure:
        axes = figure.subplots()
        for line, colour in zip(lines, (BLUE, ORANGE), strict=False):
            axes.plot(line["steps"], line["values"], color=colour, label=line["label"], linewidth=1.6)
        axes.set_title("Training loss")
        axes.set_xlabel("step", color=GREY)
        axes.set_ylabel("nats per token of an answer", color=GREY)
        axes.set_ylim(bottom=0.0)
        axes.legend()


def draw_belief(rows: Sequence[Row], path: Path) -> None:
    """Draw the belief's error at the week's end, by training step, from the rows of `rhythm.lm.following.follow`.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    found = [row for row in rows if row.metric == "belief_error" and row.name.split("/")[1].isdigit()]
    found.sort(key=lambda row: int(row.name.split("/")[1]))
    steps = [int(row.name.split("/")[1]) for row in found]
    data: dict[str, Any] = {
        "title": "Belief error at the end of the week",
        "steps": steps,
        "values": [row.value for row in found],
        "low": [row.low for row in found],
        "high": [row.high for row in found],
        "published": PUBLISHED_ERROR,
    }
    with canvas(path, data, 6.4, 3.9) as figure:
        axes = figure.subplots()
        axes.fill_between(steps, data["low"], data["high"], color=PINK, alpha=0.2, linewidth=0)
        axes.plot(steps, data["values"], color=PINK, linewidth=1.6, marker="o", markersize=3)
        axes.axhline(PUBLISHED_ERROR, color=GREY, linestyle="--", linewidth=1.0, label="published 3B student")
        axes.set_title("Belief error at the end of the week, less is better")
        axes.set_xlabel("training step", color=GREY)
        axes.set_ylim(bottom=0.0)
        axes.legend()


def draw_final(rows: Sequence[Row], path: Path) -> None:
    """Draw grade v2 of student, teacher, heuristic and random in each condition.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    scores = {tuple(row.name.split("/")[1:]): row for row in rows if row.metric == "v2" and row.value is not None}
    conditions = [name for name in CONDITIONS if any(condition == name for _, condition in scores)]
    bars = [
        {"policy": policy, "condition": condition, "value": row.value, "low": row.low, "high": row.high}
        for policy in _SHOWN
        for condition in conditions
        if (row := scores.get((policy, condition))) is not None
    ]
    with canvas(path, {"title": "Grade v2", "bars": bars}, 2.0 + 2.4 * max(1, len(conditions)), 3.9) as figure:
        axes = figure.subplots()
        for offset, (policy, colour) in enumerate(_SHOWN.items()):
            own = [bar for bar in bars if bar["policy"] == policy]
            places = [conditions.index(str(bar["condition"])) + 0.2 * offset for bar in own]
            values = [float(str(bar["value"])) for bar in own]
            around = [[v - float(str(b["low"])) for v, b in zip(values, own, strict=True)],
                      [float(str(b["high"])) - v for v, b in zip(values, own, strict=True)]]  # fmt: skip
            axes.bar(
                places,
                values,
                width=0.18,
                color=colour,
                yerr=around if own else None,
                label=_CALLED.get(policy, policy),
            )
        axes.set_xticks([place + 0.3 for place in range(len(conditions))], conditions)
        axes.set_title("Grade v2, 95 % intervals over people")
        columns = min(len(_SHOWN), 2 * len(conditions))  # below the bars, of which one could hide behind it
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=max(1, columns))
