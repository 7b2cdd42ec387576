"""What the student is trained for, each part a function of its outputs and what is right."""

from typing import Final, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from rhythm.distill.network import QUANTILES, Outputs

TEMPERATURE: Final = 0.03
"""Summed wellbeing by which an action may fall short of the best and still be chosen about one time in three."""
MOST_BELOW: Final = 0.5
"""Values further below the best one than this are all as bad."""
VALUE_SCALE: Final = 10.0


class Losses(NamedTuple):
    """Parts of the loss, each a mean over tokens.

    Attributes:
        action: cross-entropy to the teacher's choice among actions, softened by how much each falls short.
        value: Huber loss of how far each action falls short of the best, in units of 1 / VALUE_SCALE.
        belief: pinball loss of the belief quantiles, a proper score of each (Koenker and Bassett 1978).
    """

    action: Tensor
    value: Tensor
    belief: Tensor

    @property
    def total(self) -> Tensor:
        """What is minimised."""
        return self.action + 0.5 * self.value + 10.0 * self.belief


def losses_of(outputs: Outputs, values: Tensor, targets: Tensor) -> Losses:
    """The losses of a batch.

    Args:
        outputs: of the network.
        values: the teacher's, shape (people, tokens, 10).
        targets: the right belief, shape (people, 3).
    """
    short = values - values.max(dim=-1, keepdim=True).values
    wanted = torch.softmax(short / TEMPERATURE, dim=-1)
    action = -(wanted * torch.log_softmax(outputs.actions, dim=-1)).sum(dim=-1).mean()
    value = functional.huber_loss(outputs.values, VALUE_SCALE * short.clamp(min=-MOST_BELOW))
    return Losses(action, value, pinball(outputs.beliefs, targets[:, None, :]))


def pinball(stated: Tensor, right: Tensor) -> Tensor:
    """Mean pinball loss of stated quantiles.

    Args:
        stated: quantiles at the levels of `QUANTILES`, shape (..., 3, levels).
        right: the truth, broadcast against ``stated`` without its last axis.
    """
    levels = torch.tensor(QUANTILES, dtype=stated.dtype)
    error = right.unsqueeze(-1) - stated
    return torch.maximum(levels * error, (levels - 1.0) * error).mean()
