"""The device student measured beside the posterior: weeks lived, taps, time; small runs and made figures."""

import json
from pathlib import Path

import numpy as np
import pytest

from rhythm.bench.living_play import Played, lives_of
from rhythm.bench.taps_play import Taps
from rhythm.cli.main import main
from rhythm.distill import device_living, device_taps, taps_readout
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.device_living import StudentAssistant
from rhythm.distill.device_plots import draw_living
from rhythm.distill.device_taps import StudentLearner
from rhythm.distill.taps_readout import Readout
from rhythm.life.living import Lives
from rhythm.life.populations import archetype_people
from rhythm.life.profiles import ARCHETYPES
from rhythm.policy.student.device_model import DeviceModel, device_model

SEEDS = np.arange(2_640_000, 2_640_006)


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def test_who_else_lives_changes_nothing_for_a_person(model: DeviceModel) -> None:
    """A batch and one of its people alone: the same suggestions, so the same life."""
    together, alone = StudentAssistant(model, SEEDS), StudentAssistant(model, SEEDS[2:3])
    many, one = lives_of(SEEDS), lives_of(SEEDS[2:3])
    for _ in range(24):
        offered, own = together.suggest(many), alone.suggest(one)
        assert offered[2] == own[0]
        together.learn(offered, many.offer(offered))
        alone.learn(own, one.offer(own))
    stated = together.beliefs()
    assert stated is not None
    assert (stated.low <= stated.mean).all()
    assert (stated.mean <= stated.high).all()


def _played(level: float, people: int) -> Played:
    shape = (people, 2, 3)
    wellbeing = level + 0.01 * np.arange(people)[:, None] + np.array([[0.0, 0.02]])
    return Played(
        wellbeing, np.full(shape, 0.1), np.ones(shape), np.full((people, 2), 0.5), np.full(shape, 0.2), {}
    )  # fmt: skip


def test_rows_pair_the_people_who_lived_with_both(tmp_path: Path) -> None:
    played = {"student": _played(0.6, 6), "random": _played(0.5, 6), "posterior": _played(0.57, 3)}
    rows = {row.name: row for row in device_living.rows_of(played)}
    apart = rows["wellbeing-less-posterior/student/all"]
    assert apart.value == pytest.approx(0.03)
    assert apart.n == 3
    assert apart.low == pytest.approx(0.03), "the same people: what makes them differ cancels"
    assert rows["belief-skill/student/week-1"].value == pytest.approx(0.5)
    assert rows["coverage80/student/all"].ok is False, "always covered is too wide"
    draw_living(list(rows.values()), tmp_path / "living.png")
    data = json.loads((tmp_path / "living.json").read_text("utf-8"))
    assert data["panels"][-1]["lines"][0]["at"] == [1, 2]


def test_a_readout_learns_who_is_who() -> None:
    random, kinds = np.random.default_rng(4), np.arange(3000) % 3
    hidden = (random.normal(size=(3000, 5)) + 2.0 * np.eye(3, 5)[kinds]).astype(np.float32)
    readout = taps_readout.fitted(hidden, np.eye(3)[kinds])
    chances = readout.chances(hidden)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances.argmax(axis=1) == kinds).mean() > 0.8
    assert np.abs(chances.max(axis=1).mean() - (chances.argmax(axis=1) == kinds).mean()) < 0.1, "as sure as it is right"


@pytest.mark.slow
def test_the_shipped_student_finds_out_who_people_are_by_its_own_questions(model: DeviceModel) -> None:
    rounds: list[None] = []
    readout = taps_readout.readout_of(model, people=150, slots=28, on_round=lambda: rounds.append(None))
    assert len(rounds) == taps_readout.ROUNDS
    read = taps_readout.ask(model, readout, np.arange(2_990_000, 2_990_150), 28)
    chances = readout.chances(read.hidden[:, -1])[np.arange(150), read.kinds]
    assert -np.log(chances).mean() < np.log(3.0) - 0.1, "more than a guess"
    assert read.answered.mean() < 0.25, "it leaves slots out"


def test_a_person_who_is_asked_alone_is_read_as_in_a_batch(model: DeviceModel) -> None:
    random, width = np.random.default_rng(6), model.card.width
    readout = Readout(np.zeros(width), np.ones(width), random.normal(size=(width + 1, 3)))
    seeds = np.arange(2_990_000, 2_990_004)
    read = taps_readout.ask(model, readout, seeds, 12)
    lives = Lives(seeds, archetype_people(4)[1], widened_styles(seeds), drift=0.0)
    learners = [StudentLearner(model, readout) for _ in seeds]
    for slot in range(12):
        offered = np.array([one.suggest(slot) for one in learners], np.int8)
        seen = lives.offer(offered)
        for person, one in enumerate(learners):
            one.learn(offered, seen, person)
            wanted = readout.chances(read.hidden[person, [slot]])[0]
            np.testing.assert_allclose(one.chances(), wanted, atol=1e-4)


def test_it_asks_what_tells_the_archetypes_apart(model: DeviceModel, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = np.full((len(ARCHETYPES), 10, 4), 0.5)
    tables[0, 7, 2], tables[1:, 7, 2] = 0.9, 0.1
    monkeypatch.setattr(taps_readout, "archetype_tables", lambda: tables)
    width = model.card.width
    learner = StudentLearner(model, Readout(np.zeros(width), np.ones(width), np.zeros((width + 1, 3))))
    np.testing.assert_allclose(learner.chances(), 1 / 3)
    assert learner.suggest(0) == -1, "it waits for the evening"
    assert learner.suggest(2) == 7


def test_medians_are_compared_on_the_same_people() -> None:
    taps, yes = np.array([4, 6, 5, 9, 7, 8]), np.ones(6, np.bool_)
    asked = {name: Taps(taps + more, taps, taps, yes, yes) for name, more in
             (("student", 1), ("posterior", 0), ("posterior-device", 3))}  # fmt: skip
    rows = {row.name: row for row in device_taps.rows_of(asked)}
    apart = rows["taps-median-less-posterior/student"]
    assert (apart.value, apart.low, apart.high, apart.ok) == (1.0, 1.0, 1.0, True)
    assert rows["taps-median-less-posterior-device/student"].value == -2.0


def _printed(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, dict[str, object]]:
    with pytest.raises(SystemExit):
        main(["student", *args, "--json"])
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


@pytest.mark.slow
def test_the_commands_print_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, "speed")["processor-ms/student-device/1-people"]["band"] == [None, 2.0]
    lived = _printed(capsys, "living", "--people", "4", "--stored", "2", "--weeks", "1")
    assert "coverage80/student/all" in lived
