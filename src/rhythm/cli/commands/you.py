"""Say what has been learned of you, how surely, and from what; correct or clear it."""

from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm you --correct social=20[/bold]")
def you(
    correct: Annotated[list[str] | None, typer.Option(help="Your word on a belief: NAME=0..100.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget everything that was learned so far.")] = False,
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Say what has been learned of you, how surely, and from what; correct or clear it."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        for one in correct or ():
            name, _, value = one.partition("=")
            if not value.isdigit():
                raise typer.BadParameter("write NAME=VALUE with a whole number from 0 to 100")
            assistant.correct(name.strip(), int(value) / 100)
        if clear:
            assistant.clear()
        found = assistant.you()
    if as_json:
        print_json("rhythm.you/1", {"demonstration": found.demonstration}, [found])
        return
    for line in found.beliefs:
        told = "" if line.told is None else f"; you said {line.told}"
        typer.echo(f"  {line.name:<8} {line.mean:>3} (likely {line.low} to {line.high}): {line.words}{told}")
    for reason in found.reasons:
        typer.echo(f"  - {reason.sentence}")
