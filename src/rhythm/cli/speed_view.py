"""The simulator's speed as a table for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table


def _shown(value: float) -> str:
    for size, unit in ((1e6, " million"), (1e3, " thousand")):
        if abs(value) >= size:
            return f"{value / size:,.1f}{unit}"
    return f"{value:,.0f}"


def speed_table(measured: Mapping[str, Any]) -> Table:
    """What `rhythm.sim.speed.measure` gave, as a table."""
    config = measured["config"]
    load = config["load"]["before"]
    table = Table(
        title=f"Speed of the simulator: {config['batch']:,} people, {config['cores']} cores",
        caption=f"Median of {config['rounds']} rounds, slowest to fastest. Load of the machine before: {load:.1f}.",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_column("slowest to fastest", justify="right")
    for row in measured["rows"]:
        spread = f"{_shown(row['low'])} to {_shown(row['high'])}" if "low" in row else ""
        table.add_row(row["name"].replace("_", " ").replace("per s", "per second"), _shown(row["value"]), spread)
    return table
