"""Refine what the device student suggests by playing: group-relative policy optimisation of the whole network.

Copies of the same people live the same weeks and differ only in what is drawn for them. A
suggestion counts by how much better its copy fared than was to be expected and than the other
copies did (`rhythm.distill.device_critic`), so who a person is, and what happens to them anyhow,
cancels. Choices are held near those of the network that it starts from by their divergence,
chances of acceptance by that network's own, and beliefs go on learning the truth: what is gained
cannot be paid for by worse beliefs.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from rhythm.distill.checkpoints import curve_rows, read_checkpoint, share_of_rate, write_checkpoint
from rhythm.distill.device_critic import Critic
from rhythm.distill.device_export import model_of
from rhythm.distill.device_network import DeviceOutputs, DeviceStudent
from rhythm.distill.device_play import live
from rhythm.distill.device_training import remembered_weeks, stated
from rhythm.distill.losses import pinball
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.device_tokens import DEVICE_TOKENS_VERSION
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, InvalidValueError

Floats = NDArray[np.float64]
OnTurn = Callable[[str, int], None]

REFINING_CHECKPOINT: Final = "rhythm.device-refining/1"
REFINING_CURVE: Final = "rhythm.device-refine/1"
_WARMUP: Final = 10
_LEAST_RATE: Final = 0.05
_AT_ONCE: Final = 96
"""Lives whose slope is reckoned together; what is summed is the same, but the memory it takes."""


@dataclass(frozen=True)
class Refining:
    """How to refine.

    Attributes:
        turns: batches of lives to learn from.
        people: different ones in each; fewer where their weeks are more.
        copies: of each.
        weeks: that are lived.
        long_weeks: that are lived in every third turn, by so many fewer people.
        rate: highest, of a step in the size of a weight; warmed up, then a half cosine.
        kept_near: standard deviations of advantage that a nat of divergence from the first choices costs.
        fades: slots after which what follows a suggestion counts 1 / e of it.
        trust: see `rhythm.distill.device_critic.Critic.advantages`.
        first_seed: of the people, who are training people.
        every: turns between checkpoints.
    """

    turns: int = 400
    people: int = 192
    copies: int = 2
    weeks: int = 4
    long_weeks: int = 8
    rate: float = 4e-4
    kept_near: float = 0.002
    fades: float = 20.0
    trust: float = 0.95
    first_seed: int = 6_000_000
    every: int = 20

    def lives_of(self, turn: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], int]:
        """Seeds and keys of the lives of a turn, and for how many slots they last."""
        weeks = self.long_weeks if turn % 3 == 2 else self.weeks
        people = max(1, self.people * self.weeks // weeks)
        begin = self.first_seed + turn * self.people
        seeds = np.repeat(np.arange(begin, begin + people), self.copies)
        numbers = np.arange(len(seeds)) + turn * self.people * self.copies
        return seeds, scramble_seeds(numbers, Stream.POLICY), weeks * WEEK_STEPS


class Refined:
    """A network as far as its refinement has come.

    Attributes:
        network: refined.
        turn: how many turns are behind it.
        curve: of each turn, its mean wellbeing, what the critic foresaw, and the divergence from the first choices.
    """

    def __init__(self, first: DeviceStudent, how: Refining) -> None:
        """Begin with a network, which stays as it is."""
        self.how, self.first, self.network = how, deepcopy(first).eval(), deepcopy(first)
        self.first.requires_grad_(False)
        self.critic = Critic(first.shape.width)
        self.optimizer = torch.optim.Adam(self.network.parameters(), betas=(0.9, 0.99))
        self.turn = 0
        self.curve: list[dict[str, float]] = []

    def step(self) -> None:
        """Play a turn and learn from it."""
        seeds, keys, slots = self.how.lives_of(self.turn)
        lived = live(model_of(self.network), seeds, keys, slots)
        gained, foreseen = self.critic.advantages(
            lived, copies=self.how.copies, fades=self.how.fades, trust=self.how.trust
        )
        self.optimizer.zero_grad(set_to_none=True)
        away = 0.0
        weeks = remembered_weeks(lived.tokens)
        for first in range(0, len(seeds), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            tokens, remembered = torch.from_numpy(lived.tokens[some]), torch.from_numpy(weeks[some])
            said = self.network(tokens, remembered)
            with torch.no_grad():
                before = self.first(tokens, remembered)
            gain, divergence = gain_of(said, before, lived.chosen[some], gained[some])
            held = held_loss(said, before, torch.from_numpy(lived.beliefs[some]))
            share = len(tokens) / len(seeds)
            loss = share * (self.how.kept_near * divergence - gain + held)
            loss.backward()  # type: ignore[no-untyped-call]
            away += share * float(divergence.detach())
        rate = self.how.rate * share_of_rate(self.turn, warmup=_WARMUP, steps=self.how.turns, least=_LEAST_RATE)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.turn += 1
        self.curve.append(
            {"step": self.turn, "wellbeing": float(lived.wellbeing.mean()), "foreseen": foreseen, "divergence": away}
        )


def gain_of(
    said: DeviceOutputs, before: DeviceOutputs, chosen: NDArray[np.int8], gained: Floats
) -> tuple[Tensor, Tensor]:
    """Mean over slots of advantage times the log of the choice's chance, and mean divergence; 0 where all is silent."""
    asked = torch.from_numpy(chosen >= 0)
    count = asked.sum().clamp(min=1)
    logs = functional.log_softmax(said.values / SETTINGS.temperature, dim=-1)
    logs_before = functional.log_softmax(before.values / SETTINGS.temperature, dim=-1)
    places = torch.from_numpy(chosen.astype(np.int64)).clamp(min=0)
    soft = logs.gather(-1, places[..., None])[..., 0].exp()
    # A choice by chance says nothing of the values: what the floor gives has no slope.
    chances = torch.log((1.0 - FLOOR) * soft + FLOOR / ACTION_COUNT)
    gain = (torch.from_numpy(gained.astype(np.float32)) * chances * asked).sum() / count
    divergence = ((logs.exp() * (logs - logs_before)).sum(dim=-1) * asked).sum() / count
    return gain, divergence


def held_loss(said: DeviceOutputs, before: DeviceOutputs, beliefs: Tensor) -> Tensor:
    """What keeps the rest right: log loss of the first network's chances of acceptance, pinball loss of beliefs."""
    accepts = functional.binary_cross_entropy_with_logits(said.accepts, torch.sigmoid(before.accepts))
    return accepts + 2.0 * pinball(stated(said.beliefs), beliefs)


def refine(first: DeviceStudent, how: Refining, checkpoint: Path, on_turn: OnTurn = lambda _l, _n: None) -> Refined:
    """Refine to the last turn; interrupted, it goes on where the checkpoint was written.

    Args:
        first: the network that it begins with.
        how: see `Refining`.
        checkpoint: where it is kept; its curve is beside it.
        on_turn: told of every turn.

    Raises:
        SchemaError: the checkpoint is damaged or of another version.
        InvalidValueError: the checkpoint is of another refinement.
    """
    so_far = Refined(first, how)
    if checkpoint.exists():
        _take_up(so_far, checkpoint)
    while so_far.turn < how.turns:
        so_far.step()
        on_turn("refining", 1)
        if so_far.turn % how.every == 0 or so_far.turn == how.turns:
            _save(so_far, checkpoint)
    return so_far


def _save(so_far: Refined, path: Path) -> None:
    held = {
        "schema": REFINING_CHECKPOINT,
        "tokens": DEVICE_TOKENS_VERSION,
        "how": asdict(so_far.how),
        "first": so_far.first.state_dict(),
        "turn": so_far.turn,
        "curve": so_far.curve,
        "network": so_far.network.state_dict(),
        "optimizer": so_far.optimizer.state_dict(),
        "critic": so_far.critic.held(),
    }
    curve = {"schema": REFINING_CURVE, "config": asdict(so_far.how), "rows": curve_rows(so_far.curve)}
    write_checkpoint(path, held, curve)


def _take_up(so_far: Refined, path: Path) -> None:
    held = read_checkpoint(path, REFINING_CHECKPOINT, DEVICE_TOKENS_VERSION)
    first = so_far.first.state_dict()
    same = held["first"].keys() == first.keys() and all(torch.equal(held["first"][name], first[name]) for name in first)
    if held["how"] != asdict(so_far.how) or not same:
        raise InvalidValueError(f"{path} is of another refinement; name another checkpoint, or remove it")
    so_far.network.load_state_dict(held["network"])
    so_far.optimizer.load_state_dict(held["optimizer"])
    so_far.critic.take_up(held["critic"])
    so_far.turn, so_far.curve = held["turn"], held["curve"]
