"""The weekly job: reads a person's store, keeps what it fitted, can be undone and interrupted, fails without harm."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest
import sqlalchemy as sa

from rhythm.adapt.adapter import ADAPTER_SCHEMA
from rhythm.adapt.job import (
    JOB_NAME,
    deployed_adapter,
    plan_adapters,
    run_due_adapter,
    run_weekly,
    shipped_plan,
    undo_adapter,
)
from rhythm.adapt.plan import AdapterPlan, read_plan
from rhythm.adapt.reading import news_by_slot, read_answers
from rhythm.assist.erasing import begin_anew
from rhythm.policy.student.device_model import DEVICE_VARIABLE, DEVICE_WEIGHTS, device_model
from rhythm.policy.student.weights_file import DamagedModelError
from rhythm.store import AdapterState, PersonStore, Proposal, Store
from rhythm.store.errors import UnknownPersonError
from rhythm.vocab import (
    Action,
    Answered,
    Done,
    Evidence,
    Meter,
    Outcome,
    Reading,
    Response,
    SchemaError,
)

START = 738_000 * 4
WEEKS = 5
NOW = START + WEEKS * 28
LIKED = (Action.EXERCISE, Action.SOCIALIZE)


class Clock:
    """Moves by a second each time it is read, and by hand."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with five weeks of one person, to be copied."""
    path = tmp_path_factory.mktemp("filled") / "rhythm.db"
    with _opened(path, Clock()) as store:
        fill(store.create_person("ada"))
    return path


@pytest.fixture
def ada(filled: Path, tmp_path: Path, clock: Clock) -> Iterator[PersonStore]:
    clock.at += timedelta(days=1)
    shutil.copy(filled, tmp_path / "rhythm.db")
    with _opened(tmp_path / "rhythm.db", clock) as store:
        yield store.person("ada")


def _opened(path: Path, clock: Clock) -> Store:
    """A store that does not wait for the disk; nothing here asks about a power cut."""
    store = Store.open(path, clock=clock)
    sa.event.listen(store.database.engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=OFF"))
    store.database.close()
    return store


def fill(person: PersonStore, until: int = NOW) -> None:
    """Five weeks: two actions are always accepted, the others never; some suggestions meet no answer."""
    random = np.random.default_rng(1)
    slots = [slot for slot in range(until - WEEKS * 28, until) if random.random() < 0.8]
    made = person.suggestions.add(
        *(
            Proposal(
                slot=slot, action=Action(int(random.integers(0, 10))), reason="A guess.", propensity=0.1, policy="any",
                policy_version="1",
            )
            for slot in slots
        )
    )  # fmt: skip
    for one in made:
        outcome = Outcome.ACCEPTED if one.action in LIKED else Outcome.IGNORED
        person.answers.give(one.number, Response(Outcome.EXPIRED if one.slot % 9 == 0 else outcome))


def lenient() -> AdapterPlan:
    """The shipped plan with a gate that lets every gain pass, and people who may differ much."""
    plan = shipped_plan(device_model())
    spreads = {**plan.spreads, "actions": 0.8, "level": 0.2}
    return msgspec.structs.replace(plan, least_sure=0.0, least_gain=0.0, spreads=spreads)


def test_a_week_is_fitted_gated_kept_and_said_in_one_sentence(ada: PersonStore) -> None:
    done = run_weekly(ada, NOW, plan=lenient())
    assert done.deployed
    assert done.adapter_loss is not None
    assert done.base_loss is not None
    assert done.adapter_loss < done.base_loss
    stored = ada.adapters.deployed(ADAPTER_SCHEMA)
    assert stored is not None
    assert stored.sentence == done.sentence
    assert done.sentence.count(". ") == 0
    assert f"{done.held_out} better" in done.sentence
    assert len(stored.payload) < 20_000
    found = deployed_adapter(ada, device_model(), lenient())
    assert found is not None
    assert found.actions[Action.EXERCISE] > found.actions[Action.DEEP_WORK]


def test_a_gate_that_is_not_passed_keeps_what_was(ada: PersonStore) -> None:
    first = run_weekly(ada, NOW, plan=lenient())
    strict = msgspec.structs.replace(lenient(), least_gain=5.0)
    second = run_weekly(ada, NOW, plan=strict)
    assert not second.deployed
    assert "not used" in second.sentence
    deployed = ada.adapters.deployed(ADAPTER_SCHEMA)
    assert deployed is not None
    assert deployed.number == first.number
    assert [one.state for one in ada.adapters.all()] == [AdapterState.DEPLOYED, AdapterState.REJECTED]


def test_undoing_goes_back_one_and_then_to_the_plain_student(ada: PersonStore) -> None:
    numbers = [run_weekly(ada, NOW - 28 + 7 * k, plan=lenient()).number for k in (0, 4)]
    assert None not in numbers
    back = undo_adapter(ada)
    assert back is not None
    assert back.number == numbers[0]
    assert undo_adapter(ada) is None
    assert ada.adapters.deployed(ADAPTER_SCHEMA) is None
    assert undo_adapter(ada) is None


def test_too_few_answers_fit_nothing(ada: PersonStore) -> None:
    done = run_weekly(ada, START + 20)
    assert (done.deployed, done.number) == (False, None)
    assert "too few" in done.sentence
    assert ada.adapters.all() == ()


def test_what_the_person_cleared_counts_no_more(ada: PersonStore) -> None:
    begin = ada.about().last_number
    assert run_weekly(ada, NOW, behind=begin).answers == 0


def test_an_interrupted_job_has_changed_nothing(ada: PersonStore) -> None:
    left = iter(range(60))

    def interrupt() -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_weekly(ada, NOW, interrupt=interrupt)
    assert ada.adapters.all() == ()


def test_what_is_fitted_to_someone_who_is_erased_meanwhile_is_not_kept(
    ada: PersonStore, clock: Clock, tmp_path: Path
) -> None:
    """Another process erases them, and they begin anew under the same name."""

    def erased() -> None:
        if ada.evidence.after().entries:
            with _opened(tmp_path / "rhythm.db", clock) as store:
                begin_anew(store, store.person("ada"))

    with pytest.raises(UnknownPersonError, match="not kept"):
        run_weekly(ada, NOW, interrupt=erased, plan=lenient())
    assert ada.adapters.all() == ()


def test_it_is_due_once_a_week_for_those_who_asked_for_it(ada: PersonStore, clock: Clock) -> None:
    assert run_due_adapter(ada, clock.at, NOW, "me") is None
    plan_adapters(ada, clock.at)
    assert run_due_adapter(ada, clock.at, NOW, "me") is not None
    assert run_due_adapter(ada, clock.at, NOW, "me") is None
    clock.at += timedelta(days=7, minutes=1)
    assert run_due_adapter(ada, clock.at, NOW, "me") is not None
    plan_adapters(ada, None)
    clock.at += timedelta(days=8)
    assert run_due_adapter(ada, clock.at, NOW, "me") is None


def test_without_the_weights_the_job_says_so_and_goes_on(
    ada: PersonStore, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "student-device.onnx"
    path.write_bytes(DEVICE_WEIGHTS.read_bytes()[:-7])
    path.with_suffix(".json").write_bytes(DEVICE_WEIGHTS.with_suffix(".json").read_bytes())
    monkeypatch.setenv(DEVICE_VARIABLE, str(path))
    with pytest.raises(DamagedModelError):
        run_weekly(ada, NOW)
    plan_adapters(ada, clock.at)
    assert run_due_adapter(ada, clock.at, NOW, "me") is None
    job = ada.jobs.get(JOB_NAME)
    assert job is not None
    assert (job.failures, job.last_error, job.owner) == (1, "DamagedModelError", None)


def test_a_stored_adapter_that_is_damaged_is_not_served(ada: PersonStore) -> None:
    run_weekly(ada, NOW, plan=lenient())
    good = ada.adapters.deployed(ADAPTER_SCHEMA)
    assert good is not None
    bad = ada.adapters.add(good.payload[:40], base=good.base, schema=good.schema, version="1", metrics={})
    ada.adapters.decide(bad.number, AdapterState.DEPLOYED)
    with pytest.raises(SchemaError, match="fit it again"):
        deployed_adapter(ada, device_model(), lenient())
    back = undo_adapter(ada)
    assert back is not None
    assert deployed_adapter(ada, device_model(), lenient()) is not None


@pytest.mark.parametrize("content", [b"", b"{}", b'{"schema": "rhythm.adapter-plan/9"}'])
def test_a_damaged_plan_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match="install Rhythm again"):
        read_plan(path, "student-device x", 4)


def test_a_plan_of_other_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plan = shipped_plan(device_model())
    path.write_bytes(msgspec.json.encode(plan))
    assert read_plan(path, plan.base, device_model().card.width) == plan
    with pytest.raises(SchemaError, match="other weights"):
        read_plan(path, "student-device x", device_model().card.width)
    with pytest.raises(SchemaError, match="do not fit"):
        read_plan(path, plan.base, 4)


def test_evidence_is_read_where_it_belongs_and_gaps_are_slots_of_nothing() -> None:
    evidence: list[Evidence] = [
        Reading(10, Meter.SERENITY, 0.4, 0.2),
        Done(12, Action.SLEEP),
        Answered(13, Action.LEARN, Response(Outcome.RESCHEDULED, 18)),
        Done(40, Action.LEARN),
    ]
    news = news_by_slot(evidence, 8, 44)
    assert [int(one.slots[0]) for one in news] == list(range(8, 45))
    assert news[2].reading_slots[0, Meter.SERENITY] == 10
    assert news[5].done[0] == Action.SLEEP
    assert (news[6].suggested[0], news[6].outcomes[0], news[6].moved_to[0]) == (Action.LEARN, 1, 18)
    assert news[33].done[0] == Action.LEARN
    assert all(one.done[0] == -1 and one.suggested[0] == -1 for one in news[7:33])


def test_no_answer_does_not_count_and_nothing_is_foreseen_after_the_fact() -> None:
    model = device_model()
    evidence: list[Evidence] = [
        Answered(4 + k, Action(k % 10), Response(outcome))
        for k, outcome in enumerate((Outcome.ACCEPTED, Outcome.EXPIRED, Outcome.IGNORED, Outcome.UNAVAILABLE) * 5)
    ]
    found = read_answers(model, evidence, 24)
    assert len(found) == 10
    assert found.accepted.sum() == 5
    flipped = [*evidence[:-2], Answered(22, Action(8), Response(Outcome.ACCEPTED)), evidence[-1]]
    again = read_answers(model, flipped, 24)
    np.testing.assert_array_equal(again.logits, found.logits)
    assert again.accepted[-1] != found.accepted[-1]
    assert len(read_answers(model, [], 24)) == 0
    assert len(read_answers(model, evidence, 0)) == 0


def test_adapting_needs_nothing_of_training() -> None:
    code = """
import sys
from rhythm.adapt.job import run_weekly
sys.exit("torch" in sys.modules or "onnx" in sys.modules or "numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own words
