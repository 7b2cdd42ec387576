"""Watching a week and timing the simulator: what is printed, for a person and for a machine."""

import json

import pytest

from rhythm.bench.one_week import one_week
from rhythm.cli.main import main
from rhythm.cli.week_view import BAR, bar, week_lines
from rhythm.vocab import DAY_NAMES, WEEK_STEPS, UnknownNameError


def _run(*args: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("level", "shown"), [(0.0, ""), (1.0, "█" * BAR), (0.5, "█" * 4), (0.5625, "████▌"), (1 / 64, "▏")]
)
def test_a_bar_is_as_long_as_its_level(level: float, shown: str) -> None:
    assert bar(level) == shown.ljust(BAR)


def test_a_week_has_a_line_for_every_slot() -> None:
    lines = [str(line) for line in week_lines(one_week("heuristic", 3, "classic"))]
    assert [line for line in lines if line in DAY_NAMES] == list(DAY_NAMES)
    assert sum(line.startswith(("  morning", "  afternoon", "  evening", "  night")) for line in lines) == WEEK_STEPS


def test_a_week_is_played_for_a_person_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("sim", "play", "--policy", "constant", "--archetype", "introvert_morning") == 0
    printed = capsys.readouterr().out
    assert "introvert_morning" in printed
    assert "Wellbeing" in printed
    assert "Who they were" in printed
    assert "0.50" in printed


def test_a_week_is_played_for_a_machine_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("sim", "play", "--policy", "constant", "--seed", "5", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "rhythm.sim-play/1"
    assert document["config"]["seed"] == 5
    by_name = {row["name"]: row for row in document["rows"]}
    steps = [by_name[f"step/{step}"] for step in range(WEEK_STEPS)]
    assert by_name["wellbeing"]["value"] == pytest.approx(sum(s["value"] for s in steps) / WEEK_STEPS)
    assert steps[0]["belief"] == [0.5, 0.5, 0.5]


def test_the_same_seed_is_the_same_week() -> None:
    first, second = (one_week("random", 11, "peaked") for _ in range(2))
    assert first.person == second.person
    assert first.played.meters.tobytes() == second.played.meters.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "nobody"), "unknown policy 'nobody'"),
        (("--population", "mars"), "unknown population 'mars'; choose one of: classic, peaked"),
        (("--archetype", "robot"), "unknown archetype 'robot'; choose one of: introvert_morning"),
    ],
)
def test_unknown_names_are_one_clear_line(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("sim", "play", *arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    with pytest.raises(UnknownNameError):
        one_week("heuristic", 0, "mars")


def test_speed_is_measured_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("sim", "speed", "--batch", "64", "--rounds", "1", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    names = {row["name"]: row["value"] for row in document["rows"]}
    assert {"steps_per_s", "ratio", "bytes_per_person"} <= set(names)
    assert all(value > 0 for value in names.values())
    assert _run("sim", "speed", "--batch", "64", "--rounds", "1") == 0
    assert "steps per second" in capsys.readouterr().out
