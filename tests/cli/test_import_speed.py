"""The measurement of an import, in its small form: it reads everything, once, in little memory, and hides no step."""

import json

import pytest
from typer.testing import CliRunner

from rhythm.cli.commands.doctor import app


@pytest.mark.slow
def test_a_small_import_is_measured_and_stays_small() -> None:
    done = CliRunner().invoke(app, ["--import-speed", "4", "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.output)
    assert document["schema"] == "rhythm.import-speed/1"
    found = {row["name"]: row["value"] for row in document["rows"]}
    assert found["readings_added"] > 5_000
    assert found["added_again"] == 0
    assert found["import_peak_mb"] < 300
    assert 0 < found["ratio"] < found["reading_and_storing_ratio"]
    steps = ("starting_s", "reading_and_storing_s", "summing_up_s", "learning_s")
    assert sum(found[name] for name in steps) == pytest.approx(found["import_s"], abs=0.01)
