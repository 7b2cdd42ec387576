"""Read calendars (.ics) and the exports of watches and rings into the assistant."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json, progress

app = typer.Typer(rich_markup_mode="rich")


@app.command(
    epilog="Example: [bold]rhythm import calendar.ics export.zip[/bold]. Reading a file twice adds nothing. "
    "[bold]rhythm sources[/bold] lists the watches and rings."
)
def import_(
    files: Annotated[list[Path], typer.Argument(help="Files to read.")],
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read calendars (.ics) and the exports of watches and rings into the assistant."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    rows = []
    with opened(folder, demo=demo) as assistant:
        for path in files:
            with progress(f"reading {path.name}", 100) as advance:
                shown = [0]

                def tell(
                    done: int, whole: int, shown: list[int] = shown, advance: Callable[[str, int], None] = advance
                ) -> None:
                    percent = 100 * done // whole if whole else 0
                    if percent > shown[0]:
                        advance(f"{done / 1e6:,.0f} MB", percent - shown[0])
                        shown[0] = percent

                found = assistant.import_file(path, progress=tell)
            rows.append({"name": found.file, "value": found.added, "kind": found.kind, "known": found.known,
                         "problems": found.problems})  # fmt: skip
            if not as_json:
                what = "events" if found.kind == "calendar" else "readings"
                problems = sum(found.problems.values())
                typer.echo(f"{found.file}: {found.added:,} {what} read, {found.known:,} known, {problems:,} problems")
    if as_json:
        print_json("rhythm.import/1", {}, rows)
