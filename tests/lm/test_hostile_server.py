"""Whatever a server sends, a question ends in time with an answer or a typed error, and nobody waits for it."""

import gzip
import json
import socket
import time
from pathlib import Path

import pytest

from lm.moments import answering, asked_of
from lm.raw import HEAD, sending
from lm.server import serving
from rhythm.assist.signed import Signed
from rhythm.cli.main import main
from rhythm.lm.choosing import Served
from rhythm.lm.endpoint import MAX_ANSWER_BYTES, Endpoint, Model, NoAnswerError
from rhythm.lm.model_teacher import Prices
from rhythm.lm.serving import TIMEOUT_S, served_chooser
from rhythm.lm.suggesting import PATIENCE_S, LanguageModelSuggester
from rhythm.lm.teaching import Plan, Teaching
from rhythm.lm.trajectories import Usage, Who
from rhythm.vocab import InvalidValueError

TOLD = [{"role": "user", "content": "x"}]
PACKED = HEAD.replace(b"close", b"close\r\ncontent-encoding: gzip")
SEEDS = range(2_000_000, 2_000_020)


def _asked(base_url: str, **how: object) -> Model:
    told = {"model": "m", "tries": 1, "timeout_s": 5.0, "first_wait_s": 0.0} | how
    return Model(Endpoint(base_url=base_url, **told))  # type: ignore[arg-type]


def _answer(usage: object) -> bytes:
    choice = {"message": {"content": "5 5 5 LEARN"}, "finish_reason": "stop"}
    return HEAD + json.dumps({"choices": [choice], "usage": usage}).encode()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"SSH-2.0-none\r\n", "broke off"),
        (PACKED + b"no gzip", "broke off"),
        (PACKED + gzip.compress(b" " * 2 * MAX_ANSWER_BYTES), "too long"),
        (HEAD + b"data:" + b"x" * (MAX_ANSWER_BYTES + 1), "too long"),
        (HEAD + b"data: " + b"[" * 100_000 + b"\n", "broke off"),
        (HEAD + b'data: {"choices": {"a": 1}}\n\ndata: [DONE]\n\n', "broke off"),
        (b"HTTP/1.1 301 Moved\r\nlocation: https://other/\r\ncontent-length: 0\r\n\r\n", "check the base URL"),
    ],
    ids=["ssh", "no-gzip", "bomb", "endless-line", "deep", "odd-choices", "moved"],
)  # fmt: skip
def test_what_is_no_answer_is_a_typed_error(sent: bytes, problem: str, stream: bool) -> None:
    with sending(sent) as (address, _), pytest.raises(NoAnswerError, match=problem):
        _asked(address, stream=stream).ask(TOLD)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [2**62, 1.5, "7", None, -1], ids=str)
def test_a_count_that_is_none_is_unaccounted_for(count: object) -> None:
    with sending(_answer({"prompt_tokens": count, "completion_tokens": 1})) as (address, _):
        assert _asked(address).ask(TOLD).usage == Usage(calls=1, unaccounted=1)  # type: ignore[arg-type]


def _drips(taken: socket.socket) -> None:
    taken.sendall(HEAD)
    for _ in range(200):
        taken.sendall(b" ")
        time.sleep(0.02)


def test_a_server_that_sends_a_little_at_a_time_is_not_waited_for() -> None:
    with sending(_drips) as (address, asked):
        with pytest.raises(NoAnswerError, match="in time, once"):
            _asked(address, deadline_s=0.2, tries=5).ask(TOLD)  # type: ignore[arg-type]
        assert len(asked) == 1
    with serving() as (address, _):
        chooser = served_chooser("m", f"{address}/v1")
        assert isinstance(chooser, Served)
        assert chooser._model.endpoint.deadline_s == TIMEOUT_S


def test_a_server_that_asks_for_patience_gets_no_more_than_there_is() -> None:
    waits: list[float] = []
    busy = b"HTTP/1.1 429 Busy\r\nretry-after: 100\r\ncontent-length: 0\r\n\r\n"
    with sending(busy) as (address, _):
        endpoint = Endpoint(base_url=address, model="m", tries=3, first_wait_s=0.0, deadline_s=20.0)
        with pytest.raises(NoAnswerError, match="429, once"):
            Model(endpoint, sleep=waits.append).ask(TOLD)  # type: ignore[arg-type]
    assert waits == []


def test_a_page_waits_for_a_slow_model_once_and_the_planner_does_the_rest(tmp_path: Path) -> None:
    now_s = [0.0]

    class Slow(Served):
        def chances(self, *told: object) -> object:  # type: ignore[override]
            now_s[0] += PATIENCE_S
            return super().chances(*told)  # type: ignore[arg-type]

    with answering(tmp_path) as assistant, serving() as (address, books):
        slow = LanguageModelSuggester(Slow(_asked(f"{address}/v1")), clock_s=lambda: now_s[0])  # type: ignore[arg-type]
        made = slow(asked_of(assistant, most=3))
        assert books.requests == 1
    assert len(made) > 1
    assert [one.policy for one in made if isinstance(one, Signed)].count("lm") == 1


@pytest.mark.parametrize("host", ["http://a..b", "http://" + "a" * 70 + ".b", "http://h:abc", "http://[::1"])
def test_an_address_that_is_none_is_said(host: str) -> None:
    with pytest.raises(NoAnswerError, match="no address") as refused:
        _asked(host).ask(TOLD)  # type: ignore[arg-type]
    assert refused.value.hopeless


def test_where_nobody_is_the_run_ends_and_no_week_has_failed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    teaching = Teaching(Plan(SEEDS, Who(), "m"), tmp_path / "a.jsonl")
    with pytest.raises(NoAnswerError, match="could not be reached, 2 times; check"):
        teaching.run_model(_asked(address, tries=2), Prices(), None, 1, lambda: None)
    assert teaching.open_seeds == list(SEEDS)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("temperature", "nan"), ("temperature", "-1"), ("timeout_s", "inf"), ("deadline_s", "0"), ("deadline_s", "nan")],
)
def test_numbers_that_cannot_be_sent_are_refused(name: str, wrong: str) -> None:
    with pytest.raises(InvalidValueError, match=name):
        _asked("http://localhost/v1", **{name: float(wrong)})
    with pytest.raises(InvalidValueError, match="the name of a model"):
        _asked("http://localhost/v1", model="\udc80")


def test_a_password_in_the_address_is_never_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    endpoint = Endpoint(base_url="http://me:sk-secret@127.0.0.1:1/v1", model="m")
    assert endpoint.place == "http://127.0.0.1:1/v1"
    assert "sk-secret" not in f"{endpoint}{endpoint!r}"
    args = ["lm", "teach", "--seeds", "2000000", "--teacher", "m", "--output", str(tmp_path / "a.jsonl")]
    with pytest.raises(SystemExit) as ended:
        main([*args, "--base-url", "http://me:sk-secret@h:abc/v1"])
    assert ended.value.code == 2
    assert "sk-secret" not in capsys.readouterr().err
