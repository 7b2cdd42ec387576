"""`rhythm bench outside`: the same way of believing and planning in a world that somebody else wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress

if TYPE_CHECKING:
    from rhythm.bench.outside.run import Outcome
    from rhythm.bench.rows import Row


def outside(
    settings: Annotated[
        str, typer.Option(help="Settings by name, with commas between them; all for every one.")
    ] = "all",
    people: Annotated[int, typer.Option(min=8, help="How many people every agent meets in every setting.")] = 120,
    gradient_steps: Annotated[
        int, typer.Option(min=3_200, help="Steps that the policy gradient is trained for, at each learning rate.")
    ] = 200_000,
    plot: Annotated[Path | None, typer.Option(help="Draw the picture to this file, its data beside it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Send messages to simulated walkers of StepCountJITAI: Rhythm's agent beside baselines, average and oracle.

    Settings are PEOPLE-sigma-NOISE-OBSERVED: people far from the package's defaults (wide) or all like them (alike),
    the noise on what the context is inferred from, and whether habituation and risk are seen or hidden.
    Needs the extra named outside.
    """
    from rhythm.bench.outside import run  # noqa: PLC0415
    from rhythm.bench.outside.people import SETTINGS  # noqa: PLC0415

    names = list(SETTINGS) if settings == "all" else [name.strip() for name in settings.split(",") if name.strip()]
    effort = run.Effort(people, gradient_steps=gradient_steps, tuned_on=min(people, run.TUNED_ON))
    with progress("sending messages", effort.pieces(len(names))) as on_progress:
        outcomes = run.run(names, effort, on_progress)
    rows = run.rows_of(outcomes)
    if plot is not None:
        from rhythm.bench.plots.outside import draw_outside  # noqa: PLC0415

        draw_outside(rows, plot)
    if as_json:
        print_json("rhythm.bench-outside/1", run.config_of(names, effort, outcomes), rows)
        return
    _print(outcomes, rows)


def _print(outcomes: "list[Outcome]", rows: "list[Row]") -> None:
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import checked_table  # noqa: PLC0415

    console = Console()
    for outcome in outcomes:
        ours = [row for row in rows if row.name.endswith(f"/{outcome.setting}")]
        console.print(checked_table(f"Outside test-bed, {outcome.setting}", ours))
