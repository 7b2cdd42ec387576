"""The command line: quick help without heavy imports, one-line errors, one JSON object."""

import json
import subprocess
import sys

import pytest

import rhythm
from rhythm.cli.main import command_files, main, summary_of
from rhythm.cli.output import print_json


def _run(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--version") == 0
    assert capsys.readouterr().out == f"rhythm {rhythm.__version__}\n"


def test_help_names_every_command_and_imports_none() -> None:
    code = (
        "import sys, time; begun = time.process_time()\n"
        "from rhythm.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(time.process_time() - begun)\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'numba','numpy','rich','fastapi','sqlalchemy'}))"
    )
    quickest = 60.0
    for _ in range(3):  # other work on the machine only ever adds time
        *help_lines, spent, heavy = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        text = "\n".join(help_lines)
        assert all(f"  {name} " in text for name in command_files())
        assert heavy == "[]"
        quickest = min(quickest, float(spent))
    assert quickest < 0.3


def test_every_command_has_a_summary_of_one_line() -> None:
    for name, path in command_files().items():
        summary = summary_of(path)
        assert summary.endswith("."), name
        assert len(summary) < 110, name


@pytest.mark.parametrize("name", list(command_files()))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(name, "--help") == 0
    assert "Usage: rhythm " + name in capsys.readouterr().out


def test_an_error_of_ours_is_one_line_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("bench", "run", "--policy", "nobody") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("rhythm: unknown policy 'nobody'; choose one of: random, heuristic,")
    assert printed.err.count("\n") == 1


def test_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("fly") == 2
    assert "No such command" in capsys.readouterr().err


def test_a_json_result_is_one_object_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    print_json("rhythm.example/1", {"a": (1, float("nan"))}, [{"name": "x", "value": float("inf")}])
    document = json.loads(capsys.readouterr().out)
    assert document == {
        "schema": "rhythm.example/1",
        "config": {"a": [1, None]},
        "rows": [{"name": "x", "value": None}],
    }


def test_import_rhythm_is_light() -> None:
    code = "import rhythm, sys; print('numpy' in sys.modules or 'msgspec' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "False\n"
