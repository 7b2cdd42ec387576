"""Refine what a student does by playing: group-relative policy optimisation of the whole network, in either channel.

Copies of the same people live the same weeks and differ only in what is drawn for them. A choice
counts by how much better its copy fared than was to be expected and than the other copies did
(`rhythm.distill.critic`), so who a person is, and what happens to them anyhow, cancels. Choices
are held near those of the network that it starts from by their divergence, and beliefs go on
learning the truth: what is gained cannot be paid for by worse beliefs.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.versions import versions
from rhythm.distill.checkpoints import curve_rows, read_checkpoint, share_of_rate, write_checkpoint
from rhythm.distill.critic import Critic
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, InvalidValueError, SchemaError

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
OnTurn = Callable[[str, int], None]

REFINING_CHECKPOINT: Final = "rhythm.refining/1"
REFINING_CURVE: Final = "rhythm.refine/1"
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
        fades: slots after which what follows a choice counts 1 / e of it.
        trust: see `rhythm.distill.critic.Critic.advantages`.
        first_seed: of the people, who are training people.
        every: turns between checkpoints.
    """

    turns: int
    people: int
    copies: int
    weeks: int
    long_weeks: int
    rate: float
    kept_near: float
    fades: float
    trust: float
    first_seed: int
    every: int = 20

    def check(self) -> None:
        """Look at all turns before the first is played.

        Raises:
            InvalidValueError: a rate that changes nothing or is no number, a cost that is none, or seeds that are none.
            ReservedSeedError: a seed of some turn belongs to the benchmark.
        """
        if not 0.0 < self.rate < np.inf:
            raise InvalidValueError(f"a rate is a number above 0; got {self.rate}")
        if not 0.0 <= self.kept_near < np.inf:
            raise InvalidValueError(f"what a nat of divergence costs is a number not below 0; got {self.kept_near}")
        if self.first_seed + self.turns * self.people > np.iinfo(np.int64).max:
            raise InvalidValueError(f"seeds are whole numbers of 63 bits; got {self.first_seed} and those after it")
        for turn in range(self.turns):
            check_training_seeds(self.lives_of(turn)[0])

    def lives_of(self, turn: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], int]:
        """Seeds and keys of the lives of a turn, and for how many slots they last."""
        weeks = self.long_weeks if turn % 3 == 2 else self.weeks
        people = max(1, self.people * self.weeks // weeks)
        begin = self.first_seed + turn * self.people
        seeds = np.repeat(np.arange(begin, begin + people), self.copies)
        numbers = np.arange(len(seeds)) + turn * self.people * self.copies
        return seeds, scramble_seeds(numbers, Stream.POLICY), weeks * WEEK_STEPS


class Lived(NamedTuple):
    """Lives under a student; each array has the lives first.

    Attributes:
        tokens: what was read as each slot began, shape (lives, slots, width of a token).
        chosen: index of the action, -1 for nothing, shape (lives, slots).
        wellbeing: of each slot, shape (lives, slots).
        beliefs: the right belief, shape (lives, slots, 3).
        told: what the critic is told as each slot begins and at the end, shape (lives, slots + 1, told).
    """

    tokens: Singles
    chosen: NDArray[np.int8]
    wellbeing: Floats
    beliefs: Singles
    told: Singles


class Channel(Protocol):
    """How a student of one channel is played and what it is held to.

    Attributes:
        name: of the channel, for checkpoints.
        tokens_version: of what it reads.
        floor: share of the choice that is uniform over the actions.
        ends: whether nothing counts after the last slot that is lived.
    """

    name: str
    tokens_version: str
    floor: float
    ends: bool

    def told(self, network: Any) -> int:
        """Numbers that the critic is told of each slot."""
        ...

    def live(self, network: Any, seeds: NDArray[np.int64], keys: NDArray[np.uint64], slots: int) -> Lived:
        """Live by a student's choices; the same seed is the same person with the same luck."""
        ...

    def say(self, network: Any, tokens: Singles) -> Any:
        """What the network says of whole lives, as tensors."""
        ...

    def logits(self, said: Any) -> Tensor:
        """Logits that choices are drawn by, shape (lives, slots, 10)."""
        ...

    def held(self, said: Any, before: Any, beliefs: Tensor) -> Tensor:
        """Loss that keeps right what is not chosen by, beliefs first; ``before`` is what the first network says."""
        ...


class Refined:
    """A network as far as its refinement has come.

    Attributes:
        network: refined.
        turn: how many turns are behind it.
        curve: of each turn, its mean wellbeing, what the critic foresaw, and the divergence from the first choices.
    """

    def __init__(self, first: nn.Module, channel: Channel, how: Refining) -> None:
        """Begin with a network, which stays as it is."""
        self.how, self.channel = how, channel
        self.first = deepcopy(first).eval()
        self.first.requires_grad_(False)
        self.network: Any = deepcopy(first)
        self.critic = Critic(channel.told(first), ends=channel.ends)
        self.optimizer = torch.optim.Adam(self.network.parameters(), betas=(0.9, 0.99))
        self.turn = 0
        self.curve: list[dict[str, float]] = []

    def step(self) -> None:
        """Play a turn and learn from it.

        Raises:
            InvalidValueError: the weights are no numbers any more.
        """
        how = self.how
        seeds, keys, slots = how.lives_of(self.turn)
        lived = self.channel.live(self.network, seeds, keys, slots)
        gained, foreseen = self.critic.advantages(
            lived.told, lived.wellbeing, copies=how.copies, fades=how.fades, trust=how.trust
        )
        self.optimizer.zero_grad(set_to_none=True)
        away = sum(
            self._learn(lived, gained, slice(first, first + _AT_ONCE)) for first in range(0, len(seeds), _AT_ONCE)
        )
        for group in self.optimizer.param_groups:
            group["lr"] = how.rate * share_of_rate(self.turn, warmup=_WARMUP, steps=how.turns, least=_LEAST_RATE)
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        if not all(bool(part.isfinite().all()) for part in self.network.parameters()):
            raise InvalidValueError(
                f"turn {self.turn + 1} left weights that are no numbers; refine anew, with a rate below {how.rate:g}"
            )
        self.turn += 1
        wellbeing = float(lived.wellbeing.mean())
        self.curve.append({"step": self.turn, "wellbeing": wellbeing, "foreseen": foreseen, "divergence": away})

    def _learn(self, lived: Lived, gained: Floats, some: slice) -> float:
        """Add the slope of some of the lives; their part of the divergence."""
        channel, tokens = self.channel, lived.tokens[some]
        said = channel.say(self.network, tokens)
        with torch.no_grad():
            before = channel.say(self.first, tokens)
        gain, divergence = gain_of(
            channel.logits(said), channel.logits(before), lived.chosen[some], gained[some], channel.floor
        )
        held = channel.held(said, before, torch.from_numpy(lived.beliefs[some]))
        slots = len(tokens) / len(lived.tokens)
        asked = float((lived.chosen[some] >= 0).sum() / max(1, (lived.chosen >= 0).sum()))  # fewer where all is silent
        loss = asked * (self.how.kept_near * divergence - gain) + slots * held
        loss.backward()  # type: ignore[no-untyped-call]
        return asked * float(divergence.detach())


def gain_of(
    logits: Tensor, before: Tensor, chosen: NDArray[np.int8], gained: Floats, floor: float
) -> tuple[Tensor, Tensor]:
    """Mean over slots of advantage times the log of the choice's chance, and mean divergence; 0 where all is silent.

    Args:
        logits: that choices are drawn by, shape (lives, slots, 10).
        before: those of the first network.
        chosen: shape (lives, slots), -1 for nothing.
        gained: advantages, shape (lives, slots).
        floor: share of the choice that is uniform: a choice by chance says nothing of the logits.
    """
    asked = torch.from_numpy(chosen >= 0)
    count = asked.sum().clamp(min=1)
    logs, logs_before = functional.log_softmax(logits, dim=-1), functional.log_softmax(before, dim=-1)
    places = torch.from_numpy(chosen.astype(np.int64)).clamp(min=0)
    soft = logs.gather(-1, places[..., None])[..., 0].exp()
    chances = torch.log((1.0 - floor) * soft + floor / ACTION_COUNT)
    gain = (torch.from_numpy(gained.astype(np.float32)) * chances * asked).sum() / count
    divergence = ((logs.exp() * (logs - logs_before)).sum(dim=-1) * asked).sum() / count
    return gain, divergence


def refine(
    first: nn.Module, channel: Channel, how: Refining, checkpoint: Path, on_turn: OnTurn = lambda _l, _n: None
) -> Refined:
    """Refine to the last turn; interrupted, it goes on where the checkpoint was written.

    Args:
        first: the network that it begins with.
        channel: that it is of.
        how: see `Refining`.
        checkpoint: where it is kept; its curve is beside it.
        on_turn: told of every turn.

    Raises:
        SchemaError: the checkpoint is damaged or of another version.
        InvalidValueError: the checkpoint is of another refinement; see `Refining.check` and `Refined.step` too.
        ReservedSeedError: a seed belongs to the benchmark; nothing was played then.
    """
    how.check()
    so_far = Refined(first, channel, how)
    if checkpoint.exists():
        _take_up(so_far, checkpoint)
        on_turn("refining", so_far.turn)
    while so_far.turn < how.turns:
        so_far.step()
        on_turn("refining", 1)
        if so_far.turn % how.every == 0 or so_far.turn == how.turns:
            _save(so_far, checkpoint)
    return so_far


def described(refined: Refined, first: str) -> dict[str, Any]:
    """A refinement for the card of what came of it.

    Args:
        refined: to the last turn.
        first: digest of the weights that it began with.
    """
    made_by = {**versions(), "torch": str(torch.__version__)}
    return {**_described(refined), "first": first, "versions": made_by}


def earlier_of(training: Mapping[str, Any]) -> list[Any]:
    """Refinements that are behind weights, oldest first.

    Args:
        training: what their card says of it.
    """
    found = training.get("refined", [])
    return list(found) if isinstance(found, list) else [found]


def _described(so_far: Refined) -> dict[str, Any]:
    return {"channel": so_far.channel.name, **asdict(so_far.how)}


def _save(so_far: Refined, path: Path) -> None:
    held = {
        "schema": REFINING_CHECKPOINT,
        "tokens": so_far.channel.tokens_version,
        "how": _described(so_far),
        "first": so_far.first.state_dict(),
        "turn": so_far.turn,
        "curve": so_far.curve,
        "network": so_far.network.state_dict(),
        "optimizer": so_far.optimizer.state_dict(),
        "critic": so_far.critic.held(),
    }
    curve = {"schema": REFINING_CURVE, "config": _described(so_far), "rows": curve_rows(so_far.curve)}
    write_checkpoint(path, held, curve)


def _take_up(so_far: Refined, path: Path) -> None:
    held = read_checkpoint(path, REFINING_CHECKPOINT, so_far.channel.tokens_version)
    try:
        same = held["how"] == _described(so_far) and _same_numbers(held["first"], so_far.first.state_dict())
        if same:
            _go_on(so_far, held)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise SchemaError(f"{path.name} is damaged ({type(error).__name__}); remove it to begin anew") from None
    if not same:
        raise InvalidValueError(f"{path} is of another refinement; name another checkpoint, or remove it")


def _same_numbers(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in other)


def _go_on(so_far: Refined, held: Mapping[str, Any]) -> None:
    so_far.network.load_state_dict(held["network"])
    so_far.optimizer.load_state_dict(held["optimizer"])
    so_far.critic.take_up(held["critic"])
    so_far.turn, so_far.curve = int(held["turn"]), list(held["curve"])
    if [row["step"] for row in so_far.curve] != list(range(1, so_far.turn + 1)) or so_far.turn > so_far.how.turns:
        raise ValueError("turn and curve are not of one refinement")
