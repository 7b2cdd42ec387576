"""The web application: one person's pages and JSON API on their own machine."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

import rhythm
from rhythm.assist.service import Assistant
from rhythm.store.errors import StoreBusyError, StoreDamagedError, StoreFullError, StoreUnreachableError
from rhythm.vocab.errors import RhythmError
from rhythm.web import api, pages
from rhythm.web.open_paths import add_open_paths
from rhythm.web.security import KEYS, ForbiddenError, Guard, Keys
from rhythm.web.site import SITE, Site, templates
from rhythm.web.uploads import Uploads

REFUSALS = {
    404: "there is nothing at this address",
    405: "this address does not take that kind of request",
}
UNABLE = (StoreBusyError, StoreDamagedError, StoreFullError, StoreUnreachableError)
"""What keeps the database from taking something; it is no refusal, so the same request can succeed later."""
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


def create_app(
    assistant: Assistant,
    token: str,
    incoming: Path,
    *,
    port: int = 80,
    hosts: Sequence[str] = (),
    suggest_url: str = "",
    secure: bool = False,
    kept_at: str = "",
) -> FastAPI:
    """The application.

    Args:
        assistant: whose pages.
        token: the secret that opens them.
        incoming: folder for files that are handed in.
        port: where it listens; part of the Host header.
        hosts: further Host headers to answer to, for a reverse proxy of one's own.
        suggest_url: server of the language model that suggests; the pages name its host. Empty where there is none.
        secure: see `rhythm.web.security.Guard`.
        kept_at: host of a service that somebody else runs for them; empty on their own machine.
    """
    keys = Keys(token, port)
    app = unguarded_app()
    app.state.site = Site(assistant, keys, Uploads(incoming, assistant), suggest_url, kept_at)
    app.add_middleware(Guard, keys=keys, hosts=our_hosts(port, hosts), secure=secure)
    return app


def unguarded_app() -> FastAPI:
    """The pages and the API without a person and without a guard."""
    app = FastAPI(
        title="Rhythm",
        version=rhythm.__version__,
        description="One person's assistant on their own machine. Every call needs the token (`Authorization: Bearer`) "
        "or the session cookie; with the cookie, what changes anything needs the header `X-CSRF-Token` too.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    add_open_paths(app)
    app.include_router(pages.router, include_in_schema=False)
    app.include_router(api.router)
    api.describe(app)
    app.add_exception_handler(RhythmError, _say_error)
    app.add_exception_handler(OSError, _say_machine)
    app.add_exception_handler(HTTPException, _say_refused)
    app.add_exception_handler(RequestValidationError, _say_unfit)
    return app


class ForOne:
    """An application for one person: its requests bring their site and their keys."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, with whose it is."""
        await self._app({**scope, SITE: self.site, KEYS: self.site.keys}, receive, send)


def our_hosts(port: int, more: Sequence[str] = ()) -> list[str]:
    """Host headers of a server on this machine at a port, and more that were given."""
    ours = [f"{name}:{port}" for name in LOCAL_NAMES]
    if port == 80:
        ours += LOCAL_NAMES
    return [*ours, *more]


async def _say_error(request: Request, error: Exception) -> Response:
    """Rhythm's own errors as one clear sentence: JSON for the API, a page for people."""
    return _told(request, error, _status_of(error))


def _status_of(error: Exception) -> int:
    if isinstance(error, ForbiddenError):
        return 403
    if isinstance(error, pages.GoneError):
        return 410
    if isinstance(error, LookupError):
        return 404
    return 503 if isinstance(error, UNABLE) else 400


def _told(request: Request, error: Exception, status: int) -> Response:
    if request.url.path.startswith("/api/"):
        return api.error_response(error, status)
    return templates.TemplateResponse(
        request, "error.html", {"message": str(error), "here": "", "page": None}, status_code=status
    )


async def _say_machine(request: Request, error: Exception) -> Response:
    """What this machine could not do, such as write to a full disk; never which file it was."""
    why = (isinstance(error, OSError) and error.strerror) or "no reason given"
    return _told(request, RhythmError(f"this machine could not do that ({why}); see to it and try again"), 500)


async def _say_refused(request: Request, error: Exception) -> Response:
    """What the web framework itself refuses, in our words."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    words = REFUSALS.get(status, "the request cannot be read; open the page again and repeat it")
    return _said(request, words, status)


async def _say_unfit(request: Request, _: Exception) -> Response:
    """A number in the address that is none: in a path nothing is there, in a query it is refused."""
    status = 400 if request.url.query else 404
    words = "a number in the address is none; write a whole number" if status == 400 else REFUSALS[404]
    return _said(request, words, status)


def _said(request: Request, words: str, status: int) -> Response:
    if request.url.path.startswith("/api/"):
        return api.error_response(RhythmError(words), status)
    return PlainTextResponse(f"{words[:1].upper()}{words[1:]}.", status)
