"""Write everything of yours as open files, into a folder or a zip."""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm export my-rhythm.zip[/bold]")
def export(
    target: Annotated[Path, typer.Argument(help="A new folder, or a file that ends in .zip.")],
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write everything of yours as open files, into a folder or a zip."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        assistant.export_to(target)
    if as_json:
        print_json("rhythm.export/1", {}, [{"name": "export", "value": str(target)}])
    else:
        typer.echo(f"Written to {target}.")
