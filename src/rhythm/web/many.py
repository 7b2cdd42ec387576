"""Many people's pages in one server: each request goes to the pages of whoever its key belongs to.

What opens somebody's pages are the words derived from their own token (`rhythm.web.security.Keys`), so the word that a
request brings names the person, and nobody's address tells who they are. Here is only the way to the right pages: these
check the word once more, with all that `Guard` checks. A word that is nobody's gets what a locked Rhythm says.
"""

import asyncio
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

import msgspec
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rhythm.assist.household import Household
from rhythm.assist.places import Home
from rhythm.assist.service import Assistant
from rhythm.assist.tokens import TOKEN_BYTES, HomeError, TokenFile
from rhythm.store.errors import UnknownPersonError
from rhythm.vocab.errors import RhythmError
from rhythm.web.app import LOCAL_NAMES, ForOne, our_hosts, unguarded_app
from rhythm.web.open_paths import add_open_paths
from rhythm.web.security import Guard, Keys, cookie_name_at, offered_bearer, offered_session, offered_token
from rhythm.web.site import Site
from rhythm.web.uploads import Uploads

log = logging.getLogger(__name__)

MOST_READY = 64
"""People whose pages are kept ready at once; of more, those who were not here for longest are let go."""
SETTLED_NS = 100_000_000
"""A folder that changed less long ago can change again without its time showing it."""
FEED = "/feed/"

OpensAssistant = Callable[[Home], Assistant]
"""Gives somebody's assistant, of their folder."""
MOST_AT_ONCE = 6
"""Requests of one person that are answered at once; more wait, and keep nobody else waiting."""
IDLE_S = 60.0
"""So long nothing may come of a request before it is let go."""
LEADING_THREADS = 8
"""Threads that find out whose a request is, so that none has to wait for those in which pages are made."""


class Address(msgspec.Struct, frozen=True):
    """Where the server is reached.

    Attributes:
        port: where it listens.
        hosts: Host headers to answer to, beside those of this machine.
        secure: whether browsers come over TLS, which a proxy in front ends.
        suggest_url: server of the language model that suggests; empty where there is none.
    """

    port: int = 80
    hosts: tuple[str, ...] = ()
    secure: bool = False
    suggest_url: str = ""

    @property
    def name(self) -> str:
        """What the service is called on the pages."""
        return self.hosts[0] if self.hosts else f"{LOCAL_NAMES[0]}:{self.port}"

    def guarded(self, app: FastAPI, keys: Keys | None) -> FastAPI:
        """An application behind its guard; see `Guard` for the keys."""
        app.add_middleware(Guard, keys=keys, hosts=our_hosts(self.port, self.hosts), secure=self.secure)
        return app


class _Door(msgspec.Struct, frozen=True):
    """Whose token file gave a word, and how that file was then."""

    person_id: str
    file: TokenFile
    stamp: tuple[int, int]

    @property
    def holds(self) -> bool:
        return self.file.stamp() == self.stamp


class Doors:
    """Whose each word is; a token that was renewed or taken away opens nothing from that moment on."""

    def __init__(self, household: Household) -> None:
        self._household = household
        self._lock = threading.Lock()
        self._of_person: dict[str, tuple[_Door, tuple[str, ...]]] = {}
        self._by_word: dict[str, _Door] = {}
        self._seen_at = -1

    def whose(self, words: Sequence[str]) -> _Door | None:
        """The door of the first word that opens one; None where none does."""
        doors = (self._door_of(word) or (self._door_of(word) if self._look_again() else None) for word in words if word)
        return next((door for door in doors if door is not None), None)

    def _door_of(self, word: str) -> _Door | None:
        door = self._by_word.get(word)
        return door if door is not None and door.holds else None

    def _look_again(self) -> bool:
        """Reads the tokens where any may have changed; whether it did."""
        with self._lock:
            changed_at = self._household.changed_at()
            if changed_at == self._seen_at:
                return False
            self._of_person = dict(self._looked())
            self._by_word = {word: door for door, words in self._of_person.values() for word in words}
            self._seen_at = changed_at if abs(time.time_ns() - changed_at) > SETTLED_NS else -1
            return True

    def _looked(self) -> Iterator[tuple[str, tuple[_Door, tuple[str, ...]]]]:
        """Everyone's door and words; what has not changed is not read again."""
        for person_id, file in self._household.token_files().items():
            known, stamp = self._of_person.get(person_id), file.stamp()
            if known is not None and known[0].stamp == stamp:
                yield person_id, known
                continue
            try:
                token = file.found()
            except HomeError:
                continue  # theirs is damaged; the others' are not
            if token is not None and stamp is not None:
                yield person_id, (_Door(person_id, file, stamp), _words_of(token))


def _words_of(token: str) -> tuple[str, ...]:
    keys = Keys(token, 0)
    return token, keys.session, keys.feed, keys.push


class _Pages:
    """One person's pages while they are kept ready.

    Attributes:
        door: what opened them.
        site: theirs.
        busy: requests that are being answered or wait for that.
    """

    def __init__(self, door: _Door, site: Site, app: ASGIApp) -> None:
        self.door = door
        self.site = site
        self.busy = 0
        self._app = ForOne(app, site)
        self._free = asyncio.Semaphore(MOST_AT_ONCE)
        self._counting = threading.Lock()

    def count(self, more: int) -> None:
        """Counts requests that came or were answered."""
        with self._counting:
            self.busy += more

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, in its turn among this person's; one that stops coming in is let go."""
        coming = True

        async def received() -> Message:
            nonlocal coming
            if not coming:  # what is waited for from here on is that they go, which may take as long as the answer does
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), IDLE_S)
            except TimeoutError:
                return {"type": "http.disconnect"}
            coming = message.get("more_body", False)
            return message

        async with self._free:
            await self._app(scope, received, send)


class ManyPeople:
    """The application of a household (ASGI)."""

    def __init__(
        self, household: Household, opens: OpensAssistant, at: Address, *, most_ready: int = MOST_READY
    ) -> None:
        """Serve a household.

        Args:
            household: whom.
            opens: gives somebody's assistant.
            at: where the server is reached.
            most_ready: people whose pages are kept ready at once.
        """
        self._household = household
        self._opens = opens
        self._at = at
        self._most_ready = most_ready
        self._doors = Doors(household)
        self._lock = threading.Lock()
        self._pages = at.guarded(unguarded_app(), None)  # one for everybody: each request brings whose it is
        self._ready: OrderedDict[str, _Pages] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}
        self._resumed: set[str] = set()
        self._locked = _locked_app(at)
        self._leading: CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lead a request to whose pages it is for."""
        if scope["type"] == "lifespan":
            await _stay(receive, send)
        elif scope["type"] == "http":
            await self._lead({**scope, "scheme": "https"} if self._at.secure else scope, receive, send)
        else:  # nothing here speaks through a web socket
            await send({"type": "websocket.close"})

    async def _lead(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._leading = self._leading or CapacityLimiter(LEADING_THREADS)
        try:
            pages = await to_thread.run_sync(self._pages_for, scope, limiter=self._leading)
        except RhythmError as error:
            log.error("nobody's pages could be opened: %s", type(error).__name__)  # noqa: TRY400 - no trace into a log
            await PlainTextResponse("Rhythm cannot open its data at this moment; try again.", 503)(scope, receive, send)
            return
        if pages is None:
            await self._locked(scope, receive, send)
            return
        try:
            await pages.answer(scope, receive, send)
        finally:
            pages.count(-1)

    def assistant_of(self, person_id: str) -> Assistant:
        """Somebody's assistant: that of their pages where these are ready.

        Raises:
            HomeError: nobody of that id is here.
            StoreError: the database cannot be used.
        """
        with self._lock:
            ready = self._ready.get(person_id)
        if ready is not None and ready.door.holds:
            return ready.site.assistant
        return self._opens(self._household.home(person_id))

    def _pages_for(self, scope: Scope) -> _Pages | None:
        """The pages of whoever a request's words are of, counted as busy; None where they are nobody's."""
        door = self._doors.whose(_offered(scope, cookie_name_at(self._at.port)))
        if door is None:
            return None
        try:
            return self._counted(door) or self._opened(door)
        except (HomeError, UnknownPersonError):
            if door.holds:
                raise
            return None  # they were taken out this moment

    def _counted(self, door: _Door) -> _Pages | None:
        """The pages that are ready for a door, counted as busy."""
        with self._lock:
            pages = self._ready.get(door.person_id)
            if pages is None or pages.door != door:
                return None
            self._ready.move_to_end(door.person_id)
            pages.count(1)
            return pages

    def _opened(self, door: _Door) -> _Pages:
        """The same, made ready first; meanwhile those of others are given."""
        with self._lock:
            opening = self._opening.setdefault(door.person_id, threading.Lock())
        with opening:
            pages = self._counted(door)
            if pages is not None:
                return pages
            home = self._household.home(door.person_id)
            assistant, keys = self._opens(home), Keys(home.token(), self._at.port)
            uploads = Uploads(home.incoming, assistant)
            with self._lock:
                before = self._ready.get(door.person_id)
            if before is not None:
                uploads.take_over(before.site.uploads)  # what they looked into is theirs still, by their new link
            if door.person_id not in self._resumed:  # what is left there later is being read by this process
                self._resumed.add(door.person_id)
                uploads.resume()
            pages = _Pages(door, Site(assistant, keys, uploads, self._at.suggest_url, self._at.name), self._pages)
            pages.count(1)
            with self._lock:
                self._ready[door.person_id] = pages
                self._ready.move_to_end(door.person_id)
                self._let_go()
            return pages

    def _let_go(self) -> None:
        """Closes pages that were not used for longest; those that are busy, or read or hold a file, stay."""
        for person_id in list(self._ready)[:-1]:
            if len(self._ready) <= self._most_ready:
                return
            pages = self._ready[person_id]
            if not pages.busy and pages.site.uploads.close():
                del self._ready[person_id]


def _offered(scope: Scope, cookie_name: str) -> tuple[str, ...]:
    """The words that a request brings: a new link goes before a session that is there from before."""
    headers = Headers(scope=scope)
    path: str = scope["path"]
    feed = path.removeprefix(FEED).removesuffix(".ics") if path.startswith(FEED) else ""
    return offered_token(scope), offered_bearer(headers), feed, offered_session(headers, cookie_name)


def _locked_app(at: Address) -> ASGIApp:
    """What somebody sees who has no key: that it is locked, and what holds nothing of anybody."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    add_open_paths(app)
    return at.guarded(app, Keys(secrets.token_urlsafe(TOKEN_BYTES), at.port))


async def _stay(receive: Receive, send: Send) -> None:
    """Takes part in the server's starting and stopping."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
