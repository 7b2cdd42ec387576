"""The student as somebody who suggests: it keeps to what it is asked, its chances are true, its adapter counts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from rhythm.adapt.adapter import ADAPTER_SCHEMA, Adapter, pack_adapter
from rhythm.adapt.job import shipped_plan
from rhythm.assist.context import Context
from rhythm.assist.suggesting import Asked
from rhythm.policy.student.device_model import DEVICE_VARIABLE, DeviceSaid, Floats, device_model
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.policy.suggest import FLOOR
from rhythm.rehearse import student as made
from rhythm.rehearse.student import AdaptedStudent, StudentAlone
from rhythm.store import AdapterState, PersonStore, Proposal, Store
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, Action, Outcome, Response

START = 738_000 * 4
NOW = START + 41
FREE = (NOW, NOW + 1, NOW + 2)


class _Here:
    """What the student asks of a context."""

    def __init__(self, person: PersonStore, slot: int) -> None:
        self.person, self.slot = person, slot


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[PersonStore]:
    begun = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    ticks = iter(range(10**6))
    with Store.open(tmp_path / "rhythm.db", clock=lambda: begun + timedelta(seconds=next(ticks))) as store:
        person = store.create_person("ada")
        proposals = [
            Proposal(slot=slot, action=Action(slot % 10), reason="A guess.", propensity=0.1, policy="any",
                     policy_version="1")
            for slot in range(START, NOW)
        ]  # fmt: skip
        for one in person.suggestions.add(*proposals):
            person.answers.give(one.number, Response(Outcome.ACCEPTED if one.action % 2 else Outcome.IGNORED))
        yield person


def _asked(person: PersonStore, *, most: int = 2, key: int = 0, slot: int = NOW) -> Asked:
    context = cast("Context", _Here(person, slot))
    return Asked(context, cast("Any", None), FREE, {}, {}, {}, most, key)


def test_it_suggests_for_free_slots_and_says_with_which_chance(ada: PersonStore) -> None:
    student = StudentAlone()
    first = student(_asked(ada))
    assert [one.slot for one in first] == sorted({one.slot for one in first})
    assert 1 <= len(first) <= 2
    assert {one.slot for one in first} <= set(FREE)
    assert list(student(_asked(ada))) == list(first), "the same number, the same choice"
    drawn: dict[tuple[int, Action], list[float]] = {}
    for key in range(50):
        for one in student(_asked(ada, most=3, key=key)):
            assert FLOOR / ACTION_COUNT <= one.propensity <= 1.0
            drawn.setdefault((one.slot, one.action), []).append(one.propensity)
    for found in drawn.values():
        assert len(set(found)) == 1, "a chance does not depend on the draw"
    (place, likely), *_ = sorted(drawn.items(), key=lambda item: -item[1][0])
    asked = sum(len(found) for (slot, _), found in drawn.items() if slot == place[0])
    assert len(likely) / asked == pytest.approx(likely[0], abs=0.2)


def test_where_nothing_helps_nothing_is_suggested(ada: PersonStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StudentAlone, "_gains", lambda *_: np.full(ACTION_COUNT, -0.01, np.float32))
    assert list(StudentAlone()(_asked(ada))) == []


def test_an_adapter_that_is_deployed_changes_what_suggestions_are_worth(
    ada: PersonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = shipped_plan(device_model())
    weekly: list[int] = []

    def fitted(person: PersonStore, slot: int, **_: object) -> None:
        weekly.append(slot)
        actions = 2 + SLOTS_PER_DAY
        own = np.zeros(actions + ACTION_COUNT + len(plan.directions))
        own[actions + Action.EXERCISE] = 5.0
        stored = person.adapters.add(
            pack_adapter(Adapter.of(plan.base, own)),
            base=plan.base,
            schema=ADAPTER_SCHEMA,
            version="1",
            metrics={},
            sentence="x",
        )
        person.adapters.decide(stored.number, AdapterState.DEPLOYED)

    monkeypatch.setattr(made, "run_weekly", fitted)
    gains: list[Floats] = []
    kept = AdaptedStudent._gains

    def kept_gains(self: AdaptedStudent, asked: Asked, slot: int, said: DeviceSaid) -> Floats:
        own = kept(self, asked, slot, said)
        gains.append(own / said.values[0])
        return own

    monkeypatch.setattr(AdaptedStudent, "_gains", kept_gains)
    student = AdaptedStudent()
    student(_asked(ada))
    student(_asked(ada, key=1))
    assert weekly == [NOW], "once a week"
    for factors in gains:
        others = np.delete(factors, Action.EXERCISE)
        np.testing.assert_allclose(others, 1.0, rtol=1e-6)
        assert factors[Action.EXERCISE] > 1.0


def test_with_a_damaged_adapter_the_plain_student_serves(ada: PersonStore, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = shipped_plan(device_model())
    stored = ada.adapters.add(b"cut", base=plan.base, schema=ADAPTER_SCHEMA, version="1", metrics={}, sentence="x")
    ada.adapters.decide(stored.number, AdapterState.DEPLOYED)
    monkeypatch.setattr(made, "run_weekly", lambda *_, **__: None)
    assert list(AdaptedStudent()(_asked(ada))) == list(StudentAlone()(_asked(ada)))


def test_nobody_lives_in_the_name_of_weights_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = device_model().card
    path = tmp_path / "student-device.onnx"
    path.write_bytes(b"cut")
    path.with_suffix(".json").write_bytes(msgspec.json.encode(card))
    monkeypatch.setenv(DEVICE_VARIABLE, str(path))
    with pytest.raises(DamagedModelError):
        StudentAlone()
