"""One simulated week, line by line for the terminal: slots, actions, meters as bars, and who it was."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from rich.columns import Columns
from rich.table import Table
from rich.text import Text

from rhythm.bench.graders import belief_errors, grade_v2
from rhythm.bench.one_week import OneWeek
from rhythm.life.profiles import Profile, belief_targets
from rhythm.life.traits import TRAITS
from rhythm.vocab import (
    BELIEF_NAMES,
    CRASH_BELOW,
    DAY_NAMES,
    METERS,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    ActionGroup,
    LifeEvent,
    part_of,
    weekday_of,
)

BAR: Final = 8
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_COLOURS: Final[dict[ActionGroup, str]] = {
    ActionGroup.WORK: "dark_orange",
    ActionGroup.RECOVERY: "dodger_blue1",
    ActionGroup.SOCIAL: "green3",
    ActionGroup.LEISURE: "medium_purple1",
}
_LINE: Final = 11


def bar(level: float, width: int = BAR) -> str:
    """A level in [0, 1] as a bar of eighths, ``width`` characters."""
    eighths = round(level * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def week_lines(week: OneWeek) -> Iterator[Text | Columns]:
    """Everything that is printed of a week, in order: a line for each slot, then the summary."""
    config = week.config
    who = config.get("archetype") or f"seed {config['seed']}, {config['population']}"
    yield Text.assemble(
        ("One week of ", "bold"), (who, "bold cyan"), (", decided by ", "bold"), (config["policy"], "bold cyan")
    )
    legend = [(f"  {group.value}", _COLOURS[group]) for group in ActionGroup]
    yield Text.assemble("actions:", *legend, ("   bars are levels from 0 to 1; red is a crash", "dim"))
    heads = "".join(f" {m.label:<{BAR}} {'':4}" for m in METERS)
    yield Text(f"{'':{_LINE}} {'action':<12}{heads}  well", style="dim")
    for step in range(WEEK_STEPS):
        if step % SLOTS_PER_DAY == 0:
            yield Text(DAY_NAMES[weekday_of(step)], style="bold")
        yield _slot_line(week, step)
    yield Text()
    yield from _summary(week)


def _slot_line(week: OneWeek, step: int) -> Text:
    action = week.action(step)
    line = Text(f"  {part_of(step).label:<{_LINE - 2}} ")
    line.append(f"{action.label:<12}", style=_COLOURS[action.group])
    for meter in METERS:
        level = float(week.played.meters[0, step, meter])
        style = "red" if level < CRASH_BELOW else "default"
        line.append(f" {bar(level)}", style=style).append(f" {level:.2f}", style="dim")
    line.append(f"  {week.played.wellbeing[0, step]:.2f}", style="bold")
    event = week.event(step)
    if event is not LifeEvent.NONE:
        line.append(f"  ! {event.label}", style="yellow")
    return line


def _summary(week: OneWeek) -> Iterator[Text | Columns]:
    played = week.played
    graded = grade_v2(played)
    crashes = int(played.crashes.sum())
    yield Text.assemble(
        ("Wellbeing ", "bold"), (f"{played.wellbeing.mean():.3f}", "bold cyan"),
        (" over the week (v3)", "dim"), (f"   grade v2 {graded['v2'][0]:.3f}", ""),
        (f"   meters crashed {crashes} times", "red" if crashes else "dim"),
    )  # fmt: skip
    yield Text()
    yield Columns([_person_table(week.person), _belief_table(week)], padding=(0, 6))


def _person_table(person: Profile) -> Table:
    table = Table(title="Who they were", title_justify="left", title_style="bold", show_header=False, box=None)
    for meter, weight in zip(METERS, person.weights, strict=True):
        table.add_row(f"cares for {meter.label}", bar(weight), f"{weight:.2f}")
    for trait in TRAITS:
        table.add_row(trait.label, "", f"{getattr(person, trait.name.lower()):.3f}")
    return table


def _belief_table(week: OneWeek) -> Table:
    table = Table(min_width=30, title="Believed of them at the end", title_justify="left", title_style="bold", box=None)
    for column in ("", "truth", "believed"):
        table.add_column(column, justify="left" if not column else "right")
    truth = belief_targets(week.played.people)[0]
    stated = week.played.beliefs[0, -1]
    for name, right, said in zip(BELIEF_NAMES, truth, stated, strict=True):
        table.add_row(name, f"{right:.2f}", "nothing" if np.isnan(said) else f"{said:.2f}")
    if not np.isnan(stated).any():
        table.add_row("mean error", "", f"{belief_errors(week.played)[0, -1]:.3f}")
    return table
