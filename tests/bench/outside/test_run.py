"""The benchmark in the outside test-bed, in a small form: rows, JSON, picture, and what is said where it is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rhythm.cli.main import main

pytest.importorskip("stable_baselines3")
pytest.importorskip("StepCountJITAI")

_SMALL = ("--people", "8", "--gradient-steps", "3200")


def test_one_setting_is_one_object_and_one_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rhythm.bench.outside.gradient.LEARNING_RATES", (1e-3,))
    picture = tmp_path / "outside.png"
    with pytest.raises(SystemExit) as ended:
        main(["bench", "outside", "--settings", "wide-sigma-1.0-hidden", *_SMALL, "--plot", str(picture), "--json"])
    assert ended.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "rhythm.bench-outside/1"
    rows = {row["name"].removesuffix("/wide-sigma-1.0-hidden"): row for row in document["rows"]}
    for name in ("random", "thompson", "gradient", "average", "rhythm", "oracle"):
        mean, low = rows[f"return/{name}"], rows[f"return_p25/{name}"]
        assert mean["low"] <= mean["value"] <= mean["high"]
        assert low["value"] <= mean["high"]
        assert 0.0 <= rows[f"stayed/{name}"]["value"] <= 50.0
    gained = rows["return/rhythm"]["value"] - rows["return/random"]["value"]
    assert rows["rhythm_minus/random"]["value"] == pytest.approx(gained)
    assert gained > 0.0
    shown = json.loads(picture.with_suffix(".json").read_bytes())
    assert [len(panel["bars"]) for panel in shown["panels"]] == [6, 6]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_missing_package_is_one_line_that_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "StepCountJITAI.envs", None)
    monkeypatch.setitem(sys.modules, "StepCountJITAI", None)
    with pytest.raises(SystemExit) as ended:
        main(["bench", "outside", *_SMALL])
    assert ended.value.code == 2
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert "pip install 'rhythm[outside]'" in said


def test_the_command_line_imports_nothing_of_it() -> None:
    code = (
        "import sys, rhythm.cli.commands.bench, rhythm.bench.outside.run;"
        "print([n for n in ('StepCountJITAI', 'scipy', 'sklearn', 'stable_baselines3', 'torch', 'gymnasium')"
        " if n in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.strip() == "[]"
