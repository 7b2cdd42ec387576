"""Fetching a calendar feed: one address from outside, under every bound that is needed.

Only http, https and webcal; public addresses only unless allowed (`addresses`); redirects
followed by hand and checked at each hop, never from https to http; one deadline for the whole
fetch, name look-up and slow headers included; a size limit while the body streams, after
decompression too; what does not begin like a calendar is not read on, whatever type it claims
to be; ETag and Last-Modified, so that an unchanged feed costs nothing.

A feed's address is a secret: whoever has it reads the calendar. It is never written to a log
or an error, only its host is. The HTTP libraries' own log lines are held back while a fetch runs.
"""

import asyncio
import logging
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum

import httpx
import msgspec

from rhythm.bridge.calendar.addresses import AddressError, Resolver, checked_addresses, look_up
from rhythm.bridge.calendar.events import CalendarError
from rhythm.vocab.errors import InvalidValueError

USER_AGENT = "rhythm-calendar"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOST = re.compile(r"[a-z0-9_.-]{1,253}|\[?[0-9a-f:.]{2,45}\]?", re.IGNORECASE)
_SNIFF_BYTES = 4096
MAX_VALIDATOR_CHARS = 300
_fetching: ContextVar[bool] = ContextVar("rhythm_fetching_feed", default=False)


class FeedErrorKind(StrEnum):
    """Why a feed could not be fetched."""

    BAD_ADDRESS = "bad_address"
    PRIVATE_ADDRESS = "private_address"
    UNREACHABLE = "unreachable"
    TOO_SLOW = "too_slow"
    TOO_LARGE = "too_large"
    BAD_REDIRECT = "bad_redirect"
    REFUSED = "refused"
    NOT_A_CALENDAR = "not_a_calendar"
    SERVER_ERROR = "server_error"


class FeedError(CalendarError):
    """A feed that could not be fetched; the text names the host, never the address."""

    def __init__(self, kind: FeedErrorKind, host: str, text: str) -> None:
        super().__init__(f"feed at {host or 'an unreadable address'}: {text}")
        self.kind = kind
        self.host = host


class FeedLimits(msgspec.Struct, frozen=True):
    """Bounds on one fetch: seconds to connect, between two pieces of data, and in all; bytes; redirects."""

    connect_s: float = 10.0
    read_s: float = 15.0
    total_s: float = 60.0
    max_bytes: int = 32 * 1024 * 1024
    max_redirects: int = 5

    def __post_init__(self) -> None:
        if min(self.connect_s, self.read_s, self.total_s, self.max_bytes) <= 0 or self.max_redirects < 0:
            raise InvalidValueError("feed limits are numbers above 0")


class Validators(msgspec.Struct, frozen=True):
    """What a server gave to ask next time whether anything changed."""

    etag: str | None = None
    last_modified: str | None = None


class FetchedFeed(msgspec.Struct, frozen=True):
    """A feed's bytes, or None where nothing changed since the validators; and the validators for next time."""

    content: bytes | None
    validators: Validators


def fetch_feed(
    url: str,
    validators: Validators | None = None,
    *,
    allow_private: bool = False,
    limits: FeedLimits | None = None,
    resolve: Resolver = look_up,
) -> FetchedFeed:
    """Fetch a feed; blocks for at most `limits.total_s`. Not to be called inside a running event loop.

    Args:
        url: its address: http, https or webcal.
        validators: those of the last fetch.
        allow_private: whether it may lie in a private network.
        limits: bounds on time and size.
        resolve: what looks host names up.

    Raises:
        FeedError: with the kind of trouble it met.
    """
    return asyncio.run(fetch_feed_async(url, validators, allow_private=allow_private, limits=limits, resolve=resolve))


async def fetch_feed_async(
    url: str,
    validators: Validators | None = None,
    *,
    allow_private: bool = False,
    limits: FeedLimits | None = None,
    resolve: Resolver = look_up,
) -> FetchedFeed:
    """As `fetch_feed`, inside an event loop."""
    limits = limits or FeedLimits()
    target = _target(url)
    try:
        with addresses_unlogged():
            async with asyncio.timeout(limits.total_s):
                return await _Fetch(allow_private, limits, resolve).run(target, validators or Validators())
    except TimeoutError:
        text = f"took longer than {limits.total_s:g} s; try again later"
        raise FeedError(FeedErrorKind.TOO_SLOW, target.host, text) from None


@contextmanager
def addresses_unlogged() -> Iterator[None]:
    """While the block runs, the HTTP libraries write no line: each would hold an address that is a secret."""
    quiet = _fetching.set(True)
    try:
        yield
    finally:
        _fetching.reset(quiet)


def _target(url: str) -> httpx.URL:
    """The address, checked for its form; webcal is http under another name, taken as https.

    Raises:
        FeedError: it is no http, https or webcal address.
    """
    try:
        target = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise FeedError(FeedErrorKind.BAD_ADDRESS, "", "cannot be read as an address; copy it once more") from None
    if target.scheme in ("webcal", "webcals"):
        target = target.copy_with(scheme="https")
    if target.scheme not in ("http", "https") or not _HOST.fullmatch(target.raw_host.decode("ascii", "replace")):
        raise FeedError(FeedErrorKind.BAD_ADDRESS, "", "is no http, https or webcal address; copy it once more")
    return target.copy_with(fragment=None)


class _Fetch:
    def __init__(self, allow_private: bool, limits: FeedLimits, resolve: Resolver) -> None:
        self._allow_private = allow_private
        self._limits = limits
        self._resolve = resolve

    async def run(self, target: httpx.URL, validators: Validators) -> FetchedFeed:
        """Follow redirects by hand until a hop answers."""
        first = target
        for _ in range(self._limits.max_redirects + 1):
            same_origin = (target.scheme, target.host, target.port) == (first.scheme, first.host, first.port)
            result = await self._hop(target, validators, with_password=same_origin)
            if isinstance(result, FetchedFeed):
                return result
            target = result
        raise FeedError(
            FeedErrorKind.BAD_REDIRECT, target.host, f"redirects more than {self._limits.max_redirects} times"
        )

    async def _hop(self, target: httpx.URL, validators: Validators, *, with_password: bool) -> FetchedFeed | httpx.URL:
        port = target.port or (443 if target.scheme == "https" else 80)
        for address in await self._addresses(target.host, port):
            try:
                return await self._ask(target, address, validators, with_password=with_password)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue  # a host with several addresses may answer at the next
            except httpx.TimeoutException:
                text = "does not answer in time; try again later"
                raise FeedError(FeedErrorKind.TOO_SLOW, target.host, text) from None
            except (httpx.HTTPError, OSError):
                text = "does not speak HTTP as it should; check the address"
                raise FeedError(FeedErrorKind.UNREACHABLE, target.host, text) from None
        raise FeedError(FeedErrorKind.UNREACHABLE, target.host, "cannot be reached; check the address, or try later")

    async def _ask(
        self, target: httpx.URL, address: str, validators: Validators, *, with_password: bool
    ) -> FetchedFeed | httpx.URL:
        """Ask the one address that was checked, under the name that was asked for."""
        limits = self._limits
        timeout = httpx.Timeout(limits.read_s, connect=limits.connect_s)
        request = httpx.Request(
            "GET",
            target.copy_with(host=address, userinfo=b""),
            headers=_headers(target, validators),
            extensions={"timeout": timeout.as_dict(), "sni_hostname": target.host},
        )
        auth = httpx.BasicAuth(target.username, target.password) if with_password and target.userinfo else None
        async with httpx.AsyncClient(trust_env=False) as client:
            response = await client.send(request, stream=True, auth=auth, follow_redirects=False)
            try:
                if response.status_code in _REDIRECTS:
                    return self._next(target, response)
                return await self._read(target.host, response, validators)
            finally:
                await response.aclose()

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            return await asyncio.to_thread(
                checked_addresses,
                host,
                port,
                allow_private=self._allow_private,
                resolve=self._resolve,
                timeout_s=min(self._limits.connect_s, self._limits.total_s),
            )
        except AddressError as error:
            kind = FeedErrorKind.PRIVATE_ADDRESS if error.private else FeedErrorKind.UNREACHABLE
            raise FeedError(kind, host, str(error)) from None

    def _next(self, target: httpx.URL, response: httpx.Response) -> httpx.URL:
        location = response.headers.get("location", "")
        if not location:
            raise FeedError(FeedErrorKind.BAD_REDIRECT, target.host, "redirects without saying where to")
        try:
            following = _target(str(target.join(location)))
        except (httpx.InvalidURL, UnicodeError, ValueError):
            raise FeedError(FeedErrorKind.BAD_REDIRECT, target.host, "redirects to what is no address") from None
        if target.scheme == "https" and following.scheme == "http":
            raise FeedError(FeedErrorKind.BAD_REDIRECT, target.host, "redirects from https to open http")
        return following

    async def _read(self, host: str, response: httpx.Response, validators: Validators) -> FetchedFeed:
        status = response.status_code
        if status == 304:
            return FetchedFeed(None, validators)
        if status in (401, 403, 404, 410):
            raise FeedError(FeedErrorKind.REFUSED, host, f"answers {status}; copy the secret iCal address again")
        if status != 200:
            raise FeedError(FeedErrorKind.SERVER_ERROR, host, f"answers {status}; try again later")
        content = await self._body(host, response)
        new = Validators(_validator(response, "etag"), _validator(response, "last-modified"))
        return FetchedFeed(content, new)

    async def _body(self, host: str, response: httpx.Response) -> bytes:
        """The body, unpacked here so that a small packed one cannot grow past the limit."""
        coding = response.headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity", "gzip"):
            raise FeedError(FeedErrorKind.SERVER_ERROR, host, "sends a coding that was not asked for")
        unpack = zlib.decompressobj(wbits=31) if coding == "gzip" else None
        most = self._limits.max_bytes
        content = bytearray()
        try:
            async for chunk in response.aiter_raw():
                content += unpack.decompress(chunk, most + 1 - len(content)) if unpack else chunk
                if len(content) > most:
                    raise FeedError(FeedErrorKind.TOO_LARGE, host, f"larger than {most} bytes; share a shorter span")
                if len(content) > _SNIFF_BYTES:
                    _check_begins(content, host)
        except zlib.error:
            raise FeedError(FeedErrorKind.SERVER_ERROR, host, "sends packed data that cannot be unpacked") from None
        _check_begins(content, host)
        return bytes(content)


def _check_begins(content: bytearray, host: str) -> None:
    """Whether what has come so far begins like a calendar, whatever type it claims to be.

    Raises:
        FeedError: it does not.
    """
    if b"BEGIN:VCALENDAR" not in content[:_SNIFF_BYTES].upper():
        text = "sends no calendar but something else; copy the secret iCal address, not the web page's"
        raise FeedError(FeedErrorKind.NOT_A_CALENDAR, host, text)


def _validator(response: httpx.Response, name: str) -> str | None:
    """A validator as the server gave it, where it can be sent back as it is."""
    value = response.headers.get(name)
    return value if value and value.isascii() and value.isprintable() and len(value) <= MAX_VALIDATOR_CHARS else None


def _headers(target: httpx.URL, validators: Validators) -> dict[str, str]:
    headers = {
        "Host": target.netloc.decode("ascii"),
        "User-Agent": USER_AGENT,
        "Accept": "text/calendar, */*;q=0.1",
        "Accept-Encoding": "gzip, identity",
        "Connection": "close",
    }
    if validators.etag:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified:
        headers["If-Modified-Since"] = validators.last_modified
    return headers


class _HoldBack(logging.Filter):
    """Drops the HTTP libraries' log lines while a feed is fetched: they hold its address."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line may be written."""
        return not _fetching.get()


for _name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks"):
    logging.getLogger(_name).addFilter(_HoldBack())
