"""Answer a suggestion: accept, ignore, later or undo."""

from enum import StrEnum
from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


class Tap(StrEnum):
    """What a person can say."""

    ACCEPT = "accept"
    IGNORE = "ignore"
    LATER = "later"
    UNDO = "undo"


@app.command(epilog="Example: [bold]rhythm answer 12 accept[/bold]")
def answer(
    number: Annotated[int, typer.Argument(help="Number of the suggestion, as `rhythm today` shows it.")],
    tap: Annotated[Tap, typer.Argument(help="What you say to it.")],
    to: Annotated[int | None, typer.Option(help="Slot number to move it to; the next open one by default.")] = None,
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Answer a suggestion: accept, ignore, later or undo."""
    from rhythm.cli.house import opened  # noqa: PLC0415
    from rhythm.vocab.responses import Outcome  # noqa: PLC0415
    from rhythm.vocab.slots import describe_slot  # noqa: PLC0415

    outcomes = {Tap.ACCEPT: Outcome.ACCEPTED, Tap.IGNORE: Outcome.IGNORED, Tap.LATER: Outcome.RESCHEDULED}
    with opened(folder, demo=demo) as assistant:
        if tap is Tap.UNDO:
            given = assistant.undo(number, channel="cli")
        else:
            given = assistant.answer(number, outcomes[tap], moved_to=to, channel="cli")
    if as_json:
        print_json("rhythm.answer/1", {}, [{"name": tap.value, "value": given.number, "moved_to": given.moved_to}])
        return
    if tap is Tap.UNDO:
        typer.echo("Taken back, and what was learned from it is forgotten.")
        return
    moved = "" if given.moved_to is None else f" to {describe_slot(given.moved_to)}"
    typer.echo(f"Kept: {tap.value}{moved}. Take it back with `rhythm answer {number} undo`.")
