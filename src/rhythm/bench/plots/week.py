"""One week of one person as a picture: meters as lines, actions as a coloured strip, events, belief against truth."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rhythm.bench.one_week import OneWeek
from rhythm.bench.plots.canvas import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    PINK,
    RED,
    SKY,
    canvas,
    spread_labels,
    week_axis,
)  # fmt: skip
from rhythm.life.constants import START_METERS
from rhythm.life.profiles import belief_targets
from rhythm.vocab import (
    BELIEF_NAMES,
    CRASH_BELOW,
    METERS,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    ActionGroup,
    LifeEvent,
    PartOfDay,
    parse_action,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METER_COLOURS: Final = (RED, BLUE, ORANGE, GREEN, PINK)
BELIEF_COLOURS: Final = (GREEN, SKY, ORANGE)
GROUP_COLOURS: Final[dict[ActionGroup, str]] = {
    ActionGroup.WORK: "#f3cf85",
    ActionGroup.RECOVERY: "#a9d5f2",
    ActionGroup.SOCIAL: "#8fd3bd",
    ActionGroup.LEISURE: "#e8c3d8",
}

NEAR: Final = 3
"""Events at most so many slots apart have their names on two heights."""


def week_data(week: OneWeek) -> dict[str, Any]:
    """What the picture shows of a week."""
    played = week.played
    stated = not np.isnan(played.beliefs[0]).any()
    return {
        "title": "One week",
        "config": week.config,
        "weights": list(week.person.weights),
        "meters": [list(START_METERS), *played.meters[0].tolist()],
        "actions": [week.action(step).name for step in range(WEEK_STEPS)],
        "events": [week.event(step).name for step in range(WEEK_STEPS)],
        "wellbeing": played.wellbeing[0].tolist(),
        "belief": played.beliefs[0].tolist() if stated else None,
        "belief_low": played.belief_low[0].tolist() if not np.isnan(played.belief_low[0]).any() else None,
        "belief_high": played.belief_high[0].tolist() if not np.isnan(played.belief_high[0]).any() else None,
        "belief_target": belief_targets(played.people)[0].tolist(),
    }


def draw_week(data: dict[str, Any], path: Path) -> None:
    """Draw `week_data` to a file."""
    stated = data["belief"] is not None
    heights = [3.4, 1.25, 1.8] if stated else [3.4, 1.25]
    with canvas(path, data, 12.5, sum(heights) + 1.6) as figure:
        rows = figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        _meters(rows[0], data)
        _actions(rows[1], data["actions"])
        if stated:
            _belief(rows[2], data)
        config = data["config"]
        who = config.get("archetype", f"seed {config['seed']}, {config['population']}").replace("_", " ")
        mean = float(np.mean(data["wellbeing"]))
        cares = ", ".join(f"{m.label} {w:.2f}" for m, w in zip(METERS, data["weights"], strict=True))
        figure.suptitle(
            f"One week of one person ({who}), decided by {config['policy']}: wellbeing {mean:.3f}",
            x=0.01, ha="left", fontweight="bold", fontsize=12,
        )  # fmt: skip
        rows[0].set_title(f"Cares for: {cares}", fontsize=9, fontweight="normal", color=BLACK, pad=36)


def _nights(axes: "Axes") -> None:
    for step in range(PartOfDay.NIGHT, WEEK_STEPS, SLOTS_PER_DAY):
        axes.axvspan(step, step + 1, color=PALE, alpha=0.55, linewidth=0, zorder=-1)


def _meters(axes: "Axes", data: dict[str, Any]) -> None:
    _nights(axes)
    levels = np.array(data["meters"])
    ends = spread_labels(levels[-1].tolist(), 0.065)
    for meter in METERS:
        colour = METER_COLOURS[meter]
        axes.plot(range(WEEK_STEPS + 1), levels[:, meter], color=colour, linewidth=1.8)
        axes.annotate(
            meter.label, (WEEK_STEPS + 0.3, ends[meter]), color=colour, fontsize=9, va="center", annotation_clip=False
        )
    axes.plot(
        [step + 1 for step in range(WEEK_STEPS)], data["wellbeing"], color=BLACK, linewidth=1.2, linestyle=(0, (4, 2))
    )
    axes.text(0.15, 0.955, "dashed: wellbeing", fontsize=8.5, color=BLACK)
    axes.axhline(CRASH_BELOW, color=RED, linewidth=0.8, linestyle=":")
    axes.text(0.15, CRASH_BELOW - 0.045, "crash below", fontsize=8, color=RED)
    _events(axes, data["events"])
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("meters")
    week_axis(axes, labels=False)


def _events(axes: "Axes", events: list[str]) -> None:
    """A mark above the slot of each event, its name higher where the one before stands near."""
    last, raised = -WEEK_STEPS, False
    for step, name in enumerate(events):
        event = LifeEvent[name]
        if event is LifeEvent.NONE:
            continue
        raised = step - last <= NEAR and not raised
        axes.plot([step + 0.5], [1.035], marker="v", color=BLACK, markersize=6, clip_on=False)
        axes.text(step + 0.5, 1.115 if raised else 1.065, event.label, ha="center", fontsize=8.5, clip_on=False)
        last = step


def _actions(axes: "Axes", actions: list[str]) -> None:
    for step, name in enumerate(actions):
        action = parse_action(name)
        axes.bar(step + 0.5, 1.0, 0.94, color=GROUP_COLOURS[action.group])
        axes.text(step + 0.5, 0.5, action.label, rotation=90, ha="center", va="center", fontsize=8.5)
    for place, (group, colour) in enumerate(GROUP_COLOURS.items()):
        axes.text(WEEK_STEPS + 0.75, 0.86 - 0.24 * place, group.value, fontsize=9, va="center", clip_on=False)
        axes.plot([WEEK_STEPS + 0.45], [0.86 - 0.24 * place], marker="s", color=colour, markersize=7, clip_on=False)
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_ylabel("actions")
    week_axis(axes)


def _belief(axes: "Axes", data: dict[str, Any]) -> None:
    _nights(axes)
    steps = [step + 0.5 for step in range(WEEK_STEPS)]
    stated = np.array(data["belief"])
    for i, colour in enumerate(BELIEF_COLOURS):
        if data["belief_low"] is not None and data["belief_high"] is not None:
            low, high = np.array(data["belief_low"])[:, i], np.array(data["belief_high"])[:, i]
            axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(steps, stated[:, i], color=colour, linewidth=1.8)
        axes.axhline(data["belief_target"][i], color=colour, linewidth=1.0, linestyle=(0, (4, 2)))
    ends = spread_labels(stated[-1].tolist(), 0.12)
    for name, colour, place in zip(BELIEF_NAMES, BELIEF_COLOURS, ends, strict=True):
        axes.annotate(name, (WEEK_STEPS + 0.3, place), color=colour, fontsize=9, va="center", annotation_clip=False)
    axes.text(0.15, 1.04, "belief (dashed: the truth; band: 80 % interval)", fontsize=8.5, color=GREY)
    axes.set_ylim(0, 1)
    axes.set_ylabel("belief")
    week_axis(axes)
