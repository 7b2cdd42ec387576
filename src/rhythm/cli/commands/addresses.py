"""Say which e-mail addresses are yours, so that invitations you declined leave their time free."""

from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption, opened
from rhythm.cli.output import JsonOption, print_json

if TYPE_CHECKING:
    from rhythm.assist import Assistant
    from rhythm.store import PersonSettings

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

Given = Annotated[list[str], typer.Argument(metavar="ADDRESS...", help="Plain addresses: kim@example.org.")]


@app.callback()
def addresses() -> None:
    """Say which e-mail addresses are yours, so that invitations you declined leave their time free.

    Every calendar file that is imported, every calendar that is fetched and every CalDAV account is read by them;
    they are sent nowhere.
    """


@app.command("list", epilog="Example: [bold]rhythm addresses list --json[/bold]")
def list_(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """List your addresses."""
    with opened(folder, demo=demo) as assistant:
        own = assistant.settings.own_addresses
    if as_json:
        print_json("rhythm.addresses/1", {}, [{"name": "address", "value": one} for one in own])
        return
    for one in own:
        typer.echo(one)
    if not own:
        typer.echo("No address yet; see `rhythm addresses add --help`.")


@app.command(epilog="Example: [bold]rhythm addresses add kim@example.org kim@work.example[/bold]")
def add(given: Given, folder: FolderOption = None, demo: DemoOption = False) -> None:
    """Add addresses of yours; `remove` takes them back."""
    from rhythm.assist.own_addresses import with_addresses  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        _save(assistant, with_addresses(assistant.settings, " ".join(given)))


@app.command(epilog="Example: [bold]rhythm addresses remove kim@work.example[/bold]")
def remove(given: Given, folder: FolderOption = None, demo: DemoOption = False) -> None:
    """Take addresses of yours out again."""
    from rhythm.assist.own_addresses import without_address  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        settings = assistant.settings
        for one in given:
            settings = without_address(settings, one)
        _save(assistant, settings)


def _save(assistant: "Assistant", settings: "PersonSettings") -> None:
    """Keeps the addresses, and says what becomes of calendars that were read already."""
    from rhythm.assist.feeds import FETCHED  # noqa: PLC0415
    from rhythm.assist.own_addresses import must_be_given_again  # noqa: PLC0415

    assistant.save_settings(settings)
    calendars = assistant.person.calendars.all()
    typer.echo(f"Kept; addresses of yours: {len(settings.own_addresses)}.")
    if any(one.kind in FETCHED for one in calendars):
        typer.echo("Calendars that are fetched are read anew by `rhythm up`: within a minute, or when it starts.")
    again = [one.origin for one in calendars if must_be_given_again(one, settings)]
    if again:
        typer.echo(f"Read by other addresses, so give them again with `rhythm import`: {', '.join(again)}.")
