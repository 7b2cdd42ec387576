"""The server: many sessions at a time, idle ones closed, each with a week of its own.

Without a secret of its own a server would serve the published seeds, whose people anybody
can work out. So it takes the number in RHYTHM_SECRET, or, where that is not set, a fresh
one: then the same seed names another person after every start.
"""

import functools
import logging
import os
from typing import Any, Final

from rhythm.life.populations import Population
from rhythm.sim.arguments import shown, whole_number
from rhythm.sim.conditions import Casting
from rhythm.sim.errors import needs_extra
from rhythm.sim.openenv.environment import ENVIRONMENT_NAME, WeekEnvironment
from rhythm.sim.openenv.models import WeekAction, WeekObservation, WeekState
from rhythm.sim.secret import ENVIRONMENT_VARIABLE, Secret
from rhythm.vocab import InvalidValueError, RhythmError, UnknownNameError
from rhythm.vocab.checks import is_number

with needs_extra("openenv", "openenv"):
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.types import ConcurrencyConfig

MAX_SESSIONS: Final = 64
SESSION_TIMEOUT_S: Final = 900.0
MOST_SESSIONS: Final = 100_000
MODES: Final = ("simulation", "production")

_log = logging.getLogger(__name__)


def create_week_app(
    *,
    population: str = Population.CLASSIC,
    secret: Secret | None = None,
    max_sessions: int = MAX_SESSIONS,
    session_timeout_s: float = SESSION_TIMEOUT_S,
    mode: str | None = None,
) -> Any:
    """The FastAPI application.

    Args:
        population: ``classic`` or ``peaked``.
        secret: a server's own number; None takes RHYTHM_SECRET or a fresh one.
        max_sessions: WebSocket sessions at a time; group-relative training needs one for
            each member of a group.
        session_timeout_s: idle seconds after which a session is closed.
        mode: ``simulation`` or ``production``; None takes OPENENV_MODE.

    Raises:
        UnknownNameError: no such population or mode.
        InvalidValueError: RHYTHM_SECRET holds no whole number, a secret that is none, or no room
            or time for a session.
    """
    max_sessions = whole_number(max_sessions, "max_sessions", 1, MOST_SESSIONS)
    if not is_number(session_timeout_s, 0.0) or not session_timeout_s > 0.0:
        raise InvalidValueError(f"session_timeout_s is a finite number above 0; got {shown(session_timeout_s)}")
    if mode is not None and (not isinstance(mode, str) or mode.lower() not in MODES):
        raise UnknownNameError("mode", mode, MODES)
    if secret is None:
        if not os.environ.get(ENVIRONMENT_VARIABLE, "").strip():
            _log.warning(
                "%s is not set: a seed names the same person only until this server stops", ENVIRONMENT_VARIABLE
            )
        secret = Secret.from_environment()
    Casting(population=population, secret=secret)
    app = create_app(
        functools.partial(WeekEnvironment, population=population, secret=secret),
        WeekAction,
        WeekObservation,
        env_name=ENVIRONMENT_NAME,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=max_sessions, session_timeout=session_timeout_s),
        state_cls=WeekState,
        mode=mode,
    )
    app.add_exception_handler(RhythmError, _refused)
    return app


async def _refused(_request: Any, error: Exception) -> Any:
    """A typed error of ours as an answer over plain HTTP: it says what was got and what is allowed."""
    from starlette.responses import JSONResponse  # noqa: PLC0415 - the extra brings it

    return JSONResponse({"detail": str(error), "type": type(error).__name__}, status_code=422)
