"""Train the student on taught weeks: resumable to the bit, with its curves kept beside the checkpoint."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from rhythm.distill.checkpoints import (
    curve_rows,
    named,
    optimizer_of,
    read_checkpoint,
    share_of_rate,
    take_step,
    write_checkpoint,
)
from rhythm.distill.losses import Losses, losses_of
from rhythm.distill.network import Shape, Student, parameters_of
from rhythm.distill.weeks import TaughtWeeks
from rhythm.policy.student.tokens import TOKENS_VERSION
from rhythm.vocab import InvalidValueError, SchemaError

CHECKPOINT_SCHEMA: Final = "rhythm.checkpoint/1"
CURVE_SCHEMA: Final = "rhythm.distill-train/1"
ASIDE_OF: Final = 20
"""One seed in so many is kept aside."""
LEAST_RATE: Final = 0.1
"""Share of the highest rate that is left in the last step."""
OnStep = Callable[[str, int], None]


@dataclass(frozen=True)
class Recipe:
    """How to train.

    Attributes:
        shape: of the network.
        steps: batches to learn from.
        batch: weeks in each.
        rate: highest learning rate; warmed up over ``warmup`` steps, then a half cosine to a tenth.
        warmup: steps.
        decay: of weights (AdamW; Loshchilov and Hutter 2019).
        seed: of the first weights and the order of weeks.
        every: steps between looks at the weeks kept aside, and between checkpoints.
        start: digest of the checkpoint that it starts from (see `digest_of_start`); empty for none.
        data: digest of the weeks that it learns from (see `digest_of_shards`).
    """

    shape: Shape = field(default_factory=Shape)
    steps: int = 4000
    batch: int = 256
    rate: float = 1e-3
    warmup: int = 200
    decay: float = 0.01
    seed: int = 0
    every: int = 200
    start: str = ""
    data: str = ""


@dataclass
class Progress:
    """A network in training.

    Attributes:
        recipe: how it is trained.
        network: as far as it has come.
        step: batches learned from.
        curve: a row for each look: step, and each loss on training weeks and on those kept aside.
        earlier: recipes of the runs that it started from, first to last.
    """

    recipe: Recipe
    network: Student
    optimizer: torch.optim.Optimizer
    step: int = 0
    curve: list[dict[str, float]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)


def digest_of_start(start: Path | None) -> str:
    """SHA-256 of the checkpoint to start from, for `Recipe.start`; empty for none.

    Raises:
        SchemaError: it cannot be read.
    """
    if start is None:
        return ""
    try:
        return hashlib.sha256(start.read_bytes()).hexdigest()
    except OSError as error:
        raise SchemaError(f"{start.name} is no checkpoint to start from ({type(error).__name__})") from None


def begin(recipe: Recipe, start: Path | None = None) -> Progress:
    """A network before its first step: untrained, or what another checkpoint holds.

    Raises:
        SchemaError: see `load`.
        InvalidValueError: the checkpoint is not the recipe's, or of another shape.
    """
    torch.manual_seed(recipe.seed)
    network = Student(recipe.shape)
    earlier: list[dict[str, Any]] = []
    if start is not None:
        before = load(start)
        if digest_of_start(start) != recipe.start or before.recipe.shape != recipe.shape:
            raise InvalidValueError(f"{start.name} is not what this recipe starts from, or is of another shape")
        network.load_state_dict(before.network.state_dict())
        earlier = [*before.earlier, asdict(before.recipe)]
    return Progress(recipe, network, optimizer_of(network, recipe.rate, recipe.decay), earlier=earlier)


def train(
    progress: Progress, weeks: TaughtWeeks, aside: TaughtWeeks, checkpoint: Path, on_step: OnStep = lambda _l, _n: None
) -> Progress:
    """Go on to the recipe's last step; a checkpoint is written at every look.

    Args:
        progress: from `begin` or `load`.
        weeks: to learn from.
        aside: to look at; seeds that no week of ``weeks`` has.
        checkpoint: file to write.
        on_step: told of every step.

    Raises:
        InvalidValueError: weeks and those kept aside share a seed.
    """
    if np.intersect1d(weeks.seeds, aside.seeds).size:
        raise InvalidValueError("weeks to learn from and weeks kept aside share a seed; keep them apart")
    given, kept = _Tensors(weeks), _Tensors(aside)
    recipe = progress.recipe
    while progress.step < recipe.steps:
        losses = _learn(progress, given)
        progress.step += 1
        on_step("training", 1)
        if progress.step % recipe.every == 0 or progress.step == recipe.steps:
            seen = look(progress.network, kept.batch(slice(None)))
            progress.curve.append(
                {
                    "step": progress.step,
                    **named("train", losses._asdict().items()),
                    **named("aside", seen._asdict().items()),
                }
            )
            save(progress, checkpoint)
    return progress


class _Tensors:
    """Weeks as tensors."""

    def __init__(self, weeks: TaughtWeeks) -> None:
        self.tokens = torch.from_numpy(weeks.tokens())
        self.values = torch.from_numpy(weeks.values)
        self.targets = torch.from_numpy(weeks.targets)

    def batch(self, rows: Any) -> tuple[Tensor, Tensor, Tensor]:
        return self.tokens[rows], self.values[rows], self.targets[rows]


def _learn(progress: Progress, given: _Tensors) -> Losses:
    recipe = progress.recipe
    # The rows of a step follow from seed and step alone, so that a resumed run goes on as the whole one.
    rows = np.random.default_rng([recipe.seed, progress.step]).integers(0, len(given.tokens), recipe.batch)
    tokens, values, targets = given.batch(torch.from_numpy(rows))
    losses = losses_of(progress.network(tokens), values, targets)
    share = share_of_rate(progress.step, warmup=recipe.warmup, steps=recipe.steps, least=LEAST_RATE)
    take_step(progress.network, progress.optimizer, losses.total, recipe.rate * share)
    return losses


@torch.no_grad()
def look(network: Student, batch: tuple[Tensor, Tensor, Tensor]) -> Losses:
    """The losses on weeks that are not learned from."""
    tokens, values, targets = batch
    network.eval()
    found = losses_of(network(tokens), values, targets)
    network.train()
    return found


def save(progress: Progress, path: Path) -> None:
    """Write a checkpoint, whole or not at all, and its curve beside it as JSON."""
    held = {
        "schema": CHECKPOINT_SCHEMA,
        "tokens": TOKENS_VERSION,
        "recipe": asdict(progress.recipe),
        "step": progress.step,
        "curve": progress.curve,
        "earlier": progress.earlier,
        "network": progress.network.state_dict(),
        "optimizer": progress.optimizer.state_dict(),
    }
    write_checkpoint(path, held, curve_document(progress))


def curve_document(progress: Progress) -> dict[str, Any]:
    """The curve as one object of schema, config and rows."""
    config = {**asdict(progress.recipe), "parameters": parameters_of(progress.network)}
    return {"schema": CURVE_SCHEMA, "config": config, "rows": curve_rows(progress.curve)}


def resumed(recipe: Recipe, path: Path, start: Path | None = None) -> Progress:
    """The progress that a checkpoint holds, or the beginning where there is none.

    Raises:
        SchemaError: see `load`.
        InvalidValueError: the checkpoint is of another recipe; see also `begin`.
    """
    if not path.exists():
        return begin(recipe, start)
    progress = load(path)
    if progress.recipe != recipe:
        raise InvalidValueError(
            f"{path} was trained by another recipe or from other weeks; name another checkpoint, or remove it"
        )
    return progress


def split(weeks: TaughtWeeks) -> tuple[TaughtWeeks, TaughtWeeks]:
    """Weeks to learn from, and about one in twenty to be kept aside, by seed: the same whatever else is there.

    Raises:
        InvalidValueError: too few weeks to keep any aside.
    """
    aside = weeks.seeds % ASIDE_OF == 0
    if aside.all() or not aside.any():
        raise InvalidValueError(f"{len(weeks)} weeks are too few to learn from and keep some aside; teach more")
    return weeks.rows(~aside), weeks.rows(aside)


def load(path: Path) -> Progress:
    """A network from a checkpoint, ready to go on.

    Raises:
        SchemaError: the file is damaged, or of another schema or token version.
    """
    held = read_checkpoint(path, CHECKPOINT_SCHEMA, TOKENS_VERSION)
    recipe = Recipe(**{**held["recipe"], "shape": Shape(**held["recipe"]["shape"])})
    progress = begin(recipe)
    progress.network.load_state_dict(held["network"])
    progress.optimizer.load_state_dict(held["optimizer"])
    progress.step, progress.curve, progress.earlier = held["step"], held["curve"], held.get("earlier", [])
    return progress
