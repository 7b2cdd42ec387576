"""The suite: v2 is fooled, v3 is not, and a grader that could be fooled would be found out."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rhythm.bench import run as bench_run
from rhythm.bench.adversaries import V3_GAINS, adversary_rows, gains, suite_policies
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.graders import grade_week, wellbeing_of_week
from rhythm.bench.play import play
from rhythm.bench.report import gains_table
from rhythm.bench.rows import Row
from rhythm.life.populations import Population, sample_people
from rhythm.policy.adversaries import TWINS
from rhythm.policy.registry import make_policy
from rhythm.policy.simple import CyclePolicy
from rhythm.vocab import ACTIONS

SEEDS = np.arange(700_000, 700_400)
PEOPLE = sample_people(SEEDS, Population.PEAKED)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    patch = pytest.MonkeyPatch()
    for name, sealed in (("in-distribution", False), ("in-distribution-sealed", True)):
        patch.setitem(CONDITIONS, name, Condition(name, range(20), sealed=sealed))
    folder: Path = tmp_path_factory.mktemp("suite")
    played = bench_run.run(suite_policies(), ["in-distribution", "archetypes", "in-distribution-sealed"], folder)
    found = adversary_rows(played)
    patch.undo()
    return found


def test_v2_pays_for_sandbagging_and_for_a_constant_belief(rows: list[Row]) -> None:
    paid = {r.name.split("/")[1]: r for r in rows if r.metric == "v2_gain" and r.name.endswith("/in-distribution")}
    for trick, least in (("sandbagger", 0.03), ("constant", 0.12), ("random-belief", 0.10)):
        low = paid[trick].low
        assert low is not None
        assert low > least, trick
    assert paid["sandbagger"].ok
    assert paid["constant"].ok


def test_v3_pays_for_no_trick(rows: list[Row]) -> None:
    graded = [r for r in rows if r.metric in V3_GAINS]
    assert {r.name.split("/")[1] for r in graded} == set(TWINS)
    assert [r for r in graded if r.ok is False] == []
    judged = {r.name.split("/")[1] for r in graded if r.ok and r.name.endswith("-sealed")}
    assert judged == set(TWINS)


def test_a_table_of_the_benchmark_gains_everything_on_open_seeds_and_nothing_on_sealed_ones(rows: list[Row]) -> None:
    gained = {r.name.split("/")[2]: r for r in rows if r.name.startswith("wellbeing_gain/tabulator/")}
    assert all(row.ok for row in gained.values())
    low, high = gained["in-distribution"].low, gained["in-distribution-sealed"].high
    assert low is not None
    assert low > 0.08
    assert high is not None
    assert high <= 0.0
    captured = next(r for r in rows if r.name == "captured_gain/tabulator/in-distribution")
    assert captured.value == 1.0


def test_v3_charges_for_sandbagging(rows: list[Row]) -> None:
    row = next(r for r in rows if r.name == "wellbeing_gain/sandbagger/in-distribution")
    assert row.high is not None
    assert row.high < -0.2


@pytest.mark.parametrize("length", [1, 2])
def test_no_cycle_of_one_or_two_actions_beats_the_heuristic_on_wellbeing(length: int) -> None:
    honest = wellbeing_of_week(play(make_policy("heuristic"), PEOPLE, SEEDS))
    cycles = list(product(ACTIONS, repeat=length))
    assert len(cycles) == 10**length
    best = max(wellbeing_of_week(play(CyclePolicy("cycle", cycle), PEOPLE, SEEDS)).mean() for cycle in cycles)
    assert best < honest.mean()


def test_the_suite_finds_out_who_does_better() -> None:
    """It would notice a gain: here the teller's is one over somebody who says nothing."""
    by_name = {n: grade_week(play(make_policy(n), PEOPLE, SEEDS), Population.PEAKED) for n in ("teller", "heuristic")}
    average = wellbeing_of_week(play(make_policy("honest-week"), PEOPLE, SEEDS))
    found = gains(by_name["teller"], by_name["heuristic"], by_name["heuristic"]["wellbeing"], average)
    assert found["belief_skill_gain"].low > 0.6
    assert found["crps_skill_gain"].low > 0.6
    assert found["identified_gain"].low > 5.0
    assert found["wellbeing_gain"].value == found["captured_gain"].value == 0.0


def test_the_table_has_a_line_for_each_trick(rows: list[Row]) -> None:
    ours = [r for r in rows if r.name.endswith("/archetypes")]
    assert gains_table("Gains", ours).row_count == len(TWINS)
