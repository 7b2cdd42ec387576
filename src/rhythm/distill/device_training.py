"""Train the device student on taught lives: resumable, with its curve beside the checkpoint."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from rhythm.distill.checkpoints import (
    curve_rows,
    named,
    optimizer_of,
    read_checkpoint,
    share_of_rate,
    take_step,
    write_checkpoint,
)
from rhythm.distill.device_lives import TaughtLives
from rhythm.distill.device_network import DeviceOutputs, DeviceShape, DeviceStudent
from rhythm.distill.losses import pinball
from rhythm.distill.network import parameters_of
from rhythm.policy.student.device_memory import week_means
from rhythm.policy.student.device_tokens import DEVICE_PLACES, DEVICE_TOKENS_VERSION
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, InvalidValueError

DEVICE_CHECKPOINT: Final = "rhythm.device-checkpoint/1"
DEVICE_CURVE: Final = "rhythm.device-train/1"
GAIN_SCALE: Final = 4.0
"""Factor on gains in the loss, so that they are of the size of the rest."""
ASIDE_OF: Final = 20
"""One life in so many is kept aside."""
LEAST_RATE: Final = 0.01
"""Share of the highest rate that is left in the last step."""
DECAY: Final = 0.01
"""Of weights."""
OnStep = Callable[[str, int], None]


@dataclass(frozen=True)
class DeviceRecipe:
    """How to train.

    Attributes:
        shape: of the network.
        steps: batches to learn from.
        batch: lives in each.
        rate: highest learning rate; warmed up over ``warmup`` steps, then a half cosine to a hundredth.
        warmup: steps.
        seed: of the first weights and the order of lives.
        every: steps between looks at the lives kept aside, and between checkpoints.
        asked: slots of each life that a batch learns from; the others are only remembered.
        early: slot that is asked half as often as the first, a later one less still; 0 for all alike.
        data: digest of the lives that it learns from (see `digest_of_shards`).
    """

    shape: DeviceShape = field(default_factory=DeviceShape)
    steps: int = 4000
    batch: int = 32
    rate: float = 2e-3
    warmup: int = 100
    seed: int = 0
    every: int = 200
    asked: int = 56
    early: float = 0.0
    data: str = ""

    def asked_of(self, slots: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Slots of one batch that are learned from, in order, shape (asked,)."""
        often = 1.0 / (1.0 + np.arange(slots) / self.early) if self.early else None
        chances = None if often is None else often / often.sum()
        drawn = random.choice(slots, min(self.asked, slots), replace=False, p=chances)
        found: NDArray[np.int64] = np.sort(drawn)
        return found


class DeviceLosses(NamedTuple):
    """Parts of the loss, each a mean over tokens.

    Attributes:
        accept: log loss of the chances of acceptance, each slot by the chance that a suggestion is looked at.
        value: squared error of what suggestions bring, in units of 1 / GAIN_SCALE.
        belief: pinball loss of the belief quantiles.
    """

    accept: Tensor
    value: Tensor
    belief: Tensor

    @property
    def total(self) -> Tensor:
        """What is minimised."""
        return self.accept + 0.2 * self.value + 2.0 * self.belief


class LifeBatch(NamedTuple):
    """Lives as tensors; see `TaughtLives`. All but the tokens are of the slots that are asked at."""

    tokens: Tensor
    weeks: Tensor
    accepts: Tensor
    seen: Tensor
    gains: Tensor
    beliefs: Tensor


@dataclass
class DeviceProgress:
    """A network in training.

    Attributes:
        recipe: how it is trained.
        network: as far as it has come.
        step: batches learned from.
        curve: a row for each look: step, seconds of processor time, losses on the lives kept aside.
    """

    recipe: DeviceRecipe
    network: DeviceStudent
    optimizer: torch.optim.Optimizer
    step: int = 0
    curve: list[dict[str, float]] = field(default_factory=list)


def begin_device(recipe: DeviceRecipe) -> DeviceProgress:
    """A network before its first step."""
    torch.manual_seed(recipe.seed)
    network = DeviceStudent(recipe.shape)
    return DeviceProgress(recipe, network, optimizer_of(network, recipe.rate, DECAY))


def device_losses(said: DeviceOutputs, right: LifeBatch) -> DeviceLosses:
    """The losses of a batch."""
    each = functional.binary_cross_entropy_with_logits(said.accepts, right.accepts, reduction="none").mean(dim=-1)
    accept = (each * right.seen).sum() / right.seen.sum()
    # Gains have long tails; beyond one unit an error counts by its size only.
    value = functional.smooth_l1_loss(GAIN_SCALE * said.values, GAIN_SCALE * right.gains)
    return DeviceLosses(accept, value, pinball(stated(said.beliefs), right.beliefs))


def stated(raw: Tensor) -> Tensor:
    """Belief quantiles from what the head says, shape (..., 3, 3); as `quantiles` of the served model."""
    middle, low, high = raw.reshape(*raw.shape[:-1], 3, BELIEF_COUNT).unbind(dim=-2)
    both = [middle - functional.softplus(low), middle, middle + functional.softplus(high)]
    return torch.sigmoid(torch.stack(both, dim=-1))


class LifeTensors:
    """Taught lives, turned to tensors a batch at a time."""

    def __init__(self, lives: TaughtLives) -> None:
        self._lives = lives
        self._weeks = remembered_weeks(lives.tokens).astype(np.float16)

    def __len__(self) -> int:
        return len(self._lives)

    @property
    def slots(self) -> int:
        """Slots of each life."""
        return int(self._lives.tokens.shape[1])

    def batch(self, rows: Any, asked: NDArray[np.int64]) -> LifeBatch:
        """Some lives, to be asked at some slots."""
        lives = self._lives
        right = (self._weeks, lives.accepts, lives.seen, lives.gains, lives.beliefs)
        parts = [lives.tokens[rows], *(part[rows][:, asked] for part in right)]
        return LifeBatch(*(torch.from_numpy(part.astype(np.float32)) for part in parts))


def remembered_weeks(tokens: NDArray[Any]) -> NDArray[np.float32]:
    """What is remembered of each slot's step of the week, shape (lives, slots, 10), from all tokens of the lives."""
    return week_means(tokens[..., DEVICE_PLACES["done"]][..., :ACTION_COUNT])


def split_lives(lives: TaughtLives) -> tuple[TaughtLives, TaughtLives]:
    """Lives to learn from, and one in twenty kept aside.

    Raises:
        InvalidValueError: too few.
    """
    aside = lives.seeds // 5 % ASIDE_OF == 0
    if aside.all() or not aside.any():
        raise InvalidValueError(f"{len(lives)} lives are too few to learn from and keep some aside; teach more")
    return tuple(TaughtLives(**{n: a[rows] for n, a in vars(lives).items()}) for rows in (~aside, aside))  # type: ignore[return-value]


def train_device(
    progress: DeviceProgress, given: TaughtLives, aside: TaughtLives, checkpoint: Path,
    on_step: OnStep = lambda _l, _n: None,
) -> DeviceProgress:  # fmt: skip
    """Go on to the recipe's last step; a checkpoint is written at every look."""
    recipe, lives, kept = progress.recipe, LifeTensors(given), LifeTensors(aside)
    begun = time.process_time()
    while progress.step < recipe.steps:
        # What a step learns from follows from seed and step alone, so that a resumed run goes on as the whole one.
        random = np.random.default_rng([recipe.seed, progress.step])
        rows = random.integers(0, len(lives), recipe.batch)
        asked = recipe.asked_of(lives.slots, random)
        batch = lives.batch(rows, asked)
        losses = device_losses(progress.network(batch.tokens, batch.weeks, asked), batch)
        share = share_of_rate(progress.step, warmup=recipe.warmup, steps=recipe.steps, least=LEAST_RATE)
        take_step(progress.network, progress.optimizer, losses.total, recipe.rate * share)
        progress.step += 1
        on_step("training", 1)
        if progress.step % recipe.every == 0 or progress.step == recipe.steps:
            seen = look_at(progress.network, kept)
            row = named("aside", seen._asdict().items())
            progress.curve.append({"step": progress.step, "seconds": time.process_time() - begun, **row})
            save_device(progress, checkpoint)
    return progress


@torch.no_grad()
def look_at(network: DeviceStudent, kept: LifeTensors) -> DeviceLosses:
    """The losses on lives that are not learned from."""
    network.eval()
    asked = np.arange(kept.slots)[::7]
    batch = kept.batch(slice(None), asked)
    found = device_losses(network(batch.tokens, batch.weeks, asked), batch)
    network.train()
    return found


def save_device(progress: DeviceProgress, path: Path) -> None:
    """Write a checkpoint, whole or not at all, and its curve beside it as JSON."""
    held = {
        "schema": DEVICE_CHECKPOINT,
        "tokens": DEVICE_TOKENS_VERSION,
        "recipe": asdict(progress.recipe),
        "step": progress.step,
        "curve": progress.curve,
        "network": progress.network.state_dict(),
        "optimizer": progress.optimizer.state_dict(),
    }
    config = {**asdict(progress.recipe), "parameters": parameters_of(progress.network)}
    curve = {"schema": DEVICE_CURVE, "config": config, "rows": curve_rows(progress.curve)}
    write_checkpoint(path, held, curve)


def load_device(path: Path) -> DeviceProgress:
    """A network from a checkpoint, ready to go on.

    Raises:
        SchemaError: the file is damaged, or of another schema or token version.
    """
    held = read_checkpoint(path, DEVICE_CHECKPOINT, DEVICE_TOKENS_VERSION)
    recipe = DeviceRecipe(**{**held["recipe"], "shape": DeviceShape(**held["recipe"]["shape"])})
    progress = begin_device(recipe)
    progress.network.load_state_dict(held["network"])
    progress.optimizer.load_state_dict(held["optimizer"])
    progress.step, progress.curve = held["step"], held["curve"]
    return progress


def resumed_device(recipe: DeviceRecipe, path: Path) -> DeviceProgress:
    """The progress that a checkpoint holds, or the beginning where there is none.

    Raises:
        SchemaError: see `load_device`.
        InvalidValueError: the checkpoint is of another recipe.
    """
    if not path.exists():
        return begin_device(recipe)
    progress = load_device(path)
    if progress.recipe != recipe:
        raise InvalidValueError(
            f"{path} was trained by another recipe or from other lives; name another checkpoint, or remove it"
        )
    return progress
