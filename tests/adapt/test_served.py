"""With damaged weights of the student the weekly job says so, and the person is served by the planner as ever."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from rhythm.adapt.adapter import ADAPTER_SCHEMA
from rhythm.adapt.job import JOB_NAME, plan_adapters
from rhythm.assist import Assistant
from rhythm.policy.student.device_model import DEVICE_VARIABLE, DEVICE_WEIGHTS
from rhythm.store import PersonSettings, Store

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def _damaged(damage: str, path: Path) -> None:
    weights, card = DEVICE_WEIGHTS.read_bytes(), msgspec.json.decode(DEVICE_WEIGHTS.with_suffix(".json").read_bytes())
    if damage == "other version":
        card["tokens"] = "device-tokens-99"
    path.write_bytes({"cut": weights[:-1], "foreign": b"PK\x03\x04"}.get(damage, weights))
    if damage != "no card":
        path.with_suffix(".json").write_bytes(msgspec.json.encode(card))


@pytest.mark.parametrize("damage", ["cut", "foreign", "no card", "other version"])
def test_the_person_is_served(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _damaged(damage, tmp_path / "student-device.onnx")
    monkeypatch.setenv(DEVICE_VARIABLE, str(tmp_path / "student-device.onnx"))
    with Store.open(tmp_path / "rhythm.db", clock=lambda: NOW) as store:
        person = store.create_person("ada", PersonSettings(zone="Europe/Berlin"))
        assistant = Assistant(store, person, lambda: NOW)
        plan_adapters(person, NOW - timedelta(hours=1))
        assert assistant.run_due() == 0
        job = person.jobs.get(JOB_NAME)
        assert job is not None
        assert job.last_error in {"DamagedModelError", "SchemaError"}
        (waiting,) = assistant.today().waiting
        assert person.suggestions.get(waiting.number).policy == "suggest"
        assert person.adapters.deployed(ADAPTER_SCHEMA) is None
