"""What is learned from is what was taught, and nothing that was kept for evaluation or cannot be read."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from lm.made import by_the_clock, lived_week
from rhythm.bench.conditions import ReservedSeedError
from rhythm.bench.play import view_of
from rhythm.distill.teacher import people_of
from rhythm.distill.weeks import TaughtWeeks, write_weeks
from rhythm.life.profiles import belief_targets
from rhythm.life.week import Weeks
from rhythm.lm.conversations import as_training_rows, convert, of_trajectory, read_conversations
from rhythm.lm.episode import observation_of
from rhythm.lm.prompt import state_text
from rhythm.lm.trajectories import to_line
from rhythm.vocab import ACTION_COUNT, ACTIONS, WEEK_STEPS, InvalidValueError, SchemaError, parse_decision

SEED = 2_000_020


def _taught(seeds: list[int]) -> TaughtWeeks:
    """Weeks in which somebody acted at random while a made-up teacher was asked."""
    draw = np.random.default_rng(3)
    keys = np.array(seeds, np.int64)
    people = people_of(keys)
    weeks, seen = Weeks(people, keys), []
    for _ in range(WEEK_STEPS):
        seen.append(view_of(weeks))
        weeks.take(draw.integers(0, ACTION_COUNT, len(seeds)).astype(np.int8))

    def stacked(name: str, kind: type) -> np.ndarray:
        return np.stack([getattr(view, name) for view in seen], axis=1).astype(kind)

    return TaughtWeeks(
        seeds=keys,
        meters=stacked("meters", np.float32),
        events=stacked("events", np.int8),
        before=stacked("before", np.float32),
        deltas=stacked("deltas", np.float32),
        anomalies=stacked("anomalies", np.float32),
        done=stacked("actions", np.int8),
        last_events=stacked("last_events", np.int8),
        rewards=stacked("rewards", np.float32),
        values=draw.normal(size=(len(seeds), WEEK_STEPS, ACTION_COUNT)).astype(np.float32),
        targets=belief_targets(people).astype(np.float32),
    )


def test_taught_weeks_become_the_teachers_answers_to_what_was_lived(tmp_path: Path) -> None:
    taught = _taught([4_000_001, 4_000_002])
    write_weeks(tmp_path / "data" / "weeks-4000001.npz", taught)
    done = convert(tmp_path / "data", tmp_path / "weeks.jsonl")
    weeks, bad = read_conversations(tmp_path / "weeks.jsonl")
    assert (done.written, done.left_out, bad) == (2, 0, ())
    for place, week in enumerate(weeks):
        states = [m["content"] for m in week.messages if m["role"] == "user"]
        answers = [parse_decision(m["content"]) for m in week.messages if m["role"] == "assistant"]
        assert [a.action for a in answers] == [ACTIONS[i] for i in taught.values[place].argmax(axis=1)]
        short = taught.values[place].max(axis=1, keepdims=True) - taught.values[place]
        assert np.array(week.shortfalls) == pytest.approx(short.clip(max=0.5), abs=6e-4)
        for step, state in enumerate(states):
            assert state == state_text(observation_of(taught.view(step), place))
        stated = np.array([answer.belief.values for answer in answers if answer.belief])
        error = np.abs(stated - taught.targets[place]).mean(axis=1)
        assert error[-1] < 0.07 < error[0], "the exact posterior comes to know the person"


@pytest.mark.parametrize("reasoning", [True, False])
def test_a_trajectory_is_learned_from_as_it_was_with_or_without_its_reasoning(tmp_path: Path, reasoning: bool) -> None:
    week = lived_week(SEED)
    (tmp_path / "taught.jsonl").write_bytes(to_line(week))
    convert(tmp_path / "taught.jsonl", tmp_path / "weeks.jsonl", reasoning=reasoning)
    (found,), _ = read_conversations(tmp_path / "weeks.jsonl")
    answers = [m["content"] for m in found.messages if m["role"] == "assistant"]
    assert answers == [step.text if reasoning else step.text.split("\n")[-1] for step in week.steps]
    assert [m["content"] for m in found.messages if m["role"] == "user"] == [step.state for step in week.steps]
    assert b"shortfalls" not in (tmp_path / "weeks.jsonl").read_bytes(), "it says nothing of other actions"
    with pytest.raises(InvalidValueError, match="other actions"):
        list(as_training_rows([found], soft=True))


@pytest.mark.parametrize("shortfalls", [[[0.0] * 10], [[0.0] * 9] * 28, [[-0.1] * 10] * 28, [[0.6] * 10] * 28])
def test_shortfalls_of_another_form_are_no_week(tmp_path: Path, shortfalls: list[list[float]]) -> None:
    line = json.loads(msgspec.json.encode(of_trajectory(lived_week(SEED))))
    good, path = line | {"shortfalls": [[0.0, 0.5] * 5] * 28}, tmp_path / "weeks.jsonl"
    path.write_text(f"{json.dumps(line | {'shortfalls': shortfalls})}\n{json.dumps(good)}\n")
    weeks, bad = read_conversations(path)
    assert ([week.shortfalls[0][1] for week in weeks], [b.number for b in bad]) == ([0.5], [1])


def test_weeks_that_nobody_should_learn_are_left_out_and_bad_lines_named(tmp_path: Path) -> None:
    mumbled = lived_week(SEED + 1, lambda seen: "no idea" if seen.step == 9 else by_the_clock(seen))
    (tmp_path / "taught.jsonl").write_bytes(to_line(mumbled) + b"{half a li\n" + to_line(lived_week(SEED)))
    done = convert(tmp_path / "taught.jsonl", tmp_path / "weeks.jsonl")
    assert (done.written, done.left_out, [line.number for line in done.bad]) == (1, 1, [2])
    whole = (tmp_path / "weeks.jsonl").read_bytes()
    (tmp_path / "weeks.jsonl").write_bytes(whole + b'{"seed": 5}\n')
    weeks, bad = read_conversations(tmp_path / "weeks.jsonl")
    assert [week.seed for week in weeks] == [SEED]
    assert [line.number for line in bad] == [2]
    (tmp_path / "taught.jsonl").write_bytes(to_line(mumbled))
    with pytest.raises(InvalidValueError, match="no week"):
        convert(tmp_path / "taught.jsonl", tmp_path / "weeks.jsonl")
    assert (tmp_path / "weeks.jsonl").read_bytes().startswith(whole), "a bad file changes nothing"


def test_people_of_the_evaluation_are_never_learned_from(tmp_path: Path) -> None:
    week = lived_week(SEED)
    (tmp_path / "taught.jsonl").write_bytes(to_line(msgspec.structs.replace(week, seed=1_000_000)))
    with pytest.raises(ReservedSeedError):
        convert(tmp_path / "taught.jsonl", tmp_path / "weeks.jsonl")
    (tmp_path / "taught.jsonl").write_bytes(to_line(week))
    convert(tmp_path / "taught.jsonl", tmp_path / "weeks.jsonl")
    line = json.loads((tmp_path / "weeks.jsonl").read_bytes())
    (tmp_path / "weeks.jsonl").write_text(json.dumps({**line, "seed": 17}))
    with pytest.raises(ReservedSeedError):
        read_conversations(tmp_path / "weeks.jsonl")


def test_what_is_converted_is_never_written_over_and_what_failed_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(to_line(lived_week(SEED)))
    (tmp_path / "same.jsonl").symlink_to(source)
    for output in (source, tmp_path / "same.jsonl"):
        with pytest.raises(InvalidValueError, match="what is converted"):
            convert(source, output)
    assert source.read_bytes() == to_line(lived_week(SEED))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "weeks-1.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "weeks.jsonl").write_text("kept")
    with pytest.raises(SchemaError, match=r"weeks-1\.npz"):
        convert(tmp_path / "data", tmp_path / "weeks.jsonl")
    assert (tmp_path / "weeks.jsonl").read_text() == "kept"
    assert not list(tmp_path.glob("*.part"))


def test_an_endless_line_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rhythm.lm.trajectories.MAX_LINE_BYTES", 60_000)
    source = tmp_path / "a.jsonl"
    source.write_bytes(to_line(lived_week(SEED)))
    convert(source, tmp_path / "weeks.jsonl")
    (tmp_path / "long.jsonl").write_bytes(b"x" * 200_000 + b"\n" + (tmp_path / "weeks.jsonl").read_bytes())
    weeks, bad = read_conversations(tmp_path / "long.jsonl")
    assert ([week.seed for week in weeks], [line.number for line in bad]) == ([SEED], [1])
