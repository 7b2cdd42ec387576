"""Pictures: the data beside each says what is drawn; files are whole pictures; labels do not overlap."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.measures import rows_of
from rhythm.bench.one_week import one_week
from rhythm.bench.plots.canvas import PLOT_SCHEMA, MissingPlotsError, colour_of, spread_labels
from rhythm.bench.plots.curves import curves_data
from rhythm.bench.plots.gallery import draw_all
from rhythm.bench.plots.scores import scores_data
from rhythm.bench.plots.week import draw_week, week_data
from rhythm.bench.results import Result
from rhythm.policy.registry import policy_names
from rhythm.vocab import WEEK_STEPS

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    patch = pytest.MonkeyPatch()
    patch.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(8)))
    made = bench_run.run(["random", "constant"], ["in-distribution", "archetypes"], tmp_path_factory.mktemp("results"))
    patch.undo()
    return made


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def test_every_picture_stands_beside_its_data(results: list[Result], tmp_path: Path) -> None:
    drawn = draw_all(results, tmp_path / "plots")
    assert [p.name for p in drawn] == ["scores.png", "belief-error.png", "wellbeing.png", "week-average.png"]
    for path in drawn:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 20_000
        assert _read(path.with_suffix(".json"))["schema"] == PLOT_SCHEMA
    assert sorted(p.suffix for p in (tmp_path / "plots").iterdir()) == [".json"] * 4 + [".png"] * 4


def test_the_bars_are_the_rows(results: list[Result]) -> None:
    rows = rows_of(results)
    data = scores_data(rows)
    by_name = {row.name: row for row in rows}
    assert data["conditions"] == ["in-distribution", "archetypes"]
    bars = [(p["metric"], p["condition"], bar) for p in data["panels"] for bar in p["bars"]]
    for metric, condition, bar in bars:
        if not bar["published"]:
            row = by_name[f"{metric}/{bar['policy']}/{condition}"]
            assert (bar["value"], bar["low"], bar["high"]) == (row.value, row.low, row.high)
    teacher = [b["value"] for m, c, b in bars if (m, c) == ("v2", "in-distribution") and "gpt" in b["policy"]]
    assert teacher == [0.611]
    assert scores_data(rows, "wide")["conditions"] == []


def test_the_curves_are_those_of_the_home_population(results: list[Result]) -> None:
    by_key = {(r.policy, r.condition, r.population): r for r in results}
    data = curves_data(results, "wellbeing")
    lines = {line["policy"]: line for line in data["panels"][0]["lines"]}
    assert list(lines) == ["random", "heuristic", "constant", "average", "oracle"]
    assert lines["random"]["mean"] == by_key["random", "in-distribution", "peaked"].curves["wellbeing"].mean
    believing = curves_data(results, "belief_error")["panels"][1]["lines"]
    assert [line["policy"] for line in believing] == ["constant", "average", "oracle"]


def test_a_week_without_beliefs_is_drawn_too(tmp_path: Path) -> None:
    data = week_data(one_week("heuristic", 7, "peaked"))
    assert data["belief"] is None
    assert len(data["meters"]) == WEEK_STEPS + 1
    assert len(data["actions"]) == len(data["events"]) == len(data["wellbeing"]) == WEEK_STEPS
    draw_week(data, tmp_path / "week.png")
    assert _read(tmp_path / "week.json")["actions"] == data["actions"]


def test_without_matplotlib_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPlotsError, match=r"pip install 'rhythm\[plots\]'"):
        draw_week(week_data(one_week("heuristic", 7, "peaked")), tmp_path / "week.png")
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6))
def test_labels_keep_their_order_and_their_distance(heights: list[float]) -> None:
    places = spread_labels(heights, 0.05)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    spread = [places[i] for i in order]
    assert all(b - a >= 0.049 for a, b in pairwise(spread))


def test_the_policies_of_a_picture_have_different_colours() -> None:
    shown = ("random", "heuristic", "constant", "average", "planner", "oracle", "sandbagger", "teller")
    assert set(shown) <= set(policy_names())
    assert len({colour_of(name, shown) for name in shown}) == len(shown)
