"""How fast the simulator is, measured: the native vector environment beside Gymnasium's own.

What is timed is ``step`` as a caller sees it: checking the actions (int64, as the action space
has them), the engine, building the observation, rewards and ends. Without a window the
observation holds the moment, event, meters, deltas, last action and last reward; the full
window adds actions, rewards, deltas and anomalies of the last seven steps. Observations are
views (``copy=False``, in Gymnasium's environment too) unless a row says ``copied``. Drawing new
people is not timed, except in ``steps_per_s_with_resets``. Rounds go through all forms in
turn, so that other work on the machine falls on each alike; ``load`` in the config says how
much of it there was.
"""

import os
import time
from collections.abc import Callable
from importlib.metadata import version
from statistics import median
from typing import Any, Final

import numpy as np

from rhythm.life.constants import LIFE_VERSION
from rhythm.life.cores import CORES
from rhythm.sim.arguments import whole_number
from rhythm.sim.errors import needs_extra
from rhythm.sim.gym_env import WeekEnv
from rhythm.sim.memory import check_fits, needed_bytes
from rhythm.sim.vector_env import WeekVectorEnv
from rhythm.sim.watched import MOST_PEOPLE
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, WINDOW_STEPS

with needs_extra("gymnasium", "sim"):
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

SCHEMA: Final = "rhythm.speed/1"
BATCH: Final = 65_536
ROUNDS: Final = 15
SYNC_ENVS: Final = 16
_FIRST_SEED: Final = 2**40
_MOST_ROUNDS: Final = 10**6

Row = dict[str, Any]
Timed = Callable[[], float]


def measure(batch: int = BATCH, rounds: int = ROUNDS, progress: Callable[[str, int], None] | None = None) -> Row:
    """Measure.

    Args:
        batch: people in the native vector environment.
        rounds: weeks that each form is timed for; one more warms it up.
        progress: called after each of the ``rounds + 1`` rounds with what was done and 1.

    Returns:
        One object with ``schema``, ``config`` and ``rows``. A row has ``name`` and ``value``;
        rates are medians over the rounds with ``low`` and ``high`` (slowest and fastest
        round) and ``n``. Rows: ``steps_per_s``, ``steps_per_s_one_core``,
        ``steps_per_s_full_window``, ``steps_per_s_full_window_copied``,
        ``steps_per_s_with_resets``, ``steps_per_s_sync_vector``; ``ratio`` and
        ``ratio_no_window`` to Gymnasium's; ``bytes_per_person`` and
        ``bytes_per_person_full_window``.

    Raises:
        InvalidValueError: no rounds, or no people.
        NotEnoughMemoryError: more people than the machine's memory holds.
    """
    batch, rounds = whole_number(batch, "batch", 1, MOST_PEOPLE), whole_number(rounds, "rounds", 1, _MOST_ROUNDS)
    check_fits(_needed_bytes(batch), f"measuring {batch:,} people side by side")
    load = os.getloadavg()[0]
    bare = WeekVectorEnv(batch, window=0, copy=False, autoreset="disabled")
    full = WeekVectorEnv(batch, copy=False, autoreset="disabled")
    forms: dict[str, Timed] = {
        "steps_per_s": _week_of(bare, batch),
        "steps_per_s_one_core": _week_of(
            WeekVectorEnv(batch, window=0, copy=False, autoreset="disabled", all_cores=False), batch
        ),
        "steps_per_s_full_window": _week_of(full, batch),
        "steps_per_s_full_window_copied": _week_of(WeekVectorEnv(batch, copy=True, autoreset="disabled"), batch),
        "steps_per_s_with_resets": _week_of(bare, batch, with_reset=True),
        "steps_per_s_sync_vector": _week_of(_sync(), SYNC_ENVS),
    }
    rates: dict[str, list[float]] = {name: [] for name in forms}
    for done in range(rounds + 1):
        for name, timed in forms.items():
            rate = timed()
            if done:
                rates[name].append(rate)
        if progress:
            progress(f"round {done}" if done else "warm-up", 1)
    rows: list[Row] = [_row(name, found) for name, found in rates.items()]
    sync = np.array(rates["steps_per_s_sync_vector"])
    for name, form in (("ratio", "steps_per_s_full_window"), ("ratio_no_window", "steps_per_s")):
        rows.append(_row(name, (np.array(rates[form]) / sync).tolist()))
    rows.append({"name": "bytes_per_person", "value": bare.bytes_per_person()})
    rows.append({"name": "bytes_per_person_full_window", "value": full.bytes_per_person()})
    return {"schema": SCHEMA, "config": _config(batch, rounds, load), "rows": rows}


def _needed_bytes(batch: int) -> int:
    """What the forms take together: two without a window, two with it, a week of actions (int64) for each."""
    return 2 * needed_bytes(batch, 0) + 2 * needed_bytes(batch, WINDOW_STEPS) + 5 * 8 * WEEK_STEPS * batch


def _config(batch: int, rounds: int, load: float) -> Row:
    return {
        "batch": batch,
        "sync_envs": SYNC_ENVS,
        "rounds": rounds,
        "steps_per_round": WEEK_STEPS,
        "window": WINDOW_STEPS,
        "cores": CORES,
        "load": {"before": load, "after": os.getloadavg()[0]},
        "versions": {name: version(name) for name in ("gymnasium", "numba", "numpy")} | {"life": LIFE_VERSION},
    }


def _row(name: str, found: list[float]) -> Row:
    return {"name": name, "value": median(found), "low": min(found), "high": max(found), "n": len(found)}


def _sync() -> SyncVectorEnv:
    return SyncVectorEnv([WeekEnv] * SYNC_ENVS, copy=False, autoreset_mode=AutoresetMode.DISABLED)


def _week_of(env: Any, count: int, *, with_reset: bool = False) -> Timed:
    """A function that lives one week of everyone and gives steps/s."""
    actions = np.random.default_rng(0).integers(0, ACTION_COUNT, (WEEK_STEPS, count))
    seed = _FIRST_SEED

    def timed() -> float:
        nonlocal seed
        seed += count
        before = time.perf_counter()
        env.reset(seed=seed)
        if not with_reset:
            before = time.perf_counter()
        for chosen in actions:
            env.step(chosen)
        return WEEK_STEPS * count / (time.perf_counter() - before)

    return timed
