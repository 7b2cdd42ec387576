"""Say whom `rhythm serve` serves: add people, print their links, shut a link, let somebody go."""

from typing import Annotated

import typer

from rhythm.cli.house import DEFAULT_PORT, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

Who = Annotated[str, typer.Argument(metavar="ID", help="What they are called in folders and commands: a-z, 0-9, _, -.")]
UrlOption = Annotated[
    str, typer.Option(envvar="RHYTHM_URL", help="Where people reach the service; as in `rhythm serve`.")
]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Where it listens; as in `rhythm serve`.")]


@app.callback()
def people() -> None:
    """Say whom `rhythm serve` serves: add people, print their links, shut a link, let somebody go.

    A link opens one person's pages and nobody else's: hand it over so that nobody else sees it. Any command works for
    one of them where RHYTHM_PERSON holds their id: `RHYTHM_PERSON=kim rhythm import calendar.ics`.
    """


@app.command(epilog="Example: [bold]rhythm people add kim --zone Europe/Berlin[/bold]")
def add(
    who: Who,
    zone: Annotated[str, typer.Option(help="Where they live: Europe/Berlin; this machine's zone by default.")] = "",
    url: UrlOption = "",
    port: PortOption = DEFAULT_PORT,
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take somebody in, and print the link that opens their pages."""
    from rhythm.assist.household import Household  # noqa: PLC0415
    from rhythm.assist.places import local_zone  # noqa: PLC0415
    from rhythm.cli.household import link, service_url  # noqa: PLC0415
    from rhythm.store import PersonSettings  # noqa: PLC0415

    at, household = service_url(url, port), Household(folder)
    settings = PersonSettings(zone=zone or local_zone())
    with household.open_store() as store:
        home = household.add(store, who, settings)
    _show_link(who, link(at, home.token()), as_json=as_json)


@app.command("list", epilog="Example: [bold]rhythm people list --json[/bold]")
def list_(folder: FolderOption = None, as_json: JsonOption = False) -> None:
    """List who is here, and since when; nothing of what is theirs."""
    from rhythm.assist.household import Household  # noqa: PLC0415

    household = Household(folder)
    here = household.ids()
    came = {}
    if here:
        with household.open_store() as store:
            came = {person.id: person.created_at for person in store.people()}
    if as_json:
        rows = [{"name": one, "value": came[one].isoformat() if one in came else None} for one in here]
        print_json("rhythm.people/1", {}, rows)
        return
    for one in here:
        typer.echo(f"  {one:<24}  {f'since {came[one]:%Y-%m-%d}' if one in came else 'never opened'}")
    if not here:
        typer.echo("Nobody yet; see `rhythm people add --help`.")


@app.command("link", epilog="Example: [bold]rhythm people link kim --new[/bold], once a link got into wrong hands")
def link_(
    who: Who,
    new: Annotated[
        bool, typer.Option("--new", help="Another link: the old one is shut at once, with its sessions and feed.")
    ] = False,
    url: UrlOption = "",
    port: PortOption = DEFAULT_PORT,
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the link that opens somebody's pages."""
    from rhythm.assist.household import Household  # noqa: PLC0415
    from rhythm.cli.household import link, service_url  # noqa: PLC0415

    at, household = service_url(url, port), Household(folder)
    if new:
        with household.open_store() as store:
            household.new_link(store, who)
    _show_link(who, link(at, household.link_of(who)), as_json=as_json)


@app.command(epilog="Example: [bold]RHYTHM_PERSON=kim rhythm export kim.zip && rhythm people remove kim[/bold]")
def remove(
    who: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: FolderOption = None,
) -> None:
    """Erase everything of somebody for good, and let them go."""
    from rhythm.assist.household import Household  # noqa: PLC0415

    household = Household(folder)
    household.home(who)
    if not yes and typer.prompt(f"Everything of {who} goes and cannot come back. Type {who} to do it") != who:
        raise typer.Abort
    with household.open_store() as store:
        household.remove(store, who)
    typer.echo(f"Everything of {who} is erased, and their link is shut.")


def _show_link(who: str, address: str, *, as_json: bool) -> None:
    if as_json:
        print_json("rhythm.people-link/1", {}, [{"name": who, "value": address}])
    else:
        typer.echo(f"{who}:  {address}")
