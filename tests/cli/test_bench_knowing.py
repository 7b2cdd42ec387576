"""The commands that look into the planner: one JSON object each."""

import json

import pytest

from rhythm.bench import ablations
from rhythm.cli.main import main


def _printed(capsys: pytest.CaptureFixture[str], *args: str, people: int) -> dict[str, object]:
    with pytest.raises(SystemExit):
        main(["bench", *args, "--people", str(people), "--json"])
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_what_each_part_of_the_planner_brings_is_one_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: ablations.VARIANTS[name] for name in ("planner", "no-rewards")}
    monkeypatch.setattr(ablations, "VARIANTS", few)
    document = _printed(capsys, "ablations", people=20)
    assert document["schema"] == "rhythm.bench-ablations/1"
    rows = {row["name"]: row for row in document["rows"]}  # type: ignore[attr-defined]
    assert rows["captured_minus_planner/planner"]["value"] == 0.0
    assert rows["captured/no-rewards"]["value"] < rows["captured/planner"]["value"]


def test_the_calibration_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, "calibration", people=20)["schema"] == "rhythm.bench-calibration/1"
