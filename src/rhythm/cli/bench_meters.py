"""`rhythm bench meters`: sensed meters beside the truth, source by source, through the device channel."""

from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json


def meters(
    people: Annotated[int, typer.Option(min=4, help="How many simulated people.")] = 24,
    days: Annotated[int, typer.Option(min=50, max=400, help="Days that each of them lives.")] = 120,
    as_json: JsonOption = False,
) -> None:
    """Compare sensed meters with the truth, for each source, and with what the signals allow at most."""
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench import meter_rows  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    rows = meter_rows.rows(people, days)
    if as_json:
        config = {"people": people, "days": days, "first_seed": meter_rows.FIRST_SEED}
        print_json("rhythm.bench-meters/1", config, rows)
    else:
        Console().print(checked_table("Sensed meters beside the truth", rows))
