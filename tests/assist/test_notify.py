"""Notices through Apprise to a real HTTP peer on this machine: off by default, told once, silent in quiet hours."""

import json
from collections.abc import Iterator
from datetime import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from assist.houses import Clock, lived_house
from bridge.calendar.servers import Server, body, serving
from rhythm.assist import Assistant
from rhythm.assist.notify import NotifyError, notify_waiting


@pytest.fixture
def peer() -> Iterator[Server]:
    with serving() as server:
        server.answers["/"] = body(b"ok")
        yield server


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Assistant]:
    with lived_house(tmp_path, Clock()) as assistant:
        assistant.today()
        yield assistant


def target(peer: Server) -> str:
    return f"\njson://127.0.0.1:{peer.port}/\n"


def test_nothing_is_sent_unless_it_is_switched_on(lived: Assistant, peer: Server) -> None:
    assert notify_waiting(lived.context(), target(peer)) == 0
    assert peer.bodies == []


def test_each_waiting_suggestion_is_told_once_and_holds_no_level(lived: Assistant, peer: Server) -> None:
    lived.save_settings(replace(lived.settings, notify=True))
    waiting = lived.today().waiting
    assert notify_waiting(lived.context(), target(peer)) == len(waiting) > 0
    assert notify_waiting(lived.context(), target(peer)) == 0
    told = [json.loads(one)["message"] for one in peer.bodies]
    assert [text.partition(" ")[0].casefold() for text in told] == [card.action.partition(" ")[0] for card in waiting]
    assert all(text.endswith("?") and not any(c.isdigit() for c in text) for text in told)


def test_quiet_hours_hold_it_back(lived: Assistant, peer: Server) -> None:
    lived.save_settings(replace(lived.settings, notify=True, quiet_from=time(8), quiet_until=time(12)))
    assert notify_waiting(lived.context(), target(peer)) == 0
    assert peer.bodies == []


def test_a_target_that_does_not_answer_is_said(lived: Assistant, peer: Server) -> None:
    lived.save_settings(replace(lived.settings, notify=True))
    peer.answers["/"] = body(b"no", 500)
    with pytest.raises(NotifyError, match="check the addresses"):
        notify_waiting(lived.context(), target(peer))
