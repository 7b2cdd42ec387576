"""Reading calendars from a CalDAV server (RFC 4791) with the person's own name and password.

From the address given: who am I and by which e-mail addresses am I invited, where are my calendars, which of them hold
events; then the events of a window from each. Repetition is worked out here, never by the server, as servers differ in
it. Objects that come back empty (some servers do so in a query) are asked for once more by their names. The password
goes over https alone, private networks of one's own aside, and to no host outside the given one's domain. The whole has
one deadline, slow headers and the reading of what came included.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from ipaddress import ip_address
from typing import Final
from xml.etree import ElementTree as ET

import httpx
import msgspec

from rhythm.bridge.calendar.addresses import AddressError, checked_addresses, is_public, look_up
from rhythm.bridge.calendar.events import (
    CalendarContents,
    CalendarError,
    CalendarEvent,
    NotACalendarError,
    Problem,
    ProblemKind,
    Window,
)
from rhythm.bridge.calendar.feeds import FeedError, FeedErrorKind, addresses_unlogged
from rhythm.bridge.calendar.ics import read_ics
from rhythm.bridge.calendar.limits import Limits
from rhythm.bridge.calendar.merge import merge_events

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_CALENDARS: Final = 50
MOST_OBJECTS: Final = 20_000
MOST_TAGS: Final = 1_000_000
"""Of one answer; a tree of more would fill the memory."""
AT_ONCE: Final = 100
TIMEOUT_S: Final = 30.0
READING_S: Final = 120.0
"""Deadline of the whole reading."""
_HOPS: Final = 5
_DAV, _CAL = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
_NAMES: Final = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"'
_OF_PERSON: Final = "<c:calendar-home-set/><c:calendar-user-address-set/>"
_DEFINES = re.compile(r"\ufeff?(?:\s++|<\?.*?\?>|<!--.*?-->)*+<!", re.DOTALL)
"""What begins with definitions of its own, behind nothing but blanks, instructions and comments."""
_SUFFIXES = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "me", "ne", "net", "or", "org"})
"""Words before a country's two letters below which names are given to anybody: example.co.uk."""
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


class CaldavLogin(msgspec.Struct, frozen=True):
    """Address, name and password of a person's calendars; kept encrypted and never shown.

    Attributes:
        url: of the server, of the person's place there, or of one calendar.
        user: name.
        password: password; one for this use alone, where the server gives such.
    """

    url: str
    user: str
    password: str

    def __repr__(self) -> str:
        """Without any of it."""
        return "CaldavLogin(...)"


class _Reply(msgspec.Struct, frozen=True):
    """One resource of a multistatus answer: its address, and the properties that were found."""

    href: str
    properties: tuple[ET.Element, ...]

    def find(self, path: str) -> ET.Element | None:
        """The first element at a path below the properties."""
        return next((found for one in self.properties if (found := one.find(path)) is not None), None)


def read_caldav(
    login: CaldavLogin,
    zone: tzinfo,
    window: Window,
    *,
    name: str = "",
    own_addresses: frozenset[str] = frozenset(),
    allow_private: bool = False,
) -> CalendarContents:
    """The occurrences of all of a person's calendars that touch a window.

    Args:
        login: where and who.
        zone: the person's zone, for floating times.
        window: the stretch of time wanted.
        name: what the person calls it.
        own_addresses: the person's e-mail addresses, beside those that the server tells; they are not sent.
        allow_private: whether the server may lie in a private network.

    Raises:
        FeedError: the server cannot be reached, refuses, or leads elsewhere.
        CalendarError: it gives no calendars.
    """
    server = _Server(login, allow_private=allow_private)
    found: list[CalendarContents] = []
    room = Limits().max_occurrences
    for data in server.everything(window):
        limits = Limits(budget_s=min(Limits().budget_s, server.left_s()))
        try:
            own = own_addresses | server.own_addresses
            contents = read_ics(data, zone, window, source=name, own_addresses=own, limits=limits)
        except NotACalendarError:
            contents = CalendarContents((), (Problem(ProblemKind.UNFINISHED, "calendar object"),))
        found.append(contents)
        room -= len(contents.events)
        if room < 0:
            found.append(CalendarContents((), (Problem(ProblemKind.TOO_LARGE, "calendar object"),)))
            break
    return _together(found, name)


class _Server:
    """A server that is asked.

    Attributes:
        own_addresses: the person's e-mail addresses, lower case, as far as name and server tell them: who was invited
            and declined is free then.
    """

    def __init__(self, login: CaldavLogin, *, allow_private: bool) -> None:
        self._login = login
        self.own_addresses = {login.user.strip().lower()} if "@" in login.user else set[str]()
        self._allow_private = allow_private
        self._until_s = time.monotonic() + READING_S
        try:
            self._home = httpx.URL(login.url.strip())
        except (httpx.InvalidURL, UnicodeError, ValueError):
            raise FeedError(FeedErrorKind.BAD_ADDRESS, "", "cannot be read as an address; copy it once more") from None
        self._checked: set[str] = set()

    def left_s(self) -> float:
        """Seconds that are left.

        Raises:
            FeedError: none.
        """
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            text = f"takes longer than {READING_S:g} s; it is tried again later"
            raise FeedError(FeedErrorKind.TOO_SLOW, self._home.host, text)
        return left_s

    def everything(self, window: Window) -> Iterator[bytes]:
        """The objects of all calendars that touch a window."""
        for calendar in self.calendars():
            yield from self.objects(calendar, window)

    def calendars(self) -> list[httpx.URL]:
        """The calendars that hold events: the address itself where it is one, else those of the person."""
        wanted = f"<d:current-user-principal/><d:resourcetype/>{_OF_PERSON}"
        url, replies = self._properties(self._home, wanted, depth=0)
        home, principal = self._person(replies), _link(replies, f"{_DAV}current-user-principal/{_DAV}href")
        itself = any(_is_calendar(one) for one in replies)
        if principal is not None and not itself and home is None:
            url, replies = self._properties(_joined(url, principal), _OF_PERSON, depth=0)
            home = self._person(replies)
        elif principal is not None and not self.own_addresses:
            with suppress(CalendarError):  # the events are to be had without
                self._person(self._properties(_joined(url, principal), _OF_PERSON, depth=0)[1])
        if itself:
            return [url]
        if home is None:
            raise CalendarError(f"{self._home.host} names no calendars of yours; give the address of a calendar itself")
        wanted = "<d:resourcetype/><c:supported-calendar-component-set/>"
        url, replies = self._properties(_joined(url, home), wanted, depth=1)
        return [_joined(url, one.href) for one in replies if _is_calendar(one)][:MOST_CALENDARS]

    def _person(self, replies: Sequence[_Reply]) -> str | None:
        """Where the person's calendars are, if it is told; takes in their addresses."""
        for reply in replies:
            found = reply.find(f"{_CAL}calendar-user-address-set")
            for href in () if found is None else found.iter(f"{_DAV}href"):
                scheme, _, address = (href.text or "").strip().lower().partition(":")
                if scheme == "mailto" and "@" in address:
                    self.own_addresses.add(address)
        return _link(replies, f"{_CAL}calendar-home-set/{_DAV}href")

    def objects(self, calendar: httpx.URL, window: Window) -> Iterator[bytes]:
        """The calendar objects that touch a window, each a small calendar."""
        start, end = _stamp(window.start_at), _stamp(window.end_at)
        query = (
            f"<c:calendar-query {_NAMES}><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter>"
            f'<c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range start="{start}" end="{end}"/>'
            "</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"
        )
        _, replies = self._ask("REPORT", calendar, query, depth=1)
        empty = []
        for one in replies[:MOST_OBJECTS]:
            data = one.find(f"{_CAL}calendar-data")
            if data is not None and data.text and data.text.strip():
                yield data.text.encode()
            elif not one.href.endswith("/"):
                empty.append(one.href)
        for begin in range(0, len(empty), AT_ONCE):
            names = "".join(f"<d:href>{_escaped(href)}</d:href>" for href in empty[begin : begin + AT_ONCE])
            multi = f"<c:calendar-multiget {_NAMES}><d:prop><c:calendar-data/></d:prop>{names}</c:calendar-multiget>"
            for one in self._ask("REPORT", calendar, multi, depth=1)[1]:
                data = one.find(f"{_CAL}calendar-data")
                if data is not None and data.text:
                    yield data.text.encode()

    def _properties(self, url: httpx.URL, wanted: str, depth: int) -> tuple[httpx.URL, list[_Reply]]:
        return self._ask("PROPFIND", url, f"<d:propfind {_NAMES}><d:prop>{wanted}</d:prop></d:propfind>", depth)

    def _ask(self, method: str, url: httpx.URL, body: str, depth: int) -> tuple[httpx.URL, list[_Reply]]:
        """Where the answer came from, and its resources; redirects are followed by hand, and checked."""
        headers = {"Depth": str(depth), "Content-Type": "application/xml; charset=utf-8"}
        for _ in range(_HOPS):
            self._check(url)
            try:
                with addresses_unlogged():
                    status, location, data = asyncio.run(self._sent(method, url, body, headers))
            except (TimeoutError, httpx.TimeoutException):
                raise FeedError(FeedErrorKind.TOO_SLOW, url.host, "does not answer in time; try again later") from None
            except (httpx.HTTPError, httpx.InvalidURL, OSError):
                raise FeedError(FeedErrorKind.UNREACHABLE, url.host, "cannot be reached; check the address") from None
            if status in (301, 302, 303, 307, 308) and location:
                url = _joined(url, location)
                continue
            if status in (401, 403):
                raise FeedError(FeedErrorKind.REFUSED, url.host, "refuses the name or password; give them again")
            if status == 429 or status >= 500:
                raise FeedError(FeedErrorKind.SERVER_ERROR, url.host, f"failed (status {status}); try again later")
            if status != 207:
                raise FeedError(FeedErrorKind.NOT_A_CALENDAR, url.host, "does not speak CalDAV there")
            return url, _replies(data, url.host)
        raise FeedError(FeedErrorKind.BAD_REDIRECT, url.host, f"redirects more than {_HOPS} times")

    async def _sent(self, method: str, url: httpx.URL, body: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        """Status, where it leads, and the whole answer."""
        login = self._login.user, self._login.password
        async with (
            asyncio.timeout(self.left_s()),
            httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False, auth=login) as client,
            client.stream(method, url, content=body.encode(), headers=headers) as response,
        ):
            if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("identity", "gzip"):
                raise FeedError(FeedErrorKind.SERVER_ERROR, url.host, "sends a coding that was not asked for")
            data = bytearray()
            async for chunk in response.aiter_bytes(1 << 16):
                data += chunk
                if len(data) > MOST_BYTES:
                    raise FeedError(FeedErrorKind.TOO_LARGE, url.host, "gives more than is read at once")
            return response.status_code, response.headers.get("Location", ""), bytes(data)

    def _check(self, url: httpx.URL) -> None:
        """That a password may go there.

        Raises:
            FeedError: another domain, no https, or a private network that is not allowed.
        """
        host = url.host
        if _domain(host) != _domain(self._home.host):
            raise FeedError(FeedErrorKind.BAD_REDIRECT, host, "is another domain; no password is sent there")
        private = host in _LOCAL or self._allow_private
        if url.scheme != "https" and not (url.scheme == "http" and private):
            raise FeedError(FeedErrorKind.BAD_ADDRESS, host, "is no https address; a password goes over https alone")
        if (mark := f"{url.scheme} {host}") not in self._checked:
            port = url.port or (443 if url.scheme == "https" else 80)
            try:
                found = checked_addresses(host, port, allow_private=private, resolve=look_up, timeout_s=TIMEOUT_S)
            except AddressError as error:
                kind = FeedErrorKind.PRIVATE_ADDRESS if error.private else FeedErrorKind.UNREACHABLE
                raise FeedError(kind, host, str(error)) from None
            if url.scheme != "https" and any(is_public(ip_address(address)) for address in found):
                text = "is no https address; a password goes over https alone"
                raise FeedError(FeedErrorKind.BAD_ADDRESS, host, text)
            self._checked.add(mark)


def _joined(url: httpx.URL, href: str) -> httpx.URL:
    """The address that a server names, seen from where it was named.

    Raises:
        FeedError: it is none.
    """
    try:
        return url.join(href)
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise FeedError(FeedErrorKind.BAD_REDIRECT, url.host, "leads to what is no address") from None


def _replies(data: bytes, host: str) -> list[_Reply]:
    if data.count(b"<") > MOST_TAGS:
        raise FeedError(FeedErrorKind.TOO_LARGE, host, "gives more than is read at once")
    text = data.decode(errors="replace")  # whatever coding it claims: another would hide what is looked for here
    if _DEFINES.match(text):
        raise FeedError(FeedErrorKind.NOT_A_CALENDAR, host, "gives XML with definitions of its own, which is not read")
    try:
        root = ET.fromstring(text)  # noqa: S314 - no definitions in it, and bounded
    except (ET.ParseError, ValueError, RecursionError):
        raise FeedError(FeedErrorKind.NOT_A_CALENDAR, host, "gives an answer that is no XML") from None
    found = []
    for one in root.iter(f"{_DAV}response"):
        good = [
            properties
            for status in one.findall(f"{_DAV}propstat")
            if " 200" in (status.findtext(f"{_DAV}status") or "")
            and (properties := status.find(f"{_DAV}prop")) is not None
        ]
        found.append(_Reply((one.findtext(f"{_DAV}href") or "").strip(), tuple(good)))
    return found


def _is_calendar(reply: _Reply) -> bool:
    """Whether it is a calendar that can hold events; one that does not say what it holds can."""
    if reply.find(f"{_DAV}resourcetype/{_CAL}calendar") is None:
        return False
    kinds = reply.find(f"{_CAL}supported-calendar-component-set")
    return kinds is None or any(kind.get("name", "").upper() == "VEVENT" for kind in kinds)


def _link(replies: Iterable[_Reply], path: str) -> str | None:
    for reply in replies:
        found = reply.find(path)
        if found is not None and found.text and found.text.strip():
            return found.text.strip()
    return None


def _domain(host: str) -> str:
    """The last two words of a name, three where the second last is a country's; an address in numbers as it is."""
    if host.replace(".", "").isdigit() or ":" in host:
        return host
    words = host.lower().rstrip(".").split(".")
    below = len(words) > 2 and len(words[-1]) == 2 and words[-2] in _SUFFIXES
    return ".".join(words[-3 if below else -2 :])


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _together(found: list[CalendarContents], name: str) -> CalendarContents:
    counts: dict[ProblemKind, Problem] = {}
    for problem in (one for contents in found for one in contents.problems):
        known = counts.get(problem.kind)
        count = problem.count + (known.count if known else 0)
        counts[problem.kind] = Problem(problem.kind, known.where if known else problem.where, count)
    events: tuple[CalendarEvent, ...] = merge_events(contents.events for contents in found)
    return CalendarContents(events, tuple(counts.values()), sum(contents.read for contents in found), name)
