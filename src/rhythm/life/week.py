"""A batch of weeks in progress: the one engine under every face of the simulator.

Holds only what the next step needs; whoever wants a record keeps it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rhythm.life.constants import START_METERS
from rhythm.life.cores import spread
from rhythm.life.profiles import People
from rhythm.life.step import check_actions, draw_events
from rhythm.vocab import SLOTS_PER_DAY, WEEK_STEPS, EpisodeOverError, InvalidValueError


class Weeks:
    """Weeks of many people side by side, all at the same step.

    The arrays are filled anew by every step: copy what is to be kept.

    Attributes:
        people: profile rows, shape (people, 15); the hidden part.
        step: step to be decided, 0..28.
        meters: levels now, shape (people, 5).
        before: levels before the last step, shape (people, 5).
        deltas: change in the last step, shape (people, 5).
        rewards: what the last step paid, shape (people,).
        crashes: meters that crashed in the last step, shape (people,).
        actions: what was done last, shape (people,); -1 before the first step.
        schedule: event index of every slot of the week, shape (people, 28).
    """

    def __init__(self, people: People, seeds: NDArray[np.int64] | Sequence[int], *, secret: int = 0) -> None:
        count = len(people)
        keys = np.asarray(seeds, dtype=np.int64)
        if keys.shape != (count,):
            raise InvalidValueError(f"give one seed for each of {count} people; got shape {keys.shape}")
        self.people = np.ascontiguousarray(people, dtype=np.float64)
        self.schedule = np.ascontiguousarray(draw_events(keys, 0, WEEK_STEPS, secret=secret))
        self._by_step = np.ascontiguousarray(self.schedule.T)
        self.step = 0
        self.meters = np.tile(np.array(START_METERS), (count, 1))
        self.before = self.meters.copy()
        self.deltas = np.zeros_like(self.meters)
        self.rewards = np.zeros(count)
        self.crashes = np.zeros(count, np.int8)
        self.actions = np.full(count, -1, np.int8)
        self._anomalies: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.people)

    @property
    def done(self) -> bool:
        """The week is over."""
        return self.step >= WEEK_STEPS

    @property
    def events(self) -> NDArray[np.int8]:
        """What happens in the slot to be decided, shape (people,); nothing when the week is over."""
        return self._by_step[self.step] if not self.done else np.zeros(len(self), np.int8)

    @property
    def last_events(self) -> NDArray[np.int8]:
        """What happened in the last step, shape (people,)."""
        return self._by_step[self.step - 1] if self.step else np.zeros(len(self), np.int8)

    def write_into(
        self,
        actions: NDArray[np.int8],
        rewards: NDArray[np.float64],
        deltas: NDArray[np.float64],
        anomalies: NDArray[np.float64],
    ) -> None:
        """Let the next steps fill a keeper's own contiguous arrays, anomalies included, without a copy.

        Args:
            actions: shape (people,).
            rewards: shape (people,).
            deltas: shape (people, 5).
            anomalies: shape (people, 5).
        """
        self.actions, self.rewards, self.deltas, self._anomalies = actions, rewards, deltas, anomalies

    def take(self, actions: object, *, all_cores: bool = False) -> None:
        """One slot for everyone.

        Args:
            actions: action indices, shape (people,).
            all_cores: spread the people over the cores; the same bits.

        Raises:
            EpisodeOverError: the week is over.
            InvalidValueError, UnknownNameError: see `rhythm.life.step.check_actions`.
        """
        from rhythm.life import kernel  # noqa: PLC0415

        if self.done:
            raise EpisodeOverError(f"the week has {WEEK_STEPS} steps and is over; reset to start another")
        self.actions[:] = check_actions(actions, len(self))
        self.before, self.meters = self.meters, self.before
        given = (self.people, self.before, self.actions, self.step % SLOTS_PER_DAY, self.events)
        filled = (self.meters, self.deltas, self.rewards, self.crashes)
        watched = self._anomalies

        def rows(start: int, stop: int) -> None:
            if watched is None:
                kernel.advance(start, stop, *given, *filled)
            else:
                kernel.advance_watched(start, stop, *given, *filled, watched)

        if all_cores:
            spread(rows, len(self))
        else:
            rows(0, len(self))
        self.step += 1
