"""The student's advice: of the person's own evidence, silent beside their own word, and never in the way."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assist.houses import Clock, lived_house
from rhythm.assist import Assistant
from rhythm.assist.advising import Advice
from rhythm.policy.student.device_model import DEVICE_VARIABLE, Floats, device_model
from rhythm.vocab import ACTION_COUNT, Outcome


@pytest.fixture
def lived(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with lived_house(tmp_path, clock) as opened:
        yield opened


def _advice(assistant: Assistant, kept: Advice | None = None) -> dict[int, Floats]:
    context = assistant.context()
    return (kept or Advice())(context, [context.slot + ahead for ahead in (0, 2)])


def test_it_weighs_every_action_of_every_slot_that_is_asked_and_moves_with_an_answer(
    lived: Assistant, clock: Clock
) -> None:
    kept = Advice()
    before = _advice(lived, kept)
    assert list(before) == [lived.context().slot, lived.context().slot + 2]
    assert all(one.shape == (ACTION_COUNT,) and np.isfinite(one).all() for one in before.values())
    assert Advice()(lived.context(), []) == {}
    (card, *_) = lived.today().waiting
    clock.move(hours=24)
    unanswered = _advice(lived)
    clock.move(hours=-24)
    lived.answer(card.number, Outcome.IGNORED)
    clock.move(hours=24)
    after, fresh = _advice(lived, kept), _advice(lived)
    for slot, one in after.items():
        np.testing.assert_allclose(one, fresh[slot], atol=1e-5, err_msg="from visit to visit as from the beginning")
        assert np.abs(one - unanswered[slot]).max() > 1e-4, "an answer counts"


def test_beside_the_persons_own_word_it_is_silent_until_that_is_taken_back(lived: Assistant) -> None:
    lived.correct("social", 0.9)
    assert _advice(lived) == {}
    told = lived.you().beliefs[0].correction
    assert told is not None
    lived.withdraw(told)
    assert _advice(lived)


def test_where_its_weights_are_damaged_the_person_is_served_without(
    lived: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "student-device.onnx"
    path.write_bytes(b"cut")
    path.with_suffix(".json").write_bytes(msgspec.json.encode(device_model().card))
    monkeypatch.setenv(DEVICE_VARIABLE, str(path))
    assert _advice(lived) == {}
    assert lived.today().waiting
    assert "DamagedModelError" in caplog.text


def test_a_suggestion_says_on_record_whether_and_with_which_weights_the_student_advised(
    lived: Assistant, clock: Clock
) -> None:
    def versions() -> set[str]:
        shown = {card.number for card in lived.today().waiting}
        context = lived.context()
        kept = context.person.answers.exchanges(context.first_slot, context.slot + 4)
        return {one.suggestion.policy_version for one in kept if one.suggestion.number in shown}

    assert versions() == {f"2, {device_model().card.name}"}
    lived.correct("social", 0.9)
    clock.move(hours=24)
    assert versions() == {"2"}
