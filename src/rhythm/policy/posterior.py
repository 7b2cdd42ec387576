"""The planner that learns: plans under the posterior, given everything it has seen of the person."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.exact import ExactPosterior, beliefs_of
from rhythm.life.profiles import People
from rhythm.policy.face import Choice, Player, View
from rhythm.policy.planner import FIRST_SWEEPS, LATER_SWEEPS
from rhythm.vocab import WEEK_STEPS, Action


@dataclass(frozen=True)
class PosteriorPolicy:
    """Learns the person from every step and plans the rest of the week for who they seem to be."""

    name: str = "planner"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return PosteriorPlayer(len(seeds))


class PosteriorPlayer:
    """The posterior of a batch of people, and a plan for each."""

    def __init__(self, people: int) -> None:
        self.posterior = ExactPosterior.prior(people)
        self._plans = np.full((people, WEEK_STEPS), Action.ME_TIME, np.int8)
        self._worths = np.empty(people)

    def choose(self, view: View) -> Choice:
        """See `Player.choose`."""
        from rhythm.policy import plan_kernel  # noqa: PLC0415

        if view.step > 0:
            self.posterior.absorb(
                view.before, view.deltas, view.actions, view.step - 1, view.last_events, view.rewards
            )
        draws = self.posterior.draws()
        beliefs, low, high = beliefs_of(draws)
        mean = np.ascontiguousarray(draws.mean(axis=1))
        sweeps = FIRST_SWEEPS if view.step == 0 else LATER_SWEEPS
        plan_kernel.improve_each(mean, view.meters, self._plans, view.step, view.events, sweeps, self._worths)
        return Choice(self._plans[:, view.step].copy(), beliefs, low, high)
