"""Learning while another process takes back what is learned from: nothing of that stays."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assist.houses import Clock, house
from rhythm.adapt.job import WeeklyResult, undo_adapter
from rhythm.adapt.reading import Interrupt
from rhythm.assist import Assistant
from rhythm.assist.learning import learn
from rhythm.assist.schedule import fit_adapters
from rhythm.store import AdapterState, PersonStore
from rhythm.store.errors import StoreBusyError
from rhythm.store.evidence import EvidenceSlice
from rhythm.vocab import Meter, Outcome


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as opened:
        yield opened


def believed(assistant: Assistant) -> bytes:
    """What is believed, carried on from the latest snapshot."""
    return learn(assistant.person, assistant.context().slot).evidence_only.to_bytes()


def believed_anew(assistant: Assistant) -> bytes:
    """What is believed, learned from the first piece on."""
    assistant.person.posteriors.clear()
    return believed(assistant)


def while_learning(assistant: Assistant, patch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Learns, and between its reading of the snapshot and of what came since, something happens elsewhere."""
    reader = assistant.person.evidence
    read = reader.after

    def after(number: int = 0, *, first_slot: int | None = None) -> EvidenceSlice:
        happens()
        return read(number, first_slot=first_slot)

    with patch.context() as only:
        only.setattr(reader, "after", after)
        assistant.learn(assistant.context())


def test_an_answer_that_is_undone_while_it_is_learned_from_does_not_stay(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = assistant.today().waiting[0].number
    assistant.answer(number, Outcome.ACCEPTED)
    with_answer = assistant.learn(assistant.context()).evidence_only.to_bytes()

    def undone() -> None:
        assistant.undo(number)
        assistant.report(Meter.SERENITY, 0.2)

    while_learning(assistant, monkeypatch, undone)
    after = believed(assistant)
    assert after != with_answer
    assert after == believed_anew(assistant)


def test_learning_that_could_not_be_kept_is_not_gone_on_from(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy store refuses the snapshot; an answer learned in it is undone later, and is gone."""
    assistant.report(Meter.SERENITY, 0.2)
    number = assistant.today().waiting[0].number
    assistant.learn(assistant.context())
    assistant.answer(number, Outcome.ACCEPTED)

    def busy(*_: object, **__: object) -> None:
        raise StoreBusyError("busy")

    with monkeypatch.context() as only:
        only.setattr(assistant.person.posteriors, "save", busy)
        with pytest.raises(StoreBusyError):
            assistant.learn(assistant.context())
    assistant.undo(number)
    after = assistant.learn(assistant.context()).evidence_only.to_bytes()
    assert after == believed_anew(assistant)


class Fitting:
    """An engine whose adapter is always used; something happens while it fits."""

    job = "fitting"
    schema = "fitted/1"

    def __init__(self, happens: Callable[[], object] = lambda: None) -> None:
        self._happens = happens

    def run(
        self, person: PersonStore, slot: int, *, behind: int = 0, interrupt: Interrupt = lambda: None
    ) -> WeeklyResult:
        interrupt()
        self._happens()
        made = person.adapters.add(b"x", base=f"{slot} {behind}", schema=self.schema, version="1", metrics={})
        person.adapters.decide(made.number, AdapterState.DEPLOYED)
        return WeeklyResult(True, "Used.", 9, 9, 0.7, 0.6, made.number)


def fitted(assistant: Assistant, engine: Fitting) -> int:
    context = assistant.context()
    assistant.person.jobs.plan(engine.job, context.now_at)
    return fit_adapters(assistant.person, context.now_at, context.slot, [engine])


def test_what_was_fitted_to_what_is_forgotten_is_not_used(assistant: Assistant) -> None:
    """Neither what was in use, nor what it replaced, nor what is being fitted meanwhile."""
    for _ in range(2):
        assert fitted(assistant, Fitting()) == 1
    assert assistant.person.adapters.deployed(Fitting.schema) is not None
    assistant.clear()
    assert assistant.person.adapters.deployed(Fitting.schema) is None
    assert fitted(assistant, Fitting(assistant.clear)) == 1
    assert assistant.person.adapters.deployed(Fitting.schema) is None
    assert {one.state for one in assistant.person.adapters.all()} == {AdapterState.REJECTED}
    assert fitted(assistant, Fitting()) == 1
    assert assistant.person.adapters.deployed(Fitting.schema) is not None
    assert undo_adapter(assistant.person, Fitting.schema) is None
