"""The student's network: a causal transformer over tokens, with heads for action, person and answer.

What an action did says most of who a person is, so the first layer reads products too: which
action was done times what came of it, and the changes of the meters times what they paid (the
sums that regressions of traits and of weights are made of); attention adds them up.

Pre-norm blocks as in GPT-2 (Radford et al. 2019) with rotary positions (Su et al. 2021), so
that a context of any length can be read; the heads share one hidden state, which the weekly
adapter corrects.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rhythm.policy.student.tokens import PLACES, TOKEN_WIDTH
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, METER_COUNT

QUANTILES: Final = (0.1, 0.5, 0.9)
"""Levels that the belief head states of each dimension."""
ROTARY_BASE: Final = 1000.0
"""Of the wave lengths of positions."""
VECTOR: Final = 16
"""Numbers that a processor works on at once, at most."""
CAME: Final = (PLACES["deltas"], PLACES["anomalies"], PLACES["reward"])
"""What came of the slot before, in a token."""
_CROSSED: Final = (ACTION_COUNT + 1) * (2 * METER_COUNT + 1) + METER_COUNT * (METER_COUNT + 1)


@dataclass(frozen=True)
class Shape:
    """Size of a network.

    Attributes:
        width: of the hidden state; a multiple of twice the heads.
        layers: blocks.
        heads: of attention in each block.
    """

    width: int = 128
    layers: int = 4
    heads: int = 4


class Outputs(NamedTuple):
    """What the network says at each token.

    Attributes:
        actions: logits of the teacher's action, shape (people, tokens, 10).
        values: worth of each action below the best one's, not above 0, shape (people, tokens, 10).
        beliefs: quantiles of social, morning, work in [0, 1], ascending, shape (people, tokens, 3, 3).
        accepts: logits of the chance that each action would be accepted now, shape (people, tokens, 10).
        hidden: shape (people, tokens, width).
    """

    actions: Tensor
    values: Tensor
    beliefs: Tensor
    accepts: Tensor
    hidden: Tensor


class Cache(NamedTuple):
    """Keys and values of the tokens read so far, each of shape (layers, people, heads, tokens, width / heads)."""

    keys: Tensor
    values: Tensor


class Student(nn.Module):
    """The network of a shape."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.read = nn.Linear(TOKEN_WIDTH + _CROSSED, shape.width)
        self.blocks = nn.ModuleList(_Block(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.actions = nn.Linear(shape.width, ACTION_COUNT)
        self.values = nn.Linear(shape.width, ACTION_COUNT)
        self.beliefs = nn.Linear(shape.width, BELIEF_COUNT * len(QUANTILES))
        self.accepts = nn.Linear(shape.width, ACTION_COUNT)

    def forward(self, tokens: Tensor) -> Outputs:
        """Read whole sequences, shape (people, tokens, TOKEN_WIDTH)."""
        return self.outputs(self.step(tokens, self.empty_cache(tokens.shape[0]))[0])

    def empty_cache(self, people: int) -> Cache:
        """The cache of nothing read."""
        shape = self.shape
        blank = torch.zeros(shape.layers, people, shape.heads, 0, shape.width // shape.heads)
        return Cache(blank, blank)

    def step(self, tokens: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        """Read further tokens after what the cache holds: hidden states of these tokens, and the cache with them."""
        hidden = self.read(torch.cat([tokens, _crossed(tokens)], dim=-1))
        keys, values = [], []
        for layer, block in enumerate(self.blocks):
            hidden, key, value = block(hidden, cache.keys[layer], cache.values[layer])
            keys.append(key)
            values.append(value)
        return self.norm(hidden), Cache(torch.stack(keys), torch.stack(values))

    def outputs(self, hidden: Tensor) -> Outputs:
        """What the heads say of hidden states of shape (people, tokens, width)."""
        low, middle, high = self.beliefs(hidden).unflatten(-1, (BELIEF_COUNT, len(QUANTILES))).unbind(dim=-1)
        ends = _whole(torch.stack([low, high], dim=-1), functional.softplus)
        stated = torch.stack([middle - ends[..., 0], middle, middle + ends[..., 1]], dim=-1)
        beliefs = _whole(stated, torch.sigmoid)
        values = -_whole(self.values(hidden), functional.softplus)
        return Outputs(self.actions(hidden), values, beliefs, self.accepts(hidden), hidden)


class _Block(nn.Module):
    """Attention and a feed-forward layer, each added to what it reads."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm_1, self.norm_2 = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)
        self.project = nn.Linear(shape.width, 3 * shape.width)
        self.mix = nn.Linear(shape.width, shape.width)
        self.widen = nn.Linear(shape.width, 4 * shape.width)
        self.narrow = nn.Linear(4 * shape.width, shape.width)

    def forward(self, hidden: Tensor, old_keys: Tensor, old_values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.project(self.norm_1(hidden)).chunk(3, dim=-1)
        )
        before = old_keys.shape[2]
        places = torch.arange(query.shape[2], dtype=query.dtype) + before
        query, key = _rotated(query, places), _rotated(key, places)
        keys, values = torch.cat([old_keys, key], dim=2), torch.cat([old_values, value], dim=2)
        allowed = torch.arange(keys.shape[2]).unsqueeze(0) <= places.unsqueeze(1)
        mixed = functional.scaled_dot_product_attention(query, keys, values, attn_mask=allowed)
        hidden = hidden + self.mix(mixed.transpose(1, 2).flatten(2))
        hidden = hidden + self.narrow(functional.gelu(self.widen(self.norm_2(hidden))))
        return hidden, keys, values


def _crossed(tokens: Tensor) -> Tensor:
    """Products of what was done with what came of it, and of the changes with what they paid; shape (..., products)."""
    deltas, reward = tokens[..., PLACES["deltas"]], tokens[..., PLACES["reward"]]
    came = torch.cat([tokens[..., place] for place in CAME], dim=-1)
    done = (tokens[..., PLACES["done"]].unsqueeze(-1) * came.unsqueeze(-2)).flatten(-2)
    paid = (deltas.unsqueeze(-1) * torch.cat([deltas, reward], dim=-1).unsqueeze(-2)).flatten(-2)
    return torch.cat([done, paid], dim=-1)


def _whole(part: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A function of each number, worked out on rows filled up to whole vectors of the processor.

    The remainder of a loop may round otherwise, and what is a remainder depends on who else is in the batch.
    """
    flat = part.flatten(2)
    width = flat.shape[-1]
    return function(functional.pad(flat, (0, -width % VECTOR)))[..., :width].reshape(part.shape)


def _rotated(values: Tensor, places: Tensor) -> Tensor:
    """Rotary position embedding of shape (people, heads, tokens, width)."""
    half = values.shape[-1] // 2
    rates = ROTARY_BASE ** (-torch.arange(half, dtype=values.dtype) / half)
    angle = places.unsqueeze(1) * rates
    cosine, sine = torch.cos(angle), torch.sin(angle)
    one, other = values[..., :half], values[..., half:]
    return torch.cat([one * cosine - other * sine, other * cosine + one * sine], dim=-1)


def parameters_of(network: nn.Module) -> int:
    """How many numbers were learned."""
    return sum(cast("Tensor", parameter).numel() for parameter in network.parameters())
