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
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Fit adapters by so many processes at once, instead of one after the other here."),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help="Have adapters fitted by the workers of a Dask scheduler, tcp://HOST:8786; each needs RHYTHM_DATABASE."
        ),
    ] = "",
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Do what is due for the people of `rhythm serve`: calendars, accounts, weekly adapters.

    Any number of these processes share the work, on this machine and on others with the same database and folder:
    each piece of it is taken by one of them for a while, and by another where that one ends before it is done.
    With `--suggest-by lm --model FOLDER` the adapters of that language model are fitted, too.
    """
    from threading import Event  # noqa: PLC0415

    from rhythm.assist import Assistant  # noqa: PLC0415
    from rhythm.assist.household import Household  # noqa: PLC0415
    from rhythm.cli import due  # noqa: PLC0415
    from rhythm.cli.household import assistants, opener  # noqa: PLC0415
    from rhythm.cli.serving import in_background, suggesting_by  # noqa: PLC0415

    household, elsewhere, stopped = Household(folder), bool(workers or cluster), Event()
    suggester, weekly = suggesting_by(suggest_by, model, "")

    def does(one: Assistant) -> int:
        return one.run_due(fits=not elsewhere)

    with household.open_store() as store:
        opens = opener(store, private_feeds=private_feeds, suggester=suggester, weekly=weekly)
        assistant_of = assistants(household, opens)
        if not once:
            if elsewhere:
                in_background(
                    lambda: due.rounds(lambda: due.fitting_round(household, store, workers, cluster), stopped)
                )
            due.work(household, store, assistant_of, stopped, does, fits=bool(weekly))
            return
        done = due.due_round(household, store, assistant_of, lambda one: does(one) + one.fit_due())
        if elsewhere:
            more = due.fitting_round(household, store, workers, cluster)
            done = {name: count + more[name] for name, count in done.items()} | {"fitted": more["pieces"]}
    if as_json:
        rows = [{"name": name, "value": count} for name, count in done.items()]
        print_json("rhythm.work/1", {"people_here": len(household.ids())}, rows)
    else:
        typer.echo(f"{done['pieces']} pieces of work; failed for {done['failed']} people.")
