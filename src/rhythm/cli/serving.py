"""The server process of ``rhythm up``: pages, resumed imports, notices; on this machine only."""

import socket
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from rhythm.adapt.job import Engine
from rhythm.assist import Assistant
from rhythm.assist.notify import notify_waiting
from rhythm.assist.places import PERSON_VARIABLE, Home
from rhythm.assist.suggesting import Suggester
from rhythm.cli.output import learning_shown
from rhythm.vocab.errors import InvalidValueError, RhythmError, UnknownNameError

ADDRESS = "127.0.0.1"
NOTICE_EVERY_S = 300.0
DUE_EVERY_S = 60.0


class PortTakenError(RhythmError):
    """Something else listens on the port."""


def suggesting_by(who: str, model: str, base_url: str) -> tuple[Suggester | None, tuple[Engine, ...]]:
    """Who suggests, None for the planner; and who fits adapters of it every week.

    Args:
        who: ``planner`` or ``lm``.
        model: the language model; see `rhythm.lm.serving.suggester_of`.
        base_url: its server, if it has one.

    Raises:
        UnknownNameError: nobody of that name.
        InvalidValueError: a model for the planner.
        MissingPackagesError, NoModelError, NotInFormError: the model cannot be had.
    """
    if who == "planner":
        if model or base_url:
            raise InvalidValueError("--model and --base-url name a language model; add --suggest-by lm")
        return None, ()
    if who != "lm":
        raise UnknownNameError("suggester", who, ("planner", "lm"))
    from rhythm.lm.serving import suggester_of, weekly_engine  # noqa: PLC0415 - the extra is asked for where it is wanted

    suggester = suggester_of(model, base_url)
    engine = weekly_engine(suggester, model)
    return suggester, () if engine is None else (engine,)


def serve(
    folder: Path | None, *, demonstration: bool, port: int, notify_file: Path | None, private_feeds: bool,
    suggester: Suggester | None = None, weekly: Sequence[Engine] = (),
) -> None:  # fmt: skip
    """Serves until it is interrupted.

    Args:
        folder: data folder; None for the usual place.
        demonstration: the invented person, made where they are missing.
        port: where to listen.
        notify_file: addresses for notices; None for none.
        private_feeds: whether calendars may be fetched from private networks.
        suggester: who suggests; the planner by default.
        weekly: who fits adapters, beside the device student.

    Raises:
        PortTakenError: something else listens there.
        InvalidValueError: somebody of a household is named.
        HomeError, StoreError: the data folder or its database cannot be used.
    """
    import uvicorn  # noqa: PLC0415 - only the server needs it

    from rhythm.web.app import create_app  # noqa: PLC0415

    _check_free(port)
    home = Home(folder, demonstration=demonstration)
    if home.is_of_household:
        raise InvalidValueError(f"{PERSON_VARIABLE} names one of many people: `rhythm serve` has their pages")
    with home.open_store() as store:
        token = home.token()
        assistant = Assistant(
            store, home.person(store), token=token, private_feeds=private_feeds, suggester=suggester, weekly=weekly
        )
        if demonstration:
            from rhythm.cli.demo import settle_in  # noqa: PLC0415 - the life model loads with it

            settle_in(assistant, home.folder, typer.echo)
        if asked := place_asked_by(suggester):
            typer.echo(f"  A model at {asked} suggests: meters, answers and records of thirty days are sent there.")
        web = create_app(assistant, token, home.incoming, port=port, suggest_url=asked)
        web.state.site.uploads.resume()
        typer.echo("  Getting ready (the first time takes half a minute) ...")
        with learning_shown(assistant):
            assistant.today()  # compiles what the first page would wait for
        in_background(lambda: _due(assistant.run_due, "a calendar was not fetched"))
        if weekly:  # apart, since it takes long
            in_background(lambda: _due(assistant.fit_due, "no adapter was fitted"))
        if notify_file is not None:
            in_background(lambda: _notices(assistant, notify_file))
        typer.echo(f"\n  Rhythm is at  http://{ADDRESS}:{port}/?token={token}\n\n  Stop it with Ctrl+C.\n")
        uvicorn.run(web, host=ADDRESS, port=port, log_level="warning", access_log=False, server_header=False)


def place_asked_by(suggester: Suggester | None) -> str:
    """Server that moments are sent to; empty where they stay here."""
    if suggester is None:
        return ""
    from rhythm.lm.serving import place_asked  # noqa: PLC0415 - whoever is given has loaded it

    return place_asked(suggester)


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            raise PortTakenError(
                f"port {port} is taken; stop what listens there or choose another with --port"
            ) from None


def in_background(work: Callable[[], object]) -> None:
    """Does something beside, for as long as the process lives."""
    threading.Thread(target=work, daemon=True).start()


def _due(work: Callable[[], object], failed: str) -> None:
    while True:
        try:
            work()
        except RhythmError as error:
            typer.echo(f"rhythm: {failed}: {error}", err=True)
        except Exception as error:  # noqa: BLE001 - what is due next must not wait for a restart
            typer.echo(f"rhythm: {failed} ({type(error).__name__})", err=True)
        time.sleep(DUE_EVERY_S)


def _notices(assistant: Assistant, notify_file: Path) -> None:
    while True:
        try:
            if assistant.settings.notify:
                assistant.today()
                notify_waiting(assistant.context(), notify_file.read_text(encoding="utf-8"))
        except (RhythmError, OSError) as error:
            typer.echo(f"rhythm: a notice was not sent: {error}", err=True)
        except Exception as error:  # noqa: BLE001 - the next notice must not wait for a restart
            typer.echo(f"rhythm: a notice was not sent ({type(error).__name__})", err=True)
        time.sleep(NOTICE_EVERY_S)
