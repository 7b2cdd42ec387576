"""A few taught weeks and a tiny network, made once."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from rhythm.distill.dataset import Plan, make_dataset
from rhythm.distill.export import export_checkpoint
from rhythm.distill.model_writing import MOST_DIFFERENCE
from rhythm.distill.network import Shape
from rhythm.distill.teacher import Lesson, taught
from rhythm.distill.training import Progress, Recipe, begin, split, train
from rhythm.distill.weeks import TaughtWeeks

FIRST_SEED = 2_500_000
TINY = Recipe(Shape(width=16, layers=2, heads=2), steps=60, batch=32, rate=5e-3, warmup=10, every=20)


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Tests run side by side; threads of a small network would only wait for each other."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def weeks() -> TaughtWeeks:
    """Forty-eight taught weeks."""
    return taught(Lesson(np.arange(FIRST_SEED, FIRST_SEED + 48)))


@pytest.fixture(scope="session")
def checkpoint(weeks: TaughtWeeks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a tiny network that learned from them."""
    path = tmp_path_factory.mktemp("trained") / "student.pt"
    trained(weeks, path)
    return path


@pytest.fixture(scope="session")
def served(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its weights as they are served, the card beside them."""
    path = tmp_path_factory.mktemp("served") / "student.onnx"
    card, difference = export_checkpoint(checkpoint, path)
    assert difference <= MOST_DIFFERENCE
    assert card.training["step"] == 60
    return path


def trained(weeks: TaughtWeeks, path: Path) -> Progress:
    """A tiny network trained to its last step."""
    return train(begin(TINY), *split(weeks), path)


__all__ = ["FIRST_SEED", "TINY", "Plan", "make_dataset", "trained"]
