"""The network of the device channel: a trace of each slot, fading means of traces, and heads on what both say.

Attention with its keys known beforehand: what matters of a past slot is how long ago it was,
whether it was the same part of the day and the same step of the week. So the weights over the
past are fixed (`rhythm.policy.student.device_memory`) and only what is remembered of a slot and
how it is read are learned.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from rhythm.policy.student.device_memory import (
    DAY_KEPT,
    DAY_SCALE,
    SLOT_KEPT,
    SLOT_SCALE,
    TRACE,
    day_mixing,
    slot_mixing,
)
from rhythm.policy.student.device_tokens import DEVICE_PLACES, DEVICE_TOKEN_WIDTH
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, OUTCOMES, SLOTS_PER_DAY

QUANTILE_COUNT: Final = 3
WEEK_SCALE: Final = 4.0
"""Factor by which what is remembered of a step of the week is read."""
_SAID: Final = ACTION_COUNT * len(OUTCOMES)
CROSSED: Final = SLOTS_PER_DAY * (_SAID + ACTION_COUNT)
_MEANS: Final = (len(SLOT_KEPT) + len(DAY_KEPT)) * TRACE


@dataclass(frozen=True)
class DeviceShape:
    """Size of a network.

    Attributes:
        width: of the hidden state.
        blocks: feed-forward blocks.
        reading: width of the layer that makes traces.
    """

    width: int = 128
    blocks: int = 2
    reading: int = 96


class DeviceOutputs(NamedTuple):
    """What the network says at each token that it is asked at.

    Attributes:
        accepts: logits of the chance that each action, if looked at, is accepted now, shape (people, asked, 10).
        values: what suggesting each action adds to summed wellbeing, shape (people, asked, 10).
        beliefs: middle, and softplus of how far the two other quantiles are off, as logits, shape (people, asked, 9).
        hidden: shape (people, asked, width).
    """

    accepts: Tensor
    values: Tensor
    beliefs: Tensor
    hidden: Tensor


class DeviceStudent(nn.Module):
    """The network of a shape."""

    def __init__(self, shape: DeviceShape) -> None:
        super().__init__()
        self.shape = shape
        self.look = nn.Linear(DEVICE_TOKEN_WIDTH + CROSSED, shape.reading)
        self.trace = nn.Linear(shape.reading, TRACE)
        self.read = nn.Linear(DEVICE_TOKEN_WIDTH + _MEANS + ACTION_COUNT, shape.width)
        self.blocks = nn.ModuleList(_Block(shape.width) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(shape.width)
        self.accepts = nn.Linear(shape.width, ACTION_COUNT)
        self.values = nn.Linear(shape.width, ACTION_COUNT)
        self.beliefs = nn.Linear(shape.width, BELIEF_COUNT * QUANTILE_COUNT)

    def forward(self, tokens: Tensor, weeks: Tensor, asked: NDArray[np.int64] | None = None) -> DeviceOutputs:
        """Read whole sequences that begin with a morning.

        Args:
            tokens: shape (people, tokens, DEVICE_TOKEN_WIDTH).
            weeks: see `rhythm.policy.student.device_memory.week_means`, shape (people, asked, 10).
            asked: places of the tokens at which something is asked, shape (asked,); None for all.
        """
        places = np.arange(tokens.shape[1]) if asked is None else asked
        traces = self.trace(functional.gelu(self.look(torch.cat([tokens, crossed(tokens)], dim=-1))))
        means = _means(traces, places)
        here = tokens if asked is None else tokens[:, torch.from_numpy(places)]
        hidden = self.read(torch.cat([here, *means, WEEK_SCALE * weeks], dim=-1))
        for block in self.blocks:
            hidden = block(hidden)
        hidden = self.norm(hidden)
        return DeviceOutputs(self.accepts(hidden), self.values(hidden), self.beliefs(hidden), hidden)


class _Block(nn.Module):
    """A feed-forward layer, added to what it reads."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, hidden: Tensor) -> Tensor:
        read: Tensor = hidden + self.narrow(functional.gelu(self.widen(self.norm(hidden))))
        return read


def crossed(tokens: Tensor) -> Tensor:
    """Products of what was suggested, what became of it, what was done, and the part of the day in which it was."""
    part = tokens[..., DEVICE_PLACES["part_of_day"]].roll(-1, dims=-1)  # of the slot before
    suggested = tokens[..., DEVICE_PLACES["suggested"]][..., :ACTION_COUNT]
    outcome = tokens[..., DEVICE_PLACES["outcome"]][..., : len(OUTCOMES)]
    done = tokens[..., DEVICE_PLACES["done"]][..., :ACTION_COUNT]
    said = (suggested.unsqueeze(-1) * outcome.unsqueeze(-2)).flatten(-2)
    both = torch.cat([said, done], dim=-1)
    return (part.unsqueeze(-1) * both.unsqueeze(-2)).flatten(-2)


def _means(traces: Tensor, places: NDArray[np.int64]) -> list[Tensor]:
    slots, found = traces.shape[1], []
    for kept, scale in zip(SLOT_KEPT, SLOT_SCALE, strict=True):
        found.append(scale * torch.matmul(torch.from_numpy(slot_mixing(slots, kept)[places]), traces))
    for kept, scale in zip(DAY_KEPT, DAY_SCALE, strict=True):
        found.append(scale * torch.matmul(torch.from_numpy(day_mixing(slots, kept)[places]), traces))
    return found
