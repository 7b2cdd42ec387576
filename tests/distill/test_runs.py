"""The scripts under ``runs`` in small: one command from nothing to weights, their card and a row."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from distill import forking
from rhythm.policy.student.model_file import read_model

RUNS = Path(__file__).parents[2] / "runs"
SMALL = {
    "WEEKS": "16", "AGAIN": "8", "SHARD": "8", "STEPS": "20", "FURTHER": "10", "WIDTH": "16",
    "CONDITIONS": "archetypes", "WORKERS": "1", "FIRST_SEED": "2800000",
    "TURNS": "2", "LIVES": "4", "COMPARED": "5",
}  # fmt: skip
HEAVY = ("rhythm.distill.export", "rhythm.distill.teacher", "rhythm.distill.training", "rhythm.bench.run")


@contextmanager
def one_process() -> Iterator[str]:
    """How a script calls Rhythm in forks of a process that runs meanwhile: eight commands import once."""
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket is at most 107 bytes long
        path = f"{folder}/commands"
        command = [sys.executable, forking.__file__, "serve", path, *HEAVY]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as serving:  # noqa: S603 - our own
            try:
                assert serving.stdout is not None
                assert serving.stdout.readline() == b"ready\n"
                yield f"{sys.executable} -I -S {forking.__file__} call {path}"
            finally:
                serving.terminate()


@pytest.mark.slow
def test_the_tiny_run_makes_weights_a_card_and_a_row(tmp_path: Path) -> None:
    with one_process() as rhythm:
        made = subprocess.run(  # noqa: S603 - our own script
            [RUNS / "tiny.sh", tmp_path / "out"],
            env={**os.environ, **SMALL, "RHYTHM": rhythm},
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
    assert made.returncode == 0, made.stderr[-2000:]
    assert "student" in made.stdout
    out = tmp_path / "out"
    card = read_model(out / "student.onnx").card
    assert [(data["actor"] == "teacher", data["weeks"]) for data in card.training["data"]] == [(True, 16), (False, 8)]
    assert card.training["earlier"][0]["steps"] == 20
    assert [one["turns"] for one in card.training["refined"]] == [2]
    assert card.training["refined"][0]["first"] == read_model(out / "taught.onnx").card.sha256
    assert "v2/student/archetypes" in {row["name"] for row in card.training["results"]}
    curve = msgspec.json.decode((out / "second.json").read_bytes())
    assert curve["config"]["steps"] == 10
    assert curve["rows"]
