"""Do what is due for the people of `rhythm serve`: calendars, accounts, weekly adapters."""

from typing import Annotated

import typer

from rhythm.cli.house import FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(
    epilog="Example: [bold]rhythm serve --no-work[/bold] and, beside it, [bold]rhythm work[/bold] as often as wanted."
)
def work(
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    private_feeds: Annotated[
        bool, typer.Option("--private-feeds", help="Calendars may be fetched from private networks.")
    ] = False,
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Do what is due for the people of `rhythm serve`: calendars, accounts, weekly adapters.

    Any number of these processes share the work, on this machine and on others with the same database and folder:
    each piece of it is taken by one of them for a while, and by another where that one ends before it is done.
    """
    import threading  # noqa: PLC0415

    from rhythm.assist.household import Household  # noqa: PLC0415
    from rhythm.cli import household as process  # noqa: PLC0415

    household = Household(folder)
    with household.open_store() as store:
        assistant_of = process.assistants(household, process.opener(store, private_feeds=private_feeds))
        if not once:
            process.work(household, store, assistant_of, threading.Event())
            return
        done = process.due_round(household, store, assistant_of)
    if as_json:
        rows = [{"name": name, "value": count} for name, count in done.items()]
        print_json("rhythm.work/1", {"people_here": len(household.ids())}, rows)
    else:
        typer.echo(f"{done['pieces']} pieces of work for {done['people']} people; failed for {done['failed']}.")
