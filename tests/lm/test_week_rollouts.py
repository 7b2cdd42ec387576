"""A model lives whole weeks at a real OpenEnv server: what it said is learned, and a grade counts once."""

import importlib
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch
from safetensors.torch import load_file

from rhythm.bench.graders import grade_v2
from rhythm.bench.play import play
from rhythm.cli.main import main
from rhythm.life.populations import Population, sample_people
from rhythm.lm.grpo import GrpoPlan, refine
from rhythm.lm.models import NoModelError, load_model
from rhythm.lm.player import LoadedPolicy
from rhythm.lm.prompt import Conversation
from rhythm.lm.sft import read_curve
from rhythm.lm.week_rollouts import NoEnvironmentError, WeekRollouts, seed_in, weeks_to_live
from rhythm.sim.openenv.local_server import free_port
from rhythm.sim.secret import PUBLISHED
from rhythm.vocab import WEEK_STEPS, InvalidValueError

pytestmark = [
    pytest.mark.openenv,
    pytest.mark.skipif(None in map(find_spec, ("trl", "openenv")), reason="needs the extras `lm` and `openenv`"),
]

FIRST = 2_000_300
CUT = 3
"""Tokens that end an answer before its action."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server of the published people, in a thread of this process."""
    uvicorn: Any = importlib.import_module("uvicorn")
    app: Any = importlib.import_module("rhythm.sim.openenv.app")
    port = free_port()
    made = app.create_week_app(secret=PUBLISHED, max_sessions=4)
    server = uvicorn.Server(uvicorn.Config(made, port=port, log_level="error", ws_ping_interval=None))
    thread = Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server ended"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("max_tokens", [16, CUT])
def test_a_week_at_the_server_is_the_week_that_was_said_and_its_grade_counts_once(
    url: str, trained: Path, max_tokens: int
) -> None:
    loaded = load_model(str(trained / "model"))
    seeds = [FIRST, FIRST + 1]
    told = WeekRollouts(url, loaded.tokenizer, max_tokens, 0.0).play(loaded, seeds)
    keys = np.array(seeds)
    own = play(LoadedPolicy(loaded, max_tokens=max_tokens), sample_people(keys, Population.CLASSIC), keys)
    assert [week.grade for week in told] == pytest.approx(grade_v2(own)["v2"].tolist(), abs=1e-9)
    for week in told:
        said = [token for token, mine in zip(week.completion, week.own, strict=True) if mine]
        answers = loaded.tokenizer.decode(said).split("<|end|>")
        text = loaded.tokenizer.decode(week.prompt + week.completion)
        assert text.count(" of 28.") == WEEK_STEPS
        if max_tokens == CUT:
            assert (len(said), week.readable) == (CUT * WEEK_STEPS, 0), "cut off before its end, which it never said"
        else:
            assert answers == ["4 5 4 LEARN"] * WEEK_STEPS + [""], "the model's own, with what ends each"
            assert week.readable == WEEK_STEPS
            assert text == loaded.tokenizer.apply_chat_template(_conversation(text, answers), tokenize=False)


def _conversation(text: str, answers: list[str]) -> list[Any]:
    """What was said, as messages; states are what stands between the marks."""
    conversation = Conversation()
    system = conversation.messages[0]["content"]
    for part, answer in zip(text.removeprefix(system).split("<|end|>"), answers, strict=True):
        if part:
            conversation.say(part.split("<|assistant|>")[0])
            conversation.answer(answer)
    return conversation.messages


def test_a_model_is_refined_by_the_weeks_that_it_lives_there(url: str, trained: Path, tmp_path: Path) -> None:
    plan = GrpoPlan(
        model=str(trained / "model"),
        steps=2,
        prompts=1,
        answers=4,
        rate=1e-2,
        temperature=2.0,
        max_tokens=6,
        every=1,
        environment=url,
    )
    folder = refine(plan, [], tmp_path / "run")
    rows = {row["name"]: row["value"] for row in read_curve(tmp_path / "run" / "training.json")["rows"]}
    assert 0.0 < rows["rewards/grade/mean/2"] < 1.0
    assert rows["rewards/grade/std/1"] > 0.0, "weeks that were drawn differ"
    before, after = (load_file(path / "model.safetensors") for path in (trained / "model", folder))
    assert any(not torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    "frame", [None, "no json", "[]", '{"type": "observation", "data": {}}'], ids=["gone", "text", "list", "empty"]
)
def test_a_server_that_hangs_up_or_talks_nonsense_is_the_environments_fault(frame: str | None, trained: Path) -> None:
    servers: Any = importlib.import_module("websockets.sync.server")

    def talk(connection: Any) -> None:
        connection.recv()
        if frame is not None:
            connection.send(frame)
        connection.close()

    loaded = load_model(str(trained / "model"))
    with servers.serve(talk, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        with pytest.raises(NoEnvironmentError, match="did not play on"):
            WeekRollouts(url, loaded.tokenizer, 4, 1.0).play(loaded, [FIRST])
        server.shutdown()
        thread.join()


def test_a_model_that_says_no_numbers_is_not_the_servers_fault(url: str, trained: Path) -> None:
    loaded = load_model(str(trained / "model"))
    with torch.no_grad():
        loaded.model.lm_head.weight[:] = float("nan")
    with pytest.raises(NoModelError, match="numbers that are none"):
        WeekRollouts(url, loaded.tokenizer, 4, 1.0).play(loaded, [FIRST])


def test_the_command_takes_weeks_or_a_server_and_says_when_nobody_answers(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = f"lm grpo --model {trained}/model --output {tmp_path}/run --steps 1 --prompts 1 --answers 2"
    for more, said in (
        ("", "--environment"),
        (f" --environment http://127.0.0.1:{free_port()}", "did not play on"),
        (" --environment nowhere", "http"),
    ):
        with pytest.raises(SystemExit) as ended:
            main((common + more).split())
        assert ended.value.code == 2
        assert said in capsys.readouterr().err


def test_a_prompt_names_the_week_of_a_training_person_or_is_refused(trained: Path) -> None:
    rows = weeks_to_live(3, 2, 0)
    assert len({seed_in(row["prompt"]) for row in rows}) == 6
    assert all(seed_in(row["prompt"]) >= 2_000_000 for row in rows)
    for prompt in ([], "2000001", [{"role": "user", "content": "seed 5"}], [{"role": "user", "content": "5"}]):
        with pytest.raises(InvalidValueError, match="names a seed"):
            seed_in(prompt)
    rollouts = WeekRollouts(f"http://127.0.0.1:{free_port()}", load_model(str(trained / "model")).tokenizer, 4, 1.0)
    with pytest.raises(NoEnvironmentError):
        rollouts.play(load_model(str(trained / "model")), [FIRST])
