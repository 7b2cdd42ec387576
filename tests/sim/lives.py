"""The same weeks lived through each face in process; run as a program, prints one week's digest."""

import hashlib
import sys
from collections.abc import Iterable

import gymnasium
import numpy as np

import rhythm.sim
from rhythm.life.constants import START_METERS
from rhythm.life.step import draw_events, step
from rhythm.life.week import Weeks
from rhythm.sim.conditions import Casting
from rhythm.vocab import METERS, Observation

rhythm.sim.register()

Moment = tuple[np.ndarray, np.ndarray, float, int]
"""Meters and deltas after a step, what it paid, and the event of the next slot."""


def decisions(seed: int) -> list[int]:
    """A fixed plan of 28 actions."""
    return [(seed * 31 + step * 7 + step * step) % 10 for step in range(28)]


def digest(moments: Iterable[Moment]) -> str:
    """A digest of every bit of a week."""
    found = hashlib.sha256()
    for meters, deltas, reward, event in moments:
        found.update(np.ascontiguousarray(meters, np.float64).tobytes())
        found.update(np.ascontiguousarray(deltas, np.float64).tobytes())
        found.update(np.float64(reward).tobytes() + bytes([event]))
    return found.hexdigest()


def by_pure_step(seed: int, condition: str) -> str:
    """One person, by the pure step."""
    person = Casting(condition).people(np.array([seed]))
    events = draw_events(np.array([seed]), 0, 28)[0]
    meters, moments = np.array([START_METERS]), []
    for slot, action in enumerate(decisions(seed)):
        done = step(person, meters, np.array([action]), slot, np.array([events[slot]]))
        meters = done.meters
        moments.append((meters[0], done.deltas[0], done.rewards[0], int(events[slot + 1]) if slot < 27 else 0))
    return digest(moments)


def by_batch(seeds: list[int], condition: str, *, all_cores: bool) -> list[str]:
    """Everyone at once, in one engine, padded with strangers so that the cores do share them."""
    everyone = np.concatenate([seeds, np.arange(10**6, 10**6 + 20_000)])
    weeks = Weeks(Casting(condition).people(everyone), everyone)
    plans = np.array([decisions(seed) for seed in everyone.tolist()])
    moments: list[list[Moment]] = [[] for _ in seeds]
    for slot in range(28):
        weeks.take(plans[:, slot], all_cores=all_cores)
        for i, kept in enumerate(moments):
            kept.append((weeks.meters[i].copy(), weeks.deltas[i].copy(), weeks.rewards[i], int(weeks.events[i])))
    return [digest(kept) for kept in moments]


def by_gymnasium(seed: int, condition: str) -> str:
    """One person, in the registered environment."""
    env = gymnasium.make("rhythm/Week-v0", condition=condition)
    env.reset(seed=seed)
    moments = []
    for action in decisions(seed):
        seen, reward, *_ = env.step(action)
        moments.append((seen["meters"], seen["deltas"], float(reward), seen["event"]))
    return digest(moments)


def by_vector(seeds: list[int], condition: str, *, copy: bool) -> list[str]:
    """Everyone at once, in the native vector environment."""
    env = gymnasium.make_vec(
        "rhythm/Week-v0", num_envs=len(seeds), condition=condition, copy=copy, autoreset="disabled"
    )
    env.reset(seed=seeds)  # type: ignore[arg-type]
    plans = np.array([decisions(seed) for seed in seeds])
    moments: list[list[Moment]] = [[] for _ in seeds]
    for slot in range(28):
        seen, rewards, *_ = env.step(plans[:, slot])
        for i, kept in enumerate(moments):
            kept.append((seen["meters"][i].copy(), seen["deltas"][i].copy(), rewards[i], int(seen["event"][i])))
    return [digest(kept) for kept in moments]


def by_records(records: Iterable[Observation]) -> str:
    """A week that was recorded, one observation after each step."""
    return digest(
        (
            np.array([seen.meters[meter] for meter in METERS], np.float64),
            np.array(seen.deltas),
            seen.last_reward,
            seen.event,
        )
        for seen in records
    )


if __name__ == "__main__":
    sys.stdout.write(by_pure_step(int(sys.argv[1]), sys.argv[2]))
