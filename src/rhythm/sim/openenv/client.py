"""A typed client of the server, on OpenEnv's own: one WebSocket session, one week at a time."""

from typing import Any

from rhythm.sim.errors import needs_extra
from rhythm.sim.openenv.models import WeekAction, WeekObservation, WeekState

with needs_extra("openenv", "openenv"):
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult


class WeekClient(EnvClient[WeekAction, WeekObservation, WeekState]):  # type: ignore[misc]
    """Talks to a week server: ``with WeekClient(base_url=url).sync() as client: client.reset(seed=1)``."""

    def _step_payload(self, action: WeekAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(mode="json", exclude_defaults=True)
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        reward, done = payload.get("reward"), bool(payload.get("done"))
        observation = WeekObservation.model_validate({**payload["observation"], "reward": reward, "done": done})
        return StepResult(observation=observation, reward=reward, done=done, metadata=payload.get("metadata"))

    def _parse_state(self, payload: dict[str, Any]) -> WeekState:
        state: WeekState = WeekState.model_validate(payload)
        return state
