"""The process of ``rhythm serve``: many people's pages."""

import fcntl
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import httpx
import typer

from rhythm.adapt.job import Engine
from rhythm.assist import Assistant
from rhythm.assist.household import Household
from rhythm.assist.places import Home
from rhythm.assist.suggesting import Suggester
from rhythm.cli.due import AssistantOf, work
from rhythm.cli.serving import in_background, place_asked_by
from rhythm.store import Store
from rhythm.vocab.errors import InvalidValueError, RhythmError

LOCK_FILE = "serving.lock"
_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:]+")


class AlreadyServedError(RhythmError):
    """Another process serves the people of this folder."""


def service_url(given: str, port: int) -> str:
    """Where people reach the service, as a browser writes it: without its scheme's own port, no slash at its end.

    Args:
        given: the address of a proxy in front; empty for none.
        port: where the server listens on this machine.

    Raises:
        InvalidValueError: no such address: scheme and host, and nothing behind them.
    """
    if not given:
        return f"http://127.0.0.1:{port}"
    try:
        url = httpx.URL(given.strip())
        host = url.raw_host.decode("ascii")
        fine = (
            url.scheme in {"http", "https"}
            and _HOST.fullmatch(host)
            and 0 < (1 if url.port is None else url.port) < 65536
        )
    except (httpx.InvalidURL, ValueError):
        fine = False
    if not fine or url.userinfo or url.path.strip("/") or url.query or url.fragment:
        raise InvalidValueError("--url is scheme and host alone, such as https://rhythm.example.org")
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def link(url: str, token: str) -> str:
    """What opens somebody's pages."""
    return f"{url}/?token={token}"


def opener(
    store: Store, *, private_feeds: bool, suggester: Suggester | None = None, weekly: Sequence[Engine] = ()
) -> Callable[[Home], Assistant]:
    """Gives assistants of people whom one database keeps; see `Assistant` for the rest."""

    def opened(home: Home) -> Assistant:
        return Assistant(
            store, home.person(store), token=home.token_file.found, private_feeds=private_feeds, suggester=suggester,
            weekly=weekly,
        )  # fmt: skip

    return opened


def assistants(household: Household, opens: Callable[[Home], Assistant]) -> AssistantOf:
    """Gives assistants by the ids of people who are here."""
    return lambda person_id: opens(household.home(person_id))


def serve(
    household: Household, *, port: int, url: str, listen: str, works: bool, most_ready: int,
    private_feeds: bool = False, suggester: Suggester | None = None, weekly: Sequence[Engine] = (),
) -> None:  # fmt: skip
    """Serves everyone's pages until it is interrupted.

    Args:
        household: whom.
        port: where to listen.
        url: the address of a proxy in front; empty for none.
        listen: address of the network to listen in.
        works: whether what is due is done here, too.
        most_ready: people whose pages are kept ready at once.
        private_feeds: whether calendars may be fetched from private networks.
        suggester: who suggests; the planner by default.
        weekly: who fits adapters, beside the device student.

    Raises:
        InvalidValueError: an address that cannot be, or one to listen at that others reach without TLS in front.
        AlreadyServedError: another process is at it.
        StoreError: the database cannot be used.
    """
    import uvicorn  # noqa: PLC0415 - only the server needs it

    from rhythm.web.many import Address, ManyPeople  # noqa: PLC0415

    reached = service_url(url, port)
    _check_listening(listen, reached)
    at = Address(
        port, (urlsplit(reached).netloc,) if url else (), reached.startswith("https://"), place_asked_by(suggester)
    )
    with _alone(household), household.open_store() as store:
        opens = opener(store, private_feeds=private_feeds, suggester=suggester, weekly=weekly)
        pages = ManyPeople(household, opens, at, most_ready=most_ready)
        people = household.ids()
        if people:
            typer.echo("  Getting ready (the first time takes half a minute) ...")
            pages.assistant_of(people[0]).today()  # compiles what the first page would wait for
        if works:
            in_background(lambda: work(household, store, pages.assistant_of, Event(), fits=bool(weekly)))
        who = f"{len(people)} people" if len(people) != 1 else "one person"
        typer.echo(
            f"\n  Rhythm serves {who} at  {reached}\n\n  `rhythm people` adds more and prints links. Stop: Ctrl+C.\n"
        )
        uvicorn.run(pages, host=listen, port=port, log_level="warning", access_log=False, server_header=False)


@contextmanager
def _alone(household: Household) -> Iterator[None]:
    """Holds the folder: what is handed in is read by one process."""
    household.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Path(household.folder, f".{LOCK_FILE}").open("w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlreadyServedError(
                "the people of this folder are served already; stop that process, or give others a folder of their own"
            ) from None
        yield


def _check_listening(listen: str, url: str) -> None:
    try:
        loopback = listen == "localhost" or ip_address(listen).is_loopback
    except ValueError:
        raise InvalidValueError(f"--listen {listen[:60]!r} is no address of a network; give one like 0.0.0.0") from None
    if not loopback and not url.startswith("https://"):
        raise InvalidValueError(
            "listening beyond this machine needs TLS in front: put a proxy there and name it with --url https://..."
        )
