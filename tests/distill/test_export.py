"""What is served says what was trained, whoever else is in the batch, and a damaged file is refused."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from rhythm.bench.play import play
from rhythm.distill.export import greatest_difference
from rhythm.distill.model_writing import MOST_DIFFERENCE
from rhythm.distill.training import load
from rhythm.distill.weeks import TaughtWeeks
from rhythm.life.populations import Population, sample_people
from rhythm.policy.student.model_file import read_model
from rhythm.policy.student.player import StudentPolicy
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.vocab import SchemaError


def test_on_real_weeks_it_says_the_same(served: Path, checkpoint: Path, weeks: TaughtWeeks) -> None:
    assert greatest_difference(load(checkpoint).network, served, weeks.tokens()[:9]) <= MOST_DIFFERENCE


def test_nobody_in_a_batch_changes_what_is_said_of_another(served: Path, weeks: TaughtWeeks) -> None:
    model = read_model(served)
    tokens = weeks.tokens()[:6]
    together, alone = model.reader(6), model.reader(1)
    for step in range(12):
        many, one = together.read(tokens[:, step]), alone.read(tokens[4:5, step])
        np.testing.assert_allclose(many.beliefs[4], one.beliefs[0], atol=1e-5)
        np.testing.assert_allclose(many.actions[4], one.actions[0], atol=1e-4)


def test_people_played_apart_live_the_same_weeks_to_the_bit(served: Path) -> None:
    """Also one alone: results do not depend on how a run is split."""
    seeds = np.arange(2_600_000, 2_600_011)
    people = sample_people(seeds, Population.PEAKED)
    policy = StudentPolicy(read_model(served))
    together = play(policy, people, seeds)
    for part in (slice(0, 1), slice(1, 3), slice(3, 8)):
        apart = play(policy, people[part], seeds[part])
        np.testing.assert_array_equal(apart.meters, together.meters[part])
        np.testing.assert_array_equal(apart.beliefs, together.beliefs[part])
        np.testing.assert_array_equal(apart.belief_high, together.belief_high[part])


def test_it_plays_a_week_and_states_beliefs(served: Path) -> None:
    seeds = np.arange(2_600_000, 2_600_010)
    played = play(StudentPolicy(read_model(served)), sample_people(seeds, Population.PEAKED), seeds)
    assert (played.belief_low <= played.beliefs).all()
    assert (played.beliefs <= played.belief_high).all()


@pytest.mark.parametrize("change", ["cut", "flip", "gone"])
def test_other_weights_than_the_cards_are_refused(change: str, served: Path, tmp_path: Path) -> None:
    path = tmp_path / "student.onnx"
    path.with_suffix(".json").write_bytes(served.with_suffix(".json").read_bytes())
    weights = bytearray(served.read_bytes())
    weights[-100] ^= 1
    if change != "gone":
        path.write_bytes(served.read_bytes()[:-1] if change == "cut" else bytes(weights))
    with pytest.raises(DamagedModelError, match="install Rhythm again"):
        read_model(path)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"schema": 5}'])
def test_a_damaged_card_is_refused(content: bytes, served: Path, tmp_path: Path) -> None:
    path = tmp_path / "student.onnx"
    path.write_bytes(served.read_bytes())
    path.with_suffix(".json").write_bytes(content)
    with pytest.raises(SchemaError, match="is no model card"):
        read_model(path)


@pytest.mark.parametrize("field", ["schema", "tokens"])
def test_another_version_is_refused(field: str, served: Path, tmp_path: Path) -> None:
    path = tmp_path / "student.onnx"
    path.write_bytes(served.read_bytes())
    card = msgspec.json.decode(served.with_suffix(".json").read_bytes())
    path.with_suffix(".json").write_bytes(msgspec.json.encode({**card, field: "other/9"}))
    with pytest.raises(SchemaError, match="this version reads"):
        read_model(path)
