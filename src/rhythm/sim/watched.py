"""Weeks in progress and what a decider may see of them: the one ground under every face.

The engine writes each step straight into a record of the week, and an observation is a
view of that record, so a window of past steps costs no copying.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.life.week import Weeks
from rhythm.sim.arguments import as_array, whole_number
from rhythm.sim.memory import check_fits, needed_bytes
from rhythm.vocab import (
    METER_COUNT,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    WINDOW_STEPS,
    Action,
    EpisodeOverError,
    LifeEvent,
    MeterValues,
    Observation,
    PastStep,
    weekday_of,
)

View = dict[str, NDArray[Any]]
"""An observation of many people; every array has the people first."""

MOST_PEOPLE: Final = 10**15
"""No machine holds as many; beyond, sizes would not fit 64 bits."""

NO_ACTION: Final = -1
"""Stands for the last action before the first step, and for window places before it."""


class WatchedWeeks:
    """Weeks of the same number of people, one after the other, with what can be seen of them.

    Args:
        count: how many people.
        window: past steps that an observation carries, 0..7.
        all_cores: spread the people over the cores (from 16,384 on; fewer gain nothing).

    Attributes:
        count: how many people.
        window: past steps that an observation carries.

    Raises:
        InvalidValueError: no people, or a window outside 0..7.
        NotEnoughMemoryError: more people than the machine's memory holds.
    """

    def __init__(self, count: int, *, window: int = WINDOW_STEPS, all_cores: bool = True) -> None:
        window = whole_number(window, "a window of past steps", 0, WINDOW_STEPS)
        count = whole_number(count, "how many people", 1, MOST_PEOPLE)
        check_fits(needed_bytes(count, window), f"{count:,} people with a window of {window} steps")
        self.count, self.window, self._all_cores = count, window, all_cores
        self._weeks: Weeks | None = None
        # Row ``window + k`` is step k; the rows before are the empty past of the first steps.
        rows = window + WEEK_STEPS if window else 0
        self._actions = np.full((rows, count), NO_ACTION, np.int8)
        self._rewards = np.zeros((rows, count))
        self._deltas = np.zeros((rows, count, METER_COUNT))
        self._anomalies = np.zeros((rows, count, METER_COUNT))
        self._clock = [_clock(step, count) for step in range(WEEK_STEPS + 1)]

    def start(self, people: People, seeds: NDArray[np.int64], *, secret: int = 0) -> None:
        """Begin the weeks of these people; `Weeks` says what the arguments are."""
        self._weeks = Weeks(people, seeds, secret=secret)

    @property
    def weeks(self) -> Weeks:
        """The engine, which knows the hidden people: never to be shown.

        Raises:
            EpisodeOverError: no week was begun.
        """
        if self._weeks is None:
            raise EpisodeOverError("no week was begun; reset first")
        return self._weeks

    def take(self, actions: object) -> None:
        """One slot for everyone; errors as `Weeks.take`."""
        weeks = self.weeks
        actions = as_array(actions, "actions")
        if self.window and not weeks.done:
            row = self.window + weeks.step
            weeks.write_into(self._actions[row], self._rewards[row], self._deltas[row], self._anomalies[row])
        weeks.take(actions, all_cores=self._all_cores)

    def view(self) -> View:
        """What can be seen now, without a copy: the next step and the next week change it.

        Returns:
            ``step`` (0..28), ``day`` (0..6), ``slot`` (0..3), ``remaining`` (28..0), ``event``
            (0..6), ``last_action`` (-1 before the first step), ``last_reward``, each of shape
            (people,); ``meters`` and ``deltas``, shape (people, 5); and, unless the window is
            0, the steps before, oldest first, places before the first step empty (-1, 0):
            ``recent_action`` and ``recent_reward``, shape (people, window), ``recent_deltas``
            and ``recent_anomalies``, shape (people, window, 5).
        """
        weeks = self.weeks
        seen = {
            **self._clock[weeks.step],
            "event": weeks.events,
            "meters": weeks.meters,
            "deltas": weeks.deltas,
            "last_action": weeks.actions,
            "last_reward": weeks.rewards,
        }
        if self.window:
            past = slice(weeks.step, weeks.step + self.window)
            seen["recent_action"] = self._actions[past].T
            seen["recent_reward"] = self._rewards[past].T
            seen["recent_deltas"] = self._deltas[past].transpose(1, 0, 2)
            seen["recent_anomalies"] = self._anomalies[past].transpose(1, 0, 2)
        return seen

    def nbytes(self) -> int:
        """Memory that the weeks take, in bytes, the hidden people and the record included."""
        weeks = self.weeks
        engine: list[NDArray[Any]] = [value for value in vars(weeks).values() if isinstance(value, np.ndarray)]
        record: list[NDArray[Any]] = [self._actions, self._rewards, self._deltas, self._anomalies]
        own = [array for array in engine if not any(np.shares_memory(array, kept) for kept in record)]
        return sum(array.nbytes for array in (*own, *record))


def _clock(step: int, count: int) -> View:
    """What the moment says, the same for everyone, as arrays that take no memory per person."""
    values = {"step": step, "day": weekday_of(step), "slot": step % SLOTS_PER_DAY, "remaining": WEEK_STEPS - step}
    return {name: np.broadcast_to(np.int8(value), count) for name, value in values.items()}


def observation_of(seen: View, person: int = 0) -> Observation:
    """One person's view as the record that deciders share with real life."""
    step = int(seen["step"][person])
    last = int(seen["last_action"][person])
    window = seen["recent_action"].shape[1] if "recent_action" in seen else 0
    recent = [
        PastStep(
            step=step - window + place,
            action=Action(int(seen["recent_action"][person, place])),
            reward=float(seen["recent_reward"][person, place]),
            deltas=_five(seen["recent_deltas"][person, place]),
            anomalies=_five(seen["recent_anomalies"][person, place]),
        )
        for place in range(window)
        if step - window + place >= 0
    ]
    return Observation(
        step=step,
        meters=_five(seen["meters"][person]),
        deltas=_five(seen["deltas"][person]),
        event=LifeEvent(int(seen["event"][person])),
        last_action=None if last == NO_ACTION else Action(last),
        last_reward=float(seen["last_reward"][person]),
        done=step == WEEK_STEPS,
        recent=tuple(recent),
    )


def _five(values: NDArray[np.float64]) -> MeterValues:
    v, c, p, s, n = values.tolist()
    return v, c, p, s, n
