"""Do what is due for the people of `rhythm serve`: calendars, accounts, weekly adapters."""

from typing import Annotated

import typer

from rhythm.cli.house import FolderOption
from rhythm.cli.output import JsonOption, print_json
from rhythm.cli.suggester_options import SuggestByOption, SuggestModelOption

app = typer.Typer(rich_markup_mode="rich")


@app.command(
    epilog="Example: [bold]rhythm serve --no-work[/bold] and, beside it, [bold]rhythm work[/bold] as often as wanted."
)
def work(
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    private_feeds: Annotated[
        bool, typer.Option("--private-feeds", help="Calendars may be fetched from private networks.")
    ] = False,
    suggest_by: SuggestByOption = "planner",
    model: SuggestModelOption = "",
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Do what is due for the people of `rhythm serve`: calendars, accounts, weekly adapters.

    Any number of these processes share the work, on this machine and on others with the same database and folder:
    each piece of it is taken by one of them for a while, and by another where that one ends before it is done.
    With `--suggest-by lm --model FOLDER` the adapters of that language model are fitted, too.
    """
    import threading  # noqa: PLC0415

    from rhythm.assist.household import Household  # noqa: PLC0415
    from rhythm.cli import household as process  # noqa: PLC0415
    from rhythm.cli.serving import suggesting_by  # noqa: PLC0415

    household = Household(folder)
    suggester, weekly = suggesting_by(suggest_by, model, "")
    with household.open_store() as store:
        opens = process.opener(store, private_feeds=private_feeds, suggester=suggester, weekly=weekly)
        assistant_of = process.assistants(household, opens)
        if not once:
            process.work(household, store, assistant_of, threading.Event(), fits=bool(weekly))
            return
        done = process.due_round(household, store, assistant_of, lambda one: one.run_due() + one.fit_due())
    if as_json:
        rows = [{"name": name, "value": count} for name, count in done.items()]
        print_json("rhythm.work/1", {"people_here": len(household.ids())}, rows)
    else:
        typer.echo(f"{done['pieces']} pieces of work for {done['people']} people; failed for {done['failed']}.")
