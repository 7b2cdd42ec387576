"""Rows: their names, their populations, and what they mean for policies whose place is known."""

from pathlib import Path

import pytest

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.measures import CLASSIC_METRICS, PEAKED_METRICS, rows_of
from rhythm.bench.report import FOOTNOTE, sheets_of, to_markdown, to_rich
from rhythm.bench.results import Result
from rhythm.bench.rows import Row, as_rows, demanded


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    patch = pytest.MonkeyPatch()
    patch.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(24)))
    folder: Path = tmp_path_factory.mktemp("results")
    made = bench_run.run(["random", "constant", "oracle"], ["in-distribution", "archetypes"], folder)
    patch.undo()
    return made


@pytest.fixture(scope="module")
def rows(results: list[Result]) -> dict[str, Row]:
    listed = rows_of(results)
    by_name = {row.name: row for row in listed}
    assert len(by_name) == len(listed)
    return by_name


def test_every_row_has_a_value_inside_its_interval(rows: dict[str, Row]) -> None:
    for row in rows.values():
        assert row.value is not None
        assert row.low is not None
        assert row.high is not None
        assert row.low - 1e-12 <= row.value <= row.high + 1e-12, row
        assert row.n in (15, 24)


def test_each_metric_is_named_after_its_home_population(rows: dict[str, Row]) -> None:
    graded = {n.split("/")[0] for n in rows if n.endswith("/constant/in-distribution")}
    without = {"coverage80", "interval_width"}
    assert graded >= {*CLASSIC_METRICS, *PEAKED_METRICS} - without
    assert {"v2_peaked", "captured_classic", "belief_mae_peaked", "steps_to_identify_classic"} <= graded
    assert not any(n.startswith("progress_") for n in graded)
    of_archetypes = {n.split("/")[0] for n in rows if n.endswith("/constant/archetypes")}
    assert of_archetypes == {*CLASSIC_METRICS, *PEAKED_METRICS} - without


def test_a_population_is_what_its_row_was_measured_on(results: list[Result], rows: dict[str, Row]) -> None:
    by_key = {(r.policy, r.condition, r.population): r for r in results}
    for metric, grade, population in [
        ("v2", "v2", "classic"),
        ("v2_peaked", "v2", "peaked"),
        ("wellbeing", "wellbeing", "peaked"),
        ("belief_mae", "belief_error", "classic"),
    ]:
        values = by_key["constant", "in-distribution", population].graded[grade]
        assert rows[f"{metric}/constant/in-distribution"].value == pytest.approx(sum(values) / len(values))


def test_the_references_stand_where_they_define_the_scale(rows: dict[str, Row]) -> None:
    for condition in ("in-distribution", "archetypes"):
        assert rows[f"captured/average/{condition}"].value == 0.0
        assert rows[f"captured/oracle/{condition}"].value == 1.0
        assert rows[f"belief_skill/oracle/{condition}"].value == pytest.approx(1.0)
        assert rows[f"belief_skill/constant/{condition}"].value == pytest.approx(0.0)
        assert rows[f"steps_to_identify/oracle/{condition}"].value == 0.0
        captured = rows[f"captured/random/{condition}"]
        assert captured.high is not None
        assert captured.high < 0.0
    assert "belief_mae/random/in-distribution" not in rows
    assert "v2_minus_heuristic/heuristic/in-distribution" not in rows
    assert rows["wellbeing_minus_heuristic/constant/in-distribution"].value == 0.0


def test_rows_without_their_references_are_left_out(results: list[Result]) -> None:
    alone = rows_of([r for r in results if r.policy == "random"])
    assert not {r.metric for r in alone} & {"captured", "captured_classic", "v2_minus_heuristic"}


def test_the_report_marks_what_others_published(rows: dict[str, Row]) -> None:
    sheets = {sheet.title: sheet for sheet in sheets_of(rows.values())}
    v2 = sheets["Grade v2"]
    assert v2.columns == ("in-distribution", "archetypes")
    ours = [label for label, published, _ in v2.lines if not published]
    assert ours == ["random", "heuristic", "constant", "average", "oracle ‡"]
    teacher = next(cells for label, published, cells in v2.lines if published and "teacher" in label and "gpt" in label)
    assert [cell.value for cell in teacher] == ["0.611", ""]
    text = to_markdown(sheets.values(), "Versions: all.")
    assert "| *† gpt-5.4 teacher* | 0.611 [n 100] |  |" in text
    assert FOOTNOTE in text
    assert text.endswith("Versions: all.\n")
    assert to_rich(v2).row_count == len(v2.lines)


def test_a_demanded_row_says_whether_it_holds() -> None:
    row = Row("a", 0.4)
    assert demanded(row, 0.3, 0.5).ok
    assert demanded(row, 0.4, 0.4).ok
    assert not demanded(row, 0.41, None).ok
    assert not demanded(row, None, 0.39).ok
    assert not demanded(Row("a", None), None, None).ok
    assert as_rows([row, {"name": "b", "value": 1.0, "band": (0.5, None)}])[1] == Row("b", 1.0, band=(0.5, None))
