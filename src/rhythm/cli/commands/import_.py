"""Read calendars (.ics) and the exports of watches and rings into the assistant."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, learning_shown, print_json, progress

if TYPE_CHECKING:
    from rhythm.assist.files import Imported

app = typer.Typer(rich_markup_mode="rich")

REFUSED_EXIT = 2
"""Exit status where a file could not be read."""


@app.command(
    epilog="Example: [bold]rhythm import calendar.ics export.zip[/bold]. Reading a file twice adds nothing. "
    "[bold]rhythm sources[/bold] lists the watches and rings; [bold]rhythm addresses[/bold] says which of an event's "
    "guests you are."
)
def import_(
    files: Annotated[list[Path], typer.Argument(help="Files to read.")],
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read calendars (.ics) and the exports of watches and rings into the assistant."""
    from rhythm.cli.house import opened  # noqa: PLC0415
    from rhythm.vocab.errors import RhythmError  # noqa: PLC0415 - the words are loaded when they are needed

    rows: list[dict[str, object]] = []
    refused = 0
    with opened(folder, demo=demo) as assistant:
        for path in files:
            try:
                with progress(f"reading {path.name}", 100) as advance, learning_shown(assistant):
                    found = assistant.import_file(
                        path, progress=_in_percent(advance), on_stored=None if as_json else _say_stored
                    )
            except RhythmError as error:  # the other files are read all the same
                refused += 1
                typer.echo(f"rhythm: {path.name}: {' '.join(str(error).split())}", err=True)
                rows.append({"name": path.name, "value": 0, "error": str(error)})
                continue
            rows.append({"name": found.file, "value": found.added, "kind": found.kind, "known": found.known,
                         "problems": found.problems, "took_s": found.took_s})  # fmt: skip
    if as_json:
        print_json("rhythm.import/1", {}, rows)
    if refused:
        raise typer.Exit(REFUSED_EXIT)


def _in_percent(advance: Callable[[str, int], None]) -> Callable[[int, int], None]:
    shown = 0

    def tell(done: int, whole: int) -> None:
        nonlocal shown
        percent = 100 * done // whole if whole else 0
        if percent > shown:
            advance(f"{done / 1e6:,.0f} MB", percent - shown)
            shown = percent

    return tell


def _say_stored(found: "Imported") -> None:
    """What was read and is safe on disk; learning from it goes on."""
    what = "events" if found.kind == "calendar" else "readings"
    problems = sum(found.problems.values())
    typer.echo(f"{found.file}: {found.added:,} {what} read, {found.known:,} known, {problems:,} problems")
