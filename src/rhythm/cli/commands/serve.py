"""Serve the pages of many people, each behind a link of their own."""

from typing import Annotated

import typer

from rhythm.cli.house import DEFAULT_PORT, FolderOption
from rhythm.cli.suggester_options import BaseUrlOption, SuggestByOption, SuggestModelOption

app = typer.Typer(rich_markup_mode="rich")


@app.command(
    epilog="Example: [bold]rhythm people add kim && rhythm serve[/bold]; for others to reach it, with a proxy in "
    "front that speaks TLS: [bold]rhythm serve --url https://rhythm.example.org[/bold]."
)
def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to listen.")] = DEFAULT_PORT,
    url: Annotated[
        str, typer.Option(envvar="RHYTHM_URL", help="Where people reach it: the address of the proxy in front.")
    ] = "",
    listen: Annotated[
        str, typer.Option(help="Address to listen at; another than this machine's own needs an https --url.")
    ] = "127.0.0.1",
    private_feeds: Annotated[
        bool, typer.Option("--private-feeds", help="Calendars may be fetched from private networks.")
    ] = False,
    ready: Annotated[
        int, typer.Option(min=1, help="People whose pages are kept ready; each takes some megabytes of memory.")
    ] = 64,
    work: Annotated[bool, typer.Option(help="Do what is due here, too; with --no-work `rhythm work` does it.")] = True,
    suggest_by: SuggestByOption = "planner",
    model: SuggestModelOption = "",
    base_url: BaseUrlOption = "",
    folder: FolderOption = None,
) -> None:
    """Serve the pages of many people, each behind a link of their own.

    Whom it serves is said by `rhythm people`, also while it runs. RHYTHM_DATABASE names a PostgreSQL database for all
    of them; without it they share a file in the data folder. docs/operator.md says more.
    """
    from rhythm.assist.household import Household  # noqa: PLC0415 - loaded when it is wanted
    from rhythm.cli import household as process  # noqa: PLC0415
    from rhythm.cli.serving import suggesting_by  # noqa: PLC0415

    suggester, weekly = suggesting_by(suggest_by, model, base_url)
    process.serve(
        Household(folder), port=port, url=url, listen=listen, works=work, most_ready=ready, private_feeds=private_feeds,
        suggester=suggester, weekly=weekly,
    )  # fmt: skip
