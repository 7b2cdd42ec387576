"""A model over real HTTP: whatever fails on the way, each week ends once and is counted to the token."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lm.server import Fault, serving
from rhythm.cli.main import main
from rhythm.lm.endpoint import Endpoint, Model, NoAnswerError, key_from, retry_after_s
from rhythm.lm.model_teacher import Prices
from rhythm.lm.teaching import Plan, Teaching, Totals
from rhythm.lm.trajectories import Status, Trajectory, Who, read_file, read_lines
from rhythm.vocab import WEEK_STEPS, Action, InvalidValueError, RhythmError

KEY = "sk-not-for-anyone"
PRICES = Prices(2.0, 8.0)


def _endpoint(address: str, *, stream: bool = False, tries: int = 6, timeout_s: float = 20.0) -> Endpoint:
    return Endpoint(
        base_url=f"{address}/v1",
        model="m",
        key=KEY,
        stream=stream,
        tries=tries,
        timeout_s=timeout_s,
        first_wait_s=0.001,
    )


def _teach(endpoint: Endpoint, file: Path, seeds: range, budget: float | None = None, at_once: int = 3) -> Totals:
    model = Model(endpoint)
    try:
        return Teaching(Plan(seeds, Who(), "m"), file).run_model(model, PRICES, budget, at_once, lambda: None)
    finally:
        model.close()


def _lines(file: Path) -> list[Trajectory]:
    found = [line for _, line in read_lines(file)]
    assert all(isinstance(line, Trajectory) for line in found)
    return [line for line in found if isinstance(line, Trajectory)]


def _faulty(number: int) -> Fault:
    faults: dict[int, Fault] = {1: 429, 4: 500, 6: "cut", 9: 503}
    return faults.get(number % 12)


@pytest.mark.parametrize("stream", [False, True])
def test_every_week_ends_once_and_costs_what_was_delivered(stream: bool, tmp_path: Path) -> None:
    file, seeds = tmp_path / "a.jsonl", range(2_000_000, 2_000_004)
    with serving(_faulty) as (address, books):
        # Weeks are asked for side by side: one may meet a fault many times in a row.
        totals = _teach(_endpoint(address, stream=stream, tries=24), file, seeds)
        asked = books.requests
        again = _teach(_endpoint(address, stream=stream, tries=24), file, seeds)
        assert books.requests == asked
    assert again == totals
    assert totals.counts == {"completed": 4}
    assert Counter(week.seed for week in _lines(file)) == Counter(seeds)
    used = totals.usage
    assert (used.prompt_tokens, used.completion_tokens) == (books.prompt_tokens, books.completion_tokens)
    assert used.calls == books.answered == 4 * WEEK_STEPS
    assert used.unaccounted == books.broken > 0
    assert PRICES.cost(used) == pytest.approx((2 * books.prompt_tokens + 8 * books.completion_tokens) / 1e6)
    assert {step.action for week in _lines(file) for step in week.steps} == {Action.MEDITATE}
    assert books.keys == {f"Bearer {KEY}"}
    assert KEY.encode() not in file.read_bytes()


def test_a_server_that_stays_down_fails_each_week_once(tmp_path: Path) -> None:
    file, seeds = tmp_path / "a.jsonl", range(2_000_000, 2_000_003)
    with serving(lambda number: 500 if number >= 10 else None) as (address, books):
        totals = _teach(_endpoint(address, tries=2), file, seeds)
        asked = books.requests
        assert _teach(_endpoint(address, tries=2), file, seeds) == totals
        assert books.requests == asked
    assert totals.counts == {"failed": 3}
    weeks = _lines(file)
    assert len(weeks) == 3
    assert sum(len(week.steps) for week in weeks) == totals.usage.calls == 10
    assert {week.failure for week in weeks} == {"the server answered with status 500, 2 times"}


def test_a_late_answer_is_asked_for_again(tmp_path: Path) -> None:
    with serving(lambda number: "late" if number == 2 else None, late_s=3.0) as (address, _):
        totals = _teach(_endpoint(address, timeout_s=1.5), tmp_path / "a.jsonl", range(2_000_000, 2_000_001))
    assert totals.counts == {"completed": 1}
    assert totals.usage.unaccounted >= 1


def test_a_spent_budget_stops_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    file, seeds = tmp_path / "a.jsonl", range(2_000_000, 2_000_002)
    with serving() as (address, books):
        first = _teach(_endpoint(address), file, seeds, budget=0.05, at_once=1)
        assert first.counts == {"stopped": 1}
        assert 0.05 <= PRICES.cost(first.usage) < 0.10
        assert _teach(_endpoint(address), file, seeds, budget=0.05, at_once=1) == first
        last = _teach(_endpoint(address), file, seeds)
    assert last.counts == {"completed": 2}
    assert last.usage.prompt_tokens == books.prompt_tokens
    assert books.answered == 2 * WEEK_STEPS
    assert [week.status for week in _lines(file)].count(Status.COMPLETED) == 2


def test_a_wrong_key_is_said_at_once_and_never_shown(tmp_path: Path) -> None:
    with serving(lambda _: 401) as (address, books):
        endpoint = _endpoint(address)
        with pytest.raises(NoAnswerError, match="check the key") as refused:
            _teach(endpoint, tmp_path / "a.jsonl", range(2_000_000, 2_000_050), at_once=1)
        assert books.requests == 1
    assert KEY not in f"{refused.value}{refused.value!r}{endpoint!r}{endpoint}"


def test_a_refused_option_is_no_fault_of_the_week(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    with serving(lambda _: 400) as (address, books):
        with pytest.raises(NoAnswerError, match="--limit-name"):
            _teach(_endpoint(address), file, range(2_000_000, 2_000_010), at_once=1)
        assert books.requests == 1
    assert _lines(file) == []


def test_an_interrupted_run_keeps_what_was_lived(tmp_path: Path) -> None:
    file, plan = tmp_path / "a.jsonl", Plan(range(2_000_000, 2_000_006), Who(), "m")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with serving() as (address, books):
        model = Model(_endpoint(address))
        with pytest.raises(KeyboardInterrupt):
            Teaching(plan, file).run_model(model, PRICES, None, 2, _once(interrupt))
        model.close()
        assert Teaching(plan, file).totals.usage.calls == books.answered
        totals = _teach(_endpoint(address), file, plan.seeds)
    assert totals.counts == {"completed": 6}
    assert totals.usage.calls == books.answered == 6 * WEEK_STEPS
    assert totals.usage.completion_tokens == books.completion_tokens


def _once(call: Callable[[], None]) -> Callable[[], None]:
    """Does it the first time alone."""
    left = [call]
    return lambda: left.pop()() if left else None


def test_azure_has_an_address_and_a_header_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RHYTHM_LM_KEY", KEY)
    file = tmp_path / "a.jsonl"
    args = ["lm", "teach", "--seeds", "2000000", "--output", str(file), "--teacher", "dep", "--azure", "--json"]
    with serving() as (address, books), pytest.raises(SystemExit) as ended:
        main([*args, "--base-url", address, "--temperature", "0.5"])
    assert ended.value.code == 0
    assert [week.teacher for week in read_file(file).weeks.values()] == ["dep at temperature 0.5"]
    assert books.paths == {"/openai/deployments/dep/chat/completions?api-version=2024-10-21"}
    assert books.keys == {KEY}
    printed = capsys.readouterr()
    assert '"weeks/completed","value":1' in printed.out
    assert KEY not in printed.out + printed.err
    monkeypatch.delenv("RHYTHM_LM_KEY")
    with pytest.raises(InvalidValueError, match="RHYTHM_LM_KEY"):
        key_from("RHYTHM_LM_KEY", needed=True)


def test_what_retry_after_says() -> None:
    now_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after_s("7", now_at) == 7.0
    assert retry_after_s("Thu, 01 Jan 2026 00:00:30 GMT", now_at) == 30.0
    assert retry_after_s("Thu, 01 Jan 2020 00:00:30 GMT", now_at) == 0.0
    assert retry_after_s("soon", now_at) is None
    assert retry_after_s(None, now_at) is None


def test_waits_grow_and_honour_what_the_server_asks() -> None:
    waits: list[float] = []
    with serving(lambda _: 429) as (address, _):
        model = Model(Endpoint(base_url=address, model="m", tries=4, first_wait_s=1.0), sleep=waits.append)
        with pytest.raises(NoAnswerError, match="429, 4 times"):
            model.ask([])
        model.close()
    assert [round(wait / 2**place) for place, wait in enumerate(waits)] == [1, 1, 1]


def test_a_budget_needs_prices_and_a_file_one_teacher(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    with serving() as (address, _):
        _teach(_endpoint(address), file, range(2_000_000, 2_000_001))
        model = Model(_endpoint(address))
        with pytest.raises(RhythmError, match="price"):
            Teaching(Plan(range(1, 1), Who(), "m"), file).run_model(model, Prices(), 1.0, 1, lambda: None)
        model.close()
    with pytest.raises(InvalidValueError, match="another"):
        Teaching(Plan(range(2_000_000, 2_000_001), Who(), "other"), file)
