"""Bring everything of yours back from an export."""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm restore my-rhythm.zip[/bold]")
def restore(
    source: Annotated[Path, typer.Argument(help="The folder or zip that `rhythm export` wrote.")],
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring everything of yours back from an export. Logins and secret addresses are in none; give those again."""
    from rhythm.assist.places import Home  # noqa: PLC0415

    home = Home(folder, demonstration=demo)
    with home.open_store() as store:
        person = home.restore(store, source)
        suggestions = person.suggestions.count()
        readings = sum(stream.reading_count for stream in person.readings.streams())
    if as_json:
        rows = [{"name": "readings", "value": readings}, {"name": "suggestions", "value": suggestions}]
        print_json("rhythm.restore/1", {}, rows)
    else:
        typer.echo(f"Restored from {source}: {readings:,} readings, {suggestions:,} suggestions.")
