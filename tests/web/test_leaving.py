"""What the pages say of what leaves this machine: nothing where nothing does, and else what, and for which host."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from fastapi.testclient import TestClient

from assist.houses import Clock, house
from rhythm.assist import Assistant
from rhythm.web.leaving import other_host
from web.sites import entered

NOTHING = ("Nothing leaves this machine", "Everything stays on this machine")
EMPTY = SimpleNamespace(
    day=Clock()().date(), slot_words="Thursday morning", at=Clock()(), name="", has_calendar=False, has_health=False,
    learned_days=0, learning_days=0, waiting=(), answered=(), silence="", meters=(), all_day=(), slots=(),
)  # fmt: skip
"""The first page of somebody who has given nothing yet."""


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as made:
        yield made


@pytest.fixture
def client(assistant: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(assistant, "today", lambda: EMPTY)
    monkeypatch.setattr(assistant, "trends", tuple)
    monkeypatch.setattr(assistant, "insights", tuple)
    return entered(assistant, tmp_path)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("", ""), ("http://localhost:11434/v1", ""), ("http://127.0.0.2", ""), ("http://[::1]:80/v1", ""),
        ("http://models.localhost", ""), ("http://[", ""), ("https://Models.example/v1", "models.example"),
        ("http://u:p@192.168.1.7:80", "192.168.1.7"), ("https://localhost.example", "localhost.example"),
    ],
)  # fmt: skip
def test_only_another_machine_is_another_host(address: str, host: str) -> None:
    assert other_host(address) == host


def test_the_pages_say_what_leaves_and_for_where(client: TestClient, assistant: Assistant) -> None:
    site = cast("Any", client.app).state.site

    def texts() -> list[str]:
        return [client.get(path).text for path in ("/", "/data", "/settings")]

    def set_to(url: str, *, notify: bool = False) -> None:
        name = "m" if url else ""
        assistant.save_settings(
            msgspec.structs.replace(assistant.settings, model_url=url, model_name=name, notify=notify)
        )

    for own in ("", "http://localhost:11434/v1"):
        set_to(own)
        site.suggest_url = own
        today, data, settings = texts()
        assert NOTHING[0] in today
        assert NOTHING[1] in data
        assert not any("What leaves this machine" in text for text in (today, data, settings))
    set_to("https://titles.example/v1", notify=True)
    site.suggest_url = "https://moments.example/v1"
    for text in texts():
        assert "titles that the rules do not know go to titles.example;" in text
        assert "meters, answers and records of thirty days go to moments.example," in text
        assert "notices of what is suggested go to the addresses of --notify-file." in text
        assert not any(claim in text for claim in NOTHING)
    set_to("")
    for text in texts():
        assert "go to moments.example" in text
        assert "titles.example" not in text
