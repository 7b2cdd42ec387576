"""The simulated week as an OpenEnv environment: server, models, client, validation.

The only place that imports OpenEnv, which takes seconds; install ``rhythm[openenv]``.
Agents talk to it over HTTP and WebSocket and never share a process with the hidden person.
"""

from rhythm.sim.openenv.app import create_week_app
from rhythm.sim.openenv.client import WeekClient
from rhythm.sim.openenv.environment import WeekEnvironment
from rhythm.sim.openenv.models import PastStepModel, StructuredDecision, WeekAction, WeekObservation, WeekState
from rhythm.sim.openenv.rubric import PartRubric, WeekRubric
from rhythm.sim.openenv.tasks import TaskNotFoundError

__all__ = [
    "PartRubric",
    "PastStepModel",
    "StructuredDecision",
    "TaskNotFoundError",
    "WeekAction",
    "WeekClient",
    "WeekEnvironment",
    "WeekObservation",
    "WeekRubric",
    "WeekState",
    "create_week_app",
]
