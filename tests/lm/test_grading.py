"""A file of weeks gives the grades that its weeks have, whatever it says of them; bad lines are named."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rhythm.bench.graders import grade_v2
from rhythm.bench.play import play
from rhythm.cli.main import main
from rhythm.lm.episode import Episode, begin
from rhythm.lm.grading import grade_file
from rhythm.lm.planner_teacher import teach_weeks
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import BadLine, Status, Trajectory, Who, read_file, to_line
from rhythm.policy.registry import make_policy
from rhythm.vocab import Belief, InvalidValueError, Meter

SEEDS = range(2_000_000, 2_000_004)


@pytest.fixture(scope="module")
def taught() -> list[Trajectory]:
    weeks: list[Trajectory] = []
    teach_weeks(SEEDS, Who(), weeks.append)
    return weeks


def _write(path: Path, *lines: Trajectory | bytes) -> Path:
    path.write_bytes(b"".join(line if isinstance(line, bytes) else to_line(line) for line in lines))
    return path


def test_the_planner_as_teacher_is_the_planner(taught: list[Trajectory], tmp_path: Path) -> None:
    rows, bad = grade_file(_write(tmp_path / "a.jsonl", *taught), "v2")
    seeds = np.array(SEEDS, np.int64)
    played = play(make_policy("planner"), begin(list(SEEDS), Who()).people, seeds)
    expected = grade_v2(played)
    values = {row.name.split("/")[1]: row.value for row in rows}
    assert not bad
    assert values["progress"] == pytest.approx(expected["progress"].mean())
    assert values["v2"] == pytest.approx(expected["v2"].mean(), abs=0.2 / 18)
    assert values["weeks_that_differ"] == 0.0
    assert values["unreadable"] == 0.0


def test_what_the_teacher_says_is_so(taught: list[Trajectory]) -> None:
    for week in taught:
        for number, step in enumerate(week.steps):
            said = f"begins with {step.action.noun}." if number else f"suits them, {step.action.noun} is worth most."
            assert said in step.text
            if number and "than most people's" in step.text:
                meter = next(m for m in Meter if f"left {m.label} " in step.text)
                sign = "+" if "higher" in step.text.split(" than most")[0] else "-"
                off = step.state.split("off ")[1].split()[meter][1:]
                assert off[0] == sign
                assert off[1:] in step.text
            assert step.belief == Belief.from_digits(*(int(d) for d in step.text.split("\n")[-1].split()[:3])).values


def test_bad_lines_are_named_and_skipped(taught: list[Trajectory], tmp_path: Path) -> None:
    other = to_line(taught[1]).replace(b"trajectory/1", b"trajectory/9")
    cut = to_line(taught[2])[:400]
    file = _write(tmp_path / "a.jsonl", taught[0], b"{nonsense\n", other, b"\n", taught[0], b"\xff\n", taught[3], cut)
    contents = read_file(file)
    assert [line.number for line in contents.bad] == [2, 3, 5, 6, 8]
    assert sorted(seed for _, seed in contents.weeks) == [SEEDS[0], SEEDS[3]]
    rows, bad = grade_file(file)
    assert bad == contents.bad
    assert {row.n for row in rows if row.n} == {2}


def test_a_file_is_not_believed(taught: list[Trajectory], tmp_path: Path) -> None:
    week = taught[0]
    steps = tuple(msgspec.structs.replace(step, reward=9.0) for step in week.steps)
    honest, _ = grade_file(_write(tmp_path / "a.jsonl", week))
    boasted, _ = grade_file(_write(tmp_path / "b.jsonl", msgspec.structs.replace(week, steps=steps)))
    differing = {row.name: row for row in boasted}.pop("peaked/weeks_that_differ")
    assert differing.value == 1.0
    assert [r for r in honest if "differ" not in r.name] == [r for r in boasted if "differ" not in r.name]


def test_a_week_of_garbage_is_graded(tmp_path: Path) -> None:
    episode = Episode(SEEDS[0], Who())
    while not episode.done:
        episode.answer("I would rather SLEEP or EXERCISE, I think")
    week = Trajectory(SEEDS[0], Who(), "a", PROMPT_VERSION, Status.COMPLETED, tuple(episode.steps))
    values = {row.name: row.value for row in grade_file(_write(tmp_path / "a.jsonl", week), "v2")[0]}
    assert values["peaked/unreadable"] == 1.0
    assert values["peaked/belief_accuracy"] == 0.0
    assert (values["peaked/v2"] or 0.0) > 0.0


def test_lines_that_contradict_themselves_are_none(taught: list[Trajectory], tmp_path: Path) -> None:
    week = taught[0]
    changes: list[dict[str, object]] = [
        {"status": "failed"}, {"steps": []}, {"seed": -1}, {"failure": "no"}, {"status": "no"},
    ]  # fmt: skip
    for change in changes:
        document = json.loads(to_line(week))
        document["data"].update(change)
        file = _write(tmp_path / "a.jsonl", json.dumps(document).encode())
        assert [type(line) for line in read_file(file).bad] == [BadLine]
        with pytest.raises(InvalidValueError, match="no completed week"):
            grade_file(file)


def test_the_commands_teach_go_on_and_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "weeks.jsonl"

    def run(*args: str) -> int:
        with pytest.raises(SystemExit) as ended:
            main(args)
        assert isinstance(ended.value.code, int)
        return ended.value.code

    assert run("lm", "teach", "--seeds", "2000000-2000001", "--output", str(file)) == 0
    with file.open("ab") as out:
        out.write(b'{"schema": "rhythm.tra')
    assert run("lm", "teach", "--seeds", "2000000-2000002", "--output", str(file)) == 0
    assert len(read_file(file).weeks) == 3
    assert len(file.read_bytes().splitlines()) == 4
    capsys.readouterr()
    assert run("lm", "reeval", str(file), "--beside", "average", "--beside", "oracle", "--json") == 0
    printed = capsys.readouterr()
    assert "line 3 skipped" in printed.err
    names = {row["name"] for row in json.loads(printed.out)["rows"]}
    assert {"peaked/wellbeing", "peaked/wellbeing_over/average", "peaked/belief_error"} <= names
    assert run("lm", "teach", "--seeds", "0-3", "--output", str(file)) == 2
    assert "kept for evaluation" in capsys.readouterr().err
    assert run("lm", "teach", "--seeds", "5-3", "--output", str(file)) == 2


def test_weeks_of_two_teachers_have_no_grade_in_common(taught: list[Trajectory], tmp_path: Path) -> None:
    other = msgspec.structs.replace(taught[1], teacher="\x1b[31mother")
    with pytest.raises(InvalidValueError, match="planner") as refused:
        grade_file(_write(tmp_path / "a.jsonl", taught[0], other))
    assert "\x1b" not in str(refused.value)
