"""What the device student reads and remembers: unknown is marked, answers leave what they leave, files are checked."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from rhythm.life.answer_kernel import BURDEN_KEPT, after_slot
from rhythm.policy.student import device_tokens
from rhythm.policy.student.device_memory import week_means
from rhythm.policy.student.device_model import (
    DEVICE_WEIGHTS,
    DeviceModel,
    device_model,
    quantiles,
    read_device_card,
    read_device_model,
)
from rhythm.policy.student.device_tokens import (
    DEVICE_PLACES,
    DEVICE_TOKEN_WIDTH,
    Notes,
    SlotNews,
    no_news,
)
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.vocab import SchemaError


def some_news(slot: int, people: int, random: np.random.Generator) -> SlotNews:
    """Anything that a slot may bring."""
    news = no_news(np.full(people, slot))
    asked = random.random(people) < 0.7
    news.suggested[asked] = random.integers(0, 10, asked.sum())
    news.outcomes[asked] = random.integers(0, 5, asked.sum())
    news.done[:] = random.integers(-1, 10, people)
    read = random.random((people, 5)) < 0.3
    news.values[read], news.sds[read], news.reading_slots[read] = random.random(read.sum()), 0.2, slot
    return news


def test_the_fields_fill_a_token_without_gap() -> None:
    covered = np.zeros(DEVICE_TOKEN_WIDTH, int)
    for place in DEVICE_PLACES.values():
        covered[place] += 1
    assert (covered == 1).all()


def test_burden_and_exposure_are_those_that_answers_leave_behind() -> None:
    """Slot by slot the same as the simulated person's own, from the outcomes alone."""
    assert pytest.approx(BURDEN_KEPT) == device_tokens._BURDEN_KEPT
    people, random = 40, np.random.default_rng(3)
    exposure, burden, today = np.zeros(people), np.zeros(people), np.zeros(people, np.int8)
    notes = Notes.blank(people)
    notes.token(no_news(np.zeros(people, np.int64)))
    for slot in range(60):
        outcomes = random.integers(-1, 5, people).astype(np.int8)
        after_slot(slot, outcomes, exposure, burden, today)
        news = no_news(np.full(people, slot + 1))
        notes.token(news._replace(outcomes=outcomes, suggested=np.where(outcomes >= 0, 3, -1).astype(np.int8)))
        np.testing.assert_array_equal(notes.exposure, exposure)
        np.testing.assert_allclose(notes.burden, burden, rtol=1e-12)


def test_what_is_not_known_is_marked() -> None:
    token = Notes.blank(2).token(no_news(np.array([5, 9])))
    for field in ("meters", "meters_known", "meter_sds", "meter_ages", "deadline", "burden", "exposure"):
        assert (token[:, DEVICE_PLACES[field]] == 0.0).all()
    for field in ("done", "suggested", "outcome", "planned"):
        assert (token[:, DEVICE_PLACES[field]][:, -1] == 1.0).all()
    np.testing.assert_array_equal(token[:, DEVICE_PLACES["part_of_day"]].argmax(axis=1), [1, 1])
    np.testing.assert_array_equal(token[:, DEVICE_PLACES["weekday"]].argmax(axis=1), [1, 2])


def test_a_moved_suggestion_is_planned_where_it_went_and_a_reading_ages() -> None:
    notes = Notes.blank(1)
    notes.token(no_news(np.array([4])))
    news = no_news(np.array([5]))
    news.suggested[0], news.outcomes[0], news.moved_to[0] = 4, 1, 7
    news.values[0, 2], news.sds[0, 2], news.reading_slots[0, 2] = 0.4, 0.25, 4
    token = notes.token(news)
    assert token[0, DEVICE_PLACES["planned"]].argmax() == 10
    np.testing.assert_allclose(token[0, DEVICE_PLACES["meter_ages"]][2], 1 / 28)
    notes.token(no_news(np.array([6])))
    token = notes.token(no_news(np.array([7])))
    assert token[0, DEVICE_PLACES["planned"]].argmax() == 4
    np.testing.assert_allclose(token[0, DEVICE_PLACES["meters"]][2], 0.4)
    np.testing.assert_allclose(token[0, DEVICE_PLACES["meter_ages"]][2], 3 / 28)


def test_a_step_of_the_week_is_remembered_a_week_later() -> None:
    done = np.zeros((1, 64, 10), np.float16)
    done[0, 6, 3] = 1.0  # known as slot 6 begins, so it is about slot 5
    means = week_means(done)
    assert means[0, 33, 3] == pytest.approx(0.25)
    assert means[0, 61, 3] == pytest.approx(0.25 * 0.75)
    assert np.count_nonzero(means) == 2


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def test_nobody_in_a_batch_changes_what_is_said_of_another(model: DeviceModel) -> None:
    random = np.random.default_rng(1)
    together, alone = model.reader(5), model.reader(1)
    for slot in range(40):
        news = some_news(slot, 5, random)
        many = together.read(news)
        one = alone.read(SlotNews._make(part[3:4] for part in news))
        np.testing.assert_allclose(many.accepts[3], one.accepts[0], atol=1e-4)
        np.testing.assert_allclose(many.beliefs[3], one.beliefs[0], atol=1e-5)


def test_it_takes_answers_to_heart(model: DeviceModel) -> None:
    """After weeks of yes to one action and no to another, the one is foreseen to be accepted, the other is not."""
    random, reader = np.random.default_rng(2), model.reader(2)
    for slot in range(112):
        news = no_news(np.full(2, slot))
        if slot:
            news.suggested[:] = random.integers(5, 7)
            news.outcomes[:] = np.where(news.suggested == [5, 6], 0, 2)
        said = reader.read(news)
    assert said.accepts[0, 5] > said.accepts[0, 6] + 1.0
    assert said.accepts[1, 6] > said.accepts[1, 5] + 1.0


def test_quantiles_rise_within_the_range() -> None:
    raw = np.random.default_rng(0).normal(size=(50, 9)).astype(np.float32) * 5
    found = quantiles(raw)
    assert (np.diff(found, axis=2) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_the_weights_are_small_and_the_card_says_where_they_come_from() -> None:
    card = read_device_card(DEVICE_WEIGHTS)
    assert DEVICE_WEIGHTS.stat().st_size < 10_000_000
    assert card.training["limits"]
    assert card.training["data"]["first_seed"] >= 2_000_000
    assert card.name == f"student-device {card.sha256[:16]}"


@pytest.mark.parametrize("change", ["cut", "flip", "gone"])
def test_other_weights_than_the_cards_are_refused(change: str, tmp_path: Path) -> None:
    path = tmp_path / "student-device.onnx"
    path.with_suffix(".json").write_bytes(DEVICE_WEIGHTS.with_suffix(".json").read_bytes())
    weights = bytearray(DEVICE_WEIGHTS.read_bytes())
    weights[-100] ^= 1
    if change != "gone":
        path.write_bytes(bytes(weights)[:-1] if change == "cut" else bytes(weights))
    with pytest.raises(DamagedModelError, match="install Rhythm again"):
        read_device_model(path)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"schema": 5}'])
def test_a_damaged_card_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "student-device.onnx"
    path.with_suffix(".json").write_bytes(content)
    with pytest.raises(SchemaError, match="is no model card"):
        read_device_model(path)


@pytest.mark.parametrize(("field", "value"), [("schema", "other/9"), ("tokens", "device-tokens-0"), ("memory", 3)])
def test_another_version_is_refused(field: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "student-device.onnx"
    card = msgspec.json.decode(DEVICE_WEIGHTS.with_suffix(".json").read_bytes())
    path.with_suffix(".json").write_bytes(msgspec.json.encode({**card, field: value}))
    with pytest.raises(SchemaError, match="this version reads"):
        read_device_model(path)
