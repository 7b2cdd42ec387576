"""Weeks of many lives, slot by slot, seen only as a deployed assistant sees them.

`Lives` holds the hidden truth and gives out, for each slot that suggestions were offered in,
what reaches the assistant: outcomes of the suggestions, what calendar and watch recorded as
done, and meter readings when they arrive. Nothing is paid and no meter is seen.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import AnswerStyle, Styles, check_styles
from rhythm.life.answers import check_suggestions
from rhythm.life.constants import START_METERS
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.device import DaySignals, DeviceModel, Devices
from rhythm.life.drift import drift_people
from rhythm.life.habits import sample_habits
from rhythm.life.profiles import People, check_people
from rhythm.life.sensing import MorningReadings, Sensing
from rhythm.life.step import draw_events, step, wellbeing
from rhythm.vocab import METER_COUNT, SLOTS_PER_DAY, Action, InvalidValueError, LifeEvent, PartOfDay

LIVING_VERSION: Final = "living-1"

Floats = NDArray[np.float64]

RECORDED: Final = np.array([0.60, 0.65, 0.50, 0.60, 0.75, 0.40, 0.45, 0.60, 0.20, 0.15])
"""Chance by action that calendar or watch record what a slot was spent on, times the person's RECORDING."""
EVENT_KNOWN: Final = np.array([0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.0])
"""Chance by event that the calendar tells of it before the slot: deadlines only."""

_PLAN_KEPT, _RECORDED_DRAW, _EVENT_DRAW = 8, 9, 10
"""Offsets among the draws of a slot in the ANSWERS stream."""


class Readings(NamedTuple):
    """Meter readings that arrived as a slot began, at most one of each meter (the newest).

    Attributes:
        values: estimated levels in [0, 1], NaN where none arrived, shape (people, 5).
        sds: standard deviations of their errors, NaN where none arrived, shape (people, 5).
        observations: the same without the prior (see `rhythm.life.sensing.MorningReadings`),
            NaN where none arrived, shape (people, 5).
        observation_sds: standard deviations of their errors, NaN where none arrived, shape (people, 5).
        slots: slot number at whose beginning each level stood; -1 where none arrived, shape (people, 5).
    """

    values: Floats
    sds: Floats
    observations: Floats
    observation_sds: Floats
    slots: NDArray[np.int64]


class Seen(NamedTuple):
    """What the assistant has once a slot is over.

    Attributes:
        slot: slot number that is over.
        outcomes: positions in `rhythm.vocab.OUTCOMES`; -1 where nothing was suggested, shape (people,).
        moved_to: slot number that a suggestion was moved to, else -1, shape (people,).
        recorded: what calendar and watch say the slot was spent on, -1 where they say nothing, shape (people,).
        readings: what arrived as the next slot began.
    """

    slot: int
    outcomes: NDArray[np.int8]
    moved_to: NDArray[np.int64]
    recorded: NDArray[np.int8]
    readings: Readings


class Lives:
    """Many people living side by side, all in the same slot.

    What the assistant may look at: `slot`, `known_events`, `exposure`, `burden` (they follow
    from the outcomes), and what `offer` returns. All else is the hidden truth, for graders.

    Attributes:
        slot: slot number to be lived next.
        exposure: days on which a suggestion was looked at, shape (people,).
        burden: decaying count of suggestions looked at, shape (people,).
        people: profile rows as they are now, shape (people, 15); hidden.
        styles: style rows, shape (people, 17); hidden.
        habits: what they do unasked; hidden.
        meters: levels as `slot` begins, shape (people, 5); hidden.
        usual: what they would do in `slot` unasked, shape (people,); hidden.
        done: what the last slot was spent on, shape (people,), -1 before the first; hidden.
        signals: what the devices had of the last morning; hidden but for what `sensing` makes of it.
    """

    def __init__(
        self,
        seeds: NDArray[np.int64],
        people: People,
        styles: Styles,
        *,
        first_slot: int = 0,
        drift: float = 1.0,
        device: DeviceModel | None = None,
        secret: int = 0,
    ) -> None:
        """Begin at a morning.

        Args:
            seeds: one for each person, shape (people,).
            people: profile rows, shape (people, 15).
            styles: style rows, shape (people, 17).
            first_slot: slot number of a morning.
            drift: factor on how fast people change; 0 for not at all.
            device: the device model; None for the calibrated one.
            secret: see `rhythm.life.counter.scramble_seeds`.

        Raises:
            InvalidValueError: shapes that do not fit, rows of people who cannot exist, a
                first slot that is not a morning, or a drift below 0.
        """
        count = len(people)
        keys = np.asarray(seeds, dtype=np.int64)
        if keys.shape != (count,) or len(styles) != count:
            raise InvalidValueError(f"give one seed and one style row for each of {count} people")
        if first_slot % SLOTS_PER_DAY != PartOfDay.MORNING or first_slot < 0:
            raise InvalidValueError(f"a life here begins with a morning (slot % 4 == 0); got slot {first_slot}")
        if not (np.isfinite(drift) and drift >= 0.0):
            raise InvalidValueError(f"drift is a factor not below 0; got {drift}")
        self._seeds, self._secret = keys, secret
        self._answer_keys = scramble_seeds(keys, Stream.ANSWERS, secret)
        self._drift_keys = scramble_seeds(keys, Stream.DRIFT, secret)
        self._drift = drift
        self.people = np.ascontiguousarray(check_people(people), dtype=np.float64)
        self.styles = np.ascontiguousarray(check_styles(styles), dtype=np.float64)
        self.habits = sample_habits(keys, self.people, self.styles, secret=secret)
        self.slot = first_slot
        self.meters = np.tile(np.array(START_METERS), (count, 1))
        self.exposure, self.burden = np.zeros(count), np.zeros(count)
        self._seen_today = np.zeros(count, np.int8)
        self._planned_slot = np.full(count, -1, np.int64)
        self._planned = np.zeros(count, np.int8)
        self.done = np.full(count, -1, np.int8)
        self._exercised = np.zeros(count, np.int64)
        self._devices = Devices(keys, model=device, secret=secret)
        self._sensing = Sensing(count)
        self._pending: list[tuple[int, MorningReadings]] = []
        self.signals = DaySignals(np.full((count, METER_COUNT), np.nan), np.zeros(count, np.int64))
        self._begin_slot()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def known_events(self) -> NDArray[np.int8]:
        """The event of the coming slot where the calendar tells of it, else -1, shape (people,)."""
        told = self._units(_EVENT_DRAW) < EVENT_KNOWN[self._events]
        known: NDArray[np.int8] = np.where(told & (self._events != LifeEvent.NONE), self._events, -1).astype(np.int8)
        return known

    @property
    def wellbeing(self) -> Floats:
        """Everyone's wellbeing as `slot` begins, by their own weights, shape (people,); hidden."""
        return wellbeing(self.people, self.meters)

    def offer(self, suggested: object) -> Seen:
        """Suggest something for the coming slot, and live it.

        Args:
            suggested: action indices, -1 for no suggestion, shape (people,).

        Raises:
            InvalidValueError, UnknownNameError: not one whole number -1..9 for each person.
        """
        from rhythm.life import answer_kernel  # noqa: PLC0415 - the compiler is loaded on first use

        count = len(self)
        offered = check_suggestions(suggested, count)
        outcomes, moved_to = np.empty(count, np.int8), np.empty(count, np.int64)
        done = np.empty(count, np.int8)
        answer_kernel.draw_answers(
            self._answer_keys, self.people, self.styles, self.meters, self.slot, offered, self.usual, self.exposure,
            self.burden, outcomes, moved_to, done,
        )  # fmt: skip
        answer_kernel.after_slot(self.slot, outcomes, self.exposure, self.burden, self._seen_today)
        moved = moved_to >= 0
        self._planned_slot[moved], self._planned[moved] = moved_to[moved], offered[moved]
        self.meters = step(self.people, self.meters, done, self.slot, self._events).meters
        self.done = done
        self._exercised += done == Action.EXERCISE
        recorded = self._record(done)
        over = self.slot
        self.slot += 1
        if self.slot % SLOTS_PER_DAY == PartOfDay.MORNING:
            self._begin_day()
        self._begin_slot()
        return Seen(over, outcomes, moved_to, recorded, self._arrivals())

    def _record(self, done: NDArray[np.int8]) -> NDArray[np.int8]:
        chance = RECORDED[done] * self.styles[:, AnswerStyle.RECORDING]
        recorded: NDArray[np.int8] = np.where(self._units(_RECORDED_DRAW) < chance, done, -1).astype(np.int8)
        self._sensing.record(self.slot, recorded)
        return recorded

    def _begin_day(self) -> None:
        day = self.slot // SLOTS_PER_DAY
        self.people = drift_people(self.people, self._drift_keys, day, self._drift)
        self.signals = self._devices.morning(
            day, self.meters[:, 0], self.meters[:, 3], self.done == Action.SLEEP, self._exercised
        )
        self._exercised = np.zeros(len(self), np.int64)
        self._pending.append((self.slot, self._sensing.morning(*self.signals)))

    def _begin_slot(self) -> None:
        self._events = np.ascontiguousarray(draw_events(self._seeds, self.slot, 1, secret=self._secret)[:, 0])
        usual = self.habits.usual(self.slot)
        due = self._planned_slot == self.slot
        kept = due & (self._units(_PLAN_KEPT) < self.styles[:, AnswerStyle.ADHERENCE])
        self.usual = np.where(kept, self._planned, usual).astype(np.int8)

    def _units(self, place: int) -> Floats:
        from rhythm.life.answer_kernel import DRAWS_PER_SLOT, SLOT_COUNTERS  # noqa: PLC0415

        return uniforms(self._answer_keys, SLOT_COUNTERS + self.slot * DRAWS_PER_SLOT + place)

    def _arrivals(self) -> Readings:
        shape = (len(self), METER_COUNT)
        values, sds, observations, observation_sds = np.full((4, *shape), np.nan)
        arrived = Readings(values, sds, observations, observation_sds, np.full(shape, -1, np.int64))
        waiting = []
        for about, readings in self._pending:  # oldest first, so the newest stays
            now = (about + readings.delays == self.slot) & np.isfinite(readings.values)
            for ours, theirs in zip(arrived[:4], readings[:4], strict=True):
                ours[now] = theirs[now]
            arrived.slots[now] = about
            if (about + readings.delays > self.slot).any():
                waiting.append((about, readings))
        self._pending = waiting
        return arrived
