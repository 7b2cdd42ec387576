"""Watch a simulated person live a week, and measure how fast the simulator is.

The person is hidden from the policy; who they were is shown when the week is over.
"""

from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress

MOST_DELAY_S = 86_400.0

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@app.callback()
def sim() -> None:
    """Watch a simulated person live a week, and measure how fast the simulator is."""


@app.command(epilog="Example: [bold]rhythm sim play --policy planner --seed 7 --delay 0.2[/bold]")
def play(
    policy: Annotated[str, typer.Option(help="Who decides.")] = "heuristic",
    seed: Annotated[int, typer.Option(help="Which person, and which events happen: 0 to 2**63 - 1.")] = 0,
    population: Annotated[str, typer.Option(help="How what they care for is drawn: classic or peaked.")] = "peaked",
    archetype: Annotated[
        str | None, typer.Option(help="One of the archetypes instead of a drawn person: introvert_morning, ...")
    ] = None,
    delay: Annotated[float, typer.Option(help="Seconds between slots, at most a day.")] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Watch one simulated week: what is done in each slot, what it does to the person, and who they were."""
    import time  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.one_week import one_week, week_rows  # noqa: PLC0415
    from rhythm.cli.week_view import week_lines  # noqa: PLC0415
    from rhythm.sim.arguments import one_seed  # noqa: PLC0415
    from rhythm.vocab import InvalidValueError  # noqa: PLC0415
    from rhythm.vocab.checks import is_number  # noqa: PLC0415

    if not is_number(delay, 0.0, MOST_DELAY_S):
        raise InvalidValueError(f"got a delay of {delay} s between slots; give 0 to {MOST_DELAY_S:.0f}")
    week = one_week(policy, one_seed(seed), population, archetype)
    if as_json:
        print_json("rhythm.sim-play/1", week.config, week_rows(week))
        return
    console = Console(highlight=False)
    for line in week_lines(week):
        console.print(line)
        time.sleep(delay)


@app.command(epilog="Example: [bold]rhythm sim speed --json[/bold]")
def speed(
    batch: Annotated[int, typer.Option(help="People side by side in the vector environment.")] = 65_536,
    rounds: Annotated[int, typer.Option(help="Weeks that each form is timed for.")] = 15,
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
