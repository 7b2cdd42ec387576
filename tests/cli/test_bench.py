"""The benchmark's commands end to end on a few people: tables, one JSON object, files beside them, exit status."""

import json
from pathlib import Path

import pytest

from rhythm.bench import calibrate
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.rows import Row
from rhythm.cli.main import main


@pytest.fixture(autouse=True)
def _few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(5)))


def _run(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_a_run_prints_one_object_and_keeps_its_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "bench",
        "run",
        "--policy",
        "random, constant",
        "--conditions",
        "in-distribution",
        "--results",
        str(tmp_path),
    )
    assert _run(*arguments, "--json") == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    document = json.loads(printed.out)
    assert document["schema"] == "rhythm.bench-run/1"
    assert document["config"]["policies"] == ["random", "constant", "heuristic", "average", "oracle"]
    names = {row["name"] for row in document["rows"]}
    assert {"v2/random/in-distribution", "captured/constant/in-distribution"} <= names
    assert (tmp_path / "config.json").exists()
    assert _run(*arguments) == 0
    assert "Personalisation captured (v3)" in capsys.readouterr().out


def test_a_report_is_made_of_what_a_folder_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ("--results", str(tmp_path / "r"))
    assert _run("bench", "report", *folder) == 2
    assert "no results in" in capsys.readouterr().err
    assert _run("bench", "run", "--policy", "random", "--conditions", "in-distribution", *folder, "--json") == 0
    ran = json.loads(capsys.readouterr().out)
    assert _run("bench", "report", *folder, "--markdown", str(tmp_path / "report.md"), "--json") == 0
    reported = json.loads(capsys.readouterr().out)
    assert sorted(map(str, reported["rows"])) == sorted(map(str, ran["rows"]))
    assert "† gpt-5.4 teacher" in (tmp_path / "report.md").read_text()


def test_unknown_conditions_are_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("bench", "run", "--policy", "random", "--conditions", "mars", "--results", str(tmp_path / "none")) == 2
    assert "unknown condition 'mars'; choose one of: all, published, wide" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("ok", "status"), [(True, 0), (False, 1)])
def test_calibrate_ends_with_status_1_where_a_row_is_outside_its_band(
    ok: bool, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [Row("random", 0.4, 0.39, 0.41, 2_000, band=(0.38, 0.42), ok=ok)]
    monkeypatch.setattr(calibrate, "calibration_rows", lambda *_a, **_k: rows)
    assert _run("bench", "calibrate", "--json") == status
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "rhythm.bench-calibrate/1"
    assert document["rows"][0]["band"] == [0.38, 0.42]
    assert _run("bench", "calibrate") == status
    assert "0.38 to 0.42" in capsys.readouterr().out
