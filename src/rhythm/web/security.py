"""Who may ask, and from where: a token, the Host header, the origin of what changes anything, a strict page policy.

The server listens on this machine only, yet any page in the browser can send requests to it.
So a request must name a host that is ours (else another name was pointed at this address),
carry the session (a cookie, or the token itself), and, where it changes something, come from
our own pages and carry a second word that only they know. Decision record 0019.
"""

import hashlib
import hmac
import logging
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rhythm.vocab.errors import RhythmError

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = ("/static/", "/healthz", "/sw.js", "/manifest.webmanifest", "/feed/")
"""Paths without anything of a person, and the feed, whose address is its own secret."""
PUSH_PATH = "/api/v1/health-records"
KEYS = "rhythm.keys"
"""Where a request's scope has the keys of whose it is, if they are not the guard's own."""
COOKIE_AGE_S = 400 * 24 * 3600


log = logging.getLogger(__name__)


class ForbiddenError(RhythmError):
    """A request that lacks the session or its second word."""


class Keys:
    """What is derived from the token; the token itself goes nowhere but into the first-run link."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token
        self.cookie_name = cookie_name_at(port)
        self.session = self._derive("session")
        self.csrf = self._derive("csrf")
        self.feed = self._derive("feed")
        self.push = self._derive("push")
        """Opens `PUSH_PATH` and nothing else, so that a phone need not carry the token."""
        self.person = self._derive("person")[:16]
        """Opens nothing; by it a browser tells the pages that it keeps of one person from those of another."""

    def _derive(self, use: str) -> str:
        return hmac.new(self._token.encode(), use.encode(), hashlib.sha256).hexdigest()

    def is_token(self, offered: str) -> bool:
        """Whether it is the token."""
        return hmac.compare_digest(offered.encode(), self._token.encode())

    def is_session(self, offered: str) -> bool:
        """Whether it is the session's cookie."""
        return hmac.compare_digest(offered.encode(), self.session.encode())

    def is_csrf(self, offered: str) -> bool:
        """Whether it is the second word of our own pages."""
        return hmac.compare_digest(offered.encode(), self.csrf.encode())

    def is_push(self, offered: str) -> bool:
        """Whether it is the word with which a phone hands in health records."""
        return hmac.compare_digest(offered.encode(), self.push.encode())

    def is_feed(self, offered: str) -> bool:
        """Whether it is the feed's secret."""
        return hmac.compare_digest(offered.encode(), self.feed.encode())


def cookie_name_at(port: int) -> str:
    """Name of the cookie: cookies do not tell ports apart, and the demonstration must not log the real one out."""
    return f"rhythm_{port}"


class Guard:
    """Middleware: refuses before anything is read, and puts the page policy on every answer."""

    def __init__(self, app: ASGIApp, *, keys: Keys | None, hosts: Iterable[str], secure: bool = False) -> None:
        """Guard an application.

        Args:
            app: what is guarded.
            keys: what opens it; None where each request brings the keys of whose it is, in its scope (`KEYS`).
            hosts: Host headers that are ours, in any case.
            secure: whether browsers reach it over TLS alone, so that the cookie goes nowhere else.
        """
        self._app = app
        self._keys = keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope, self._keys or scope[KEYS])
        if refusal is not None:
            await refusal(scope, receive, _with_policy(send))
            return
        try:
            await self._app(scope, receive, _with_policy(send))
        except Exception as error:  # noqa: BLE001 - a trace or a message could hold what a person stored
            log.error("a page failed: %s at %s", type(error).__name__, _place_of(error))  # noqa: TRY400
            await PlainTextResponse("Something went wrong here; nothing was lost. Try again.", 500)(
                scope, receive, _with_policy(send)
            )

    def _refusal(self, scope: Scope, keys: Keys) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return PlainTextResponse("This address is not Rhythm's. Open the link with your token in it.", 421)
        if scope["method"] not in SAFE and not self._same_origin(headers):
            return PlainTextResponse("This came from another site, so it was refused.", 403)
        path: str = scope["path"]
        if path.startswith(OPEN_PATHS):
            return None
        if _is_borne(headers, path, keys):
            scope["rhythm_bearer"] = True
            return None
        led_on = self._led_on(scope, keys)
        if led_on is None and not _has_session(headers, keys):
            return PlainTextResponse("Rhythm is locked. Open the link with your token in it.", 401)
        return led_on

    def _led_on(self, scope: Scope, keys: Keys) -> Response | None:
        """The link with the token sets the cookie and leads on without the token, at every visit."""
        offered = offered_token(scope)
        if not offered or not keys.is_token(offered):
            return None
        response = RedirectResponse("/", 303)
        response.set_cookie(
            keys.cookie_name,
            keys.session,
            max_age=COOKIE_AGE_S,
            httponly=True,
            secure=self._secure,
            samesite="lax",
            path="/",
        )
        return response

    def _same_origin(self, headers: Headers) -> bool:
        if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return False
        origin = headers.get("origin")
        try:
            return origin is None or urlsplit(origin).netloc.lower() in self._hosts
        except ValueError:
            return False


def _has_session(headers: Headers, keys: Keys) -> bool:
    """Whether our cookie is there, among those of other programs on this machine, whatever these hold."""
    return keys.is_session(offered_session(headers, keys.cookie_name))


def _is_borne(headers: Headers, path: str, keys: Keys) -> bool:
    offered = offered_bearer(headers)
    return keys.is_token(offered) or (path == PUSH_PATH and keys.is_push(offered))


def offered_token(scope: Scope) -> str:
    """The token of a first-run link; empty where there is none."""
    if scope["method"] != "GET":
        return ""
    query = scope["query_string"].decode("latin-1")
    return next((part[6:] for part in query.split("&") if part.startswith("token=")), "")


def offered_session(headers: Headers, cookie_name: str) -> str:
    """The session's cookie; empty where there is none."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name, "")


def offered_bearer(headers: Headers) -> str:
    """What stands behind ``Bearer``; empty where nothing does."""
    kind, _, offered = headers.get("authorization", "").partition(" ")
    return offered.strip() if kind.lower() == "bearer" else ""


def _place_of(error: BaseException) -> str:
    """File and line where an error came up, and nothing that was in it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "nowhere" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def _with_policy(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = PAGE_POLICY
            headers["X-Content-Type-Options"] = "nosniff"
            headers["X-Frame-Options"] = "DENY"
            headers["Referrer-Policy"] = "same-origin"  # with none, forms would come with the origin "null"
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
            headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
