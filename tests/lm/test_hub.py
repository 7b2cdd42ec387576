"""What is sent to a hub over HTTP comes back the same; what a hub refuses is one clear error without the token."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("huggingface_hub")

from rhythm.lm.hub import HubError, pull, push
from rhythm.vocab import InvalidValueError

TOKEN = "hf_" + "x" * 34
COMMIT = "a" * 40


def _told(path: str, body: bytes, address: str, held: dict[str, bytes]) -> dict[str, Any]:
    """What a hub says to a request; files of a commit are kept."""
    if "/preupload/" in path:
        names = [file["path"] for file in json.loads(body)["files"]]
        return {"files": [{"path": name, "uploadMode": "regular", "shouldIgnore": False} for name in names]}
    if "/commit/" in path:
        values = [line["value"] for line in map(json.loads, body.splitlines()) if line["key"] == "file"]
        held.update({value["path"]: base64.b64decode(value["content"]) for value in values})
        return {"success": True, "commitOid": COMMIT, "commitUrl": f"{address}/c/{COMMIT}"}
    return {"url": f"{address}/datasets/me/weeks"}


@contextmanager
def hub(refuse: int = 0) -> Iterator[tuple[str, dict[str, bytes]]]:
    """As much of a hub as keeps small files, on a free port: its address, and what it holds."""
    held: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def _reply(self, body: bytes, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if refuse or self.headers.get("authorization") != f"Bearer {TOKEN}":
                self._reply(b"{}", refuse or 401)
            else:
                self._reply(json.dumps(_told(self.path, body, f"http://{self.headers['host']}", held)).encode())

        def do_GET(self) -> None:
            name = self.path.rsplit("/", 1)[-1]
            if name not in held:
                self._reply(b"{}", 404, X_Error_Code="EntryNotFound")
                return
            content = held[name]
            self._reply(content, ETag=f'"{hashlib.sha1(content).hexdigest()}"', X_Repo_Commit=COMMIT)  # noqa: S324

        do_HEAD = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


def test_a_file_of_weeks_is_sent_and_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weeks = tmp_path / "weeks.jsonl"
    weeks.write_text('{"seed": 2000000}\n')
    with hub() as (address, held):
        monkeypatch.setenv("HF_ENDPOINT", address)
        push(weeks, "me/weeks")
        assert held == {"weeks.jsonl": weeks.read_bytes()}
        fetched = pull("me/weeks", tmp_path / "fetched", file="weeks.jsonl")
        assert fetched.read_bytes() == weeks.read_bytes()
        with pytest.raises(HubError):
            pull("me/weeks", tmp_path / "fetched", file="other.jsonl")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_told_without_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    (tmp_path / "weeks.jsonl").write_text("{}\n")
    with hub(refuse=status) as (address, held):
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(HubError) as told:
            push(tmp_path / "weeks.jsonl", "me/weeks")
        assert not held
    assert str(status) in str(told.value)
    assert TOKEN not in str(told.value)


def test_only_weeks_and_models_are_sent(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError):
        push(tmp_path, "me/weeks")
