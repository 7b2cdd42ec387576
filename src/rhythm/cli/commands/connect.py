"""Let Rhythm into an account with a vendor, with a key or an app of your own; list, read and forget accounts."""

import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption, opened
from rhythm.cli.output import JsonOption, print_json

if TYPE_CHECKING:
    from rhythm.assist import Assistant
    from rhythm.bridge.accounts.credentials import Credentials
    from rhythm.bridge.accounts.face import Account

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

REDIRECT = "http://127.0.0.1:8765/callback"
"""To be written into one's own app as its redirect address; nothing needs to answer there."""


@app.callback()
def connect() -> None:
    """Let Rhythm into an account with a vendor, with a key or an app of your own; list, read and forget accounts."""


@app.command(epilog="Example: [bold]rhythm connect add whoop[/bold]")
def add(
    account: Annotated[str, typer.Argument(help="garmin, google-health, oura or whoop.")],
    client_id: Annotated[str, typer.Option("--client-id", help="Of your own app; asked for where it is needed.")] = "",
    folder: FolderOption = None,
    demo: DemoOption = False,
) -> None:
    """Let Rhythm into an account. Keys and secrets are asked for, never given as options, and kept encrypted."""
    from rhythm.assist.accounts import account_named  # noqa: PLC0415
    from rhythm.bridge.accounts.credentials import Credentials  # noqa: PLC0415

    kind = account_named(account)
    typer.echo(f"{kind.title}: {kind.login.advice}.", err=True)
    with opened(folder, demo=demo) as assistant:
        if kind.login.by_key:
            given = Credentials(key=typer.prompt("Key", hide_input=True, err=True).strip())
            with assistant.open_session(kind, given, lambda _: None) as session:
                given = session.exchange_key()
        else:
            given = _agreed(assistant, kind, client_id)
        assistant.connect_account(kind.name, given)
    typer.echo(f"{kind.title} is connected; `rhythm connect read {kind.name}` reads it now, `rhythm up` every day.")


@app.command(epilog="Example: [bold]rhythm connect calendar caldav --address https://dav.example.org[/bold]")
def calendar(
    kind: Annotated[str, typer.Argument(help="caldav or google.")],
    address: Annotated[str, typer.Option(help="Of the CalDAV server, or of one calendar there.")] = "",
    user: Annotated[str, typer.Option(help="Your name on that server.")] = "",
    client_id: Annotated[str, typer.Option("--client-id", help="Of your own app, for google.")] = "",
    name: Annotated[str, typer.Option(help="What to call it.")] = "",
    folder: FolderOption = None,
    demo: DemoOption = False,
) -> None:
    """Let Rhythm read a calendar account, never write it. The password is asked for, and kept encrypted."""
    import msgspec  # noqa: PLC0415

    from rhythm.assist.feeds import CALDAV, GOOGLE, failure_words, host_of  # noqa: PLC0415
    from rhythm.bridge.accounts.caldav import CaldavLogin  # noqa: PLC0415
    from rhythm.bridge.accounts.google_calendar import GoogleCalendar  # noqa: PLC0415
    from rhythm.vocab.errors import UnknownNameError  # noqa: PLC0415

    if kind not in ("caldav", "google"):
        raise UnknownNameError("calendar account", kind, ("caldav", "google"))
    with opened(folder, demo=demo) as assistant:
        if kind == "caldav":
            host = host_of(address)
            user = user or typer.prompt("Name", err=True).strip()
            login = CaldavLogin(address, user, typer.prompt("Password", hide_input=True, err=True))
            source = assistant.connect_calendar(CALDAV, host, msgspec.json.encode(login).decode(), name)
        else:
            given = _agreed(assistant, GoogleCalendar(), client_id)
            source = assistant.connect_calendar(GOOGLE, "Google", msgspec.json.encode(given).decode(), name)
    typer.echo("read" if source.failure is None else f"kept, but {failure_words(source.failure)}")


def _agreed(assistant: "Assistant", kind: "Account", client_id: str) -> "Credentials":
    """Credentials of a login that the person agrees to in the browser."""
    from rhythm.bridge.accounts.credentials import Credentials, authorize_address, code_from  # noqa: PLC0415

    client_id = client_id or typer.prompt("Client id of your app", err=True).strip()
    secret = typer.prompt("Client secret", hide_input=True, err=True).strip()
    state = secrets.token_urlsafe(24)
    typer.echo(f"Its redirect address must be {REDIRECT}. Open this address and agree:", err=True)
    typer.echo(authorize_address(kind.login, client_id, REDIRECT, state))
    typer.echo("The browser then ends at an address that cannot be opened; that is as it should be.", err=True)
    code = code_from(typer.prompt("That address", hide_input=True, err=True), state)
    given = Credentials(client_id=client_id, client_secret=secret)
    with assistant.open_session(kind, given, lambda _: None) as session:
        return session.exchange_code(code, REDIRECT)


@app.command("list", epilog="Example: [bold]rhythm connect list --json[/bold]")
def list_(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """List the accounts that Rhythm is let into, and how old what lets it in is."""
    from datetime import UTC, datetime  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        lines = assistant.data().accounts
    days = {line.name: (datetime.now(UTC) - line.renewed_at).days for line in lines}
    if as_json:
        rows = [
            {"name": line.name, "value": days[line.name], "unit": "days", "failure": line.failure} for line in lines
        ]
        print_json("rhythm.connect-list/1", {}, rows)
        return
    for line in lines:
        read = "not read yet" if line.read_at is None else f"read {line.read_at:%Y-%m-%d %H:%M} UTC"
        trouble = f", {line.failure.replace('_', ' ')}" if line.failure else ""
        typer.echo(f"{line.title} ({line.name}): {days[line.name]} days old, {read}{trouble}")
    if not lines:
        typer.echo("No account yet; see `rhythm connect add --help`.")


@app.command(epilog="Example: [bold]rhythm connect read oura --days 90[/bold]")
def read(
    account: Annotated[str, typer.Argument(help="Its name.")],
    days: Annotated[
        int | None,
        typer.Option(min=1, max=3660, help="How far back to read; 730 the first time, later what is new."),
    ] = None,
    folder: FolderOption = None,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read what is new in an account now; one that was cut short goes on where it stopped."""
    with opened(folder, demo=demo) as assistant:
        run = assistant.read_account(account, first_days=days)
    if as_json:
        rows = [{"name": name, "value": count} for name, count in sorted({**run.counts, **run.problems}.items())]
        print_json("rhythm.connect-read/1", {"account": account, "days": days}, rows)
        return
    typer.echo(f"{run.counts.get('added', 0):,} readings read, {run.counts.get('known', 0):,} were there already")


@app.command(epilog="Example: [bold]rhythm connect forget whoop[/bold]")
def forget(
    account: Annotated[str, typer.Argument(help="Its name.")], folder: FolderOption = None, demo: DemoOption = False
) -> None:
    """Forget what lets Rhythm into an account. What was read stays; the Data page takes that out."""
    with opened(folder, demo=demo) as assistant:
        assistant.disconnect_account(account)
    typer.echo("forgotten")
