"""The server: ``python -m server.app --port 8000`` from the package folder, or ``uvicorn server.app:app``.

RHYTHM_POPULATION (``classic`` or ``peaked``), RHYTHM_MAX_SESSIONS and RHYTHM_SECRET set it
up; see `rhythm.sim.openenv.app`.
"""

import argparse
import os
from typing import Any

import uvicorn

from rhythm.sim.openenv import create_week_app


def _whole(text: str) -> Any:
    """The number that a text holds; the text itself, which is then refused by name, where it holds none."""
    return int(text) if text.isdecimal() and len(text) < 10 else text


app = create_week_app(
    population=os.environ.get("RHYTHM_POPULATION", "classic"),
    max_sessions=_whole(os.environ.get("RHYTHM_MAX_SESSIONS", "64")),
)


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="Serve simulated weeks over HTTP and WebSocket.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on")
    options = parser.parse_args()
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
