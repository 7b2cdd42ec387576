"""Erase everything that Rhythm keeps of you, for good."""

from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm erase --yes[/bold]")
def erase(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase everything that Rhythm keeps of you, for good.

    A browser may hold the last pages; erasing on the Data page has it let go of them, too.
    """
    from rhythm.assist.places import Home  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    if not yes and typer.prompt("This cannot be undone. Type erase to do it") != "erase":
        raise typer.Abort
    Home(folder, demonstration=demo).clear_incoming()
    with opened(folder, demo=demo) as assistant:
        assistant.erase()
    if as_json:
        print_json("rhythm.erase/1", {}, [{"name": "erased", "value": True}])
    else:
        typer.echo("Everything is erased. A browser may still hold the last pages: clear this site's data there.")
