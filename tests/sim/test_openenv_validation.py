"""OpenEnv's own validation of the package, and the report that is kept of it."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.openenv, pytest.mark.slow]

openenv = pytest.importorskip("openenv")
validation: Any = importlib.import_module("rhythm.sim.openenv.validation")

ROOT = Path(__file__).parents[2]
IMPLEMENTED = (
    "package/static.manifest",
    "process/runtime.startup",
    "process/runtime.observation_schema",
    "process/runtime.reward_well_formed",
    "process/runtime.state_contract",
    "url-simulation/verdict",
    "url-production/verdict",
)


def test_the_package_passes_and_the_kept_report_says_what_was_found() -> None:
    found = validation.validate(ROOT / "envs" / "rhythm_env")
    values = {row["name"]: row["value"] for row in found["rows"]}
    assert validation.failures(found) == []
    assert {name: values[name] for name in IMPLEMENTED} == dict.fromkeys(IMPLEMENTED, "pass")
    kept = json.loads((ROOT / "docs" / "reports" / "openenv-validation.json").read_text("utf-8"))
    assert kept["schema"] == found["schema"]
    assert {row["name"]: row["value"] for row in kept["rows"]} == values


def test_a_package_that_does_not_start_fails(tmp_path: Path) -> None:
    from rhythm.sim.openenv.local_server import ServerProcess, ServerStartError  # noqa: PLC0415

    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text("raise SystemExit(3)", "utf-8")
    with pytest.raises(ServerStartError, match="ended"):
        ServerProcess(tmp_path)


def test_failures_are_named() -> None:
    rows = [{"name": "a", "value": "pass"}, {"name": "b", "value": "fail"}, {"name": "c", "value": "error"}]
    assert validation.failures({"rows": rows}) == ["b", "c"]
