"""The calibration of the posterior: scores that are right, and a posterior that is too sure is caught."""

from pathlib import Path

import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.knowing import FIRST_SEED, calibration, chi_square, compare
from rhythm.bench.plots.knowing import draw_calibration
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets


def test_uniform_ranks_pass_and_ranks_at_the_ends_do_not() -> None:
    uniform = np.arange(650).astype(np.float64) % 65.0
    assert chi_square(uniform)[:2] == (0.0, 1.0)
    assert chi_square(np.where(uniform < 32, 0.0, 64.0))[1] < 1e-6


def test_the_score_is_that_of_the_definition() -> None:
    people = sample_people(np.arange(4), Population.CLASSIC)
    draws = sample_people(np.arange(100, 356), Population.CLASSIC).reshape(4, 64, 15)
    seen = compare(draws, people)
    drawn, truth = belief_targets(draws.reshape(-1, 15)).reshape(4, 64, 3), belief_targets(people)
    near = np.abs(drawn - truth[:, None]).mean(axis=1)
    apart = np.abs(drawn[:, :, None] - drawn[:, None]).mean(axis=(1, 2))
    np.testing.assert_allclose(seen.score, near - 0.5 * apart)


def test_rows_and_picture_come_of_a_few_people(tmp_path: Path) -> None:
    check_training_seeds(np.array([FIRST_SEED]))
    rows, data = calibration(24)
    names = {row.name for row in rows}
    assert {"coverage80/step-0/ood", "crps_skill/work-step-7/prior", "known_exactly/step-3/in-distribution"} <= names
    draw_calibration(data, tmp_path / "calibration.png")
    assert (tmp_path / "calibration.json").exists()
