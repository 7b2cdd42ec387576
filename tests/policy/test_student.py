"""The student that is shipped: small, made of training people only, close to its teacher, quick, read on first use."""

import subprocess
import sys
import time

import numpy as np
import pytest

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.graders import captured, grade_week
from rhythm.bench.play import play
from rhythm.life.populations import Population, sample_people
from rhythm.policy.registry import make_policy
from rhythm.policy.student.model_file import read_card
from rhythm.policy.student.shipped import SHIPPED, shipped_model
from rhythm.policy.student.tokens import TOKEN_WIDTH

SEEDS = np.arange(2_650_000, 2_650_200)
MOST_MS = 20.0
"""Far above what a decision takes, so that a busy machine passes; `docs/log.md` has what was measured."""


def test_the_weights_are_small_and_made_of_training_people() -> None:
    card = read_card(SHIPPED)
    assert SHIPPED.stat().st_size <= 10_000_000
    assert card.parameters <= 2_000_000
    assert card.training["limits"]
    data = card.training["data"]
    assert data
    for folder in data:
        seeds = check_training_seeds(range(folder["first_seed"], folder["first_seed"] + folder["weeks"]))
        assert not np.intersect1d(seeds, SEEDS).size


def test_the_card_holds_the_results_of_these_weights() -> None:
    results = {row["name"]: row for row in read_card(SHIPPED).training["results"]}
    for condition in ("in-distribution", "ood", "archetypes"):
        for metric in ("v2", "captured", "belief_mae", "coverage80"):
            assert results[f"{metric}/student/{condition}"]["n"] > 0


@pytest.mark.parametrize("corners", [False, True])
def test_people_nobody_taught_it_live_nearly_as_well_as_the_planner_lets_them(corners: bool) -> None:
    people = sample_people(SEEDS, Population.PEAKED, corners=corners)
    graded = {
        name: grade_week(play(make_policy(name), people, SEEDS), Population.PEAKED)
        for name in ("average", "student", "oracle")
    }
    shares = [graded[name]["wellbeing"] for name in ("student", "average", "oracle")]
    assert captured(*shares) > 0.65
    assert graded["student"]["belief_error"].mean() < (0.10 if corners else 0.07)
    if not corners:
        assert 0.70 < graded["student"]["covered"].mean() < 0.90


def test_a_decision_is_quick() -> None:
    reader = shipped_model().reader(1)
    token, took = np.zeros((1, TOKEN_WIDTH), np.float32), []
    for _ in range(28):
        begun = time.perf_counter()
        reader.read(token)
        took.append(1000.0 * (time.perf_counter() - begun))
    assert np.median(took) < MOST_MS


def test_naming_the_policies_loads_no_runtime() -> None:
    code = """
import sys
from rhythm.policy.registry import make_policy
make_policy("student").version
sys.exit("onnxruntime" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own words
