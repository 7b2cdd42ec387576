"""The device student in small: what is taught is right, training resumes, what is served says what was trained."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from adapt.people import answers
from rhythm.adapt.plan import read_plan
from rhythm.bench.conditions import ReservedSeedError
from rhythm.distill import adapter_table, device_curve
from rhythm.distill.adapter_choice import choose_plan, directions_of, write_plan
from rhythm.distill.adapter_table import evaluation_lives
from rhythm.distill.device_dataset import LivesPlan, described_lives, make_lives, shards_of
from rhythm.distill.device_export import export_device
from rhythm.distill.device_lives import TaughtLives, lived, read_lives
from rhythm.distill.device_network import DeviceShape
from rhythm.distill.device_plots import lines_of
from rhythm.distill.device_record import heard, log_losses, personal
from rhythm.distill.device_rivals import beta_logits, general_table, posterior_logits, told_logits
from rhythm.distill.device_training import (
    DeviceRecipe,
    begin_device,
    load_device,
    resumed_device,
    split_lives,
    train_device,
)
from rhythm.distill.model_writing import MOST_DIFFERENCE
from rhythm.policy.student.device_model import DEVICE_WEIGHTS, device_model, read_device_model
from rhythm.policy.student.device_tokens import DEVICE_PLACES, LOOKED_AT
from rhythm.vocab import InvalidValueError, SchemaError

FIRST = 3_500_000
TINY = DeviceRecipe(DeviceShape(16, 1, 16), steps=40, batch=16, rate=5e-3, warmup=5, every=20, asked=14)
PLAN = LivesPlan(FIRST, 120, weeks=2, shard=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lives")
    assert make_lives(PLAN, path) == 120
    return path


@pytest.fixture(scope="module")
def lives(folder: Path) -> TaughtLives:
    return read_lives(*shards_of(folder))


@pytest.fixture(scope="module")
def checkpoint(lives: TaughtLives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trained") / "student-device.pt"
    train_device(begin_device(TINY), *split_lives(lives), path)
    return path


def test_the_chances_taught_are_those_that_answers_follow(lives: TaughtLives) -> None:
    looked = (lives.outcomes >= 0) & (lives.outcomes < LOOKED_AT)
    rows, slots = np.nonzero(looked)
    foreseen = lives.accepts[rows, slots, lives.suggested[rows, slots]].astype(np.float64)
    accepted = lives.outcomes[rows, slots] == 0
    error = np.sqrt((foreseen * (1 - foreseen)).sum()) / len(foreseen)
    assert abs(accepted.mean() - foreseen.mean()) < 4 * error
    assert accepted[foreseen > 0.6].mean() > accepted[foreseen < 0.4].mean() + 0.2
    asked = lives.suggested >= 0
    assert abs((looked[asked] - lives.seen[asked].astype(np.float64)).mean()) < 4 / (2 * np.sqrt(asked.sum()))


def test_what_was_lived_before_reading_began_is_not_told(lives: TaughtLives) -> None:
    """Also in batches that lived weeks before: the first token knows nothing of them."""
    first = lives.tokens[:, 0]
    for field in ("meters_known", "burden", "exposure", "read"):
        assert (first[:, DEVICE_PLACES[field]] == 0.0).all()
    for field in ("done", "suggested", "outcome", "planned"):
        assert (first[:, DEVICE_PLACES[field]][:, -1] == 1.0).all()


def test_a_token_tells_the_answer_that_was_given(lives: TaughtLives) -> None:
    told = lives.tokens[:, 1:, DEVICE_PLACES["outcome"]].argmax(axis=2)
    np.testing.assert_array_equal(np.where(told == 5, -1, told), lives.outcomes[:, :-1])


def test_lives_are_the_same_again_and_no_benchmark_seed_is_taught(folder: Path, lives: TaughtLives) -> None:
    again = lived(np.arange(FIRST, FIRST + 60), 56)
    np.testing.assert_array_equal(again.tokens, lives.tokens[:60])
    np.testing.assert_array_equal(again.gains, lives.gains[:60])
    with pytest.raises(ReservedSeedError):
        lived(np.array([1_600_000]), 28)
    with pytest.raises(InvalidValueError, match="holds lives of another"):
        make_lives(replace(PLAN, first_seed=FIRST + 60), folder)
    assert described_lives(folder)["lives"] == 120


def test_a_student_trained_before_suggests_what_helps_in_three_of_eight_lives() -> None:
    seeds = np.arange(FIRST, FIRST + 160)
    taught = lived(seeds, 56, device_model())
    rows, slots = np.nonzero(taught.suggested >= 0)
    gains = taught.gains[rows, slots, taught.suggested[rows, slots]].astype(np.float64)
    turn = seeds[rows] % 8
    student, by_chance = gains[turn >= 5].mean(), gains[turn < 2].mean()
    assert student > by_chance + 0.01, f"the student's bring {student:.4f}, random ones {by_chance:.4f}"


def test_lives_with_a_student_are_another_folder(folder: Path) -> None:
    with pytest.raises(InvalidValueError, match="version"):
        make_lives(replace(PLAN, student=DEVICE_WEIGHTS), folder)
    assert replace(PLAN, student=DEVICE_WEIGHTS).config()["student"] == device_model().card.name


def test_early_slots_can_be_learned_from_more_often() -> None:
    random = np.random.default_rng(3)
    alike, early = (
        np.concatenate([replace(TINY, early=early).asked_of(224, random) for _ in range(400)]) for early in (0.0, 56.0)
    )
    assert abs((alike < 56).mean() - 0.25) < 0.03
    assert (early < 56).mean() > 0.35
    assert (early >= 168).mean() > 0.1, "and late ones still"


@pytest.mark.parametrize("keep", [0, 10, 4000, -30])
def test_a_damaged_shard_is_refused(keep: int, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "lives-1.npz"
    path.write_bytes(shards_of(folder)[0].read_bytes()[:keep])
    with pytest.raises(SchemaError, match="is damaged"):
        read_lives(path)


def test_an_empty_folder_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="rhythm student teach"):
        shards_of(tmp_path)
    with pytest.raises(SchemaError, match="is no folder of taught lives"):
        described_lives(tmp_path)


def test_the_network_never_sees_ahead(lives: TaughtLives) -> None:
    network = begin_device(TINY).network.eval()
    tokens = torch.from_numpy(lives.tokens[:3].astype(np.float32))
    weeks = torch.zeros(3, tokens.shape[1], 10)
    changed = tokens.clone()
    changed[:, 30:] = tokens[:, 30:].flip(1)
    with torch.no_grad():
        one, other = network(tokens, weeks), network(changed, weeks)
        part = network(tokens, weeks[:, :2], np.array([5, 29]))
    assert torch.equal(one.accepts[:, :30], other.accepts[:, :30])
    assert not torch.equal(one.accepts[:, 31:], other.accepts[:, 31:])
    torch.testing.assert_close(part.hidden, one.hidden[:, [5, 29]], atol=1e-5, rtol=1e-5)


def test_it_learns_and_a_resumed_run_ends_where_the_whole_one_does(
    checkpoint: Path, lives: TaughtLives, tmp_path: Path
) -> None:
    whole = load_device(checkpoint)
    assert whole.curve[-1]["aside_accept"] < whole.curve[0]["aside_accept"]
    path, looked = tmp_path / "student-device.pt", 0

    def stop(_label: str, _count: int) -> None:
        nonlocal looked
        looked += 1
        if looked == 27:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_device(begin_device(TINY), *split_lives(lives), path, stop)
    again = resumed_device(TINY, path)
    assert again.step == 20
    train_device(again, *split_lives(lives), path)
    for ours, theirs in zip(again.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    with pytest.raises(InvalidValueError, match="another recipe"):
        resumed_device(replace(TINY, steps=41), checkpoint)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SchemaError, match="is no checkpoint"):
        load_device(path)


def test_what_is_served_says_what_was_trained(checkpoint: Path, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "student-device.onnx"
    card, difference = export_device(checkpoint, path, shards_of(folder)[:1], described_lives(folder))
    assert difference <= MOST_DIFFERENCE
    assert card.training["data"]["lives"] == 120
    assert read_device_model(path).card == card


def test_the_direction_is_found_in_which_people_differ() -> None:
    random, everyone = np.random.default_rng(0), []
    for seed in range(80):
        one = answers(seed)
        own = 1.5 * random.normal() * one.hidden[:, 2].astype(np.float64)
        everyone.append(replace(one, accepted=random.random(len(one)) < 1.0 / (1.0 + np.exp(-(one.logits + own)))))
    directions, excess = directions_of(everyone, 2)
    assert excess[0] > 3.0
    assert excess[1] < 2.0
    assert abs(directions[0, 2]) > 0.95 * np.linalg.norm(directions[0])


def test_a_plan_is_chosen_and_written_beside_the_weights(tmp_path: Path) -> None:
    plan = choose_plan(device_model(), people=4)
    path = write_plan(plan, tmp_path / "student-device.onnx")
    assert read_plan(path, device_model().card.name, device_model().card.width) == plan
    assert plan.chosen["loss_with"] <= plan.chosen["loss_without"]


def test_the_shipped_student_foresees_answers_better_than_tables() -> None:
    lives = evaluation_lives(60, 42)
    late = lives.looked.copy()
    late[:, :84] = False
    said = heard(device_model(), lives, 0, 168)
    blank = heard(device_model(), lives, 0, 168, memory=False)
    table = general_table(lives)
    scored = {
        "student": log_losses(said.accepts, lives.accepted),
        "blank": log_losses(blank.accepts, lives.accepted),
        "beta": log_losses(beta_logits(lives, 0, 168, table, 8.0), lives.accepted),
        "truth": log_losses(np.log(lives.chances / (1.0 - lives.chances)), lives.accepted),
    }
    means = {name: float(np.nanmean(personal(loss, late))) for name, loss in scored.items()}
    assert means["truth"] < means["student"] < means["beta"] < means["blank"] + 0.02
    assert DEVICE_WEIGHTS.exists()


def test_the_posterior_foresees_the_same_answers() -> None:
    lives = evaluation_lives(2, 14)
    logits = posterior_logits(lives, 1, 0, 56)
    assert np.isfinite(logits).all()
    assert logits[0] == pytest.approx(posterior_logits(lives, 1, 0, 1, memory=False)[0])


def test_who_is_told_the_person_foresees_more_than_a_stranger_and_less_than_the_truth() -> None:
    lives = evaluation_lives(24, 14)
    week = slice(28, 56)

    def loss_of(logits: list[NDArray[np.float64]]) -> float:
        scored = log_losses(np.array(logits), lives.accepted)[:, week]
        return float(np.nanmean(personal(scored, lives.looked[:, week])))

    told = loss_of([told_logits(lives, person, 56) for person in range(24)])
    stranger = loss_of([posterior_logits(lives, person, 0, 56, memory=False) for person in range(24)])
    habits = loss_of([told_logits(lives, person, 56, habits=True) for person in range(24)])
    truth = loss_of(list(np.log(lives.chances / (1.0 - lives.chances))))
    assert truth < habits < told < stranger


def test_who_is_told_the_person_is_told_of_their_changes_and_reads_the_weeks_before() -> None:
    lives = evaluation_lives(2, 14)
    logits = told_logits(lives, 1, 56)
    assert np.array_equal(logits[:28], told_logits(lives, 1, 28))
    first = replace(lives, people=np.repeat(lives.people[:1], 2, axis=0))
    assert not np.array_equal(lives.people[0], lives.people[1])
    assert not np.array_equal(logits[28:], told_logits(first, 1, 56)[28:])


@pytest.mark.slow
def test_table_and_curve_have_every_row() -> None:
    from rhythm.adapt.job import shipped_plan  # noqa: PLC0415

    model = device_model()
    rows = {
        row.name: row for row in adapter_table.rows_of(adapter_table.table(model, shipped_plan(model), 3, 1, weeks=6))
    }
    for learner in adapter_table.LEARNERS:
        assert rows[f"loss/{learner}/week-5"].n == (
            1 if learner.startswith(("posterior", "told-person", "told-habits")) else 3
        )
    assert "worse-after/adapter-gated/week-6" in rows
    assert "short-with-adapter-less-long/student/days-30-to-36" in rows
    curve = device_curve.curve_rows(device_curve.answer_curve(model, 4, 1), device_curve.wellbeing_curve(model, 2, 1))
    lines = lines_of(curve, "loss", "-days")
    assert {line["learner"] for line in lines} == set(device_curve.CURVE_LEARNERS)
    assert all(line["at"] == list(device_curve.CONTEXTS) for line in lines)
    assert sum(bool(re.match(r"wellbeing/posterior/\d+-days", row.name)) for row in curve) == 6
