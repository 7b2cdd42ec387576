"""Pictures of the device student: the context curve, and who foresees answers best over the weeks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rhythm.bench.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, canvas
from rhythm.bench.rows import Row

_COLOURS: Final = {
    "base-rate": GREY,
    "random": GREY,
    "beta-bernoulli": ORANGE,
    "student-without-memory": SKY,
    "student": GREEN,
    "adapter": PINK,
    "adapter-gated": PINK,
    "posterior": BLUE,
    "posterior-and-student": BLACK,
    "told-person": ORANGE,
    "told-habits": BLACK,
    "heuristic": ORANGE,
    "bandit": PINK,
}
_OF_SOME: Final = ("posterior", "posterior-and-student", "told-person", "told-habits")
_PANELS: Final = {"loss": "Log loss of an answer", "wellbeing": "Wellbeing in the week after"}


def lines_of(rows: Sequence[Row], metric: str, unit: str) -> list[dict[str, Any]]:
    """The line of each learner: ``metric/learner/<number><unit>`` by number, or ``<unit><number>``."""
    found: dict[str, list[tuple[int, Row]]] = {}
    for row in rows:
        kind, name, label = row.name.split("/")
        number = label.removeprefix(unit).removesuffix(unit)
        if kind == metric and name in _COLOURS and number.isdigit() and row.value is not None:
            found.setdefault(name, []).append((int(number), row))
    return [
        {
            "learner": name,
            "at": [at for at, _ in points],
            "mean": [row.value for _, row in points],
            "low": [row.low for _, row in points],
            "high": [row.high for _, row in points],
        }
        for name, points in found.items()
    ]


def draw_curve(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `rhythm.distill.device_curve.curve_rows` to a file, the data beside it.

    The posterior is asked of some of the people only: drawn is how the student differs from it on the same ones.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    panels: list[dict[str, Any]] = []
    for metric, title in _PANELS.items():
        lines = [line for line in lines_of(rows, metric, "-days") if line["learner"] != "posterior"]
        paired = lines_of(rows, f"{metric}-less-posterior", "-days")
        panels += [{"title": title, "lines": lines}, {"title": "Less the posterior's, same people", "lines": paired}]
    with canvas(path, {"title": "What days of context are worth", "panels": panels}, 12.0, 7.6) as figure:
        for place, (panel, axes) in enumerate(zip(panels, figure.subplots(2, 2).flat, strict=True)):
            for line in panel["lines"]:
                at = range(len(line["at"]))
                _draw(axes, line, at)
                if place % 2:
                    axes.fill_between(at, line["low"], line["high"], color=_COLOURS[line["learner"]], alpha=0.15)
                    axes.axhline(0.0, color=BLACK, linewidth=0.8)
            days = max((line["at"] for line in panel["lines"]), key=len)
            axes.set_xticks(range(len(days)), [str(day) for day in days])
            axes.set_xlabel("days read before", color=GREY)
            axes.set_title(panel["title"])
            axes.legend(fontsize=9)


def draw_weeks(rows: Sequence[Row], path: Path) -> None:
    """Draw the losses of `rhythm.distill.adapter_table.rows_of` to a file, data beside it; errors as `draw_curve`.

    The posterior is kept of some of the people only, so what others lose less is drawn on the same ones.
    """
    lines = [line for line in lines_of(rows, "loss", "week-") if line["learner"] not in _OF_SOME]
    paired = lines_of(rows, "less-posterior", "week-")
    paired = [line for line in paired if line["learner"] not in _OF_SOME]
    improves = [line for line in lines_of(rows, "improves", "week-") if line["learner"] != "adapter-gated"]
    panels = {"lines": lines, "less_posterior": paired, "improves": improves}
    with canvas(path, {"title": "Foreseeing answers, week by week", **panels}, 17.0, 4.2) as figure:
        titles = (
            "Log loss of an answer",
            "Less the stored posterior's, same people",
            "Better than the student's, median",
        )
        for axes, title, each in zip(figure.subplots(1, 3), titles, panels.values(), strict=True):
            for line in each:
                _draw(axes, line, line["at"])
                if each is not lines:
                    axes.fill_between(
                        line["at"], line["low"], line["high"], color=_COLOURS[line["learner"]], alpha=0.12
                    )
            if each is not lines:
                axes.axhline(0.0, color=BLACK, linewidth=0.8)
            axes.set_title(title)
            axes.set_xlabel("week", color=GREY)
            axes.legend(fontsize=9)


_LIVING: Final = {
    "wellbeing": "Wellbeing",
    "acceptance": "Suggestions accepted",
    "coverage80": "Beliefs within their 80 % interval",
    "wellbeing-less-posterior": "Wellbeing less the posterior's, same people",
    "accepted-less-posterior": "Accepted less the posterior's, same people",
    "errors-less-posterior": "Error of beliefs less the posterior's",
}
_OF_EVERYBODY: Final = ("wellbeing", "acceptance")


def draw_living(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `rhythm.distill.device_living.rows_of` to a file, data beside it; errors as `draw_curve`.

    Only the first few people lived with the posterior too, so levels are drawn without it and differences on those.
    """
    panels: list[dict[str, Any]] = []
    for metric, title in _LIVING.items():
        lines = lines_of(rows, metric, "week-")
        if metric in _OF_EVERYBODY:
            lines = [line for line in lines if line["learner"] != "posterior"]
        panels.append({"metric": metric, "title": title, "lines": lines})
    title = "Weeks through the device channel"
    with canvas(path, {"title": title, "panels": panels}, 13.5, 7.4) as figure:
        for panel, axes in zip(panels, figure.subplots(2, 3).flat, strict=True):
            for line in panel["lines"]:
                _draw(axes, line, line["at"])
                colour = _COLOURS[line["learner"]]
                axes.fill_between(line["at"], line["low"], line["high"], color=colour, alpha=0.13, linewidth=0)
            if panel["metric"].endswith("-less-posterior"):
                axes.axhline(0.0, color=BLACK, linewidth=0.8)
            axes.set_title(panel["title"], fontsize=10)
            axes.set_xlabel("week", color=GREY)
            axes.legend(fontsize=8)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=11)


def _draw(axes: Any, line: dict[str, Any], at: Sequence[int]) -> None:
    colour = _COLOURS[line["learner"]]
    style = "--" if line["learner"] == "adapter-gated" else "-"
    if len(at) == 1:
        axes.axhline(line["mean"][0], color=colour, label=line["learner"], linewidth=1.2)
        return
    axes.plot(list(at), line["mean"], style, color=colour, label=line["learner"], linewidth=1.7)
