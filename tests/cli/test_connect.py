"""`rhythm connect`: lists nothing at first, refuses what it does not know, keeps a key only when it opens something."""

import json
from pathlib import Path

import pytest

from rhythm.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr()
    return int(str(ended.value.code or 0)), said.out, said.err


def test_no_account_at_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, _ = run(capsys, "connect", "list", "--folder", str(tmp_path), "--json")
    assert status == 0
    assert json.loads(out) == {"schema": "rhythm.connect-list/1", "config": {}, "rows": []}


@pytest.mark.parametrize("command", ["read", "forget", "add"])
def test_an_unknown_account_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    status, _, err = run(capsys, "connect", command, "polar", "--folder", str(tmp_path))
    assert status == 2
    assert err.startswith("rhythm: ")
    assert "whoop" in err


def test_an_account_that_is_not_connected_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, _, err = run(capsys, "connect", "read", "oura", "--folder", str(tmp_path))
    assert status == 2
    assert "give it again" in err
