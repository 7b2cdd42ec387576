"""The adversary suite: what each trick gains over its honest twin, on the grader it can fool and on v3.

Rows are named ``gain/adversary/condition`` with the gain's name in front: ``v2_gain``,
``wellbeing_gain``, ``captured_gain``, ``belief_skill_gain``, ``crps_skill_gain``,
``identified_gain`` (steps saved in the median). A twin that states no belief has skill 0 and
identifies nobody. A v3 gain is ``ok`` unless its whole interval is above
0; on v2 the sandbagger and the constant belief must gain, since that is the reason for v3. A
policy with a table of the open seeds must gain there, on v3 too, since that is the reason for
sealed conditions; on those it must not.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.conditions import CONDITIONS, EVERYONE
from rhythm.bench.results import Result
from rhythm.bench.rows import Row
from rhythm.bench.statistics import Estimate, resamples
from rhythm.life.populations import Population
from rhythm.policy.adversaries import TWINS
from rhythm.vocab import WEEK_STEPS

Floats = NDArray[np.float64]
Graded = Mapping[str, Floats]

V3_GAINS: Final = ("wellbeing_gain", "captured_gain", "belief_skill_gain", "crps_skill_gain", "identified_gain")
MUST_FOOL_V2: Final = frozenset({"sandbagger", "average-v2", "constant"})
"""Adversaries whose gain on v2 is demanded: tricks that v2 is known to pay for."""

MUST_FOOL_OPEN_SEEDS: Final = frozenset({"tabulator"})
"""Adversaries whose gain in wellbeing is demanded where the seeds are open to everybody."""

MAY_FOOL_OPEN_SEEDS: Final = MUST_FOOL_OPEN_SEEDS | {"rememberer"}
"""Adversaries that may recognise people there."""


def suite_policies() -> tuple[str, ...]:
    """Every adversary and every twin, each once."""
    return tuple(dict.fromkeys((*TWINS, *TWINS.values())))


def gains(adversary: Graded, twin: Graded, average: Floats, oracle: Floats) -> dict[str, Estimate]:
    """What an adversary gains on v3, paired by seed.

    Args:
        adversary: its grades of each person (see `rhythm.bench.graders.grade_week`).
        twin: those of its honest twin.
        average: wellbeing of each person under the average person's planner.
        oracle: wellbeing of each person under the oracle.
    """
    better = adversary["wellbeing"] - twin["wellbeing"]
    found = {"wellbeing_gain": statistics.mean(better)}
    if captured := statistics.ratio(better, oracle - average):
        found["captured_gain"] = captured
    if "belief_error" not in adversary:
        return found
    for name, score, reference in (
        ("belief_skill_gain", "belief_error", "constant_error"),
        ("crps_skill_gain", "crps", "crps_reference"),
    ):
        scale = adversary[reference]
        skilled = statistics.ratio(twin.get(score, scale) - adversary[score], scale)
        if skilled is not None:
            found[name] = skilled
    never = np.full(len(better), float(WEEK_STEPS))
    found["identified_gain"] = _median_gain(twin.get("steps_to_identify", never), adversary["steps_to_identify"])
    return found


def _median_gain(longer: Floats, shorter: Floats) -> Estimate:
    drawn = resamples(len(longer))
    difference = drawn.quantiles(longer, 0.5) - drawn.quantiles(shorter, 0.5)
    low, high = np.quantile(difference, statistics.INTERVAL)
    value = statistics.quantile(longer, 0.5) - statistics.quantile(shorter, 0.5)
    return Estimate(value, float(low), float(high), len(longer))


def adversary_rows(results: Sequence[Result]) -> list[Row]:
    """Rows of every adversary whose results, twin's and references' are among these."""
    by_key = {(r.policy, r.condition, r.population): _arrays(r) for r in results}
    conditions = dict.fromkeys(r.condition for r in results)
    rows = []
    for condition in conditions:
        for adversary, twin in TWINS.items():
            rows += _v2_rows(by_key, adversary, twin, condition)
            rows += _v3_rows(by_key, adversary, twin, condition)
    return rows


def _arrays(result: Result) -> dict[str, Floats]:
    return {name: np.array(values) for name, values in result.graded.items()}


_Played = Mapping[tuple[str, str, str], Graded]


def _find(played: _Played, policy: str, condition: str, population: Population) -> Graded | None:
    return played.get((policy, condition, population.value)) or played.get((policy, condition, EVERYONE))


def _v2_rows(played: _Played, adversary: str, twin: str, condition: str) -> list[Row]:
    tricked = _find(played, adversary, condition, Population.CLASSIC)
    honest = _find(played, twin, condition, Population.CLASSIC)
    if tricked is None or honest is None:
        return []
    gain = statistics.mean(tricked["v2"] - honest["v2"])
    row = Row(f"v2_gain/{adversary}/{condition}", gain.value, gain.low, gain.high, gain.n, note=f"over {twin}")
    if adversary not in MUST_FOOL_V2:
        return [row]
    return [Row(row.name, row.value, row.low, row.high, row.n, band=(0.0, None), ok=gain.low > 0.0, note=row.note)]


def _v3_rows(played: _Played, adversary: str, twin: str, condition: str) -> list[Row]:
    four = [_find(played, policy, condition, Population.PEAKED) for policy in (adversary, twin, "average", "oracle")]
    tricked, honest, average, oracle = four
    if tricked is None or honest is None or average is None or oracle is None:
        return []
    found = gains(tricked, honest, average["wellbeing"], oracle["wellbeing"])
    recognised = adversary in MAY_FOOL_OPEN_SEEDS and not CONDITIONS[condition].sealed
    return [_v3_row(f"{name}/{adversary}/{condition}", gain, twin, recognised) for name, gain in found.items()]


def _v3_row(name: str, gain: Estimate, twin: str, recognised: bool) -> Row:
    note = f"over {twin}"
    if not recognised:
        band, ok = (None, 0.0), not gain.low > 0.0
        return Row(name, gain.value, gain.low, gain.high, gain.n, band=band, ok=ok, note=note)
    note += "; open seeds"
    metric, adversary, _ = name.split("/")
    if metric != "wellbeing_gain" or adversary not in MUST_FOOL_OPEN_SEEDS:
        return Row(name, gain.value, gain.low, gain.high, gain.n, note=note)
    return Row(name, gain.value, gain.low, gain.high, gain.n, band=(0.0, None), ok=gain.low > 0.0, note=note)
