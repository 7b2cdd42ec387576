"""Processes of this machine do every item once; an item's error is its own and takes back what waits."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from rhythm.policy.student import device_model, shipped
from rhythm.spread import Crew, ItemError, OtherCodeError, WorkerLostError, code, opened
from rhythm.vocab import InvalidValueError
from spread import items


def test_every_item_is_done_once_whoever_does_it() -> None:
    with opened(2, "", 9) as crew:
        found = dict(crew.finished(items.doubled, {str(n): (n,) for n in range(9)}))
    assert found == {str(n): 2 * n for n in range(9)}


def test_an_items_error_is_raised_as_it_is_and_the_others_are_taken_back(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="item 0 is refused"), opened(1, "", 30) as crew:
        list(crew.finished(items.refused, {n: (n,) for n in range(30)}))

    def stopped() -> None:
        with opened(1, "", 30) as crew:
            for _ in crew.finished(items.marked, {n: (str(tmp_path), n, 0.05) for n in range(30)}):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert len(list(tmp_path.iterdir())) <= 2


def test_what_was_done_beside_an_item_that_failed_is_not_lost() -> None:
    class AtOnce(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
            future: Future[Any] = Future()
            try:
                future.set_result(fn(*args))
            except InvalidValueError as error:
                future.set_exception(error)
            return future

    kept: list[tuple[int, int]] = []
    with pytest.raises(InvalidValueError):
        kept.extend(Crew(AtOnce(), 9).finished(items.refused, {n: (n,) for n in range(4)}))
    assert sorted(kept) == [(n, n) for n in range(1, 4)]


def test_an_error_that_cannot_be_sent_says_what_it_was() -> None:
    with (
        pytest.raises(ItemError, match="UnknownNameError: unknown item 7; choose one of: none"),
        opened(1, "", 1) as crew,
    ):
        list(crew.finished(items.unsendable, {7: (7,)}))


def test_a_process_that_ends_is_said_in_a_sentence() -> None:
    with pytest.raises(WorkerLostError, match="run again with fewer --workers"), opened(1, "", 1) as crew:
        list(crew.finished(items.ended, {0: (3,)}))


def test_workers_of_this_machine_and_a_cluster_are_refused_together() -> None:
    with pytest.raises(InvalidValueError, match="leave --workers away"), opened(2, "tcp://localhost:8786", 1):
        pass


def test_what_a_result_depends_on_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code.WEIGHTS_VARIABLES == (shipped.WEIGHTS_VARIABLE, device_model.DEVICE_VARIABLE)
    before = code.code_here()
    weights = tmp_path / "other.onnx"
    weights.write_bytes(b"other")
    monkeypatch.setenv(shipped.WEIGHTS_VARIABLE, str(weights))
    changed = code.code_here()
    assert {name for name in before if before[name] != changed[name]} == {shipped.WEIGHTS_VARIABLE}
    code.refuse_other(before, dict(before), "this worker")
    with pytest.raises(OtherCodeError, match=r"this worker has RHYTHM_STUDENT \w+ \(here shipped\); its results"):
        code.refuse_other(changed, before, "this worker")
    with pytest.raises(OtherCodeError, match="numpy unknown"):
        code.refuse_other({k: v for k, v in before.items() if k != "numpy"}, before, "this worker")
