"""Bad input to `rhythm bench` and `rhythm sim`: one clear line on standard error, exit status 2, nothing else."""

import errno
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.result_checks import digest_of_result
from rhythm.bench.results import read_result
from rhythm.cli.main import main


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Results of two people."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(2)))
        run = ["bench", "run", "--policy", "random", "--conditions", "in-distribution", "--results", str(folder)]
        with pytest.raises(SystemExit) as ended:
            main([*run, "--json"])
        assert ended.value.code == 0
        yield folder


def _refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What the one line says."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(args)
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("rhythm: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    return printed.err


@pytest.mark.parametrize("seed", ["-1", "9223372036854775808", "99999999999999999999999999"])
def test_a_seed_out_of_range(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "a seed is a whole number from 0 to 2**63 - 1" in _refused(capsys, "sim", "play", "--seed", seed)


@pytest.mark.parametrize("delay", ["-1", "nan", "inf", "1e300"])
def test_a_delay_that_never_ends(delay: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "seconds" not in _refused(capsys, "sim", "play", "--delay", delay)
    assert "give 0 to 86400" in _refused(capsys, "sim", "play", "--delay", delay)


def test_a_file_that_cannot_be_read_does_not_keep_the_others_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/export.xml", b" " * 120_000_000)
    empty = tmp_path / "empty.zip"
    empty.write_bytes(b"")
    good = tmp_path / "good.csv"
    good.write_text("signal,start,value\nresting_hr_bpm,2026-03-01T06:00:00+00:00,58\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["import", str(bomb), str(empty), str(good), "--folder", str(tmp_path / "home"), "--json"])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert [row["value"] for row in json.loads(printed.out)["rows"]] == [0, 0, 1]
    first, second = printed.err.splitlines()
    assert "unpack to 120,000,000 bytes" in first
    assert "empty.zip: this is no file that Rhythm can read" in second


def test_a_batch_that_no_memory_holds_says_what_it_would_take(capsys: pytest.CaptureFixture[str]) -> None:
    said = _refused(capsys, "sim", "speed", "--batch", "1000000000000")
    assert "measuring 1,000,000,000,000 people side by side would take about 16.7 PB of memory" in said
    assert "are available. Ask for fewer" in said
    assert "batch is a whole number" in _refused(capsys, "sim", "speed", "--batch", "1" + "0" * 30)


@pytest.mark.parametrize("option", ["--batch", "--rounds"])
@pytest.mark.parametrize("value", ["0", "-5"])
def test_nothing_to_measure(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "whole number from 1" in _refused(capsys, "sim", "speed", option, value)


@pytest.mark.parametrize("names", ["", " ", ",", " , ,"])
def test_no_policy_or_condition_is_not_all_of_them(
    names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ("--results", str(tmp_path / "new"))
    assert "--policy names none" in _refused(capsys, "bench", "run", "--policy", names, *folder)
    run = ("bench", "run", "--policy", "random", "--conditions", names, *folder)
    assert "--conditions names none" in _refused(capsys, *run)
    assert "--conditions names none" in _refused(capsys, "bench", "adversaries", "--conditions", names, *folder)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("bench", "run", "--policy", "random", "--conditions", "ood"),
        ("bench", "run", "--policy", "random", "--conditions", "ood-sealed", "--json"),
        ("bench", "adversaries", "--conditions", "ood"),
        ("bench", "calibrate"),
        ("bench", "report"),
    ],
)
def test_a_results_folder_that_cannot_be_one(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("mine", "utf-8")
    said = _refused(capsys, *command, "--results", str(file))
    assert f"cannot use {file}: Not a directory" in said
    for impossible in (file / "below", tmp_path / ("x" * 300)):
        assert str(impossible)[:40] in _refused(capsys, *command, "--results", str(impossible))
    assert file.read_text("utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_a_markdown_file_that_cannot_be_written(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = ("bench", "report", "--results", str(played), "--markdown")
    file = tmp_path / "file"
    file.write_text("mine", "utf-8")
    assert f"cannot use {tmp_path}: " in _refused(capsys, *report, str(tmp_path))
    assert f"cannot use {file}: Not a directory" in _refused(capsys, *report, str(file / "report.md"))
    assert "File name too long" in _refused(capsys, *report, str(tmp_path / ("x" * 300)))
    assert "cannot use " in _refused(capsys, *report, "")
    assert list(tmp_path.iterdir()) == [file]


def test_a_report_on_what_is_no_result(played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "results"))
    report = ("bench", "report", "--results", str(folder))
    path = folder / "random.in-distribution.peaked.json"
    whole = path.read_bytes()
    for change, said in (
        ({"graded": {}}, "lacks the grades v2"),
        ({"digest": "0" * 16}, "digest that does not fit"),
        ({"schema": "rhythm.bench-result/9"}, "this version reads 'rhythm.bench-result/1'"),
        ({"graded": {**json.loads(whole)["graded"], "v2": [0.5]}}, "has 1 grades 'v2' of 2 people"),
        ({"people": 10**30}, "has 2 grades"),
        ({"people": 2.5}, "is damaged"),
    ):
        path.write_bytes(json.dumps({**json.loads(whole), **change}).encode())
        assert said in _refused(capsys, *report)
        assert said in _refused(capsys, *report, "--json")
    path.unlink()
    path.mkdir()
    assert f"cannot use {path}: Is a directory" in _refused(capsys, *report)
    path.rmdir()
    path.symlink_to(tmp_path / "nowhere")
    assert f"cannot use {path}: No such file" in _refused(capsys, *report)
    assert "no results in" in _refused(capsys, "bench", "report", "--results", str(tmp_path / "none"))
    assert "no results in" in _refused(capsys, "bench", "report", "--results", str(tmp_path))


def test_a_report_on_two_versions_says_which_file_has_what(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "results"))
    path = folder / "oracle.in-distribution.classic.json"
    result = read_result(path)
    result = msgspec.structs.replace(result, versions={**result.versions, "life": "life-0"})
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(result, digest=digest_of_result(result))))
    said = _refused(capsys, "bench", "report", "--results", str(folder))
    assert f"different versions of life and cannot stand in one table. life-0: {path.name}; life-1: average." in said


@pytest.mark.parametrize("seal", ["0", "-5", "18446744073709551616"])
def test_a_number_that_seals_nothing(seal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ("bench", "run", "--policy", "random", "--conditions", "ood-sealed", "--results", str(tmp_path / "new"))
    assert "a seal is a whole number from 1" in _refused(capsys, *run, "--seal", seal)


def test_only_a_file_that_was_named_becomes_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the system that names no file is a fault of ours and keeps its traceback."""

    class Command:
        raised: BaseException

        def main(self, **_options: object) -> None:
            raise self.raised

    command = Command()
    monkeypatch.setattr("typer.main.get_command", lambda _app: command)
    command.raised = PermissionError(errno.EACCES, "Permission denied", "/a place\nof mine")
    assert _refused(capsys, "bench") == "rhythm: cannot use /a place of mine: Permission denied\n"
    command.raised = PermissionError(errno.EACCES, "Permission denied", b"/bytes")
    assert _refused(capsys, "bench") == "rhythm: cannot use /bytes: Permission denied\n"
    for raised in (OSError(errno.ENOSPC, "No space"), OSError("odd"), OSError(errno.EBADF, "Bad", 3), KeyError("x")):
        command.raised = raised
        with pytest.raises(type(raised)):
            main(["bench"])
