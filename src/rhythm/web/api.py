"""The JSON API: the same service as the pages, with an OpenAPI document at ``/api/openapi.json``."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool

from rhythm.assist.beliefs import You
from rhythm.assist.data import Data
from rhythm.assist.insights import Insight
from rhythm.assist.pushed import LARGEST_POST_BYTES
from rhythm.assist.today import Today
from rhythm.assist.trends import Trend
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.meters import parse_meter
from rhythm.vocab.responses import Outcome
from rhythm.web.security import ForbiddenError
from rhythm.web.site import Here, site_of

T = TypeVar("T")

router = APIRouter(prefix="/api/v1")


class AnswerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tap.

    Attributes:
        outcome: accepted, ignored or rescheduled.
        moved_to: slot number a rescheduled one goes to; the next open slot where it is not given.
        at: when the person tapped, where that was earlier.
        key: the tap's own key; the same key is recorded once.
    """

    outcome: Outcome
    moved_to: int | None = None
    at: datetime | None = None
    key: str | None = None


class UndoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Taking an answer back; ``key`` is the tap's own."""

    key: str | None = None


class ReportBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a meter stands, as the person says: its name and a level in [0, 1]."""

    meter: str
    value: float
    key: str | None = None


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The person's word on a belief: its name and a value in [0, 1]."""

    subject: str
    value: float


class Pushed(msgspec.Struct, frozen=True):
    """What became of health records that were posted: how many are new, known, and could not be used."""

    added: int
    known: int
    problems: int


class Kept(msgspec.Struct, frozen=True):
    """That something is on disk, under which number."""

    number: int


class ErrorBody(msgspec.Struct, frozen=True):
    """What went wrong: the error's name and a sentence that says what to do."""

    error: str
    message: str


def reply(record: Any, status: int = 200) -> Response:
    """A record as JSON."""
    return Response(msgspec.json.encode(record), status, media_type="application/json")


def error_response(error: Exception, status: int) -> Response:
    """An error as JSON."""
    return reply(ErrorBody(type(error).__name__, str(error)), status)


async def _body(request: Request) -> bytes:
    """The body of a request that changes something.

    Raises:
        ForbiddenError: it came with the cookie but without the pages' second word.
    """
    if not request.scope.get("rhythm_bearer"):
        offered = request.headers.get("x-csrf-token", "")
        if not site_of(request).keys.is_csrf(offered):
            raise ForbiddenError("the header X-CSRF-Token is missing or wrong; use the token as a bearer instead")
    return await request.body()


def _decoded(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InvalidValueError(f"the body does not fit {kind.__name__}: {error}") from None


@router.get("/today", summary="Where the person stands, suggestions, slots")
def today(site: Here) -> Response:
    """Makes suggestions where there is room for them, as the page does."""
    return reply(site.assistant.today())


@router.get("/you", summary="What is believed, from what")
def you(site: Here) -> Response:
    """Beliefs with intervals, evidence and corrections."""
    return reply(site.assistant.you())


@router.get("/data", summary="What was read from where")
def data(site: Here) -> Response:
    """Sources, imports, problems."""
    return reply(site.assistant.data())


@router.get("/trends", summary="Meters by day")
def trends(site: Here, days: int = 28) -> Response:
    """The numbers behind the charts."""
    if not 2 <= days <= 365:
        raise InvalidValueError(f"days is {days}; it is a whole number from 2 to 365")
    return reply(site.assistant.trends(days))


@router.get("/insights", summary="Sentences about the person's own weeks")
def insights(site: Here) -> Response:
    """Each with how many observations it rests on."""
    return reply(site.assistant.insights())


@router.post("/suggestions/{number}/answer", summary="Answer a suggestion")
async def answer(number: int, request: Request, site: Here) -> Response:
    """When it replies, the answer is on disk."""
    body = _decoded(await _body(request), AnswerBody)
    given = await run_in_threadpool(
        site.assistant.answer, number, body.outcome, moved_to=body.moved_to, at=body.at, channel="api", key=body.key
    )
    return reply(Kept(given.number), 201)


@router.post("/suggestions/{number}/undo", summary="Take an answer back")
async def undo(number: int, request: Request, site: Here) -> Response:
    """What was learned from it is forgotten."""
    body = _decoded(await _body(request), UndoBody)
    undone = await run_in_threadpool(site.assistant.undo, number, channel="api", key=body.key)
    return reply(Kept(undone.number), 201)


@router.post("/reports", summary="Say how a meter stands")
async def report(request: Request, site: Here) -> Response:
    """A self-report for the slot now."""
    body = _decoded(await _body(request), ReportBody)
    said = await run_in_threadpool(site.assistant.report, parse_meter(body.meter), body.value, key=body.key)
    return reply(Kept(said.number), 201)


@router.post("/corrections", summary="Correct a belief")
async def correct(request: Request, site: Here) -> Response:
    """The person's word counts over what was learned."""
    body = _decoded(await _body(request), CorrectionBody)
    await run_in_threadpool(site.assistant.correct, body.subject, body.value)
    return Response(status_code=204)


@router.post("/health-records", summary="Hand in health records as the app Health Auto Export posts them")
async def push(request: Request, site: Here) -> Response:
    """Takes the app's JSON; what is there already is known, not doubled. Needs the token or the pages' push key."""
    if not request.scope.get("rhythm_bearer"):
        raise ForbiddenError("this address takes a bearer only: the push key that the Data page shows, or the token")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_POST_BYTES:
            raise InvalidValueError(f"the body is larger than {LARGEST_POST_BYTES:,} bytes; send shorter stretches")
    taken = await run_in_threadpool(site.assistant.take_posted, bytes(data))
    return reply(Pushed(taken.added, taken.known, sum(taken.problems.values())), 201)


_REPLIES: dict[str, Any] = {
    "today": Today, "you": You, "data": Data, "trends": tuple[Trend, ...], "insights": tuple[Insight, ...],
    "answer": Kept, "undo": Kept, "report": Kept, "push": Pushed,
}  # fmt: skip
_BODIES: dict[str, Any] = {
    "answer": AnswerBody, "undo": UndoBody, "report": ReportBody, "correct": CorrectionBody, "push": dict[str, Any],
}  # fmt: skip


def describe(app: FastAPI) -> None:
    """Gives the application its OpenAPI document, with the records that go in and come out."""
    setattr(app, "openapi", _document_of(app))  # noqa: B010 - FastAPI's own way to extend the document


def _document_of(app: FastAPI) -> Callable[[], dict[str, Any]]:
    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            kinds = [*_REPLIES.values(), *_BODIES.values(), ErrorBody]
            schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
            of = dict(zip([*_REPLIES, *(f"{name} body" for name in _BODIES), "error"], schemas, strict=True))
            made["components"] = {
                "schemas": components,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            }
            made["security"] = [{"token": []}]
            for route in router.routes:
                _describe_route(made["paths"], route, of)
            app.openapi_schema = made
        return app.openapi_schema

    return document


def _describe_route(paths: dict[str, Any], route: Any, of: dict[str, Any]) -> None:
    name = route.name
    for method in route.methods:
        described = paths[route.path][method.lower()]
        described["responses"].pop("422", None)
        if name in _REPLIES:
            good = "201" if name in _BODIES else "200"
            described["responses"].pop("200", None)
            described["responses"][good] = {"description": "Done", "content": _json(of[name])}
        else:
            described["responses"] = {"204": {"description": "Kept"}}
        described["responses"]["400"] = {"description": "Refused; the message says why", "content": _json(of["error"])}
        if name in _BODIES:
            described["requestBody"] = {"required": True, "content": _json(of[f"{name} body"])}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
