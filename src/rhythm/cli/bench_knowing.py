"""`rhythm bench calibration`, `ablations`, `effort`: is the posterior right, what do its parts bring, and time?"""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress


def calibration(
    people: Annotated[int, typer.Option(min=20, help="How many in each group.")] = 1000,
    plot: Annotated[Path | None, typer.Option(help="Draw a picture to this file; its data go beside it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check the planner's posterior: ranks of the truth, coverage of 80 % intervals and CRPS, step by step.

    Ends with status 1 where a coverage is outside 0.75 to 0.85.
    """
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.knowing import FIRST_SEED, GROUPS, STEPS  # noqa: PLC0415
    from rhythm.bench.knowing import calibration as measured  # noqa: PLC0415
    from rhythm.bench.plots.knowing import draw_calibration  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    with progress("comparing with the truth", len(GROUPS) * people) as on_progress:
        rows, data = measured(people, on_progress)
    if plot is not None:
        draw_calibration(data, plot)
    if as_json:
        config = {"people": people, "groups": list(GROUPS), "first_seed": FIRST_SEED, "steps": list(STEPS)}
        print_json("rhythm.bench-calibration/1", config, rows)
    else:
        Console().print(checked_table("Calibration of the planner's posterior", rows))
    if any(row.ok is False for row in rows):
        raise typer.Exit(1)


def ablations(
    people: Annotated[int, typer.Option(min=20, help="How many, of the peaked population.")] = 300,
    as_json: JsonOption = False,
) -> None:
    """Take parts of the planner away, or give it more time, and see what that does to captured, v2 and beliefs."""
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.ablations import FIRST_SEED, VARIANTS, ablation_rows  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    with progress("playing weeks", (len(VARIANTS) + 2) * people) as on_progress:
        rows = ablation_rows(people, on_progress)
    if as_json:
        print_json("rhythm.bench-ablations/1", {"people": people, "first_seed": FIRST_SEED}, rows)
    else:
        Console().print(checked_table("The planner without its parts", rows))


def effort(
    people: Annotated[int, typer.Option(min=10, help="How many, of the peaked population.")] = 100,
    plot: Annotated[Path | None, typer.Option(help="Draw a picture to this file; its data go beside it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Give the planner less and more time for a decision, and see what that does to captured."""
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.effort import EFFORTS, FIRST_SEED, effort_rows  # noqa: PLC0415
    from rhythm.bench.plots.knowing import draw_effort  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    with progress("playing weeks", (len(EFFORTS) + 2) * people) as on_progress:
        rows, data = effort_rows(people, on_progress)
    if plot is not None:
        draw_effort(data, plot)
    if as_json:
        print_json("rhythm.bench-effort/1", {"people": people, "first_seed": FIRST_SEED}, rows)
    else:
        Console().print(checked_table("What more time brings the planner", rows))
