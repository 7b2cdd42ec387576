"""The same seeds and actions give the same episode, bit for bit, whatever form plays it and in whatever process.

Each form lives the same weeks under the same random actions; what is compared is a digest of
every meter, change, reward and crash.
"""

import hashlib
import subprocess
import sys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.rows import Row, demanded
from rhythm.life.cores import PIECE_ROWS
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People
from rhythm.life.step import draw_events, step
from rhythm.life.week import Weeks
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, RhythmError

FIRST_SEED: Final = 1_900_000
FEW: Final = 24
MANY: Final = PIECE_ROWS + 100
"""Enough people that more than one core takes part."""

_OTHER_PROCESS: Final = "from rhythm.bench.determinism import FEW, batch; print(batch(FEW))"


def _lives(count: int) -> tuple[NDArray[np.int64], People, NDArray[np.int8]]:
    """Seeds, people and actions, shape (28, people)."""
    seeds = np.arange(FIRST_SEED, FIRST_SEED + count)
    keys = scramble_seeds(seeds, Stream.POLICY)
    actions = (uniforms(keys[None, :], np.arange(WEEK_STEPS)[:, None]) * ACTION_COUNT).astype(np.int8)
    return seeds, sample_people(seeds, Population.PEAKED), actions


def batch(count: int, *, all_cores: bool = False) -> str:
    """Digest of everybody's weeks lived side by side."""
    seeds, people, actions = _lives(count)
    weeks, digest = Weeks(people, seeds), hashlib.sha256()
    for chosen in actions:
        weeks.take(chosen, all_cores=all_cores)
        for part in (weeks.meters, weeks.deltas, weeks.rewards, weeks.crashes):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def one_by_one(count: int) -> str:
    """Digest of the same weeks, each person alone through the pure step."""
    seeds, people, actions = _lives(count)
    meters = Weeks(people, seeds).meters.copy()
    digest = hashlib.sha256()
    for now, chosen in enumerate(actions):
        alone = [
            step(
                people[i : i + 1],
                meters[i : i + 1],
                chosen[i : i + 1],
                now,
                draw_events(seeds[i : i + 1], now, 1)[:, 0],
            )
            for i in range(count)
        ]
        meters = np.concatenate([s.meters for s in alone])
        for parts in zip(*alone, strict=True):
            digest.update(np.ascontiguousarray(np.concatenate(parts)).tobytes())
    return digest.hexdigest()


def other_process() -> str:
    """Digest of the same weeks, lived by another process.

    Raises:
        RhythmError: the other process failed.
    """
    done = subprocess.run(  # noqa: S603 - this interpreter, our own words
        [sys.executable, "-c", _OTHER_PROCESS], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RhythmError(f"the other process ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


def determinism_row() -> Row:
    """The share of forms that live the same weeks as the batch; it must be 1."""
    few, many = batch(FEW), batch(MANY)
    forms: dict[str, Callable[[], bool]] = {
        "again": lambda: batch(FEW) == few,
        "one by one": lambda: one_by_one(FEW) == few,
        "all cores": lambda: batch(MANY, all_cores=True) == many,
        "other process": lambda: other_process() == few,
    }
    same = {name: form() for name, form in forms.items()}
    different = [name for name, equal in same.items() if not equal]
    note = f"differs: {', '.join(different)}" if different else f"the same bits: {', '.join(same)}"
    return demanded(Row("determinism", sum(same.values()) / len(same), n=len(same), note=note), 1.0, 1.0)
