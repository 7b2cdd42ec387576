"""The benchmark's commands about knowing one person through the device channel: `living` and `taps`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.output import ClusterOption, JsonOption, print_json, progress

if TYPE_CHECKING:
    from rhythm.bench.rows import Row

DEFAULT_RESULTS = Path("results/living")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def living(
    assistants: Annotated[
        str, typer.Option(help="Assistants by name, with commas between them; all for every one.")
    ] = "all",
    people: Annotated[int, typer.Option(min=2, help="How many people live with each assistant.")] = 96,
    weeks: Annotated[int, typer.Option(min=1, max=52, help="For how many weeks.")] = 8,
    results: Annotated[
        Path, typer.Option("--results", help="Folder that keeps the results; a run that was cut short goes on there.")
    ] = DEFAULT_RESULTS,
    cluster: ClusterOption = "",
    plots: Annotated[bool, typer.Option("--plots", help="Draw the curves into the folder of the results too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Live weeks through the device channel: what an assistant captures, and how well it knows the person."""
    from rhythm.bench import living_run  # noqa: PLC0415

    names = list(living_run.DEFAULT) if assistants == "all" else _names(assistants)
    total = people * len({*names, *living_run.REFERENCES})
    with progress("living weeks", total) as on_progress:
        played = living_run.run(names, results, people=people, weeks=weeks, on_progress=on_progress, cluster=cluster)
    rows = living_run.rows_of(played)
    if plots:
        from rhythm.bench.plots.living import draw_living  # noqa: PLC0415

        draw_living(rows, results / "living.png")
    if as_json:
        print_json("rhythm.bench-living/1", living_run.config_of(names, people, weeks), rows)
        return
    _print("Weeks through the device channel", [row for row in rows if row.name.endswith("/all") or row.ok is not None])


def taps(
    learners: Annotated[
        str, typer.Option(help="Learners by name, with commas between them; all for every one.")
    ] = "all",
    people: Annotated[int, typer.Option(min=3, help="How many people are asked.")] = 300,
    plot: Annotated[Path | None, typer.Option(help="Draw the picture to this file, its data beside it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Count the taps until a person's archetype is known, by Rhythm and by learners that begin from nothing."""
    from rhythm.bench import taps_run  # noqa: PLC0415

    names = list(taps_run.NAMES) if learners == "all" else _names(learners)
    with progress("asking", people * len({*names, taps_run.OURS})) as on_progress:
        asked = taps_run.run(names, people, on_progress)
    rows = taps_run.rows_of(asked)
    if plot is not None:
        from rhythm.bench.plots.taps import draw_taps  # noqa: PLC0415

        draw_taps(asked, plot)
    if as_json:
        from rhythm.bench.versions import versions  # noqa: PLC0415

        config = {"learners": names, "people": people, "first_seed": taps_run.FIRST_SEED, "versions": versions()}
        print_json("rhythm.bench-taps/1", config, rows)
        return
    _print("Taps until the archetype is known", rows)


def _print(title: str, rows: "list[Row]") -> None:
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import checked_table  # noqa: PLC0415

    Console().print(checked_table(title, rows))
