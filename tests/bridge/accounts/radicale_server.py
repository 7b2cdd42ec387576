"""A real CalDAV server, Radicale, as a process of its own with one person and their calendars."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

USER, PASSWORD = "kim", "correct horse"


class Radicale:
    """The server's address, and ways to fill it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=url, auth=(USER, PASSWORD), trust_env=False)

    def make(self, calendar: str, kind: str = "VEVENT") -> None:
        """Makes a calendar."""
        body = (
            '<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop>'
            f'<c:supported-calendar-component-set><c:comp name="{kind}"/></c:supported-calendar-component-set>'
            "</d:prop></d:set></c:mkcalendar>"
        )
        self._client.request("MKCALENDAR", f"/{USER}/{calendar}/", content=body).raise_for_status()

    def put(self, calendar: str, name: str, data: bytes) -> None:
        """Puts one object into a calendar."""
        headers = {"Content-Type": "text/calendar; charset=utf-8"}
        self._client.put(f"/{USER}/{calendar}/{name}.ics", content=data, headers=headers).raise_for_status()

    def close(self) -> None:
        """Lets go of the connection."""
        self._client.close()


@contextmanager
def radicale(folder: Path) -> Iterator[Radicale]:
    """The server while the block runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "users").write_text(f"{USER}:{PASSWORD}\n", "utf-8")
    config = folder / "config"
    config.write_text(
        f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = {folder / 'users'}\n"
        f"htpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = {folder / 'collections'}\n"
        "[logging]\nlevel = error\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "radicale", "--config", str(config)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603 our own
        server = Radicale(f"http://127.0.0.1:{port}")
        try:
            _wait(server.url)
            yield server
        finally:
            server.close()
            process.terminate()


def _wait(url: str) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        try:
            httpx.get(url, trust_env=False, timeout=2)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("radicale did not start")
