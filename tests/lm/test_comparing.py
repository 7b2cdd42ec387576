"""Models are compared on the same people by the same graders, and what an earlier one left with nobody."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rhythm.bench.result_checks import content_digest, digest_of_result
from rhythm.bench.results import Result, write_result
from rhythm.bench.run import run
from rhythm.cli.main import main
from rhythm.lm.evaluating import FILE, paired, results_of_model
from rhythm.vocab import InvalidValueError, SchemaError


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What random did, which stands for a model's."""
    found = run(["random"], ["archetypes"], tmp_path_factory.mktemp("played"), workers=1)
    return next(result for result in found if result.policy == "random")


def _kept(folder: Path, result: Result, version: str, *, last: str | None = None, **changes: Any) -> Path:
    made = msgspec.structs.replace(result, policy="lm", policy_version=version, **changes)
    write_result(folder, msgspec.structs.replace(made, content=content_digest(made), digest=digest_of_result(made)))
    if last is not None:
        (folder / FILE).write_text(json.dumps({"config": {"model_version": last}}))
    return folder


def test_models_are_paired_by_person_and_what_another_left_in_the_folder_is_not(played: Result, tmp_path: Path) -> None:
    one = _kept(tmp_path / "one", played, "a", last="a")
    other = _kept(tmp_path / "other", played, "b")
    assert {row.name: row.value for row in paired(one, other)}["v2_over/archetypes/everyone"] == 0.0
    _kept(other, played, "b", last="c")
    with pytest.raises(InvalidValueError, match="no model"):
        paired(one, other)
    later = played.versions | {"grader_v3": "v9"}
    graded = _kept(tmp_path / "graded", played, "b", versions=later)
    with pytest.raises(InvalidValueError, match="same people"):
        paired(one, graded)


def test_a_folder_to_compare_with_is_looked_at_before_anything_is_played(
    played: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_result(tmp_path / "none", played)
    with pytest.raises(InvalidValueError, match="no model"):
        results_of_model(tmp_path / "none")
    damaged = _kept(tmp_path / "damaged", played, "a")
    (damaged / FILE).write_text("{")
    with pytest.raises(SchemaError, match=FILE):
        results_of_model(damaged)
    for against in ("none", "damaged", "nowhere"):
        with pytest.raises(SystemExit) as ended:
            main(["lm", "eval", "m", "--results", str(tmp_path / "new"), "--against", str(tmp_path / against)])
        assert ended.value.code == 2
        assert against in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
