"""The commands of an operator: whom the service serves, their links, what is due; and what is refused."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from rhythm.assist.household import Household
from rhythm.cli.household import AlreadyServedError, service_url
from rhythm.cli.main import main
from rhythm.vocab import InvalidValueError

STARTED_WITHIN_S = 300


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RHYTHM_PERSON", "RHYTHM_DATABASE", "RHYTHM_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RHYTHM_HOME", str(tmp_path))
    return tmp_path


def _run(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def _printed(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, object]:
    assert _run(*args, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    return {row["name"]: row["value"] for row in rows}


def test_people_come_have_links_and_go(capsys: pytest.CaptureFixture[str]) -> None:
    added = _printed(capsys, "people", "add", "kim", "--url", "https://rhythm.example.org", "--zone", "Europe/Berlin")
    assert str(added["kim"]).startswith("https://rhythm.example.org/?token=")
    assert _printed(capsys, "people", "link", "kim", "--url", "https://rhythm.example.org") == added
    renewed = _printed(capsys, "people", "link", "kim", "--new", "--url", "https://rhythm.example.org")
    assert renewed != added
    assert list(_printed(capsys, "people", "list")) == ["kim"]
    assert _run("people", "list") == 0
    shown = capsys.readouterr().out
    assert str(renewed["kim"]).rpartition("=")[2] not in shown, "a list tells no token"
    assert _run("people", "remove", "kim", "--yes") == 0
    assert "erased" in capsys.readouterr().out
    assert _printed(capsys, "people", "list") == {}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("people", "add", "Kim"), "use 1 to 64 of a-z"),
        (("people", "add", "kim", "--zone", "Nowhere/Land"), "zone 'Nowhere/Land' is not known"),
        (("people", "add", "kim", "--url", "rhythm.example.org"), "scheme and host alone"),
        (("people", "link", "kim"), "nobody of the id 'kim'"),
        (("people", "remove", "kim", "--yes"), "nobody of the id 'kim'"),
        (("serve", "--listen", "0.0.0.0"), "needs TLS in front"),  # noqa: S104 - it is refused
        (("serve", "--listen", "0.0.0.0", "--url", "http://rhythm.example.org"), "needs TLS in front"),  # noqa: S104
        (("serve", "--listen", "everywhere"), "no address of a network"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    args: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*args) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1
    assert Household(folder).ids() == ()


def test_the_pages_of_one_of_many_are_not_served_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("people", "add", "kim") == 0
    monkeypatch.setenv("RHYTHM_PERSON", "kim")
    assert _run("up", "--port", str(_free_port())) == 2
    assert "`rhythm serve`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        "https://a.example/path",
        "https://u:p@a.example",
        "ftp://a.example",
        "https://a.example:99999",
        "https://",
        "https://*",
        "https://x y.example",
    ],
)
def test_an_address_is_scheme_and_host_alone(given: str) -> None:
    with pytest.raises(InvalidValueError, match="scheme and host alone"):
        service_url(given, 1)
    assert service_url("https://host:443", 1) == "https://host"
    assert service_url("https://bücher.example", 1) == "https://xn--bcher-kva.example"
    assert service_url("HTTPS://A.example:8443/", 1) == "https://a.example:8443"
    assert service_url("", 8321) == "http://127.0.0.1:8321"


def test_nothing_is_due_where_nobody_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, "work", "--once") == {"people": 0, "pieces": 0, "failed": 0}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_service_that_runs_meets_who_comes_and_is_alone_in_its_folder(folder: Path) -> None:
    """The real process: killed at once, and the next one goes on with everyone's links."""
    from rhythm.cli.household import serve  # noqa: PLC0415

    household, port = Household(folder), _free_port()
    command = [sys.executable, "-m", "rhythm", "serve", "--port", str(port), "--no-work"]
    for _ in range(2):
        process = subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.PIPE)  # noqa: S603 - our own
        try:
            _wait_for(port)
            with household.open_store() as store:
                household.add(store, ("kim", "lee")[len(household.ids())])
            for name in household.ids():
                with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                    led = client.get("/", params={"token": household.link_of(name)})
                    assert led.status_code == 303
                    assert "run for you" in client.get("/settings").text
            with pytest.raises(AlreadyServedError):
                serve(
                    household,
                    port=_free_port(),
                    url="",
                    listen="127.0.0.1",
                    private_feeds=False,
                    works=False,
                    most_ready=2,
                )
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _wait_for(port: int) -> None:
    until = time.monotonic() + STARTED_WITHIN_S
    while time.monotonic() < until:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("the service did not start")
