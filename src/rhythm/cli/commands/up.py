"""Start the pages on this machine and print the link that opens them."""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.house import DEFAULT_PORT
from rhythm.cli.suggester_options import BaseUrlOption, SuggestByOption, SuggestModelOption

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm up[/bold], or [bold]rhythm up --demo[/bold] with an invented person.")
def up(
    demo: Annotated[bool, typer.Option("--demo", help="An invented person, in a data folder of their own.")] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to listen, on this machine only.")] = DEFAULT_PORT,
    folder: Annotated[Path | None, typer.Option(help="Data folder; the system's usual place by default.")] = None,
    notify_file: Annotated[
        Path | None, typer.Option(help="File with Apprise addresses, one a line, for notices (Settings switches them).")
    ] = None,
    private_feeds: Annotated[
        bool, typer.Option("--private-feeds", help="Calendars may be fetched from private networks.")
    ] = False,
    suggest_by: SuggestByOption = "planner",
    model: SuggestModelOption = "",
    base_url: BaseUrlOption = "",
) -> None:
    """Start the pages on this machine and print the link that opens them."""
    from rhythm.cli.serving import serve, suggesting_by  # noqa: PLC0415 - the web is loaded when it is wanted

    suggester, weekly = suggesting_by(suggest_by, model, base_url)
    serve(
        folder,
        demonstration=demo,
        port=port,
        notify_file=notify_file,
        private_feeds=private_feeds,
        suggester=suggester,
        weekly=weekly,
    )
