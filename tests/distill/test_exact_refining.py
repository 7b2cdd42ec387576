"""Refining the student of the perfect channel by playing: what is played, what comes of it, that it is carried on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rhythm.bench.conditions import ReservedSeedError
from rhythm.distill.exact_channel import EXACT_REFINING, ExactChannel
from rhythm.distill.exact_refined import compared, write_refined
from rhythm.distill.export import export, greatest_difference, network_of
from rhythm.distill.model_writing import checked
from rhythm.distill.refining import refine
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.model_file import read_model
from rhythm.policy.student.shipped import SHIPPED
from rhythm.policy.student.tokens import TOKEN_WIDTH
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.vocab import InvalidValueError, SchemaError

SEEDS = np.arange(6_900_000, 6_900_006)
FEW = replace(EXACT_REFINING, turns=3, people=6, every=2)
ONE = replace(FEW, turns=1)
CHANNEL = ExactChannel()


def test_a_file_can_be_trained_on() -> None:
    """The network in the shipped file says what the file says."""
    network = network_of(SHIPPED)
    lived = CHANNEL.live(network, SEEDS, scramble_seeds(SEEDS, Stream.POLICY), 28)
    assert greatest_difference(network, SHIPPED, lived.tokens) < 1e-4


def test_copies_share_person_and_luck_and_differ_in_what_is_drawn() -> None:
    network = network_of(SHIPPED)
    keys = scramble_seeds(np.array([1, 1, 2]), Stream.POLICY)
    lived = CHANNEL.live(network, np.repeat(SEEDS[:1], 3), keys, 28)
    np.testing.assert_array_equal(lived.chosen[0], lived.chosen[1])
    np.testing.assert_array_equal(lived.wellbeing[0], lived.wellbeing[1])
    assert (lived.chosen[0] != lived.chosen[2]).any()
    assert (lived.beliefs[0] == lived.beliefs[2]).all()
    with pytest.raises(ReservedSeedError):
        CHANNEL.live(network, np.array([5]), keys[:1], 28)


@pytest.mark.parametrize(
    ("said", "other"),
    [('"width": 96', '"width": 64'), ('"heads": 4', '"heads": 2'), ('"heads": 4', '"heads": 0'),
     ('"layers": 3', '"layers": 2'), ('"layers": 3', '"layers": 0')],
)  # fmt: skip
def test_a_card_of_another_shape_is_refused(said: str, other: str, tmp_path: Path) -> None:
    path, card = tmp_path / "other.onnx", SHIPPED.with_suffix(".json").read_text()
    path.write_bytes(SHIPPED.read_bytes())
    path.with_suffix(".json").write_text(card.replace(said, other, 1))
    with pytest.raises(SchemaError, match=r"other\.onnx holds no network of its card's shape"):
        network_of(path)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a refinement of one turn."""
    path = tmp_path_factory.mktemp("begun") / "refining.pt"
    refine(network_of(SHIPPED), CHANNEL, ONE, path)
    return path


@pytest.mark.parametrize(
    "damage",
    [
        {"first": [1]}, {"first": {}}, {"network": {}}, {"optimizer": {}}, {"critic": None}, {"turn": "one"},
        {"turn": 0}, {"turn": 9}, {"curve": "none"}, {"how": None},
    ],
)  # fmt: skip
def test_a_checkpoint_of_other_parts_is_refused(begun: Path, damage: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "refining.pt"
    torch.save({**torch.load(begun, weights_only=True), **damage}, path)
    with pytest.raises((SchemaError, InvalidValueError), match=r"refining\.pt is (damaged|of another)"):
        refine(network_of(SHIPPED), CHANNEL, ONE, path)


def test_a_checkpoint_that_was_torn_or_changed_is_refused(begun: Path, tmp_path: Path) -> None:
    path, whole = tmp_path / "refining.pt", begun.read_bytes()
    middle = len(whole) // 2
    for damaged in (b"", whole[:100], whole[:-1], whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(SchemaError, match=r"refining\.pt is no checkpoint .* remove it"):
            refine(network_of(SHIPPED), CHANNEL, ONE, path)
    torch.save({**torch.load(begun, weights_only=True), "tokens": "of the other channel"}, path)
    with pytest.raises(SchemaError, match=r"refining\.pt is of .*; name another checkpoint, or remove it"):
        refine(network_of(SHIPPED), CHANNEL, ONE, path)


@pytest.mark.parametrize(
    ("other", "match"),
    [
        ({"rate": float("nan")}, "rate is a number above 0; got nan"),
        ({"rate": float("inf")}, "rate is a number above 0"),
        ({"rate": 0.0}, "rate is a number above 0"),
        ({"kept_near": float("nan")}, "divergence costs is a number not below 0; got nan"),
        ({"kept_near": -0.1}, "divergence costs is a number not below 0"),
        ({"first_seed": -1}, "whole numbers from 0; got -1"),
        ({"first_seed": 2**63 - 9}, "whole numbers of 63 bits"),
        ({"first_seed": 10**30}, "whole numbers of 63 bits"),
        ({"first_seed": 1_000_000 - 13}, "seed 1000000 is kept for evaluation"),  # in the last of three turns
        ({"first_seed": 9_990}, "seed 10000 is kept for evaluation"),
    ],
)
def test_an_impossible_refinement_is_refused_before_anything_is_played(
    other: dict[str, Any], match: str, tmp_path: Path
) -> None:
    told: list[str] = []
    with pytest.raises((InvalidValueError, ReservedSeedError), match=match):
        refine(network_of(SHIPPED), CHANNEL, replace(FEW, **other), tmp_path / "x.pt", lambda one, _n: told.append(one))
    assert told == []


def test_weights_that_are_no_numbers_are_neither_kept_nor_written_nor_passed(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"left weights that are no numbers; refine anew, .* below 1e\+30"):
        refine(network_of(SHIPPED), CHANNEL, replace(FEW, rate=1e30, every=9), tmp_path / "x.pt")
    assert not (tmp_path / "x.pt").exists()
    network = network_of(SHIPPED)
    with torch.no_grad():
        network.norm.weight[0] = float("nan")
    export(network, tmp_path / "x.onnx", {})
    difference = greatest_difference(network, tmp_path / "x.onnx", np.zeros((2, 3, TOKEN_WIDTH), np.float32))
    with pytest.raises(DamagedModelError, match="differs from the network by nan"):
        checked(tmp_path / "x.onnx", difference)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_refined_weights_say_where_they_come_from_and_are_compared_on_the_same_people(tmp_path: Path) -> None:
    refined = refine(network_of(SHIPPED), CHANNEL, FEW, tmp_path / "refining.pt")
    again = refine(network_of(SHIPPED), CHANNEL, FEW, tmp_path / "refining.pt")
    assert again.curve == refined.curve
    assert refined.curve[0]["divergence"] == pytest.approx(0.0, abs=1e-5)  # the critic learns first
    assert refined.curve[2]["divergence"] > 1e-5
    path = tmp_path / "refined.onnx"
    assert write_refined(SHIPPED, path, refined) < 1e-4
    first, second = read_model(SHIPPED), read_model(path)
    assert second.card.training["refined"][-1]["first"] == first.card.sha256
    assert "results" not in second.card.training
    same = {row.name: row.value for row in compared(first, first, 6)}
    assert {value for name, value in same.items() if "less-first" in name} == {0.0}
    rows = {row.name: row for row in compared(first, second, 6)}
    assert rows["wellbeing/refined/ood-wide-peaked"].value != same["wellbeing/refined/ood-wide-peaked"]
    assert rows["wellbeing-less-first/refined/in-distribution-wide-peaked"].band == (0.0, None)
