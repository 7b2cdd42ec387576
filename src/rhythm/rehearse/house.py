"""The assistant of one invented person as it is served: a database in a folder, HTTP on a port, a clock of its own."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import httpx
import uvicorn

from rhythm.assist import Assistant
from rhythm.assist.suggesting import Suggester
from rhythm.store import PersonSettings, Store
from rhythm.vocab import RhythmError
from rhythm.web.app import create_app

TOKEN: Final = "rehearsal"  # noqa: S105 - opens an invented person's pages on this machine, for minutes
_STARTS_WITHIN_S: Final = 30.0


class RehearsalError(RhythmError):
    """The assistant of a rehearsal did not do what a person's must."""


class Clock:
    """A clock that is set."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        """Now."""
        return self.at


class House:
    """A served assistant, and what reaches it.

    Attributes:
        folder: of the database and of the files that are handed in.
        clock: what the assistant takes for now.
    """

    def __init__(self, folder: Path, clock: Clock, assistant: Assistant, client: httpx.Client) -> None:
        self.folder = folder
        self.clock = clock
        self._assistant = assistant
        self._client = client
        self.today_s: list[float] = []

    def hand_in(self, path: Path) -> None:
        """Reads a file as `rhythm import` does."""
        self._assistant.import_file(path)

    def today(self) -> dict[str, Any]:
        """The document of *Today*, over HTTP; how long it took is kept."""
        begun = time.perf_counter()
        found = self._asked("GET", "/api/v1/today")
        self.today_s.append(time.perf_counter() - begun)
        return found

    def you(self) -> dict[str, Any]:
        """The document of *You*, over HTTP."""
        return self._asked("GET", "/api/v1/you")

    def answer(self, number: int, outcome: str, moved_to: int | None) -> None:
        """A tap, over HTTP."""
        self._asked("POST", f"/api/v1/suggestions/{number}/answer", {"outcome": outcome, "moved_to": moved_to})

    def _asked(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        reply = self._client.request(method, path, json=body)
        if reply.status_code not in (200, 201):
            raise RehearsalError(f"{method} {path} was answered with status {reply.status_code}: {reply.text[:200]}")
        found: dict[str, Any] = reply.json()
        return found


@contextmanager
def served(folder: Path, clock: Clock, zone: str, suggester: Suggester) -> Iterator[House]:
    """A new person's assistant, served until the block is left.

    Args:
        folder: empty; gets the database.
        clock: what it takes for now.
        zone: name of the person's time zone.
        suggester: who suggests.

    Raises:
        RehearsalError: the server does not start.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Store.open(folder / "rhythm.db", clock=clock) as store:
        person = store.create_person("me", PersonSettings(zone=zone, name="Invented"))
        assistant = Assistant(store, person, clock, token=TOKEN, suggester=suggester)
        web = create_app(assistant, TOKEN, folder / "incoming", port=port)
        server = uvicorn.Server(uvicorn.Config(web, host="127.0.0.1", port=port, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            _await(server, thread)
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=bearer, timeout=120.0) as client:
                yield House(folder, clock, assistant, client)
        finally:
            server.should_exit = True
            thread.join(_STARTS_WITHIN_S)


def _await(server: uvicorn.Server, thread: threading.Thread) -> None:
    ends = time.monotonic() + _STARTS_WITHIN_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > ends:
            raise RehearsalError("the assistant's server did not start")
        time.sleep(0.01)
