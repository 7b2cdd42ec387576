"""Watch a simulated person live a week, and measure how fast the simulator is.

The person is hidden from the policy; who they were is shown when the week is over.
"""

from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@app.callback()
def sim() -> None:
    """Watch a simulated person live a week, and measure how fast the simulator is."""


@app.command(epilog="Example: [bold]rhythm sim play --policy planner --seed 7 --delay 0.2[/bold]")
def play(
    policy: Annotated[str, typer.Option(help="Who decides.")] = "heuristic",
    seed: Annotated[int, typer.Option(min=0, help="Which person, and which events happen.")] = 0,
    population: Annotated[str, typer.Option(help="How what they care for is drawn: classic or peaked.")] = "peaked",
    archetype: Annotated[
        str | None, typer.Option(help="One of the archetypes instead of a drawn person: introvert_morning, ...")
    ] = None,
    delay: Annotated[float, typer.Option(min=0.0, help="Seconds between slots.")] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Watch one simulated week: what is done in each slot, what it does to the person, and who they were."""
    import time  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.one_week import one_week, week_rows  # noqa: PLC0415
    from rhythm.cli.week_view import week_lines  # noqa: PLC0415

    week = one_week(policy, seed, population, archetype)
    if as_json:
        print_json("rhythm.sim-play/1", week.config, week_rows(week))
        return
    console = Console(highlight=False)
    for line in week_lines(week):
        console.print(line)
        time.sleep(delay)


@app.command(epilog="Example: [bold]rhythm sim speed --json[/bold]")
def speed(
    batch: Annotated[int, typer.Option(min=1, help="People side by side in the vector environment.")] = 65_536,
    rounds: Annotated[int, typer.Option(min=1, help="Weeks that each form is timed for.")] = 15,
    as_json: JsonOption = False,
) -> None:
    """Measure steps/s and memory of the vector environment, beside Gymnasium's own SyncVectorEnv."""
    from rich.console import Console  # noqa: PLC0415

    from rhythm.cli.speed_view import speed_table  # noqa: PLC0415
    from rhythm.sim.speed import measure  # noqa: PLC0415

    with progress("timing rounds", rounds + 1) as on_progress:
        measured = measure(batch, rounds, on_progress)
    if as_json:
        print_json(measured["schema"], measured["config"], measured["rows"])
        return
    Console().print(speed_table(measured))
