"""`rhythm adapt run`: what is fitted by hand while another process forgets is not used."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assist.test_learning import Fitting
from rhythm.assist import Assistant
from rhythm.assist.places import Home
from rhythm.cli.commands import adapt
from rhythm.store import AdapterState


def _fitted(folder: Path, patch: pytest.MonkeyPatch, happens: Callable[[], object] = lambda: None) -> str:
    with patch.context() as only:
        only.setattr(adapt, "_engine", lambda *_: Fitting(happens))
        done = CliRunner().invoke(adapt.app, ["run", "--json", "--folder", str(folder)])
    assert done.exit_code == 0
    (row,) = json.loads(done.output)["rows"]
    assert row["result"]["deployed"] == (row["result"]["sentence"] == "Used.")
    return str(row["result"]["sentence"])


def test_what_is_fitted_by_hand_to_what_is_forgotten_meanwhile_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    with home.open_store() as store:
        person = home.person(store)
        assert _fitted(tmp_path, monkeypatch) == "Used."
        assert person.adapters.deployed(Fitting.schema) is not None
        said = _fitted(tmp_path, monkeypatch, Assistant(store, person).clear)
        assert "forgotten while it was fitted" in said
        assert {one.state for one in person.adapters.all()} == {AdapterState.REJECTED}
        assert _fitted(tmp_path, monkeypatch) == "Used."
