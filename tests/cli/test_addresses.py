"""`rhythm addresses`: kept for every import after it, listed, taken back; says what becomes of what was read before."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge.calendar.ics_texts import calendar
from rhythm.cli.main import main


def run(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--folder", str(folder)])
    said = capsys.readouterr()
    return int(str(ended.value.code or 0)), said.out, said.err


def test_addresses_are_added_listed_and_taken_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "No address yet" in run(capsys, tmp_path, "addresses", "list")[1]
    status, out, _ = run(capsys, tmp_path, "addresses", "add", "Kim@example.org", "kim@work.example")
    assert (status, out) == (0, "Kept; addresses of yours: 2.\n")
    assert run(capsys, tmp_path, "addresses", "list")[1] == "kim@example.org\nkim@work.example\n"
    assert run(capsys, tmp_path, "addresses", "remove", "kim@work.example")[0] == 0
    document = json.loads(run(capsys, tmp_path, "addresses", "list", "--json")[1])
    rows = [{"name": "address", "value": "kim@example.org"}]
    assert document == {"schema": "rhythm.addresses/1", "config": {}, "rows": rows}


@pytest.mark.parametrize("words", [("add", "kim-marker"), ("remove", "kim-marker@example.org")])
def test_what_is_refused_is_one_line_that_does_not_repeat_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, str]
) -> None:
    status, out, err = run(capsys, tmp_path, "addresses", *words)
    assert (status, out) == (2, "")
    assert err.startswith("rhythm: ")
    assert err.count("\n") == 1
    assert "marker" not in err


def test_a_file_that_was_read_before_is_named_and_one_given_again_is_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    begin = datetime.now(UTC) + timedelta(days=1)
    event = f"UID:a\nDTSTART:{begin:%Y%m%dT%H%M%SZ}\nDURATION:PT1H\nSUMMARY:Board"
    file = tmp_path / "work.ics"
    file.write_bytes(calendar(event))
    assert run(capsys, tmp_path / "home", "import", str(file), "--json")[0] == 0
    assert "`rhythm import`: work.ics." in run(capsys, tmp_path / "home", "addresses", "add", "kim@example.org")[1]
    assert run(capsys, tmp_path / "home", "import", str(file), "--json")[0] == 0
    out = run(capsys, tmp_path / "home", "addresses", "add", "kim@example.org")[1]
    assert out == "Kept; addresses of yours: 1.\n"
