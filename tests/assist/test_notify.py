"""Notices through Apprise to a real HTTP peer on this machine: off by default, told once, silent in quiet hours."""

import contextlib
import json
from collections.abc import Iterator
from datetime import time, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from assist.houses import MORNING_AT, Clock, lived_house
from bridge.calendar.servers import Server, body, serving
from rhythm.assist import Assistant
from rhythm.assist.notify import MOST_TRIES, NotifyError, _send, notify_waiting, wait_after


@pytest.fixture
def peer() -> Iterator[Server]:
    with serving() as server:
        server.answers["/"] = body(b"ok")
        yield server


@pytest.fixture
def lived(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with lived_house(tmp_path, clock) as assistant:
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


def test_an_address_that_fails_is_tried_again_later_and_told_once(lived: Assistant, peer: Server, clock: Clock) -> None:
    lived.save_settings(replace(lived.settings, notify=True))
    waiting = len(lived.today().waiting)
    peer.answers["/"] = body(b"no", 500)
    with pytest.raises(NotifyError, match="tried again later"):
        notify_waiting(lived.context(), target(peer))
    assert len(peer.bodies) == 1, "one failure is enough to see that the address fails"
    assert notify_waiting(lived.context(), target(peer)) == 0, "it rests"
    assert len(peer.bodies) == 1
    peer.answers["/"] = body(b"ok")
    clock.move(minutes=1.1)
    assert notify_waiting(lived.context(), target(peer)) == waiting
    assert len(peer.bodies) == 1 + waiting
    clock.move(minutes=1)
    assert notify_waiting(lived.context(), target(peer)) == 0


def test_one_address_that_fails_keeps_nothing_from_another(lived: Assistant, peer: Server, clock: Clock) -> None:
    lived.save_settings(replace(lived.settings, notify=True))
    waiting = len(lived.today().waiting)
    peer.answers["/bad"] = body(b"no", 503)
    both = f"json://127.0.0.1:{peer.port}/bad\n{target(peer)}\nnot an address"
    with pytest.raises(NotifyError, match="2 of 3 addresses"):
        notify_waiting(lived.context(), both)
    good = [path for path, _ in peer.asked if path == "/"]
    assert len(good) == waiting
    clock.move(minutes=1.1)
    peer.answers["/bad"] = body(b"ok")
    with pytest.raises(NotifyError, match="1 of 3"):
        notify_waiting(lived.context(), both)
    assert [path for path, _ in peer.asked].count("/") == waiting
    assert [path for path, _ in peer.asked].count("/bad") == 1 + waiting


def test_tries_are_bounded_and_ever_rarer(lived: Assistant, peer: Server, clock: Clock) -> None:
    lived.save_settings(replace(lived.settings, notify=True, quiet_from=time(23), quiet_until=time(4)))
    first = lived.today().waiting[0].number
    peer.answers["/"] = body(b"no", 500)
    tried: list[float] = []
    for minute in range(150):
        before = len(peer.bodies)
        with contextlib.suppress(NotifyError):
            notify_waiting(lived.context(), target(peer))
        tried += [float(minute)] * (len(peer.bodies) - before)
        clock.move(minutes=1)
    waits = [later - sooner for sooner, later in pairwise(tried)]
    assert waits == sorted(waits)
    assert len(tried) == MOST_TRIES
    assert tried[-1] == 123
    keys = [one.key for one in lived.person.notices.since(MORNING_AT - timedelta(days=1))]
    assert any(key.startswith(f"suggestion-{first}-") for key in keys), "given up: it is not tried any more"


def test_a_crash_while_sending_tells_nothing_twice(
    lived: Assistant, peer: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived.save_settings(replace(lived.settings, notify=True))
    waiting = len(lived.today().waiting)

    def told_then_killed(address: str, text: str) -> bool:
        assert _send(address, text)
        raise KeyboardInterrupt

    monkeypatch.setattr("rhythm.assist.notify._send", told_then_killed)
    with pytest.raises(KeyboardInterrupt):
        notify_waiting(lived.context(), target(peer))
    monkeypatch.undo()
    clock.move(minutes=11)
    notify_waiting(lived.context(), target(peer))
    assert len(peer.bodies) == waiting


def test_waits_double_up_to_an_hour() -> None:
    assert [wait_after(n).total_seconds() / 60 for n in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert wait_after(10_000) == timedelta(hours=1)
