"""The benchmark of taps: how many answers each learner needs, how often it is right, how much more than Rhythm.

Asked are simulated people of the three archetypes in turn whose answering styles are drawn
from the widest range. Whoever is not known after eight weeks counts with the taps so far, so
means and quantiles of the slow learners are lower ends. The learners ``told-...`` are told what
others must guess: what they need is what answers can tell at best.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from rhythm.bench import statistics
from rhythm.bench.rows import Row, demanded
from rhythm.bench.taps_bound import Told, best_taps
from rhythm.bench.taps_learners import LEARNERS
from rhythm.bench.taps_play import Taps, play_taps
from rhythm.vocab import SLOTS_PER_DAY, UnknownNameError

FIRST_SEED: Final = 1_400_000
PEOPLE: Final = 300
OURS: Final = "rhythm"
NAMES: Final = (*LEARNERS, *(told.value for told in Told))
"""Every learner."""


def run(names: Sequence[str], people: int, on_progress: Callable[[str, int], None]) -> dict[str, Taps]:
    """Ask everyone by each learner.

    Raises:
        UnknownNameError: a name that is no learner.
    """
    for name in names:
        if name not in NAMES:
            raise UnknownNameError("learner", name, NAMES)
    seeds = np.arange(FIRST_SEED, FIRST_SEED + people)
    asked: dict[str, Taps] = {}
    for name in dict.fromkeys((OURS, *names)):
        known = [0]

        def count_one(name: str = name, known: list[int] = known) -> None:
            known[0] += 1
            on_progress(name, 1)

        told = name not in LEARNERS
        asked[name] = best_taps(seeds, Told(name)) if told else play_taps(seeds, LEARNERS[name], on_person=count_one)
        on_progress(name, people - known[0])
    return asked


def rows_of(asked: dict[str, Taps]) -> list[Row]:
    """Median and 90th percentile of taps, days, share known and right, and the ratio of mean taps to Rhythm's."""
    rows: list[Row] = []
    ours = asked[OURS].taps.astype(np.float64)
    for name, taps in asked.items():
        counts = taps.taps.astype(np.float64)
        median = _row(f"taps-median/{name}", statistics.quantile_estimate(counts, 0.5))
        slow = _row(f"taps-p90/{name}", statistics.quantile_estimate(counts, 0.9))
        right = _row(f"right/{name}", statistics.mean(taps.right.astype(np.float64)))
        if name == OURS:
            median, slow, right = demanded(median, None, 4.0), demanded(slow, None, 8.0), demanded(right, 0.95, None)
        days = _row(f"days-median/{name}", statistics.quantile_estimate(taps.slots / SLOTS_PER_DAY, 0.5))
        rows += [median, slow, right, days, _row(f"known/{name}", statistics.mean(taps.known.astype(np.float64)))]
        if name != OURS:
            rows.append(_row(f"taps-ratio/{name}", statistics.ratio(counts, ours)))
    return rows


def _row(name: str, estimate: statistics.Estimate | None) -> Row:
    assert estimate is not None
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)
