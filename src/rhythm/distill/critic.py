"""What a life is worth from here on, by someone who is told everything: takes out of a return what luck brought.

Only training has it. It reads the whole state of a life (who the person is, where their meters
stand) and the student's hidden state (what it has found out), so what remains of a return is what
the choice brought (an asymmetric critic: Pinto et al. 2018). Advantages are generalised advantage
estimates (Schulman et al. 2016), told apart from those of the same person's other copies.
"""

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_WIDTH: Final = 128
_RATE: Final = 1e-3
_ROWS: Final = 4096
"""Slots in a batch that the critic learns from."""
_BATCHES: Final = 12
_FIRST_BATCHES: Final = 60
_SCALE: Final = 5.0
"""Of a return, in standard deviations of a slot's wellbeing."""


class Critic:
    """The critic of one refinement, from knowing nothing on."""

    def __init__(self, told: int, *, ends: bool) -> None:
        """One that is told so many numbers of each slot.

        Args:
            told: how many.
            ends: whether nothing counts after the last slot; else a life goes on.
        """
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.Linear(told, _WIDTH), nn.GELU(),
            nn.Linear(_WIDTH, _WIDTH), nn.GELU(),
            nn.Linear(_WIDTH, 1),
        )  # fmt: skip
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=_RATE)
        self._ends = ends
        self._level, self._scale, self._turns = 0.0, 1.0, 0

    def advantages(
        self, told: Singles, wellbeing: Floats, *, copies: int, fades: float, trust: float
    ) -> tuple[Floats, float]:
        """How much better each choice fared than was to be expected, in standard deviations; then learn from them.

        Args:
            told: of lives as each slot begins and at the end, copies of a person side by side, shape (lives, slots + 1,
                told).
            wellbeing: of each slot, shape (lives, slots).
            copies: of each person.
            fades: slots after which what follows counts 1 / e of it.
            trust: share of what follows that is lived rather than foreseen, a slot on (lambda).

        Returns:
            Shape (lives, slots), mean 0 over the copies; all 0 the first time, when nothing is known yet. And the
            share of the variance of returns that was foreseen.
        """
        kept = float(np.exp(-1.0 / fades))
        if self._turns == 0:
            self._level, self._scale = float(wellbeing.mean()), _SCALE * float(wellbeing.std())
        usual = self._level * self._left(wellbeing.shape[1], kept)
        seen = torch.from_numpy(told)
        with torch.no_grad():
            off: Floats = self.network(seen)[..., 0].numpy().astype(np.float64)
        values: Floats = usual + (self._scale * off if self._turns else np.zeros_like(off))
        if self._ends:
            values[:, -1] = 0.0
        returns = lived_returns(wellbeing, values, kept, trust if self._turns else 1.0)
        apart = returns - values[:, :-1]
        gained = group_relative(apart, copies) if self._turns else np.zeros_like(apart)
        above: Floats = returns - usual[:-1]
        foreseen = float(1.0 - np.square(apart).mean() / above.var()) if self._turns else 0.0
        self._learn(seen[:, :-1].flatten(0, 1), (above / self._scale).reshape(-1))
        return gained, foreseen

    def _left(self, slots: int, kept: float) -> Floats:
        """How many slots are still to come, faded, as each begins and at the end, shape (slots + 1,)."""
        if not self._ends:
            return np.full(slots + 1, 1.0 / (1.0 - kept))
        to_come: Floats = np.arange(slots, -1, -1, dtype=np.float64)
        left: Floats = (1.0 - np.exp(to_come * np.log(kept))) / (1.0 - kept)
        return left

    def _learn(self, seen: Tensor, right: Floats) -> None:
        wanted = torch.from_numpy(right.astype(np.float32))
        random = np.random.default_rng(self._turns)
        for _ in range(_BATCHES if self._turns else _FIRST_BATCHES):
            rows = torch.from_numpy(random.integers(0, len(seen), _ROWS))
            loss = functional.mse_loss(self.network(seen[rows])[..., 0], wanted[rows])
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self._optimizer.step()
        self._turns += 1

    def held(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "numbers": [self._level, self._scale, self._turns],
        }

    def take_up(self, held: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.network.load_state_dict(held["network"])
        self._optimizer.load_state_dict(held["optimizer"])
        self._level, self._scale, self._turns = held["numbers"]


def lived_returns(wellbeing: Floats, values: Floats, kept: float, trust: float) -> Floats:
    """Fading sums of wellbeing from each slot on, partly foreseen (the return of TD(lambda)).

    Args:
        wellbeing: shape (lives, slots).
        values: foreseen at the beginning of each slot and at the end, shape (lives, slots + 1).
        kept: of what comes a slot later.
        trust: 1 for lived wholly and foreseen at the end alone, 0 for foreseen a slot later.

    Returns:
        Shape (lives, slots).
    """
    returns, after = np.empty_like(wellbeing), values[:, -1]
    for t in reversed(range(wellbeing.shape[1])):
        after = wellbeing[:, t] + kept * ((1.0 - trust) * values[:, t + 1] + trust * after)
        returns[:, t] = after
    return returns


def group_relative(gained: Floats, copies: int) -> Floats:
    """What each copy gained above the mean of its person's copies, in standard deviations of all (Shao et al. 2024)."""
    groups = gained.reshape(-1, copies, gained.shape[1])
    apart = (groups - groups.mean(axis=1, keepdims=True)).reshape(gained.shape)
    found: Floats = apart / (apart.std() + 1e-9)
    return found
