"""`make fuzz`: damaged files for every reader, led by what lines they reach, until the time is over.

    PYTHONPATH=src:tests python -m fuzz --seconds 600 --seed 1 [--keep]

Prints how much was tried, what was slowest and how far memory grew; ends with status 1 at a crash; its file is then in
the working folder. With --keep, files that reach lines no kept file reaches go into the corpus, smallest first.
"""

import argparse
import hashlib
import random
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz.mutating import mutated
from fuzz.readers import CORPUS, SEEDS, corpus, read_broken_zip, read_damaged, scratch, whole_zip
from rhythm.bridge.wearables.apple_speed import peak_bytes

MOST_SECONDS_A_FILE = 5.0
MOST_MB = 500
LARGEST_KEPT = 6_000
MOST_KEPT = 5
"""Of a kind: the corpus is to stay small."""
_OURS = "/rhythm/bridge/"

Edge = tuple[str, int, int]


class Tracer:
    """Counts the steps from line to line of the bridge that were never taken before."""

    def __init__(self) -> None:
        self.seen: set[Edge] = set()
        self.new = 0

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Follow a call where it is ours."""
        name = frame.f_code.co_filename
        if _OURS not in name:
            return None
        last = 0

        def follow(inner: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "line":
                edge = name, last, inner.f_lineno
                last = inner.f_lineno
                if edge not in self.seen:
                    self.seen.add(edge)
                    self.new += 1
            return follow

        return follow


def run(seconds: float, seed: int, *, keep: bool = False) -> int:
    """Fuzz for so long; how many crashes and slow files."""
    draw, tracer, pool = random.Random(seed), Tracer(), corpus()
    kinds, tried, bad, slowest = sorted(SEEDS), 0, 0, 0.0
    held = peak_bytes()
    ends = time.monotonic() + seconds
    with scratch() as folder:
        while time.monotonic() < ends:
            kind = draw.choice(kinds)
            data = mutated(draw.choice(pool[kind]), draw)
            tracer.new = 0
            begun = time.monotonic()
            tried += 1
            sys.settrace(tracer)
            try:
                read_damaged(kind, data, Path(folder), as_zip=kind != "calendar" and draw.random() < 0.2)
                if kind != "calendar" and draw.random() < 0.1:
                    read_broken_zip(kind, mutated(whole_zip(kind), draw), Path(folder))
            except Exception:  # noqa: BLE001 - a crash is what is looked for
                sys.settrace(None)
                bad += 1
                Path(f"crash-{kind}-{seed}-{tried}").write_bytes(data)
                traceback.print_exc(limit=-3)
            finally:
                sys.settrace(None)
            if time.monotonic() - begun > MOST_SECONDS_A_FILE:  # watched, a reader takes many times as long
                lasted = _seconds_unwatched(kind, data, Path(folder))
                slowest = max(slowest, lasted)
                bad += lasted > MOST_SECONDS_A_FILE
            if tracer.new and len(data) < 60_000:
                pool[kind].append(data)
    if keep:
        _keep(pool)
    more_mb = (peak_bytes() - held) >> 20
    sys.stdout.write(
        f"seed {seed}: {tried} files, {len(tracer.seen)} edges, {bad} crashes or slow files, "
        f"slowest of those watched long {slowest:.2f} s, {more_mb} MB more than at first\n"
    )
    return bad + (more_mb > MOST_MB)


def _seconds_unwatched(kind: str, data: bytes, folder: Path) -> float:
    begun = time.monotonic()
    read_damaged(kind, data, folder)
    return time.monotonic() - begun


def _keep(pool: dict[str, list[bytes]]) -> None:
    """Puts the files that reach most into the corpus, a few of each kind."""
    for kind, files in pool.items():
        tracer, kept = Tracer(), 0
        with scratch() as folder:
            for data in [files[0], *sorted((f for f in files[1:] if len(f) <= LARGEST_KEPT), key=len)]:
                tracer.new = 0
                sys.settrace(tracer)
                read_damaged(kind, data, Path(folder))
                sys.settrace(None)
                if tracer.new >= 3 and data != files[0] and kept < MOST_KEPT:
                    kept += 1
                    name = hashlib.blake2b(data, digest_size=6).hexdigest()
                    (CORPUS / f"{kind}-{name}").write_bytes(data)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=600.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", action="store_true")
    chosen = options.parse_args()
    sys.exit(min(1, run(chosen.seconds, chosen.seed, keep=chosen.keep)))
