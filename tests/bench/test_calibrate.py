"""The acceptance table: determinism in every form, rows from results, bands that can fail."""

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from rhythm.bench import determinism
from rhythm.bench.calibrate import CONDITION, calibration_rows, played_rows
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.report import checked_table
from rhythm.bench.results import Result
from rhythm.bench.rows import Row
from rhythm.vocab import RhythmError


def test_every_form_lives_the_same_weeks() -> None:
    row = determinism.determinism_row()
    assert row.ok
    assert row.value == 1.0
    assert row.n == 4


def test_a_digest_tells_weeks_apart() -> None:
    assert determinism.batch(4) == determinism.one_by_one(4) != determinism.batch(5)


def test_a_form_that_differs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinism, "other_process", lambda: "something else")
    row = determinism.determinism_row()
    assert row.ok is False
    assert row.value == 0.75
    assert row.note == "differs: other process"


def test_another_process_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinism, "_OTHER_PROCESS", "raise SystemExit('no room')")
    with pytest.raises(RhythmError, match="status 1: no room"):
        determinism.other_process()


def _result(policy: str, population: str, graded: Mapping[str, float]) -> Result:
    spread = np.linspace(-0.01, 0.01, 50)
    return Result(
        digest="", policy=policy, condition=CONDITION, population=population, told=False, first_seed=0, people=50,
        seconds=0.0, versions={}, graded={n: (v + spread).tolist() for n, v in graded.items()}, curves={},
    )  # fmt: skip


def _table(random_v2: float, oracle: float) -> dict[str, Row]:
    rows = played_rows(
        [
            _result("random", "classic", {"v2": random_v2}),
            _result("heuristic", "classic", {"v2": 0.46}),
            _result("constant", "classic", {"belief_error": 0.2}),
            _result("random", "peaked", {"wellbeing": 0.3}),
            _result("average", "peaked", {"wellbeing": 0.6}),
            _result("oracle", "peaked", {"wellbeing": oracle}),
        ]
    )
    return {row.name: row for row in rows}


def test_rows_are_inside_their_bands_or_say_no() -> None:
    good = _table(0.40, 0.8)
    assert list(good) == ["random", "heuristic", "constant", "headroom"]
    assert all(row.ok for row in good.values())
    assert good["headroom"].value == pytest.approx(0.4)
    bad = _table(0.43, 0.7)
    assert [name for name, row in bad.items() if not row.ok] == ["random", "headroom"]
    assert bad["headroom"].value == pytest.approx(0.25)
    assert checked_table("Acceptance", list(bad.values())).row_count == 4


@pytest.mark.slow
def test_the_life_model_stands_where_it_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a quarter of the people that `rhythm bench calibrate` plays."""
    monkeypatch.setitem(CONDITIONS, CONDITION, Condition(CONDITION, range(1_000_000, 1_000_500)))
    rows = calibration_rows(tmp_path)
    assert {"random", "heuristic", "constant", "headroom", "determinism"} <= {row.name for row in rows}
    assert [row for row in rows if row.ok is not True] == []


def test_a_checked_table_has_whole_names_and_no_empty_columns() -> None:
    """In a terminal of 60 columns too: a name that was cut could not be looked up."""
    name = "belief_error-less-first/refined/in-distribution-wide-classic"
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(checked_table("Refined", [Row(name, 0.0045, 0.0037, 0.0054, 2000)]))
    lines = console.export_text().splitlines()
    assert name in "".join(line[1:].split("│")[0].strip() for line in lines if "│" in line)
    assert "real people" not in "\n".join(lines)
    assert checked_table("Refined", [Row(name, 0.0045, note="why")]).columns[-1].header == "note"
