"""CalDAV servers that mean harm: answers without end, addresses that are none, bombs, a thirst for passwords."""

import gzip
import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from zoneinfo import ZoneInfo

import httpx
import pytest

from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Answer, Server, body, drip, redirect, serving
from rhythm.bridge.accounts import caldav
from rhythm.bridge.accounts.caldav import CaldavLogin, read_caldav
from rhythm.bridge.calendar.events import CalendarContents, ProblemKind
from rhythm.bridge.calendar.feeds import FeedError, FeedErrorKind
from rhythm.bridge.calendar.ics import window_around
from rhythm.bridge.calendar.limits import Limits

WINDOW = window_around(datetime(2026, 3, 12, 9, tzinfo=UTC))
ONCE = calendar("UID:b\nDTSTART:20260310T090000Z\nDTEND:20260310T100000Z\nSUMMARY:Zahnarzt")
HTML = calendar("UID:h\nDTSTART:20260311T090000Z\nDTEND:20260311T100000Z\nSUMMARY:Tee\nX-ALT-DESC:<!DOCTYPE HTML>")
MULTI = '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{}</d:multistatus>'
RESOURCE = (
    "<d:response><d:href>{href}</d:href><d:propstat><d:prop>{prop}</d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
)
IS_CALENDAR = RESOURCE.format(href="/dav/", prop="<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>")
HOME = RESOURCE.format(href="/dav/", prop="<c:calendar-home-set><d:href>{}</d:href></c:calendar-home-set>")
BOMB = '<!-- <a> --><!DOCTYPE x [<!ENTITY a "aaaa">]><d:multistatus xmlns:d="DAV:">&a;</d:multistatus>'


@pytest.fixture
def peer() -> Iterator[Server]:
    with serving() as running:
        yield running


def read(peer: Server, *replies: Answer) -> CalendarContents:
    """What is read of a server that answers so, one after the other."""
    left = list(replies)

    def answer(request: BaseHTTPRequestHandler) -> None:
        left.pop(0)(request)

    peer.answers["/dav/"] = answer
    login = CaldavLogin(peer.url("/dav/"), "kim", "secret")
    return read_caldav(login, ZoneInfo("Europe/Berlin"), WINDOW)


def objects(*texts: str) -> Answer:
    inside = "".join(
        RESOURCE.format(href="/dav/x.ics", prop=f"<c:calendar-data>{text}</c:calendar-data>") for text in texts
    )
    return body(MULTI.format(inside).encode(), 207)


def kind_of(peer: Server, *replies: Answer) -> FeedErrorKind:
    with pytest.raises(FeedError) as caught:
        read(peer, *replies)
    return caught.value.kind


@pytest.mark.parametrize("in_headers", [True, False])
def test_an_answer_without_end_ends(peer: Server, monkeypatch: pytest.MonkeyPatch, in_headers: bool) -> None:
    monkeypatch.setattr(caldav, "READING_S", 0.5)
    begun = time.monotonic()
    assert kind_of(peer, drip(peer, b"<!-- -->", 0.05, in_headers=in_headers)) is FeedErrorKind.TOO_SLOW
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("address", ["http://[", "http://a:b/", "http://\u2100/"])
def test_an_address_that_is_none_is_a_typed_error(peer: Server, address: str) -> None:
    assert kind_of(peer, body(MULTI.format(HOME.format(address)).encode(), 207)) is FeedErrorKind.BAD_REDIRECT


def test_a_redirect_to_no_address_is_a_typed_error(peer: Server) -> None:
    assert kind_of(peer, redirect("http://[")) is FeedErrorKind.BAD_REDIRECT


@pytest.mark.parametrize("coding", ["utf-8", "utf-16", "utf-8-sig"])
def test_a_bomb_is_found_in_any_coding_and_behind_anything(peer: Server, coding: str) -> None:
    assert kind_of(peer, body(BOMB.encode(coding), 207)) is FeedErrorKind.NOT_A_CALENDAR


def test_an_event_that_holds_a_web_page_is_no_bomb(peer: Server) -> None:
    found = read(peer, body(MULTI.format(IS_CALENDAR).encode(), 207), objects(f"<![CDATA[{HTML.decode()}]]>"))
    assert [event.title for event in found.events] == ["Tee"]


def test_packed_twice_is_not_unpacked(peer: Server) -> None:
    packed = gzip.compress(gzip.compress(MULTI.format(IS_CALENDAR).encode()))
    assert kind_of(peer, body(packed, 207, Content_Encoding="gzip, gzip")) is FeedErrorKind.SERVER_ERROR
    once = gzip.compress(MULTI.format(IS_CALENDAR).encode())
    assert len(read(peer, body(once, 207, Content_Encoding="gzip"), objects(ONCE.decode())).events) == 1


def test_more_events_than_anybody_has_are_cut_off_and_said(peer: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    daily = "UID:{}\nDTSTART:20260101T090000Z\nDTEND:20260101T100000Z\nSUMMARY:{}\nRRULE:FREQ=DAILY"
    monkeypatch.setattr(caldav, "Limits", lambda **given: Limits(**{"max_occurrences": 300, **given}))
    many = [calendar(daily.format(n, n)).decode() for n in range(9)]
    found = read(peer, body(MULTI.format(IS_CALENDAR).encode(), 207), objects(*many))
    assert 300 < len(found.events) < 600
    assert ProblemKind.TOO_LARGE in {problem.kind for problem in found.problems}


def test_more_tags_than_a_memory_holds_are_not_parsed(peer: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caldav, "MOST_TAGS", 1000)
    assert kind_of(peer, body(MULTI.format("<a/>" * 1000).encode(), 207)) is FeedErrorKind.TOO_LARGE


def test_an_open_connection_to_the_internet_gets_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caldav, "look_up", lambda host, port: ["93.184.216.34"])  # noqa: ARG005
    login = CaldavLogin("http://dav.example.org/", "kim", "secret")
    with pytest.raises(FeedError) as caught:
        read_caldav(login, ZoneInfo("Europe/Berlin"), WINDOW, allow_private=True)
    assert caught.value.kind is FeedErrorKind.BAD_ADDRESS


@pytest.mark.parametrize(
    ("host", "same"),
    [
        ("p42.cloud.example", True),
        ("cloud.example", True),
        ("evil.example", False),
        ("cloud.example.evil.example", False),
    ],
)
def test_a_password_stays_in_its_domain(monkeypatch: pytest.MonkeyPatch, host: str, same: bool) -> None:
    asked: list[str] = []

    async def sent(_: object, method: str, url: httpx.URL, *__: object) -> tuple[int, str, bytes]:
        asked.append(f"{method} {url.host}")
        return 302, f"https://{host}/", b""

    monkeypatch.setattr(caldav, "look_up", lambda host, port: ["93.184.216.34"])  # noqa: ARG005
    monkeypatch.setattr("rhythm.bridge.accounts.caldav._Server._sent", sent)
    with pytest.raises(FeedError):
        read_caldav(CaldavLogin("https://dav.cloud.example/", "kim", "secret"), ZoneInfo("UTC"), WINDOW)
    assert (f"PROPFIND {host}" in asked) is same
    asked.clear()
    with pytest.raises(FeedError):
        read_caldav(CaldavLogin("https://dav.bank.co.uk/", "kim", "secret"), ZoneInfo("UTC"), WINDOW)
    assert asked == ["PROPFIND dav.bank.co.uk"]


def test_no_address_reaches_a_log_at_any_level(peer: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    read(peer, body(MULTI.format(IS_CALENDAR).encode(), 207), objects(ONCE.decode()))
    assert all(word not in caplog.text for word in ("/dav/", "kim", "secret", "Zahnarzt"))
