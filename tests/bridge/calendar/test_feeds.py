"""Feeds against a real server: what arrives, what is refused, and that a feed's address stays secret."""

import asyncio
import gzip
import logging
import socket
import time
import traceback
from collections.abc import Iterator
from ipaddress import ip_address

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Answer, Server, body, drip, redirect, serving
from rhythm.bridge.calendar import feeds
from rhythm.bridge.calendar.addresses import AddressError, Resolver, checked_addresses, is_public
from rhythm.bridge.calendar.feeds import FeedError, FeedErrorKind, FeedLimits, FetchedFeed, Validators, fetch_feed
from rhythm.bridge.calendar.feeds import fetch_feed_async as fetch_async
from rhythm.vocab.errors import InvalidValueError

ICS = calendar("UID:a\nDTSTART:20260310T090000Z\nSUMMARY:x")
QUICK = FeedLimits(connect_s=1.0, read_s=0.5, total_s=1.5, max_bytes=200_000)
CALM = FeedLimits(connect_s=10.0, read_s=20.0, total_s=30.0, max_bytes=200_000)
"""For what must not fail by time on a busy machine."""


def leads_to(*addresses: str) -> Resolver:
    """A name service in which every name has these addresses."""
    return lambda _host, _port: list(addresses)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def fetch(server: Server, path: str = "/feed", validators: Validators | None = None) -> FetchedFeed:
    return fetch_feed(server.url(path), validators, allow_private=True, limits=CALM)


def failure(server: Server, answer: Answer, limits: FeedLimits = CALM) -> FeedErrorKind:
    server.answers["/feed"] = answer
    with pytest.raises(FeedError) as caught:
        fetch_feed(server.url("/feed"), allow_private=True, limits=limits)
    return caught.value.kind


def test_a_feed_arrives_as_it_is(server: Server) -> None:
    server.answers["/feed"] = body(ICS, Content_Type="text/calendar")
    assert fetch(server) == FetchedFeed(ICS, Validators())
    [(path, headers)] = server.asked
    assert path == "/feed"
    assert headers["host"] == f"127.0.0.1:{server.port}"


def test_an_unchanged_feed_costs_nothing(server: Server) -> None:
    server.answers["/feed"] = body(ICS, ETag='"v1"', Last_Modified="Tue, 10 Mar 2026 09:00:00 GMT")
    first = fetch(server)
    assert first.validators == Validators('"v1"', "Tue, 10 Mar 2026 09:00:00 GMT")
    server.answers["/feed"] = body(b"", 304)
    assert fetch(server, validators=first.validators) == FetchedFeed(None, first.validators)
    assert server.asked[1][1]["if-none-match"] == '"v1"'
    assert server.asked[1][1]["if-modified-since"] == "Tue, 10 Mar 2026 09:00:00 GMT"


@pytest.mark.parametrize("etag", ['"\u00fc"', '"' + "x" * 400 + '"'])
def test_validators_that_cannot_be_sent_back_are_forgotten(server: Server, etag: str) -> None:
    server.answers["/feed"] = body(ICS, ETag=etag)
    assert fetch(server).validators == Validators()


def test_packed_feeds_are_unpacked(server: Server) -> None:
    server.answers["/feed"] = body(gzip.compress(ICS), Content_Encoding="gzip")
    assert fetch(server).content == ICS


def test_a_packed_bomb_stops_at_the_limit(server: Server) -> None:
    bomb = gzip.compress(b"BEGIN:VCALENDAR\n" + b"\0" * 200_000_000, 9)
    assert failure(server, body(bomb, Content_Encoding="gzip")) is FeedErrorKind.TOO_LARGE


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd, gzip"])
def test_codings_that_are_none_are_told(server: Server, coding: str) -> None:
    assert failure(server, body(b"nonsense", Content_Encoding=coding)) is FeedErrorKind.SERVER_ERROR


def test_a_large_feed_stops_at_the_limit(server: Server) -> None:
    assert failure(server, body(ICS + b"x" * 300_000)) is FeedErrorKind.TOO_LARGE


@pytest.mark.parametrize("page", [b"<html>Sign in</html>", b"", b"{}", b"\0" * 100_000])
def test_what_is_no_calendar_is_told_whatever_it_claims_to_be(server: Server, page: bytes) -> None:
    assert failure(server, body(page, Content_Type="text/calendar")) is FeedErrorKind.NOT_A_CALENDAR


def test_a_calendar_of_the_wrong_type_is_read(server: Server) -> None:
    server.answers["/feed"] = body(ICS, Content_Type="text/html; charset=utf-8")
    assert fetch(server).content == ICS


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, FeedErrorKind.REFUSED),
        (401, FeedErrorKind.REFUSED),
        (500, FeedErrorKind.SERVER_ERROR),
        (204, FeedErrorKind.SERVER_ERROR),
        (429, FeedErrorKind.SERVER_ERROR),
        (300, FeedErrorKind.SERVER_ERROR),
    ],
)
def test_refusals_are_told(server: Server, status: int, kind: FeedErrorKind) -> None:
    assert failure(server, body(b"", status)) is kind


@pytest.mark.parametrize("shape", ["body drips", "body floods", "headers drip", "silence"])
def test_a_feed_that_never_ends_is_left(server: Server, shape: str) -> None:
    answer = {
        "body drips": drip(server, b"BEGIN:VCALENDAR\n", 0.1),
        "body floods": drip(server, b"BEGIN:VCALENDAR\n" * 1000, 0.0),
        "headers drip": drip(server, b"", 0.1, in_headers=True),
        "silence": drip(server, b"", 60),
    }[shape]
    begun_s = time.monotonic()
    assert failure(server, answer, QUICK) in (FeedErrorKind.TOO_SLOW, FeedErrorKind.TOO_LARGE)
    assert time.monotonic() - begun_s < 10


def test_a_server_that_speaks_no_http_is_told(server: Server) -> None:
    assert failure(server, lambda request: (request.wfile.write(b"\x16\x03\x01 hello\r\n\r\n"), None)[1]) is (
        FeedErrorKind.UNREACHABLE
    )


def test_nobody_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(FeedError) as caught:
        fetch_feed(f"http://127.0.0.1:{port}/x", allow_private=True, limits=CALM)
    assert caught.value.kind is FeedErrorKind.UNREACHABLE


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "feed",
            "file:///etc/passwd",
            "ftp://example.org/x",
            "gopher://x",
            "http://",
            "https:///x",
            "http://[::1",
        ),
        *("data:,x", "http://exa mple.org/\0", "http://example.org:99999/", "javascript:alert(1)"),
    ],
)
def test_only_web_addresses_are_taken(url: str) -> None:
    with pytest.raises(FeedError) as caught:
        fetch_feed(url, limits=CALM, resolve=leads_to())
    assert caught.value.kind in (FeedErrorKind.BAD_ADDRESS, FeedErrorKind.UNREACHABLE)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_address_gives_a_typed_error(url: str) -> None:
    with pytest.raises(FeedError):
        fetch_feed(url, limits=CALM, resolve=leads_to())
    with pytest.raises(FeedError):
        fetch_feed("http://" + url, limits=CALM, resolve=leads_to())


def test_redirects_are_followed_and_counted(server: Server) -> None:
    server.answers["/old"] = redirect("/feed", 301)
    server.answers["/feed"] = body(ICS)
    assert fetch(server, "/old").content == ICS
    server.answers["/round"] = redirect("/round?again")
    with pytest.raises(FeedError) as caught:
        fetch(server, "/round")
    assert caught.value.kind is FeedErrorKind.BAD_REDIRECT
    assert len(server.asked) == 2 + CALM.max_redirects + 1


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://example.org/", "", "http://[bad"])
def test_redirects_to_what_is_no_web_address_are_refused(server: Server, to: str) -> None:
    assert failure(server, redirect(to)) in (FeedErrorKind.BAD_ADDRESS, FeedErrorKind.BAD_REDIRECT)


PRIVATE = [
    *("127.0.0.1", "127.8.9.10", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),  # noqa: S104
    *("255.255.255.255", "224.0.0.1", "192.0.2.1", "198.18.0.1", "240.0.0.1", "::1", "::", "fe80::1", "fc00::1"),
    *("fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("2002:7f00:1::1", "2002:c0a8:101::1", "2001:db8::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused_in_every_notation(address: str) -> None:
    assert not is_public(ip_address(address))
    with pytest.raises(FeedError) as caught:
        fetch_feed("http://calendar.example/x", limits=CALM, resolve=leads_to("93.184.215.14", address))
    assert caught.value.kind is FeedErrorKind.PRIVATE_ADDRESS


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "017700000001"]
)
def test_this_machine_is_refused_under_every_name(server: Server, host: str) -> None:
    with pytest.raises(FeedError) as caught:
        fetch_feed(server.url("/feed", host), limits=CALM)
    assert caught.value.kind in (FeedErrorKind.PRIVATE_ADDRESS, FeedErrorKind.UNREACHABLE, FeedErrorKind.BAD_ADDRESS)
    assert server.asked == []


def test_a_redirect_to_a_private_address_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hop is allowed by its name; the second leads home and is not."""
    server.answers["/feed"] = redirect(f"http://intranet.example:{server.port}/secret")

    def resolve(host: str, _port: int) -> list[str]:
        return ["127.0.0.1"] if host == "public.example" else ["10.0.0.1"]

    def judged_public(address: object) -> bool:
        return str(address) == "127.0.0.1"

    monkeypatch.setattr("rhythm.bridge.calendar.addresses.is_public", judged_public)
    with pytest.raises(FeedError) as caught:
        fetch_feed(server.url("/feed", "public.example"), limits=CALM, resolve=resolve)
    assert caught.value.kind is FeedErrorKind.PRIVATE_ADDRESS
    assert caught.value.host == "intranet.example"
    assert [path for path, _ in server.asked] == ["/feed"]


def test_the_connection_goes_to_the_address_that_was_checked(server: Server) -> None:
    """A name that changes its address after the check (DNS rebinding) changes nothing."""
    server.answers["/feed"] = body(ICS)
    asked: list[str] = []

    def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["203.0.113.9"]

    got = fetch_feed(server.url("/feed", "calendar.example"), allow_private=True, limits=CALM, resolve=resolve)
    assert got.content == ICS
    assert asked == ["calendar.example"]
    assert server.asked[0][1]["host"] == f"calendar.example:{server.port}"


def test_the_next_address_is_tried_where_one_is_dead(server: Server) -> None:
    server.answers["/feed"] = body(ICS)
    url = server.url("/feed", "calendar.example")
    got = fetch_feed(url, allow_private=True, limits=CALM, resolve=leads_to("127.0.0.2", "127.0.0.1"))
    assert got.content == ICS


def test_a_slow_name_server_is_left(server: Server) -> None:
    def resolve(_host: str, _port: int) -> list[str]:
        server.stopping.wait(30)
        return []

    begun_s = time.monotonic()
    with pytest.raises(FeedError) as caught:
        fetch_feed("http://calendar.example/", limits=QUICK, resolve=resolve)
    assert time.monotonic() - begun_s < 10
    assert caught.value.kind in (FeedErrorKind.UNREACHABLE, FeedErrorKind.TOO_SLOW)


def test_a_name_that_leads_to_nonsense_is_refused() -> None:
    with pytest.raises(AddressError):
        checked_addresses("x", 80, allow_private=True, resolve=leads_to("nonsense"), timeout_s=1)


def test_a_password_is_sent_to_its_own_server_only(server: Server) -> None:
    server.answers["/feed"] = redirect(server.url("/moved", "other.example"))
    server.answers["/moved"] = body(ICS)
    url = f"http://me:hunter2@mine.example:{server.port}/feed"
    fetch_feed(url, allow_private=True, limits=CALM, resolve=leads_to("127.0.0.1"))
    assert ["authorization" in headers for _, headers in server.asked] == [True, False]


def test_https_is_never_left_for_http() -> None:
    """The rule itself, for want of a certificate."""
    fetching = feeds._Fetch(allow_private=True, limits=CALM, resolve=leads_to())
    answer = httpx.Response(302, headers={"location": "http://example.org/x"})
    with pytest.raises(FeedError) as caught:
        fetching._next(feeds._target("webcal://example.org/feed"), answer)
    assert caught.value.kind is FeedErrorKind.BAD_REDIRECT


TOKEN = "s3cr3t-t0ken"  # noqa: S105


@pytest.mark.parametrize("case", ["fine", "redirect", "refused", "slow", "no calendar", "no http", "bad"])
def test_the_secret_address_is_in_no_error_and_no_log(
    server: Server, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = f"/private-{TOKEN}/basic.ics"
    server.answers[path] = {
        "fine": body(ICS),
        "redirect": redirect(f"/private-{TOKEN}/elsewhere?key={TOKEN}"),
        "refused": body(b"", 404),
        "slow": drip(server, b"", 60),
        "no calendar": body(b"<html>" * 1000),
        "no http": lambda request: (request.wfile.write(b"\x16\x03\r\n\r\n"), None)[1],
        "bad": redirect(f"http://[{TOKEN}"),
    }[case]
    server.answers[f"/private-{TOKEN}/elsewhere"] = body(b"", 500)
    caplog.set_level(logging.DEBUG)
    text = ""
    try:
        limits = QUICK if case == "slow" else CALM
        fetch_feed(f"{server.url(path)}?key={TOKEN}", allow_private=True, limits=limits)
    except FeedError as error:
        text = f"{error} {error!r} {error.host}" + "".join(traceback.format_exception(error))
    assert case in ("fine", "bad") or "127.0.0.1" in text
    assert TOKEN not in text
    assert TOKEN not in caplog.text
    assert server.asked


def test_other_http_traffic_may_still_be_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger("httpx").info("somebody else's request")
    assert "somebody else's" in caplog.text


def test_works_inside_an_event_loop(server: Server) -> None:
    server.answers["/feed"] = body(ICS)
    got = asyncio.run(fetch_async(server.url("/feed"), allow_private=True, limits=CALM))
    assert got.content == ICS


def test_limits_must_make_sense() -> None:
    with pytest.raises(InvalidValueError):
        FeedLimits(total_s=0)


def test_the_environments_proxy_is_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would look the name up once more, past the check."""
    server.answers["/feed"] = body(ICS)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(server).content == ICS
