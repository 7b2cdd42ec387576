"""Check that this machine and its data folder are in order, and say what to do where they are not."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")

LEAST_FREE_GB = 1.0


@app.command(epilog="Example: [bold]rhythm doctor[/bold]")
def doctor(
    folder: FolderOption = None,
    demo: DemoOption = False,
    import_speed: Annotated[
        int,
        typer.Option("--import-speed", min=0, help="Measure an import of so many MB instead; 1000 is a large export."),
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Check that this machine and its data folder are in order, and say what to do where they are not."""
    if import_speed:
        _measure_import(import_speed, as_json=as_json)
        return
    rows = [_checked(name, check) for name, check in _checks(folder, demo=demo)]
    if as_json:
        print_json("rhythm.doctor/1", {}, rows)
    else:
        for row in rows:
            typer.echo(f"  {'ok  ' if row['value'] else 'FAIL'}  {row['name']:<12} {row['said']}")
    if not all(row["value"] for row in rows):
        raise typer.Exit(1)


def _measure_import(size_mb: int, *, as_json: bool) -> None:
    from rhythm.cli.import_speed import measure  # noqa: PLC0415

    rows = measure(size_mb)
    if as_json:
        print_json("rhythm.import-speed/1", {"size_mb": size_mb}, rows)
        return
    for row in rows:
        typer.echo(f"  {row['name']:<16} {row['value']:>14,}")


def _checked(name: str, check: Callable[[], tuple[bool, str]]) -> dict[str, object]:
    from rhythm.vocab.errors import RhythmError  # noqa: PLC0415

    try:
        good, said = check()
    except RhythmError as error:
        good, said = False, str(error)
    return {"name": name, "value": good, "said": said}


def _checks(folder: Path | None, *, demo: bool) -> list[tuple[str, Callable[[], tuple[bool, str]]]]:
    import shutil  # noqa: PLC0415

    from rhythm.assist.places import Home, local_zone  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    def python() -> tuple[bool, str]:
        return sys.version_info >= (3, 11), f"Python {sys.version.split()[0]}"

    def place() -> tuple[bool, str]:
        home = Home(folder, demonstration=demo)
        private = home.folder.stat().st_mode & 0o077 == 0
        said = str(home.folder) if private else f"{home.folder} can be read by others; run chmod 700 on it"
        return private, said

    def room() -> tuple[bool, str]:
        free_gb = shutil.disk_usage(Home(folder, demonstration=demo).folder).free / 1e9
        return free_gb >= LEAST_FREE_GB, f"{free_gb:.1f} GB free"

    def database() -> tuple[bool, str]:
        with Home(folder, demonstration=demo).open_store() as store:
            store.database.check()
        with opened(folder, demo=demo) as assistant:
            data = assistant.data()
        return True, f"{data.readings:,} readings, {len(data.calendars)} calendars, {data.suggestions} suggestions"

    def sources() -> tuple[bool, str]:
        with opened(folder, demo=demo) as assistant:
            failed = [run.file for run in assistant.data().imports if run.state == "failed"]
        return not failed, f"{len(failed)} imports failed; see the Data page" if failed else "no failed imports"

    def zone() -> tuple[bool, str]:
        return True, f"this machine says {local_zone()}"

    return [("python", python), ("folder", place), ("disk", room), ("database", database), ("imports", sources),
            ("zone", zone)]  # fmt: skip
