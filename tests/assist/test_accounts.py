"""A person's accounts: let in once, read every day, gone on with after trouble, shown with their age, forgotten."""

import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from assist.houses import Clock, house
from bridge.accounts.peers import CLIENT, CLIENT_SECRET, REFRESH, Peer, serving, whoop
from rhythm.assist import Assistant
from rhythm.assist.accounts import BeingReadError
from rhythm.assist.day_facts import days_between
from rhythm.assist.feeds import CALDAV, GOOGLE
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.bridge.accounts.credentials import Credentials
from rhythm.bridge.accounts.face import Account, AccountError
from rhythm.bridge.accounts.session import Session
from rhythm.store import ImportState
from rhythm.vocab.errors import InvalidValueError, UnknownNameError


@pytest.fixture
def peer(clock: Clock) -> Iterator[Peer]:
    today = clock().date()
    with serving(whoop(today - timedelta(days=200), today + timedelta(days=9))) as served:
        yield served


@pytest.fixture
def assistant(tmp_path: Path, clock: Clock, peer: Peer) -> Iterator[Assistant]:
    def opened(account: Account, given: Credentials, keep: Callable[[Credentials], object]) -> Session:
        return Session(account, given, keep, host=peer.url, sleep=lambda _: None)

    with house(tmp_path, clock) as made:
        made.open_session = opened
        made.keeper = Keeper(made.person, "a token")
        made.connect_account("whoop", Credentials(CLIENT, CLIENT_SECRET, REFRESH))
        yield made


def breaking_down(peer: Peer, answers: int) -> list[int]:
    """Has the peer fail after so many answers more, until the list that is given, which counts them, is cleared."""
    left, original = [answers], peer.answer

    def answer(path: str, *rest: Any) -> tuple[int, dict[str, str], bytes]:
        if left and not path.endswith("/token"):
            left[0] -= 1
            if left[0] < 0:
                return 500, {}, b""
        return original(path, *rest)

    peer.answer = answer  # type: ignore[assignment, method-assign]
    return left


def test_an_account_is_read_and_then_only_what_is_new(assistant: Assistant, clock: Clock, peer: Peer) -> None:
    run = assistant.read_account("whoop", first_days=60)
    assert run.state is ImportState.DONE
    assert run.counts["added"] > 300
    asked = len(peer.asked)
    clock.at += timedelta(days=2)
    later = assistant.read_account("whoop")
    assert 0 < later.counts["added"] < 60
    assert later.counts["known"] > 0
    assert len(peer.asked) - asked <= 6, "only the days since, and as many before as one request may hold"
    assert assistant.data().readings == run.counts["added"] + later.counts["added"]


def test_a_reading_that_was_cut_short_goes_on_where_it_stopped(assistant: Assistant, clock: Clock, peer: Peer) -> None:
    left = breaking_down(peer, 4)
    with pytest.raises(AccountError):
        assistant.read_account("whoop", first_days=90)
    left.clear()
    before = assistant.data().readings
    assert before > 0
    clock.at += timedelta(hours=1)
    run = assistant.read_account("whoop", first_days=90)
    assert run.state is ImportState.DONE
    assert len(assistant.data().imports) == 1, "the same run went on"
    assert assistant.data().readings == run.counts["added"] > before


def test_a_reading_that_is_stuck_far_back_still_brings_each_new_day(
    assistant: Assistant, clock: Clock, peer: Peer
) -> None:
    left = breaking_down(peer, 4)
    with pytest.raises(AccountError):
        assistant.read_account("whoop", first_days=90)
    days = 3
    for _ in range(days):
        clock.at += timedelta(days=1)
        left[0] = 6  # enough for what is new, and then trouble again
        before = assistant.data().readings
        with pytest.raises(AccountError):
            assistant.read_account("whoop")
        assert assistant.data().readings > before
    left.clear()
    assistant.read_account("whoop")
    assert len(nights_of(assistant)) >= 80 + days


def test_nights_that_a_watch_tells_two_weeks_late_are_read(assistant: Assistant, clock: Clock, peer: Peer) -> None:
    late, answer = clock().date(), peer.answer

    def unsynced(path: str, query: dict[str, str], *rest: Any) -> tuple[int, dict[str, str], bytes]:
        cut = {**query, "end": min(query["end"], f"{late.isoformat()}T00:00:00.000Z")} if "end" in query else query
        return answer(path, cut, *rest)

    peer.answer = unsynced  # type: ignore[assignment, method-assign]
    assistant.read_account("whoop", first_days=20)
    clock.at += timedelta(days=7)
    assistant.read_account("whoop")
    assert late + timedelta(days=1) not in nights_of(assistant)
    clock.at += timedelta(days=1)
    peer.answer = answer  # type: ignore[method-assign]
    assistant.read_account("whoop")
    assert len({late + timedelta(days=n) for n in range(9)} & nights_of(assistant)) >= 7, (
        "a night or so is missing anyhow"
    )


def test_a_reading_begins_with_a_login_and_ends_where_it_is_forgotten(assistant: Assistant, peer: Peer) -> None:
    with pytest.raises(SecretError):
        assistant.read_account("oura")
    assert not assistant.data().imports
    assert assistant.person.jobs.get("account-oura") is None
    answer = peer.answer

    def forgetting(path: str, *rest: Any) -> tuple[int, dict[str, str], bytes]:
        if len(peer.asked) == 4:
            assistant.disconnect_account("whoop")
        return answer(path, *rest)

    peer.answer = forgetting  # type: ignore[assignment, method-assign]
    with pytest.raises(SecretError, match="forgotten"):
        assistant.read_account("whoop", first_days=90)
    assert assistant.data().accounts == ()
    assert assistant.person.jobs.get("account-whoop") is None
    assert not any(info.name == "account-whoop" for info in assistant.person.secrets.all())


def test_an_account_is_read_by_one_at_a_time(assistant: Assistant) -> None:
    assert assistant.person.jobs.claim("account-whoop", "another process", timedelta(minutes=5)) is not None
    with pytest.raises(BeingReadError, match="at this moment"):
        assistant.read_account("whoop")
    assert assistant.run_due() == 0
    assert not assistant.data().imports


def nights_of(assistant: Assistant) -> set[date]:
    """Days whose night is known."""
    end = assistant.context().now_at.date()
    known = days_between(assistant.person, end - timedelta(days=200), end)
    return {day for day, summary in known.items() if summary.night is not None}


def test_the_scheduler_reads_daily_and_backs_off(assistant: Assistant, clock: Clock, peer: Peer) -> None:
    peer.trouble = [(429, "7200")]
    assert assistant.run_due() == 1
    (line,) = assistant.data().accounts
    assert (line.name, line.failure) == ("whoop", "later")
    assert line.next_at == clock() + timedelta(hours=2)
    assert assistant.run_due() == 0
    clock.at += timedelta(hours=3)
    assert assistant.run_due() == 1
    (line,) = assistant.data().accounts
    assert line.failure == ""
    assert line.next_at == clock() + timedelta(days=1)
    assert assistant.data().readings > 1000


def test_what_lets_in_is_encrypted_and_can_be_forgotten(assistant: Assistant, tmp_path: Path) -> None:
    assistant.read_account("whoop", first_days=3)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert CLIENT_SECRET.encode() not in stored
    assert REFRESH.encode() not in stored
    assistant.disconnect_account("whoop")
    assert assistant.data().accounts == ()
    assert assistant.data().readings > 0, "what was read stays"
    assert assistant.run_due() == 0
    with pytest.raises(SecretError):
        assistant.read_account("whoop")


def test_reading_an_account_can_be_undone(assistant: Assistant) -> None:
    run = assistant.read_account("whoop", first_days=10)
    assistant.undo_import(run.number)
    assert assistant.data().readings == 0


def test_an_unknown_account_and_no_days_are_refused(assistant: Assistant) -> None:
    with pytest.raises(UnknownNameError):
        assistant.read_account("polar")
    with pytest.raises(UnknownNameError):
        assistant.connect_account("polar", Credentials())
    with pytest.raises(InvalidValueError):
        assistant.read_account("whoop", first_days=0)


def test_a_google_calendar_is_read_and_says_when_it_cannot_be(assistant: Assistant, clock: Clock) -> None:
    at = clock().isoformat()
    item = {"id": "a", "summary": "Xylqueb", "start": {"dateTime": at}, "end": {"dateTime": at}}
    with serving(Peer(lambda _p, _q: (200, {"items": [item]}), "/token")) as google:
        assistant.open_session = lambda account, given, keep: Session(account, given, keep, host=google.url)
        secret = json.dumps({"client_id": CLIENT, "client_secret": CLIENT_SECRET, "refresh_token": REFRESH})
        source = assistant.connect_calendar(GOOGLE, "Google", secret)
        assert source.failure is None
        (line,) = assistant.data().calendars
        assert (line.name, line.is_feed, line.failure) == ("Google", True, "")
        clock.at += timedelta(hours=1)
        assert assistant.run_due() >= 1
        google.refresh, google.access = "another", "ended"
        failed = assistant.refresh_feed(source.number)
    assert failed.failure == "needs_login"
    assert "connect it again" in assistant.data().calendars[0].failure
    assistant.remove_calendar(source.number)
    assert assistant.data().calendars == ()


def test_a_caldav_server_that_is_not_there_stays_and_is_tried_again(assistant: Assistant) -> None:
    with serving(Peer(lambda _p, _q: (200, None), "/token")) as gone:
        url = gone.url
    secret = json.dumps({"url": url, "user": "kim", "password": "p"})
    assert assistant.connect_calendar(CALDAV, "127.0.0.1", secret, "Mine").failure == "unreachable"
    assert [line.name for line in assistant.data().calendars] == ["Mine"]
    assert assistant.connect_calendar(CALDAV, "x", "no json").failure == "SecretError"
