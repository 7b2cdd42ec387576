"""Accounts over real HTTP: pages, tokens that end, being told to wait, and two years with twenty interruptions."""

import math
import random
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.accounts.peers import (
    CLIENT,
    CLIENT_SECRET,
    KEY,
    PEERS,
    REFRESH,
    TODAY,
    Answer,
    Peer,
    Query,
    serving,
)
from bridge.calendar import servers
from rhythm.bridge.accounts import session as sessions
from rhythm.bridge.accounts.backfill import Mark, steps
from rhythm.bridge.accounts.credentials import Credentials, authorize_address, code_from, with_bearer, with_tokens
from rhythm.bridge.accounts.face import AccountError, AccountErrorKind, HealthAccount, Request, all_accounts
from rhythm.bridge.accounts.session import Session
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record, gate
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import source_named
from rhythm.vocab.errors import InvalidValueError

NAMES = sorted(PEERS)
ACCOUNTS: dict[str, HealthAccount] = {account.name: account for account in all_accounts()}
OAUTH = [name for name in NAMES if not ACCOUNTS[name].login.by_key]


def credentials(name: str) -> Credentials:
    if ACCOUNTS[name].login.by_key:
        return Credentials(key=KEY)
    return Credentials(client_id=CLIENT, client_secret=CLIENT_SECRET, refresh_token=REFRESH)


class Kept:
    """Credentials as a keeper holds them, and how long a session has waited."""

    def __init__(self, name: str) -> None:
        self.name, self.credentials, self.waits = name, credentials(name), list[float]()

    def session(self, peer: Peer, **options: float) -> Session:
        def keep(new: Credentials) -> None:
            self.credentials = new

        account = ACCOUNTS[self.name]
        return Session(account, self.credentials, keep, host=peer.url, sleep=self.waits.append, **options)  # type: ignore[arg-type]


@pytest.fixture(params=NAMES)
def peer(request: pytest.FixtureRequest) -> Iterator[tuple[str, Peer]]:
    with serving(PEERS[request.param](TODAY - timedelta(days=729))) as served:
        yield request.param, served


def read(name: str, peer: Peer, days: int, kept: Kept | None = None) -> list[Record]:
    kept = kept or Kept(name)
    with kept.session(peer) as session:
        found = steps(ACCOUNTS[name], session, TODAY - timedelta(days=days - 1), TODAY, UTC)
        return [record for step in found for record in step.records]


def test_forty_days_give_the_signals_that_the_files_give(peer: tuple[str, Peer]) -> None:
    name, served = peer
    records = read(name, served, 40)
    assert {r.signal for r in records} <= source_named(ACCOUNTS[name].source).delivers
    assert all(gate(r.signal, r.value, r.start_at, r.end_at) is None for r in records)
    assert all(r.source == f"{ACCOUNTS[name].source}/" for r in records)
    days = summarise(records)
    told = [days[day] for n in range(40) if (day := TODAY - timedelta(days=n)) in days]
    assert sum(day.night is not None for day in told) >= 37
    assert sum(Signal.HRV_RMSSD_MS in day.values for day in told) >= 36
    assert sum(Signal.RESTING_HR_BPM in day.values for day in told) >= 36


@pytest.mark.slow
def test_two_years_interrupted_twenty_times_end_complete_and_without_duplicates(peer: tuple[str, Peer]) -> None:
    name, served = peer
    first = TODAY - timedelta(days=729)
    kept = Kept(name)
    whole = {record.key: record for record in read(name, served, 730, kept)}
    asked_once = len(served.asked)
    draw, stored, mark = random.Random(5), dict[str, Record](), None
    interrupted = 0
    for attempt in count():
        stop_after = draw.randrange(1, 7) if attempt < 20 else 10**9
        with kept.session(served) as session:
            for number, step in enumerate(steps(ACCOUNTS[name], session, first, TODAY, UTC, mark)):
                if number == stop_after:
                    interrupted += 1
                    break  # fetched and never stored: a process that died before its transaction
                stored |= {record.key: record for record in step.records}
                mark = step.mark
        if mark is not None and mark.done:
            break
    assert interrupted == 20
    assert stored == whole
    assert len(served.asked) - asked_once <= asked_once + 20 + 40, "a reading that goes on asks for nothing again"
    nights = summarise(stored.values())
    assert sum(day.night is not None for day in nights.values()) >= 690


def test_an_access_token_that_ends_is_renewed_and_kept_before_it_is_used(peer: tuple[str, Peer]) -> None:
    name, served = peer
    served.token_uses = 3
    kept = Kept(name)
    records = read(name, served, 200, kept)
    assert records
    assert served.given > 5
    assert kept.credentials.access_token == served.access
    if not ACCOUNTS[name].login.by_key:
        assert kept.credentials.refresh_token == served.refresh


def test_being_told_to_wait_is_waited_out_and_trouble_is_tried_again(peer: tuple[str, Peer]) -> None:
    name, served = peer
    kept = Kept(name)
    expected = read(name, served, 30, kept)
    served.trouble = [(429, "7"), (503, ""), (500, "")]
    assert read(name, served, 30, kept) == expected
    assert kept.waits[0] == 7.0
    assert len(kept.waits) == 3


def test_a_long_wait_ends_the_reading_and_says_until_when(peer: tuple[str, Peer]) -> None:
    name, served = peer
    served.trouble = [(429, "86400")]
    kept = Kept(name)
    with pytest.raises(AccountError) as caught:
        read(name, served, 5, kept)
    assert (caught.value.kind, caught.value.retry_after_s) == (AccountErrorKind.LATER, 86400.0)
    until = datetime.now(UTC) + timedelta(hours=2)
    served.trouble = [(429, until.strftime("%a, %d %b %Y %H:%M:%S GMT"))]
    with pytest.raises(AccountError) as caught:
        read(name, served, 5, kept)
    assert 7000 < caught.value.retry_after_s < 7300


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        ([(403, "")] * 99, AccountErrorKind.NEEDS_LOGIN),
        ([(400, "")] * 99, AccountErrorKind.REFUSED),
        ([(302, "")] * 99, AccountErrorKind.REFUSED),
        ([(404, "")] * 99, AccountErrorKind.UNKNOWN),
        ([(500, "")] * 4, AccountErrorKind.UNREACHABLE),
        ([(200, "")], AccountErrorKind.BAD_ANSWER),
    ],
)
def test_what_cannot_be_read_is_a_typed_error_without_a_token(
    statuses: list[tuple[int, str]], kind: AccountErrorKind
) -> None:
    with serving(PEERS["oura"](TODAY)) as served:
        served.trouble = list(statuses)
        with pytest.raises(AccountError) as caught:
            read("oura", served, 5)
    assert caught.value.kind is kind
    text = str(caught.value)
    assert not any(word in text for word in (served.access, REFRESH, CLIENT_SECRET, "busy", "127.0.0.1"))


@pytest.mark.parametrize("status", [400, 403, 404])
def test_a_kind_that_is_not_given_leaves_the_others_and_is_counted(peer: tuple[str, Peer], status: int) -> None:
    name, served = peer
    account, kept = ACCOUNTS[name], Kept(name)
    whole = read(name, served, 70, kept)
    for missing in (account.kinds[1], account.kinds[-1]):
        path = account.request(missing, TODAY, TODAY, "").path.split(f"/{TODAY.year}")[0]
        answer = served.answer

        def refusing(asked: str, *rest: Any, path: str = path, answer: Any = answer) -> Any:
            return (status, {}, b"") if asked.startswith(path) else answer(asked, *rest)

        served.answer = refusing  # type: ignore[assignment, method-assign]
        with kept.session(served) as session:
            found = list(steps(account, session, TODAY - timedelta(days=69), TODAY, UTC))
        served.answer = answer  # type: ignore[method-assign]
        assert found[-1].mark.done
        not_given = [p.count for step in found for p in step.problems if p.kind is ProblemKind.NOT_GIVEN]
        assert sum(not_given) == math.ceil(70 / account.chunk_days)
        assert 0 < len({record.key for step in found for record in step.records}) <= len({r.key for r in whole})


def test_where_nothing_is_answered_nothing_is_passed_over() -> None:
    with serving(PEERS["oura"](TODAY)) as served:
        served.trouble = [(403, "")] * 99
        kept = Kept("oura")
        with kept.session(served) as session, pytest.raises(AccountError, match="allow all that it asks for"):
            next(steps(ACCOUNTS["oura"], session, TODAY - timedelta(days=69), TODAY, UTC))
        last = Mark(TODAY, len(ACCOUNTS["oura"].kinds) - 1)
        with kept.session(served) as session, pytest.raises(AccountError, match="allow all that it asks for"):
            list(steps(ACCOUNTS["oura"], session, TODAY, TODAY, UTC, last))


@pytest.mark.parametrize("name", NAMES)
def test_a_login_that_is_not_taken_any_more_says_so(name: str) -> None:
    with serving(PEERS[name](TODAY)) as served:
        kept = Kept(name)
        kept.credentials = Credentials("another app", "another secret", "another token", key="another key")
        with pytest.raises(AccountError) as caught:
            read(name, served, 5, kept)
        assert caught.value.kind is AccountErrorKind.NEEDS_LOGIN
        kept.credentials = Credentials()
        with pytest.raises(AccountError):
            read(name, served, 5, kept)
    assert "rhythm connect" in str(caught.value)


def test_a_server_that_is_not_there_is_a_typed_error() -> None:
    with serving(PEERS["whoop"](TODAY)) as served:
        pass
    with pytest.raises(AccountError) as caught:
        read("whoop", served, 5)
    assert caught.value.kind is AccountErrorKind.UNREACHABLE


@pytest.mark.parametrize("in_headers", [True, False])
@pytest.mark.parametrize("slow", ["token", "data"])
def test_a_server_that_answers_drop_by_drop_is_left_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch, slow: str, in_headers: bool
) -> None:
    """Each drop comes well within the time for one piece, so only a deadline of the whole ends it."""
    monkeypatch.setattr(sessions, "LONGEST_ANSWER_S", 2.0)
    given = Credentials("app", "secret", "old", access_token="" if slow == "token" else "fresh")
    waits: list[float] = []
    with servers.serving() as server:
        dripping = servers.drip(server, b" ", 0.05, in_headers=in_headers)
        server.answers = {"/data": dripping, "/oauth/oauth2/token": dripping}
        begun_s = time.monotonic()
        with (
            pytest.raises(AccountError) as caught,
            Session(ACCOUNTS["whoop"], given, lambda _: None, host=server.url(""), sleep=waits.append) as session,
        ):
            session.get(Request("/data"))
        assert time.monotonic() - begun_s < 10
        assert len(server.asked) == 1
    assert (caught.value.kind, waits) == (AccountErrorKind.UNREACHABLE, [])
    assert "in time" in str(caught.value)


@pytest.mark.parametrize("name", OAUTH)
def test_an_agreed_login_becomes_tokens(name: str) -> None:
    account = ACCOUNTS[name]
    address = authorize_address(account.login, CLIENT, "http://127.0.0.1:8765/callback", "state-1")
    assert address.startswith(account.login.authorize_url)
    assert CLIENT_SECRET not in address
    code = code_from("http://127.0.0.1:8765/callback?code=agreed&state=state-1&scope=x", "state-1")
    with serving(PEERS[name](TODAY)) as served:
        kept = Kept(name)
        kept.credentials = Credentials(client_id=CLIENT, client_secret=CLIENT_SECRET)
        with kept.session(served) as session:
            given = session.exchange_code(code, "http://127.0.0.1:8765/callback")
        assert given.access_token == served.access
        assert given.refresh_token == served.refresh
        with pytest.raises(AccountError), kept.session(served) as session:
            session.exchange_code("other", "http://127.0.0.1:8765/callback")


@pytest.mark.parametrize(
    "address", ["", "http://x/?state=s", "http://x/?code=c&state=other", "no address", "http://[x/?code=1"]
)
def test_an_address_that_is_no_answer_to_us_is_refused(address: str) -> None:
    with pytest.raises(InvalidValueError):
        code_from(address, "s")


def test_pages_without_an_end_are_left() -> None:
    endless = Peer(lambda _p, _q: (200, {"records": [], "next_token": "same"}), "/oauth/oauth2/token")
    with serving(endless) as served, pytest.raises(AccountError) as caught:
        read("whoop", served, 5)
    assert caught.value.kind is AccountErrorKind.BAD_ANSWER


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
    | st.sampled_from(["2026-03-01", "2026-03-01T05:00:00Z", "SCORED", "long_sleep", "s-1", "7200s"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = (
    "id", "start", "end", "score", "score_state", "stage_summary", "sleep_id", "nap", "type", "day",
    "bedtime_start", "bedtime_end", "calendarDate", "sleepStartTimestampGMT", "sleepEndTimestampGMT",
    "lastNightAvg", "values", "sleep", "interval", "stages", "dailyHeartRateVariability", "dailyRestingHeartRate",
    "date", "steps", "count", "average_hrv", "napList", "heartRate",
)  # fmt: skip


class Answers(Session):
    """A session that answers from memory."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def get(self, request: object) -> object:
        return self.answer


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=8) | json_values, max_size=5),
    st.sampled_from(["records", "data", "dataPoints", "hrvSummaries", ""]),
)
def test_any_answer_gives_plausible_records_and_counted_problems(name: str, items: list[object], under: str) -> None:
    account = ACCOUNTS[name]
    answer = {under: items} if under else items
    for step in steps(account, Answers(answer), date(2026, 3, 1), date(2026, 3, 2), UTC):
        assert all(gate(r.signal, r.value, r.start_at, r.end_at) is None for r in step.records)
        assert len({r.key for r in step.records}) == len(step.records)


@given(
    st.dictionaries(st.sampled_from(["access_token", "refresh_token", "expires_in"]), json_values), st.text(max_size=40)
)
def test_any_token_answer_is_taken_or_refused(answer: dict[str, object], token: str) -> None:
    now_at = datetime(2026, 3, 1, tzinfo=UTC)
    for fresh in (with_tokens(Credentials(), answer, now_at), with_bearer(Credentials(), token, now_at)):
        assert fresh is None or fresh.access_token
        assert repr(fresh) in ("None", "Credentials(...)")


def test_nothing_is_asked_for_where_there_are_no_days() -> None:
    account = ACCOUNTS["oura"]
    assert not list(steps(account, Answers(None), TODAY, TODAY - timedelta(days=1), UTC))
    assert not list(steps(account, Answers(None), TODAY, TODAY, UTC, Mark(TODAY, done=True)))


@pytest.mark.parametrize("token", ["töken", "to\nken", "<html> </html>", "zero\u200bwidth"])
def test_a_token_that_no_header_can_hold_is_refused_and_named_nowhere(token: str) -> None:
    now_at = datetime(2026, 3, 1, tzinfo=UTC)
    assert with_tokens(Credentials(), {"access_token": token}, now_at) is None
    assert with_bearer(Credentials(), token, now_at) is None
    with serving(PEERS["garmin"](TODAY)) as served:
        kept = Kept("garmin")
        kept.credentials = Credentials(key=token)
        with pytest.raises(AccountError) as caught:
            read("garmin", served, 5, kept)
    assert caught.value.kind is AccountErrorKind.NEEDS_LOGIN
    assert token not in str(caught.value)


def test_being_told_to_wait_without_being_told_how_long_or_for_absurdly_long() -> None:
    with serving(PEERS["oura"](TODAY)) as served:
        kept = Kept("oura")
        served.trouble = [(429, ""), (429, "soon")]
        assert read("oura", served, 5, kept)
        assert kept.waits == [2.0, 4.0]
        for asked in ("9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"):
            served.trouble = [(429, asked)]
            with pytest.raises(AccountError) as caught:
                read("oura", served, 5, kept)
            assert caught.value.kind is AccountErrorKind.LATER
            assert timedelta(seconds=caught.value.retry_after_s) <= timedelta(days=7)


class PageForPeople(Peer):
    """A server that answers everything with a page."""

    def answer(self, path: str, query: Query, form: Query, authorization: str) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, b"<html><body>Down for maintenance</body></html>"


def test_a_page_for_people_in_place_of_a_token_is_no_lost_login() -> None:
    with serving(PageForPeople(lambda _p, _q: (200, None), "")) as served, pytest.raises(AccountError) as caught:
        read("oura", served, 5)
    assert caught.value.kind is AccountErrorKind.BAD_ANSWER


def test_too_many_requests_by_a_403_are_waited_out() -> None:
    answers: list[Answer] = [(403, {"error": {"errors": [{"reason": "rateLimitExceeded"}]}}), (200, {"data": []})]
    with serving(Peer(lambda _p, _q: answers.pop(0) if len(answers) > 1 else answers[0], "/oauth/token")) as served:
        kept = Kept("oura")
        assert not read("oura", served, 1, kept)
        assert kept.waits == [2.0]


def test_an_error_with_status_200_does_not_pass_for_days_without_data() -> None:
    trouble = Peer(lambda _p, _q: (200, {"error": "maintenance"}), "/oauth/token")
    with serving(trouble) as served, pytest.raises(AccountError) as caught:
        read("oura", served, 5)
    assert caught.value.kind is AccountErrorKind.BAD_ANSWER
    with serving(Peer(lambda _p, _q: (200, {}), "/oauth/token")) as served:
        assert not read("oura", served, 5), "Google leaves an empty list out"


def test_a_page_whose_name_has_expired_since_is_asked_for_from_the_first() -> None:
    taken: list[str] = []

    def data(_path: str, query: Query) -> Answer:
        taken.append(query.get("next_token", ""))
        return (400, {"detail": "bad token"}) if taken[-1] else (200, {"data": []})

    with serving(Peer(data, "/oauth/token")) as served:
        with Kept("oura").session(served) as session:
            account = ACCOUNTS["oura"]
            found = list(steps(account, session, TODAY, TODAY, UTC, Mark(TODAY, 0, "of-last-week", 3)))
        assert found[-1].mark.done
        assert taken == ["of-last-week", *[""] * len(account.kinds)]
        always = Peer(
            lambda _p, q: (400, {}) if q.get("next_token") else (200, {"data": [], "next_token": "x"}), "/oauth/token"
        )
    with serving(always) as served, pytest.raises(AccountError) as caught:
        read("oura", served, 1)
    assert caught.value.kind is AccountErrorKind.REFUSED


def test_a_recovery_at_the_edge_of_the_days_finds_its_sleep() -> None:
    """The sleep begins on the evening before its recovery, so its days begin one earlier."""
    account = ACCOUNTS["whoop"]
    begins = {
        kind: date.fromisoformat(dict(account.request(kind, TODAY, TODAY, "").query)["start"][:10])
        for kind in ("sleep", "recovery")
    }
    assert begins["sleep"] <= begins["recovery"] - timedelta(days=1)
