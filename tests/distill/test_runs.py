"""The scripts under ``runs`` in small: one command from nothing to weights, their card and a row."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rhythm.policy.student.model_file import read_model

RUNS = Path(__file__).parents[2] / "runs"
SMALL = {
    "WEEKS": "16", "AGAIN": "8", "SHARD": "8", "STEPS": "20", "FURTHER": "10", "WIDTH": "16",
    "CONDITIONS": "archetypes", "WORKERS": "1", "FIRST_SEED": "2800000",
}  # fmt: skip


@pytest.mark.slow
def test_the_tiny_run_makes_weights_a_card_and_a_row(tmp_path: Path) -> None:
    environment = {**os.environ, **SMALL, "RHYTHM": f"{sys.executable} -m rhythm"}
    made = subprocess.run(  # noqa: S603 - our own script
        [RUNS / "tiny.sh", tmp_path], env=environment, capture_output=True, text=True, check=False, timeout=400
    )
    assert made.returncode == 0, made.stderr[-2000:]
    assert "student" in made.stdout
    card = read_model(tmp_path / "student.onnx").card
    assert [(data["actor"] == "teacher", data["weeks"]) for data in card.training["data"]] == [(True, 16), (False, 8)]
    assert card.training["earlier"][0]["steps"] == 20
    assert "v2/student/archetypes" in {row["name"] for row in card.training["results"]}
    curve = msgspec.json.decode((tmp_path / "second.json").read_bytes())
    assert curve["config"]["steps"] == 10
    assert curve["rows"]
