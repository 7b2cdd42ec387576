"""Measure policies: play them, report them, check the calibration, try to fool the graders.

Results are kept in a folder; what it holds already is not played again.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli import bench_knowing, bench_meters, bench_outside, bench_titles, person_bench
from rhythm.cli.output import JsonOption, print_json, progress

if TYPE_CHECKING:
    from rhythm.bench.results import Result
    from rhythm.bench.rows import Row

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

Results = Annotated[
    Path, typer.Option("--results", help="Folder that keeps the results; what it holds is not played again.")
]
Seal = Annotated[
    int | None,
    typer.Option(
        "--seal",
        help="Play sealed conditions under this number, to repeat somebody's run; a fresh one for each folder "
        "without it. The folder's seal.json holds it.",
    ),
]
DEFAULT_RESULTS = Path("results/bench")


@app.callback()
def bench() -> None:
    """Measure policies: play them, report them, check the calibration, try to fool the graders."""


def _names(text: str, option: str) -> list[str]:
    """The names in an option's text.

    Raises:
        InvalidValueError: there is none.
    """
    from rhythm.vocab import InvalidValueError  # noqa: PLC0415

    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InvalidValueError(f"{option} names none; give one name or more, with commas between them")
    return names


@app.command(epilog="Example: [bold]rhythm bench run --policy heuristic,average,oracle --conditions published[/bold]")
def run(
    policy: Annotated[str, typer.Option(help="Policies by name, with commas between them.")],
    conditions: Annotated[
        str, typer.Option(help="Conditions by name, with commas between them; or published, wide, all (both), sealed.")
    ] = "published",
    results: Results = DEFAULT_RESULTS,
    seal: Seal = None,
    force: Annotated[bool, typer.Option("--force", help="Play again what the folder already holds.")] = False,
    plots: Annotated[
        bool, typer.Option("--plots", help="Draw pictures into the folder plots of the results too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Play policies through conditions and print what both graders say, with 95 % intervals.

    The heuristic, the average person's planner and the oracle are played too, because the
    others are measured against them. Sealed conditions hold people whom no policy can have seen:
    use them to measure one that somebody else wrote.
    """
    from rhythm.bench import run as bench_run  # noqa: PLC0415
    from rhythm.bench.measures import rows_of  # noqa: PLC0415

    policies, wanted = _names(policy, "--policy"), _names(conditions, "--conditions")
    with progress("playing weeks", bench_run.weeks_to_play(policies, wanted)) as on_progress:
        played = bench_run.run(policies, wanted, results, force=force, seal=seal, on_progress=on_progress)
    rows = rows_of(played)
    if plots:
        _draw(played, results)
    if as_json:
        sealed = bench_run.seal_for(wanted, results)
        print_json("rhythm.bench-run/1", bench_run.resolved_config(policies, wanted, sealed), rows)
        return
    _print_report(rows)


@app.command(epilog="Example: [bold]rhythm bench report --results results/bench --markdown report.md[/bold]")
def report(
    results: Results = DEFAULT_RESULTS,
    markdown: Annotated[Path | None, typer.Option(help="Write the report to this Markdown file too.")] = None,
    plots: Annotated[
        bool, typer.Option("--plots", help="Draw pictures into the folder plots of the results too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print what a results folder holds: policies and conditions, published rows beside ours."""
    from rhythm.bench.measures import rows_of  # noqa: PLC0415
    from rhythm.bench.report import sheets_of, to_markdown  # noqa: PLC0415
    from rhythm.bench.results import read_results, write_whole  # noqa: PLC0415
    from rhythm.bench.versions import shared_versions  # noqa: PLC0415

    held = read_results(results)
    rows = rows_of(held)
    versions = shared_versions(result.versions for result in held)
    if plots:
        _draw(held, results)
    if markdown is not None:
        line = "Versions: " + ", ".join(f"{name} {value}" for name, value in versions.items()) + "."
        write_whole(markdown, to_markdown(sheets_of(rows), line).encode())
    if as_json:
        print_json("rhythm.bench-report/1", {"versions": versions}, rows)
        return
    _print_report(rows)


def _draw(results: "list[Result]", folder: Path) -> None:
    from rhythm.bench.plots.gallery import draw_all  # noqa: PLC0415

    for path in draw_all(results, folder / "plots"):
        typer.echo(f"drawn: {path}", err=True)


def _print_report(rows: "list[Row]") -> None:
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import FOOTNOTE, parts_of, sheets_of, to_rich  # noqa: PLC0415

    console = Console()
    for sheet in sheets_of(rows):
        for part in parts_of(sheet, console.width):
            console.print(to_rich(part))
        console.print()
    console.print(FOOTNOTE, style="dim")


@app.command(epilog="Example: [bold]rhythm bench adversaries --conditions in-distribution-wide,ood-wide[/bold]")
def adversaries(
    conditions: Annotated[str, typer.Option(help="Conditions by name, with commas between them.")] = (
        "in-distribution,in-distribution-sealed"
    ),
    results: Results = DEFAULT_RESULTS,
    seal: Seal = None,
    force: Annotated[bool, typer.Option("--force", help="Play again what the folder already holds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Try to fool the graders: what each trick gains over its honest twin, on v2 and on v3.

    Ends with status 1 where v3 pays for a trick, or v2 no longer does for sandbagging.
    """
    from rhythm.bench import run as bench_run  # noqa: PLC0415
    from rhythm.bench.adversaries import adversary_rows, suite_policies  # noqa: PLC0415

    policies, wanted = suite_policies(), _names(conditions, "--conditions")
    with progress("playing tricks", bench_run.weeks_to_play(policies, wanted)) as on_progress:
        played = bench_run.run(policies, wanted, results, force=force, seal=seal, on_progress=on_progress)
    rows = adversary_rows(played)
    if as_json:
        sealed = bench_run.seal_for(wanted, results)
        print_json("rhythm.bench-adversaries/1", bench_run.resolved_config(policies, wanted, sealed), rows)
    else:
        _print_gains(rows)
    _end_with(rows)


def _print_gains(rows: "list[Row]") -> None:
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import gains_table  # noqa: PLC0415

    console = Console()
    for condition in dict.fromkeys(row.name.split("/")[2] for row in rows):
        ours = [row for row in rows if row.name.endswith(f"/{condition}")]
        console.print(gains_table(f"What each trick gains over its honest twin, {condition}", ours))


def _end_with(rows: "list[Row]") -> None:
    """Status 1 where a row is not what it must be."""
    if any(row.ok is False for row in rows):
        raise typer.Exit(1)


@app.command(epilog="Example: [bold]rhythm bench calibrate --json[/bold]")
def calibrate(
    results: Results = DEFAULT_RESULTS,
    force: Annotated[bool, typer.Option("--force", help="Play again what the folder already holds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check that the life model stands where it must: baselines, headroom, determinism, device channel.

    Ends with status 1 where a row is outside its band.
    """
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench import run as bench_run  # noqa: PLC0415
    from rhythm.bench.calibrate import CONDITION, POLICIES, calibration_rows, calibration_units  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    weeks = sum(len(unit.condition.seeds) for unit in calibration_units())
    with progress("playing weeks", weeks) as on_progress:
        rows = calibration_rows(results, force=force, on_progress=on_progress)
    if as_json:
        print_json("rhythm.bench-calibrate/1", bench_run.resolved_config(POLICIES, [CONDITION]), rows)
    else:
        Console().print(checked_table("Acceptance of the calibration", rows))
    _end_with(rows)


app.command(epilog="Example: [bold]rhythm bench living --assistants rhythm --people 16 --weeks 2[/bold]")(
    person_bench.living
)
app.command(epilog="Example: [bold]rhythm bench taps --learners beta-bernoulli --people 60[/bold]")(person_bench.taps)
app.command(epilog="Example: [bold]rhythm bench calibration --plot results/calibration.png[/bold]")(
    bench_knowing.calibration
)
app.command(epilog="Example: [bold]rhythm bench ablations --people 300 --json[/bold]")(bench_knowing.ablations)
app.command(epilog="Example: [bold]rhythm bench titles --json[/bold]")(bench_titles.titles)
app.command(epilog="Example: [bold]rhythm bench meters --people 40 --json[/bold]")(bench_meters.meters)
app.command(epilog="Example: [bold]rhythm bench effort --people 100 --plot effort.png[/bold]")(bench_knowing.effort)
app.command(epilog="Example: [bold]rhythm bench outside --settings wide-sigma-1.0-hidden --people 60[/bold]")(
    bench_outside.outside
)
