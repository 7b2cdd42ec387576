"""A new model and one that learned to say the same in every state, made once for the tests that need them."""

from pathlib import Path

import pytest

from lm.made import lived_week
from rhythm.lm.conversations import Conversation, of_trajectory

FIRST = 2_000_000
SAID = "4 5 4 LEARN"


@pytest.fixture(scope="session")
def weeks() -> list[Conversation]:
    return [of_trajectory(lived_week(FIRST + seed, lambda _: SAID)) for seed in range(21)]


@pytest.fixture(scope="session")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rhythm.lm.made_model import Shape, make_model  # noqa: PLC0415 - needs the extra

    folder = tmp_path_factory.mktemp("model") / "new"
    make_model(folder, Shape(width=16, layers=1, heads=2, inner=16), 0)
    return folder


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, weeks: list[Conversation], new: Path) -> Path:
    from rhythm.lm.sft import SftPlan, train  # noqa: PLC0415 - needs the extra

    run = tmp_path_factory.mktemp("run") / "sft"
    train(SftPlan(model=str(new), steps=36, batch=2, rate=1e-1, every=18), weeks, run)
    return run


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory, new: Path) -> Path:
    from lm.taught import teach  # noqa: PLC0415 - needs the extra

    return teach(new, tmp_path_factory.mktemp("taught") / "model")
