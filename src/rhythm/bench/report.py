"""The report for a person: for each measure one table of policies and conditions, published rows marked as such."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.published import PUBLISHED
from rhythm.bench.rows import Row
from rhythm.policy.registry import make_policy, policy_names
from rhythm.vocab import InvalidValueError

if TYPE_CHECKING:
    from rich.table import Table

MEASURES: Final[dict[str, tuple[str, str]]] = {
    "captured": (
        "Personalisation captured (v3)",
        "0 plans for the average person, 1 plans for the person as they are; below 0 is worse than one size fits all.",
    ),
    "wellbeing": ("Wellbeing over the week (v3)", "The person's own weighted geometric mean of the meters, 0.02 to 1."),
    "wellbeing_p25": ("Wellbeing of the 25th-percentile person (v3)", "A quarter of the people fare no better."),
    "belief_skill": (
        "Belief skill (v3)",
        "1 - error / error of the constant belief 0.5; nothing where none is stated.",
    ),
    "steps_to_identify": (
        "Steps to identify (v3), median",
        "First step from which the belief error stays at or below 0.10; 28 is never.",
    ),
    "coverage80": ("Coverage of 80 % intervals (v3)", "Right between 0.75 and 0.85."),
    "crps_skill": ("Ranked probability skill (v3)", "0 is as good as knowing only the population, 1 is perfect."),
    "v2": ("Grade v2", "As published, for comparison only: it pays for a bad start and for a constant belief."),
    "belief_mae": (
        "Belief error (MAE) at the end of the week",
        "The smaller the better; the constant 0.5 has about 0.2.",
    ),
}
"""Title and caption of each measure in the report, in its order."""

FOOTNOTE: Final = (
    "Intervals are 95 %, by bootstrap over seeds. Rows marked † are published by others, of their own simulator; "
    "policies marked ‡ are told who the people are. "
    "All of this is simulation: it does not prove that suggestions help real people."
)


LABEL_WIDTH: Final = 14
COLUMN_WIDTH: Final = 18
"""Characters that a policy's name and a column take at least in the terminal; ``in-distribution`` takes all of 18."""

EXACT: Final = 1e-9
"""An interval narrower than this is no interval: the number is what it is by definition."""


class Cell(NamedTuple):
    """A number and its interval as they are printed; empty where there is none."""

    value: str
    interval: str = ""


@dataclass(frozen=True)
class Sheet:
    """One measure as a table.

    Attributes:
        title, caption: what it shows.
        columns: conditions.
        lines: for each policy its name, whether it is published by others, and a cell for each column.
    """

    title: str
    caption: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, bool, tuple[Cell, ...]], ...]


def sheets_of(rows: Iterable[Row]) -> list[Sheet]:
    """The report's tables from ``metric/policy/condition`` rows; measures without rows are left out.

    Raises:
        InvalidValueError: a row of another name.
    """
    cells: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        parts = row.name.split("/")
        if len(parts) != 3:
            raise InvalidValueError(f"got a row named {row.name[:60]!r}; the report's are metric/policy/condition")
        metric, policy, condition = parts
        cells.setdefault(metric, {}).setdefault(policy, {})[condition] = row
    sheets = []
    for metric, (title, caption) in MEASURES.items():
        if metric not in cells:
            continue
        ours = cells[metric]
        columns = tuple(c for c in CONDITIONS if any(c in by_condition for by_condition in ours.values()))
        lines = [(_label(p), False, tuple(_cell(ours[p].get(c)) for c in columns)) for p in sorted(ours, key=_place)]
        sheets.append(Sheet(title, caption, columns, (*lines, *_published_lines(metric, columns))))
    return sheets


def _place(policy: str) -> tuple[int, str]:
    names = policy_names()
    return (names.index(policy) if policy in names else len(names), policy)


def _label(policy: str) -> str:
    return f"{policy} ‡" if policy in policy_names() and make_policy(policy).told else policy


def _published_lines(metric: str, columns: Sequence[str]) -> list[tuple[str, bool, tuple[Cell, ...]]]:
    found: dict[str, dict[str, Cell]] = {}
    for entry in PUBLISHED:
        if entry.metric == metric and entry.condition in columns:
            found.setdefault(entry.policy, {})[entry.condition] = Cell(f"{entry.value:.3f}", f"n {entry.n}")
    return [(f"† {policy}", True, tuple(values.get(c, Cell("")) for c in columns)) for policy, values in found.items()]


def _cell(row: Row | None) -> Cell:
    if row is None:
        return Cell("")
    if row.value is None:
        return Cell("undefined")
    places = 0 if row.metric.startswith(("steps_to_identify", "identified_gain")) else 3
    shown = _number(row.value, places)
    if row.low is None or row.high is None or row.high - row.low < EXACT:
        return Cell(shown)
    return Cell(shown, f"{_number(row.low, places)} to {_number(row.high, places)}")


def _number(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:.{places}f}"


def to_markdown(sheets: Iterable[Sheet], versions: str = "") -> str:
    """The report as Markdown.

    Args:
        sheets: its tables.
        versions: one line that says what the numbers depend on.
    """
    parts = ["# Benchmark report", ""]
    for sheet in sheets:
        parts += [f"## {sheet.title}", "", sheet.caption, ""]
        parts.append("| policy | " + " | ".join(sheet.columns) + " |")
        parts.append("|---" * (len(sheet.columns) + 1) + "|")
        for label, published, cells in sheet.lines:
            shown = f"*{label}*" if published else label
            printed = (f"{c.value} [{c.interval}]" if c.interval else c.value for c in cells)
            parts.append("| " + " | ".join((shown, *printed)) + " |")
        parts.append("")
    parts.append(FOOTNOTE)
    if versions:
        parts += ["", versions]
    return "\n".join(parts) + "\n"


def parts_of(sheet: Sheet, width: int) -> list[Sheet]:
    """A sheet as sheets that are narrow enough for a terminal; published rows stand where they say something.

    Args:
        sheet: the whole.
        width: characters in a line.
    """
    most = max(1, (width - LABEL_WIDTH - 4) // COLUMN_WIDTH)
    parts = []
    for start in range(0, len(sheet.columns), most):
        stop = start + most
        lines = [(label, published, cells[start:stop]) for label, published, cells in sheet.lines]
        kept = tuple(line for line in lines if not line[1] or any(cell.value for cell in line[2]))
        parts.append(replace(sheet, columns=sheet.columns[start:stop], lines=kept))
    return parts


def to_rich(sheet: Sheet) -> "Table":
    """One table for the terminal."""
    from rich.table import Table  # noqa: PLC0415 - only what prints needs it

    table = Table(title=sheet.title, caption=sheet.caption, title_justify="left", caption_justify="left")
    table.title_style, table.caption_style = "bold", "dim"
    table.add_column("policy", min_width=LABEL_WIDTH)
    for column in sheet.columns:
        table.add_column(re.sub("-(wide|sealed)", r"\n\1", column), justify="right", no_wrap=True)
    for label, published, cells in sheet.lines:
        printed = (f"{c.value}\n[dim]{c.interval}[/dim]" if c.interval else c.value for c in cells)
        table.add_row(label, *printed, style="italic cyan" if published else None)
    return table


def gains_table(title: str, rows: Sequence[Row]) -> "Table":
    """``gain/adversary/condition`` rows as one table: adversaries down, gains across; what must not be is red."""
    from rich.table import Table  # noqa: PLC0415

    cells = {(r.name.split("/")[1], r.metric): r for r in rows}
    table = Table(title=title, title_justify="left", title_style="bold", caption_justify="left")
    table.caption = (
        "v2 may be fooled, v3 (the other columns) must not. Red: it pays for the trick, or v2 no longer does."
    )
    table.add_column("trick")
    metrics = list(dict.fromkeys(r.metric for r in rows))
    for metric in metrics:
        table.add_column(metric.removesuffix("_gain").replace("_", " "), justify="right", no_wrap=True)
    for adversary in dict.fromkeys(name for name, _ in cells):
        line = [f"{adversary}\n[dim]{cells[adversary, metrics[0]].note}[/dim]"]
        for metric in metrics:
            row = cells.get((adversary, metric))
            cell = _cell(row)
            style = "bold red" if row is not None and row.ok is False else "default"
            line.append(f"[{style}]{cell.value}[/]" + (f"\n[dim]{cell.interval}[/dim]" if cell.interval else ""))
        table.add_row(*line)
    return table


_NOTE: Final = 6
_FURTHER: Final = {3: "must be", 4: "", 5: "real people", _NOTE: "note"}
"""Columns of a checked table that stand only where a row fills them, by their place."""


def checked_table(title: str, rows: Iterable[Row]) -> "Table":
    """Rows with the band each must lie in and whether it does, for the terminal."""
    from rich.table import Table  # noqa: PLC0415

    verdicts = {True: "[green]ok[/green]", False: "[bold red]no[/bold red]", None: ""}
    lines = []
    for row in rows:
        cell = _cell(row)
        real = "" if row.real is None else f"{row.real:g}"
        lines.append((row.name, cell.value, cell.interval, _band(row.band), verdicts[row.ok], real, row.note))
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("name", overflow="fold")  # whole, however narrow the terminal is
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    filled = [place for place in _FURTHER if any(line[place] for line in lines)]
    for place in filled:
        table.add_column(_FURTHER[place], style="dim" if place == _NOTE else "")
    for line in lines:
        table.add_row(*line[:3], *(line[place] for place in filled))
    return table


def _band(band: tuple[float | None, float | None] | None) -> str:
    if band is None:
        return ""
    low, high = band
    if low is None or high is None:
        return f"up to {high:g}" if low is None else f"from {low:g}"
    return f"{low:.4g} to {high:.4g}" if low < high else f"{low:g}"
