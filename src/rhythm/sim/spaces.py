"""Gymnasium's description of what can be seen and done."""

from typing import Any, Final

import numpy as np

from rhythm.life.constants import CONNECTION_BONUS, CRASH_PENALTY, PROGRESS_BONUS, REWARD_SCALE
from rhythm.sim.errors import needs_extra
from rhythm.sim.watched import NO_ACTION
from rhythm.vocab import ACTION_COUNT, DAYS_PER_WEEK, EVENT_COUNT, METER_COUNT, SLOTS_PER_DAY, WEEK_STEPS

with needs_extra("gymnasium", "sim"):
    from gymnasium import spaces

REWARD_LIMIT: Final = REWARD_SCALE + PROGRESS_BONUS + CONNECTION_BONUS + CRASH_PENALTY * METER_COUNT
"""No step can pay more, or cost more, than this."""


def action_space() -> spaces.Discrete:
    """The ten actions by index, always legal."""
    return spaces.Discrete(ACTION_COUNT)


def observation_space(window: int) -> spaces.Dict:
    """What one person's decider sees; see `rhythm.sim.watched.WatchedWeeks.view`.

    Args:
        window: past steps that are carried, 0..7.
    """
    parts: dict[str, spaces.Space[Any]] = {
        "step": spaces.Discrete(WEEK_STEPS + 1, dtype=np.int8),
        "day": spaces.Discrete(DAYS_PER_WEEK, dtype=np.int8),
        "slot": spaces.Discrete(SLOTS_PER_DAY, dtype=np.int8),
        "remaining": spaces.Discrete(WEEK_STEPS + 1, dtype=np.int8),
        "event": spaces.Discrete(EVENT_COUNT, dtype=np.int8),
        "meters": spaces.Box(0.0, 1.0, (METER_COUNT,), np.float64),
        "deltas": spaces.Box(-1.0, 1.0, (METER_COUNT,), np.float64),
        "last_action": spaces.Discrete(ACTION_COUNT + 1, start=NO_ACTION, dtype=np.int8),
        "last_reward": spaces.Box(-REWARD_LIMIT, REWARD_LIMIT, (), np.float64),
    }
    if window:
        parts["recent_action"] = spaces.Box(NO_ACTION, ACTION_COUNT - 1, (window,), np.int8)
        parts["recent_reward"] = spaces.Box(-REWARD_LIMIT, REWARD_LIMIT, (window,), np.float64)
        parts["recent_deltas"] = spaces.Box(-1.0, 1.0, (window, METER_COUNT), np.float64)
        parts["recent_anomalies"] = spaces.Box(-2.0, 2.0, (window, METER_COUNT), np.float64)
    return spaces.Dict(parts)
