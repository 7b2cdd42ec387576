"""Sites for the tests: the real application over a real store, by a client or by a real server."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi.testclient import TestClient

from rhythm.assist import Assistant
from rhythm.web.app import create_app
from rhythm.web.security import Keys

TOKEN = "a-token-of-the-tests"  # noqa: S105 - it opens nothing else
HOST = "http://127.0.0.1:8321"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')


def client_of(assistant: Assistant, folder: Path, *, signed_in: bool = True) -> TestClient:
    """A browser without JavaScript."""
    incoming = folder / "incoming"
    incoming.mkdir(exist_ok=True)
    app = create_app(assistant, TOKEN, incoming, port=8321)
    client = TestClient(app, base_url=HOST, raise_server_exceptions=True)
    if signed_in:
        assert client.get(f"/?token={TOKEN}").status_code == 200
    return client


def entered(assistant: Assistant, folder: Path) -> TestClient:
    """A browser that has its cookie already: nothing is planned for a first page."""
    client, keys = client_of(assistant, folder, signed_in=False), Keys(TOKEN, 8321)
    client.cookies.set(keys.cookie_name, keys.session)
    return client


def csrf_of(client: TestClient) -> str:
    """The second word of our own pages."""
    found = CSRF.search(client.get("/settings").text)
    assert found is not None
    return found.group(1)


@contextmanager
def served(assistant: Assistant, folder: Path, port: int, token: str = TOKEN) -> Iterator[str]:
    """A real server; gives its first-run link."""
    incoming = folder / "incoming"
    incoming.mkdir(exist_ok=True)
    app = create_app(assistant, token, incoming, port=port)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}/?token={token}"
    finally:
        server.should_exit = True
        thread.join(10)
