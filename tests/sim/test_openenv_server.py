"""The OpenEnv server as a real process, played by OpenEnv's own client and read by a nosy one.

The tests of the last part stand under the names of OpenEnv graders that it lists and does not
implement yet.
"""

import importlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from rhythm.life.profiles import Profile, belief_targets
from rhythm.sim.conditions import SPLITS, Casting
from rhythm.sim.secret import Secret
from rhythm.vocab import Action
from sim import lives

pytestmark = [pytest.mark.openenv, pytest.mark.slow]

openenv = pytest.importorskip("openenv")
oe: Any = importlib.import_module("rhythm.sim.openenv")
local_server: Any = importlib.import_module("rhythm.sim.openenv.local_server")
sockets: Any = importlib.import_module("websockets.sync.client")

PACKAGE = Path(__file__).parents[2] / "envs" / "rhythm_env"
SECRET = 918_273_645_546


@pytest.fixture(scope="module")
def open_url() -> Iterator[str]:
    """A server of the published seeds, with room for two sessions."""
    with local_server.serving(PACKAGE, {"RHYTHM_SECRET": "0", "RHYTHM_MAX_SESSIONS": "2"}) as url:
        yield url


@pytest.fixture(scope="module")
def kept_url() -> Iterator[str]:
    """A server in production mode with a secret of its own."""
    with local_server.serving(PACKAGE, {"RHYTHM_SECRET": str(SECRET), "OPENENV_MODE": "production"}) as url:
        yield url


class Nosy:
    """A WebSocket client that sends what it likes and keeps every byte that comes back."""

    def __init__(self, url: str) -> None:
        self._stack = ExitStack()
        self.socket = self._stack.enter_context(sockets.connect(url.replace("http", "ws") + "/ws"))
        self.heard: list[str] = []

    def close(self) -> None:
        self._stack.close()

    def ask(self, kind: str, data: Any = None) -> dict[str, Any]:
        self.socket.send(json.dumps({"type": kind} if data is None else {"type": kind, "data": data}))
        self.heard.append(str(self.socket.recv(timeout=30)))
        answer: dict[str, Any] = json.loads(self.heard[-1])
        return answer

    def week(self, lines: list[str], **reset: Any) -> list[dict[str, Any]]:
        return [self.ask("reset", reset)["data"], *(self.ask("step", {"decision": line})["data"] for line in lines)]


@pytest.fixture
def nosy(open_url: str) -> Iterator[Nosy]:
    client = Nosy(open_url)
    yield client
    client.close()


@pytest.fixture
def kept(kept_url: str) -> Iterator[Nosy]:
    client = Nosy(kept_url)
    yield client
    client.close()


def plan(seed: int) -> list[str]:
    return [f"3 6 5 {Action(action).name}" for action in lives.decisions(seed)]


def test_openenvs_own_client_plays_a_week_bit_for_bit(open_url: str) -> None:
    with oe.WeekClient(base_url=open_url).sync() as client:
        result = client.reset(seed=10_003, split="ood", episode_id="mine")
        assert (result.done, result.observation.step, result.observation.recent) == (False, 0, [])
        records, total = [], 0.0
        for line in plan(10_003):
            result = client.step(oe.WeekAction(decision=line))
            records.append(result.observation.record())
            total += result.reward
        assert result.done
        assert total == result.reward == result.observation.reward > 0.1
        assert client.state().model_dump() == {"episode_id": "mine", "step_count": 28, "done": True}
    assert lives.by_records(records) == lives.by_pure_step(10_003, "ood")


def test_the_same_week_over_plain_http(open_url: str, nosy: Nosy) -> None:
    lines = plan(10_003)
    over_socket = nosy.week(lines, seed=10_003, split="ood")
    with httpx.Client(base_url=open_url, trust_env=False, timeout=30) as http:
        first = http.post("/reset", json={"seed": 10_003, "split": "ood"}).json()
        assert first["observation"] == over_socket[0]["observation"]
        for k in (0, 9, 27):
            asked = {"action": {"decision": lines[k]}, "seed": 10_003, "split": "ood", "history": lines[:k]}
            answer = http.post("/step", json=asked).json()
            assert {key: answer[key] for key in ("observation", "reward", "done")} == over_socket[k + 1]
        assert http.post("/step", json={"action": {"decision": "5 5 5 NAP"}}).status_code == 422
        assert http.get("/state").json() == {"episode_id": None, "step_count": 0, "done": False}
        schema = http.get("/schema").json()
        assert schema["action"]["required"] == ["decision"]
        assert set(schema["state"]["properties"]) == {"episode_id", "step_count", "done"}


def test_tasks_over_http(open_url: str) -> None:
    with httpx.Client(base_url=f"{open_url}/rhythm_env", trust_env=False, timeout=30) as http:
        assert [split["name"] for split in http.get("/splits").json()] == list(SPLITS)
        assert http.post("/num_tasks", json={"split": "ood"}).json() == {"num_tasks": 50}
        assert http.post("/task", json={"split": "ood", "index": 3}).json()["task"]["id"] == "ood-3"
        assert http.post("/task", json={"split": "ood", "index": 50}).status_code == 400
        assert http.post("/num_tasks", json={"split": "nowhere"}).status_code == 400
        ranged = http.post("/task_range", json={"split": "archetypes", "start": 10, "stop": 12}).json()
        assert [task["index"] for task in ranged["tasks"]] == [10, 11]


def test_bad_input_is_answered_and_the_session_lives_on(nosy: Nosy) -> None:
    assert "reset first" in nosy.ask("step", {"decision": "SLEEP"})["data"]["message"]
    nosy.ask("reset", {"seed": 1})
    for data in ({"decision": "5 5 5 NAP"}, {"decision": {"action": "SLEEP", "belief": [2, 0, 0]}}, {}, {"action": 3}):
        answer = nosy.ask("step", data)
        assert answer["type"] == "error"
        assert answer["data"]["code"] == "VALIDATION_ERROR"
    assert "unknown option" in nosy.ask("reset", {"person": 1})["data"]["message"]
    assert "choose one of" in nosy.ask("reset", {"split": "mine"})["data"]["message"]
    assert nosy.ask("step", {"decision": "SLEEP"})["data"]["observation"]["step"] == 1
    for _ in range(27):
        nosy.ask("step", {"decision": "SLEEP"})
    assert "is over" in nosy.ask("step", {"decision": "SLEEP"})["data"]["message"]
    assert nosy.ask("state")["data"]["step_count"] == 28


def test_sessions_keep_apart_and_are_limited(open_url: str, nosy: Nosy) -> None:
    other = Nosy(open_url)
    nosy.ask("reset", {"seed": 1})
    other.ask("reset", {"seed": 2})
    nosy.ask("step", {"decision": "SLEEP"})
    assert other.ask("state")["data"]["step_count"] == 0
    with sockets.connect(open_url.replace("http", "ws") + "/ws") as third:
        assert json.loads(str(third.recv(timeout=30)))["data"]["code"] == "CAPACITY_REACHED"
    other.close()


def test_seed_control(nosy: Nosy) -> None:
    weeks = [json.dumps(nosy.week(plan(0), seed=seed)) for seed in (5, 5, 6)]
    assert weeks[0] == weeks[1] != weeks[2]


def test_episode_determinism(open_url: str, nosy: Nosy) -> None:
    other = Nosy(open_url)
    for client in (nosy, other):
        client.heard.clear()
        client.week(plan(8), seed=8, split="archetypes", episode_id="same")
        client.ask("state")
    assert nosy.heard == other.heard
    other.close()


def test_oracle_containment(kept_url: str, kept: Nosy) -> None:
    """No byte that any client can get names a trait, the person's numbers, the right belief or the secret.

    One number may be seen happening: whoever sleeps when fully rested loses their daily decay of
    vitality and nothing else. It stands nowhere but in observations.
    """
    for split, seeds in SPLITS.items():
        kept.week(["5 5 5 SLEEP"] * 14, split=split, index=1)
        kept.ask("state")
        kept.week(["5 5 5 SLEEP"] * 28, seed=seeds[1], split=split)
    for kind, data in (("state", None), ("profile", {}), ("step", {"decision": "x"}), ("reset", {"seed": "x"})):
        kept.ask(kind, data)
    kept.ask("mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    with httpx.Client(base_url=kept_url, trust_env=False, timeout=30) as http:
        paths = [
            "/metadata",
            "/schema",
            "/health",
            "/openapi.json",
            "/list_environments",
            "/rhythm_env/splits",
            "/state",
        ]
        pages = [http.get(path).text for path in paths]
        assert http.post("/reset", json={}).status_code == 404
    heard = "\n".join([*kept.heard, *pages])
    assert len(heard) > 100_000
    told = "\n".join([*(said for said in kept.heard if json.loads(said)["type"] != "observation"), *pages])
    assert len(told) > 1_000
    for split, seeds in SPLITS.items():
        if split != "archetypes":
            person = Casting(split, secret=Secret(SECRET)).people(np.array([seeds[1]]))
            for value in (*person.ravel().tolist(), *belief_targets(person).ravel().tolist()):
                happens = value == Profile.from_row(person[0]).vitality_decay
                assert repr(value)[:12] not in (told if happens else heard)
    for word in (
        "social_drain",
        "chronotype",
        "work_recovery",
        "stoic",
        "introvert",
        "weights",
        str(SECRET),
        "profile_",
    ):
        assert word not in heard


def test_a_known_seed_and_this_code_do_not_give_the_person_away(kept: Nosy) -> None:
    """What an agent would compute of seed 3 lives another week than the one that is served."""
    served = kept.week(plan(3), seed=3)
    records = [oe.WeekObservation(**seen["observation"], done=seen["done"]).record() for seen in served[1:]]
    assert lives.by_records(records) != lives.by_pure_step(3, "in-distribution")
    rewards = [seen.last_reward for seen in records]
    assert len(set(rewards)) > 20


def test_floor_gap(nosy: Nosy) -> None:
    """Doing one thing without a belief grades at least 0.1 below a plain routine that knows the person."""
    floors, informed = [], []
    for index in range(6):
        floors += [nosy.week([name] * 28, split="ood", index=index)[-1]["reward"] for name in ("DEEP_WORK", "SLEEP")]
        target = belief_targets(Casting("ood").people(np.array([SPLITS["ood"][index]])))[0]
        digits = " ".join(str(round(9 * value)) for value in target)
        days = ["LEARN", "DEEP_WORK", "FAMILY_TIME", "SLEEP"]
        informed.append(
            nosy.week([f"{digits} {days[k % 4]}" for k in range(28)], split="ood", index=index)[-1]["reward"]
        )
    assert np.mean(informed) - np.mean(floors) >= 0.1
    assert 1.0 - max(floors) >= 0.1


def test_replayability(nosy: Nosy) -> None:
    """A transcript's own decisions, sent again, give the transcript."""
    first = nosy.week(plan(2), split="in-distribution", index=2)
    recorded = [seen["observation"]["last_action"] for seen in first[1:]]
    again = nosy.week([f"3 6 5 {name}" for name in recorded], split="in-distribution", index=2)
    assert json.dumps(first) == json.dumps(again)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/reset", {"seed": 2**63}),
        ("/reset", {"split": "nope"}),
        ("/reset", {"index": 100}),
        ("/reset", {"seed": 1, "index": 1}),
        ("/step", {"action": {"decision": "5 5 5 SLEEP"}}),
    ],
)
def test_over_plain_http_bad_input_is_told_what_is_allowed(open_url: str, path: str, body: dict[str, Any]) -> None:
    answer = httpx.post(open_url + path, json=body, timeout=30)
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("Error")
    assert len(answer.json()["detail"]) > 20
