"""The student by name: nobody else plays for it in a table, and in service the planner stands in for it."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.distill.card import add_results
from rhythm.distill.dataset import described
from rhythm.distill.plots import draw_scaling, read_curve, scaling_data
from rhythm.policy.registry import make_policy
from rhythm.policy.student.model_file import read_card
from rhythm.policy.student.shipped import WEIGHTS_VARIABLE, student_or_planner
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.vocab import SchemaError

SEEDS = np.arange(2_600_000, 2_600_003)


def test_a_table_says_which_weights_played_and_the_card_keeps_it(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(served))
    monkeypatch.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(4)))
    played = bench_run.run(["student"], ["in-distribution"], tmp_path / "results", workers=1)
    digest = read_card(served).sha256
    assert {r.policy_version for r in played if r.policy == "student"} == {digest[:16]}
    rows = add_results(served, tmp_path / "results").training["results"]
    names = {row["name"] for row in rows}
    assert {
        "v2/student/in-distribution",
        "captured/student/in-distribution",
        "belief_mae/student/in-distribution",
    } <= names
    assert {name.split("/")[1] for name in names} == {"student"}
    assert read_card(served).sha256 == digest


def test_results_of_other_weights_are_not_written_into_a_card(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(2)))
    bench_run.run(["heuristic"], ["in-distribution"], tmp_path, workers=1)
    with pytest.raises(SchemaError, match="holds no results of"):
        add_results(served, tmp_path)


@pytest.mark.parametrize("damage", ["cut", "foreign", "no weights", "no card", "other version"])
def test_where_the_weights_are_damaged_the_planner_serves_and_a_table_refuses(
    damage: str, served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "student.onnx"
    weights, card = served.read_bytes(), msgspec.json.decode(served.with_suffix(".json").read_bytes())
    if damage == "other version":
        card["tokens"] = "tokens-99"
    if damage != "no weights":
        path.write_bytes({"cut": weights[:-1], "foreign": b"PK\x03\x04"}.get(damage, weights))
    if damage != "no card":
        path.with_suffix(".json").write_bytes(msgspec.json.encode(card))
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(path))
    policy, why = student_or_planner()
    assert policy.name == "planner"
    assert isinstance(why, DamagedModelError | SchemaError)
    assert str(tmp_path) not in str(why)
    with pytest.raises((DamagedModelError, SchemaError)):
        make_policy("student").start(SEEDS)


def test_weights_that_the_card_describes_but_nobody_can_read_are_refused(
    tmp_path: Path, served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib  # noqa: PLC0415

    path = tmp_path / "student.onnx"
    path.write_bytes(b"not a network")
    card = msgspec.json.decode(served.with_suffix(".json").read_bytes())
    card["sha256"] = hashlib.sha256(b"not a network").hexdigest()
    path.with_suffix(".json").write_bytes(msgspec.json.encode(card))
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(path))
    policy, why = student_or_planner()
    assert policy.name == "planner"
    assert "no network that this ONNX Runtime reads" in str(why)


def test_where_they_are_whole_the_student_serves(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(served))
    policy, why = student_or_planner()
    assert (policy.name, why) == ("student", None)


def test_curves_are_drawn_with_their_data(checkpoint: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    data = scaling_data([read_curve(checkpoint.with_suffix(".json"))])
    assert data["lines"][0]["weeks_read"] == [20 * 32, 40 * 32, 60 * 32]
    draw_scaling(data, tmp_path / "scaling.png")
    assert (tmp_path / "scaling.png").read_bytes()[:4] == b"\x89PNG"
    kept = msgspec.json.decode((tmp_path / "scaling.json").read_bytes())
    assert kept["lines"] == data["lines"]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]"])
def test_what_is_no_curve_and_no_dataset_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(SchemaError):
        read_curve(tmp_path / "a.json")
    with pytest.raises(SchemaError, match="no folder of taught weeks"):
        described(tmp_path)
