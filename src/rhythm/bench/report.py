"""The report for a person: for each measure one table of policies and conditions, published rows marked as such."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.published import PUBLISHED
from rhythm.bench.rows import Row
from rhythm.policy.registry import policy_names

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
    "Intervals are 95 %, by bootstrap over seeds. Rows marked † are published by others, of their own simulator. "
    "All of this is simulation: it does not prove that suggestions help real people."
)


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
    """The report's tables from ``metric/policy/condition`` rows; measures without rows are left out."""
    cells: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        metric, policy, condition = row.name.split("/")
        cells.setdefault(metric, {}).setdefault(policy, {})[condition] = row
    sheets = []
    for metric, (title, caption) in MEASURES.items():
        if metric not in cells:
            continue
        ours = cells[metric]
        columns = tuple(c for c in CONDITIONS if any(c in by_condition for by_condition in ours.values()))
        order = sorted(ours, key=_place)
        lines = [(p, False, tuple(_cell(ours[p].get(c)) for c in columns)) for p in order]
        sheets.append(Sheet(title, caption, columns, (*lines, *_published_lines(metric, columns))))
    return sheets


def _place(policy: str) -> tuple[int, str]:
    names = policy_names()
    return (names.index(policy) if policy in names else len(names), policy)


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
    places = 0 if row.metric.startswith("steps_to_identify") else 3
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


def to_rich(sheet: Sheet) -> "Table":
    """One table for the terminal."""
    from rich.table import Table  # noqa: PLC0415 - only what prints needs it

    table = Table(title=sheet.title, caption=sheet.caption, title_justify="left", caption_justify="left")
    table.title_style, table.caption_style = "bold", "dim"
    table.add_column("policy")
    for column in sheet.columns:
        table.add_column(column.replace("-wide", "\nwide"), justify="right", no_wrap=True)
    for label, published, cells in sheet.lines:
        printed = (f"{c.value}\n[dim]{c.interval}[/dim]" if c.interval else c.value for c in cells)
        table.add_row(label, *printed, style="italic cyan" if published else None)
    return table
