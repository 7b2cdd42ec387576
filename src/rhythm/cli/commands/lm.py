"""Weeks in words for language models: have a teacher play them, and grade them again.

What a model reads and how its answers are read is in decision 0040.
"""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@app.callback()
def lm() -> None:
    """Weeks in words for language models: have a teacher play them, and grade them again."""


@app.command(epilog="Example: [bold]rhythm lm reeval teacher.jsonl --grader v2 --beside heuristic[/bold]")
def reeval(
    file: Annotated[Path, typer.Argument(help="File of trajectories, one JSON object a line.")],
    grader: Annotated[str, typer.Option(help="v2, as published, or v3.")] = "v3",
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Policy that plays the same weeks; may be given several times."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Grade a file's weeks again: each is lived anew from its seed; a line that is none is named and skipped."""
    from rhythm.lm.grading import GRADERS, grade_file  # noqa: PLC0415

    rows, bad = grade_file(file, grader, beside or ())
    for line in bad:
        typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
    if as_json:
        print_json("rhythm.lm-reeval/1", {"file": file.name, "grader": GRADERS[grader], "skipped": len(bad)}, rows)
        return
    for row in rows:
        interval = "" if row.low is None or row.high is None else f"  ({row.low:.4f} to {row.high:.4f}), n {row.n}"
        typer.echo(f"{row.name:<40} {row.value:.4f}{interval}")


@app.command(epilog="Example: [bold]rhythm lm teach --seeds 2000000-2000029 --output data/planner.jsonl[/bold]")
def teach(
    seeds: Annotated[str, typer.Option(help="First and last seed: 2000000-2000029. Training seeds begin there.")],
    output: Annotated[Path, typer.Option(help="File to add weeks to; those that it holds are not played again.")],
    teacher: Annotated[str, typer.Option(help="planner, which is free.")] = "planner",
    population: Annotated[str, typer.Option(help="classic or peaked.")] = "peaked",
    corners: Annotated[bool, typer.Option(help="People from the corners, as in ood.")] = False,
    for_evaluation: Annotated[
        bool, typer.Option(help="Allow seeds that are kept for evaluation; never train on such a file.")
    ] = False,
) -> None:
    """Have a teacher play weeks in words, and write them down; run again, it goes on where it stopped."""
    from rhythm.lm.teaching import Plan, Teaching, seed_range  # noqa: PLC0415
    from rhythm.lm.trajectories import Who  # noqa: PLC0415

    plan = Plan(seed_range(seeds), Who(population, corners), teacher, for_evaluation=for_evaluation)
    teaching = Teaching(plan, output)
    with progress("playing weeks", len(teaching.open_seeds)) as on_week:
        totals = teaching.run(lambda: on_week("", 1))
    typer.echo(", ".join(f"{count} {status}" for status, count in totals.counts.items()) or "nothing to do", err=True)
