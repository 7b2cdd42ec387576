"""What the server gives to anybody, as it holds nothing of a person: static files, service worker, manifest."""

from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

_STATIC = Path(__file__).parent / "static"
_router = APIRouter()


def add_open_paths(app: FastAPI) -> None:
    """Has an application give them."""
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.include_router(_router, include_in_schema=False)


@_router.get("/healthz")
def healthz() -> JSONResponse:
    """That the server is up."""
    return JSONResponse({"status": "ok"})


@_router.get("/sw.js")
def service_worker() -> Response:
    """The service worker, from the root so that it covers every page."""
    return FileResponse(_STATIC / "sw.js", media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@_router.get("/manifest.webmanifest")
def manifest() -> Response:
    """What makes the pages installable."""
    return FileResponse(_STATIC / "manifest.webmanifest", media_type="application/manifest+json")
