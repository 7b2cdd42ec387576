"""Let simulated people live weeks through the real assistant, and compare who suggests."""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.output import ClusterOption, JsonOption, print_json, progress

app = typer.Typer()


@app.command(epilog="Example: [bold]rhythm rehearse --policies planner,heuristic --people 2 --weeks 1[/bold]")
def rehearse(
    policies: Annotated[
        str,
        typer.Option(
            help="Who suggests, with commas between them: planner, posterior, student-device, student-adapted, "
            "average, oracle, heuristic, bandit, random, silent, lm; all for every one but lm."
        ),
    ] = "all",
    people: Annotated[int, typer.Option(min=2, help="How many people live with each.")] = 24,
    weeks: Annotated[int, typer.Option(min=1, max=52, help="For how many weeks.")] = 8,
    results: Annotated[
        Path, typer.Option("--results", help="Folder that keeps the results; a run that was cut short goes on there.")
    ] = Path("results/rehearsal"),
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
    cluster: ClusterOption = "",
    references: Annotated[
        bool, typer.Option(help="Live with the average person's and the oracle's assistant too.")
    ] = True,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves to this file, their data beside it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Live weeks with the assistant as it is served: its database, its pages' HTTP, calendar and health files.

    The people's lives, answers and drift are simulated; everything that serves them is what serves anybody. The average
    person's and the oracle's assistant are lived with too, unless told otherwise.
    """
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import checked_table  # noqa: PLC0415
    from rhythm.rehearse import run as rehearsal  # noqa: PLC0415
    from rhythm.rehearse.suggesters import ALL  # noqa: PLC0415

    names = list(ALL) if policies == "all" else [name.strip() for name in policies.split(",") if name.strip()]
    total = people * len({*names, *(rehearsal.REFERENCES if references else ())})
    with progress("people living", total) as on_progress:
        lived = rehearsal.run(
            names, results, people=people, weeks=weeks, on_progress=on_progress, workers=workers, cluster=cluster,
            references=references,
        )  # fmt: skip
    rows = rehearsal.rows_of(lived)
    if plot is not None:
        from rhythm.rehearse.plot import draw_rehearsal  # noqa: PLC0415

        draw_rehearsal(rows, plot)
    if as_json:
        print_json("rhythm.rehearsal/1", rehearsal.config_of(names, people, weeks), rows)
        return
    Console().print(checked_table("Weeks with the assistant", [row for row in rows if row.name.endswith("/all")]))
