"""What a planner maximises: the person's wellbeing, or grade v2 itself."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.life.traits import PROFILE_WIDTH
from rhythm.policy.face import View
from rhythm.vocab import ACTION_COUNT, CRASH_BELOW, WEEK_STEPS


class Aim(Protocol):
    """An objective over the rest of the week."""

    def improve(self, people: People, view: View, plans: NDArray[np.int8], sweeps: int) -> None:
        """Improve the plans from the view's step on, in place; plans have shape (people, 28)."""
        ...

    def first_values(self, people: People, view: View, plans: NDArray[np.int8]) -> NDArray[np.float64]:
        """What the rest of the week is worth for every first action, shape (people, 10); after `improve`."""
        ...

    def opening_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """The same where nothing is known, averaged over who it may be, shape (people, 10).

        Args:
            draws: who anybody may be, shape (draws, 15).
            view: of the first step.
            plans: for the mean person, shape (people, 28).

        Returns:
            None where this aim weighs an opening as any other step.
        """
        ...

    def hindsight_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """The same where little is known, averaged over who each may be by now, shape (people, 10).

        Args:
            draws: who each may be, shape (people, draws, 15); as many at every step.
            view: of a step after the first; steps are asked about in their order.
            plans: for who each seems to be, shape (people, 28).

        Returns:
            None where this aim weighs such a step as any other.
        """
        ...


@dataclass(frozen=True)
class Search:
    """How thoroughly first actions are weighed in hindsight; see `plan_hindsight_kernel.hindsight_values`."""

    sweeps: int
    steps: int
    kept: int


OPENING: Final = Search(sweeps=2, steps=8, kept=4)
"""Done once for each state that a week can begin in."""
HINDSIGHT: Final = Search(sweeps=1, steps=4, kept=4)
"""Done for each person; their plans are kept from step to step, so that a pass suffices."""


@lru_cache(maxsize=256)
def _opening(draws: bytes, meters: bytes, event: int, step: int, plan: bytes) -> NDArray[np.float64]:
    """Hindsight values of the first actions in one state, shape (10,); arrays as bytes, so that they can be kept."""
    from rhythm.policy import plan_hindsight_kernel  # noqa: PLC0415

    rows = np.frombuffer(draws).reshape(1, -1, PROFILE_WIDTH).copy()
    plans = np.tile(np.frombuffer(plan, np.int8), (1, rows.shape[1], 1))
    levels = np.frombuffer(meters).reshape(1, -1).copy()
    values = np.empty((1, ACTION_COUNT))
    plan_hindsight_kernel.hindsight_values(
        rows, levels, plans, step, np.array([event], np.int8), OPENING.sweeps, OPENING.steps, OPENING.kept, values
    )
    only: NDArray[np.float64] = values[0]
    return only


class Wellbeing:
    """Summed wellbeing of the remaining steps: the honest aim.

    Args:
        search: how thoroughly the steps after the first are weighed in hindsight.
    """

    def __init__(self, search: Search = HINDSIGHT) -> None:
        self._search = search
        self._fitted: NDArray[np.int8] | None = None

    def improve(self, people: People, view: View, plans: NDArray[np.int8], sweeps: int) -> None:
        """See `Aim.improve`."""
        from rhythm.policy import plan_kernel  # noqa: PLC0415 - the compiler is loaded on first use

        plan_kernel.improve_each(people, view.meters, plans, view.step, view.events, sweeps, np.empty(len(view)))

    def first_values(self, people: People, view: View, plans: NDArray[np.int8]) -> NDArray[np.float64]:
        """See `Aim.first_values`."""
        from rhythm.policy import plan_kernel  # noqa: PLC0415

        values = np.empty((len(view), ACTION_COUNT))
        plan_kernel.first_values(people, view.meters, plans, view.step, view.events, 1, values)
        return values

    def opening_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """See `Aim.opening_values`; people in the same state and event share it."""
        states = np.column_stack([view.meters, view.events])
        _, chosen, place = np.unique(states, axis=0, return_index=True, return_inverse=True)
        distinct = [
            _opening(draws.tobytes(), view.meters[i].tobytes(), int(view.events[i]), view.step, plans[i].tobytes())
            for i in chosen
        ]
        values: NDArray[np.float64] = np.array(distinct)[place.ravel()]
        return values

    def hindsight_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """See `Aim.hindsight_values`."""
        from rhythm.policy import plan_hindsight_kernel  # noqa: PLC0415

        if self._fitted is None:
            self._fitted = np.repeat(plans[:, None], draws.shape[1], axis=1)
        values = np.empty((len(view), ACTION_COUNT))
        search = self._search
        plan_hindsight_kernel.hindsight_values(
            np.ascontiguousarray(draws), view.meters, self._fitted, view.step, view.events,
            search.sweeps, search.steps, search.kept, values,
        )  # fmt: skip
        return values


class GradeV2:
    """The grade v2 that the week would get; it remembers what the week has paid so far."""

    def __init__(self, count: int) -> None:
        self._so_far = np.zeros((count, 3))

    def improve(self, people: People, view: View, plans: NDArray[np.int8], sweeps: int) -> None:
        """See `Aim.improve`; called once for each step, in order."""
        from rhythm.policy import plan_v2_kernel  # noqa: PLC0415

        if view.step > 0:
            half = 1 if view.step - 1 < WEEK_STEPS // 2 else 2
            self._so_far[:, half] += view.rewards
            self._so_far[:, 0] += (view.meters < CRASH_BELOW).sum(axis=1)
        plan_v2_kernel.improve_each_v2(
            people, self._states(view), plans, view.step, view.events, sweeps, np.empty(len(view))
        )

    def first_values(self, people: People, view: View, plans: NDArray[np.int8]) -> NDArray[np.float64]:
        """See `Aim.first_values`."""
        from rhythm.policy import plan_v2_kernel  # noqa: PLC0415

        values = np.empty((len(view), ACTION_COUNT))
        plan_v2_kernel.first_values_v2(people, self._states(view), plans, view.step, view.events, 1, values)
        return values

    def opening_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """None: in the week that v2 rewards the first steps are nearly free."""
        return None

    def hindsight_values(
        self, draws: NDArray[np.float64], view: View, plans: NDArray[np.int8]
    ) -> NDArray[np.float64] | None:
        """None, as for the opening."""
        return None

    def _states(self, view: View) -> NDArray[np.float64]:
        return np.hstack([view.meters, self._so_far])
