"""Is the planner's posterior what it says: simulation-based calibration, coverage and scores, step by step.

For people from the posterior's own prior (weights half `classic`, half `peaked`, traits
uniform over the whole box) the rank of the truth among the draws must be uniform at every
step (Talts et al. 2018); everyone is compared with draws by random numbers of their own.
People of the ordinary sampler, who are never in the corners, and corner people are not
quite from that prior and are reported apart. Beliefs that are known to 1e-5 have no rank;
how many are is a row of its own.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.play import play
from rhythm.bench.rows import Row, demanded
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People, belief_targets
from rhythm.life.traits import TRAIT_RANGES, TRAITS
from rhythm.policy.face import View
from rhythm.policy.knowledge import Learned
from rhythm.policy.planner import PlanPolicy
from rhythm.vocab import BELIEF_COUNT, METER_COUNT

Floats = NDArray[np.float64]

FIRST_SEED: Final = 2_600_000
STEPS: Final = (0, 1, 2, 3, 5, 7)
RANK_DRAWS: Final = 64
BINS: Final = 13
"""Of the 65 ranks that 64 draws leave, five in each."""
OWN_SEED: Final = 31_000_000
PRIOR: Final = "prior"
GROUPS: Final = (PRIOR, "in-distribution", "ood")
DIMENSIONS: Final = ("social", "morning", "work")
COVERAGE_BAND: Final = (0.75, 0.85)
FEWEST: Final = 200
"""A coverage of fewer beliefs than this is printed and not judged."""
_KNOWN: Final = 1e-5


@dataclass
class Seen:
    """What was seen at one step: for each person and dimension rank of the truth, whether it was covered, scores.

    Attributes:
        rank: how many of the 64 draws are below the truth, shape (people, 3); NaN where the belief is known.
        covered: whether the 80 % interval holds the truth, shape (people, 3); NaN where it is known.
        score: continuous ranked probability score of the draws, shape (people, 3).
    """

    rank: Floats
    covered: Floats
    score: Floats


@dataclass
class _Watched(Learned):
    """A posterior that is compared with the truth at every step that is reported."""

    people_: People
    seen: dict[int, Seen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(len(self.people_))

    def update(self, view: View) -> None:
        """See `Knowledge.update`."""
        super().update(view)
        if view.step in STEPS:
            own = [self._posterior.of(i).draws(RANK_DRAWS, OWN_SEED + i) for i in range(len(self.people_))]
            self.seen[view.step] = compare(np.concatenate(own), self.people_)


def compare(draws: Floats, people: People) -> Seen:
    """Draws beside the truth.

    Args:
        draws: shape (people, draws, 15).
        people: shape (people, 15).
    """
    count, size, width = draws.shape
    drawn = np.sort(belief_targets(draws.reshape(-1, width)).reshape(count, size, BELIEF_COUNT), axis=1)
    truth = belief_targets(people)
    low, high = np.quantile(drawn, [0.1, 0.9], axis=1)
    known = drawn[:, -1] - drawn[:, 0] < _KNOWN
    rank = (drawn < truth[:, None]).sum(axis=1).astype(np.float64)
    inside = ((low <= truth) & (truth <= high)).astype(np.float64)
    # Mean distance to the truth less half the mean distance of two draws (sorted: a weighted sum).
    weights = (2.0 * np.arange(1, size + 1) - size - 1.0) / size**2
    score = np.abs(drawn - truth[:, None]).mean(axis=1) - np.einsum("q,nqk->nk", weights, drawn)
    return Seen(np.where(known, np.nan, rank), np.where(known, np.nan, inside), score)


def watch(people: People, seeds: NDArray[np.int64]) -> dict[int, Seen]:
    """Play the planner and compare what it thinks with the truth, by step."""
    kept: list[_Watched] = []

    def know(_count: int, _told: People | None) -> Learned:
        kept.append(_Watched(people))
        return kept[-1]

    play(PlanPolicy("planner", know), people, seeds)
    return kept[0].seen


def rank_counts(ranks: Floats) -> NDArray[np.int64]:
    """How many ranks there are in each bin, shape (13,); ranks 0 to 64."""
    held = ranks[np.isfinite(ranks)].astype(np.int64)
    counts: NDArray[np.int64] = np.bincount(held * BINS // (RANK_DRAWS + 1), minlength=BINS)
    return counts


def chi_square(ranks: Floats) -> tuple[float, float, int]:
    """Chi-square statistic of ranks 0 to 64 against uniform ones, its p value (12 degrees), and how many there were."""
    held = ranks[np.isfinite(ranks)]
    if len(held) < 5 * BINS:
        return math.nan, math.nan, len(held)
    counts = rank_counts(held)
    expected = len(held) / BINS
    statistic = float(((counts - expected) ** 2 / expected).sum())
    half = statistic / 2.0
    p = math.exp(-half) * sum(half**k / math.factorial(k) for k in range((BINS - 1) // 2))
    return statistic, p, len(held)


def groups(people: int) -> dict[str, tuple[People, NDArray[np.int64]]]:
    """Who is asked, by name: people of the prior, of the ordinary sampler, and of the corners."""
    found: dict[str, tuple[People, NDArray[np.int64]]] = {}
    for place, name in enumerate(GROUPS):
        seeds = FIRST_SEED + 100_000 * place + np.arange(people, dtype=np.int64)
        parts = zip((seeds[: people // 2], seeds[people // 2 :]), Population, strict=True)
        rows = np.concatenate([sample_people(part, kind, corners=name == "ood") for part, kind in parts])
        if name == PRIOR:
            low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
            high = np.array([TRAIT_RANGES[t][1] for t in TRAITS])
            keys = scramble_seeds(seeds, Stream.POLICY)
            rows[:, METER_COUNT:] = low + uniforms(keys[:, None], np.arange(len(TRAITS))[None]) * (high - low)
        found[name] = rows, seeds
    return found


def calibration(
    people: int, on_progress: Callable[[str, int], None] = lambda _what, _more: None
) -> tuple[list[Row], dict[str, Any]]:
    """Rows of the table, and what its picture shows.

    Args:
        people: in each of the two groups.
        on_progress: told of each group that was played.
    """
    rows: list[Row] = []
    panels: list[dict[str, Any]] = []
    for name, (profiles, seeds) in groups(people).items():
        seen = watch(profiles, seeds)
        on_progress(name, people)
        start = seen[0].score
        for step, found in seen.items():
            rows += _rows_at(name, step, found, start)
        panels.append(
            {
                "condition": name,
                "steps": list(STEPS),
                "coverage": [float(np.nanmean(seen[step].covered)) for step in STEPS],
                "ranks": {str(step): rank_counts(seen[step].rank).tolist() for step in STEPS},
            }
        )
    return rows, {"title": "Calibration of the planner's posterior", "bins": BINS, "panels": panels}


def _rows_at(condition: str, step: int, seen: Seen, start: Floats) -> list[Row]:
    rows: list[Row] = []
    held = seen.covered[np.isfinite(seen.covered)]
    total = seen.covered.size
    rows.append(Row(f"known_exactly/step-{step}/{condition}", 1.0 - len(held) / total, n=total))
    if len(held):
        value = float(held.mean())
        error = 1.96 * math.sqrt(value * (1.0 - value) / len(held))
        row = Row(f"coverage80/step-{step}/{condition}", value, value - error, value + error, len(held))
        judged = condition != "ood" and len(held) >= FEWEST
        rows.append(demanded(row, *COVERAGE_BAND) if judged else row)
    for k, dimension in enumerate(DIMENSIONS):
        statistic, p, count = chi_square(seen.rank[:, k])
        if condition == PRIOR and math.isfinite(statistic):
            rows.append(Row(f"rank_chi_square/{dimension}-step-{step}/{condition}", statistic, n=count))
            rows.append(Row(f"rank_p/{dimension}-step-{step}/{condition}", p, n=count))
        score = float(seen.score[:, k].mean())
        rows.append(Row(f"crps/{dimension}-step-{step}/{condition}", score, n=len(seen.score)))
        if step:
            rows.append(Row(f"crps_skill/{dimension}-step-{step}/{condition}", 1.0 - score / float(start[:, k].mean())))
    return rows
