"""What a planner maximises: the person's wellbeing, or grade v2 itself."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
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


class Wellbeing:
    """Summed wellbeing of the remaining steps: the honest aim."""

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

    def _states(self, view: View) -> NDArray[np.float64]:
        return np.hstack([view.meters, self._so_far])
