"""What more time brings the planner: one variant is the planner itself, and hindsight costs and changes."""

from pathlib import Path

import numpy as np
import pytest

from rhythm.bench import effort
from rhythm.bench.play import play
from rhythm.bench.plots.knowing import draw_effort
from rhythm.life.populations import Population, sample_people
from rhythm.policy.registry import make_policy

PEOPLE = 12


@pytest.fixture(scope="module")
def measured() -> tuple[dict[str, float | None], dict[str, object]]:
    few = {name: effort.EFFORTS[name] for name in (effort.AS_IT_IS, "mean-256")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effort, "EFFORTS", few)
        rows, data = effort.effort_rows(PEOPLE)
    return {row.name: row.value for row in rows}, data


def test_the_planner_as_it_is_is_the_planner() -> None:
    seeds = effort.FIRST_SEED + np.arange(PEOPLE)
    people = sample_people(seeds, Population.PEAKED)
    same = play(effort.EffortPolicy(effort.AS_IT_IS, effort.EFFORTS[effort.AS_IT_IS]), people, seeds)
    np.testing.assert_array_equal(same.actions, play(make_policy("planner"), people, seeds).actions)


def test_hindsight_costs_more_and_decides_otherwise(
    measured: tuple[dict[str, float | None], dict[str, object]],
) -> None:
    rows, _ = measured
    slow, quick = rows[f"decision_ms/{effort.AS_IT_IS}"], rows["decision_ms/mean-256"]
    assert slow is not None
    assert quick is not None
    assert slow > quick > 0.0
    assert rows[f"captured_over_planner/{effort.AS_IT_IS}"] == 0.0
    assert rows["captured_over_planner/mean-256"] != 0.0


def test_a_picture_and_its_data(measured: tuple[dict[str, float | None], dict[str, object]], tmp_path: Path) -> None:
    draw_effort(measured[1], tmp_path / "effort.png")
    assert (tmp_path / "effort.png").stat().st_size > 10_000
    assert "mean-256" in (tmp_path / "effort.json").read_text("utf-8")
