"""From daily signals and the calendar to meter readings, as a deployed assistant has them.

Vitality and serenity are estimated from the person's signals against their own baseline: each
signal's departure from its mean over the last days, in units of its spread, enters a linear
estimate that was fitted on simulated lives. Cognition, progress and connection have no sensor;
they are bookkeeping: what the calendar and the watch recorded as done is played forward for the
mean person, and slots without a record count as what people do on average.

A reading is an *estimate*: its value is the mean, and its sd the standard deviation, of the
level given the signals, so the level lies in value +- 1.28 sd four times in five. It contains
what is known of people in general (`PRIOR_MEANS`, `PRIOR_SDS`); a filter that has its own prior
takes the *observation* that stands beside it, from which that is removed.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.device import Signal
from rhythm.life.profiles import average_person
from rhythm.vocab import METER_COUNT, SLOTS_PER_DAY, Meter

SENSING_VERSION: Final = "sensing-1"

Floats = NDArray[np.float64]

BASELINE_DAYS: Final = 60
"""Days that a baseline looks back, today excluded."""
BASELINE_LEAST: Final = 7
"""Days with a signal before it says anything."""
SPREAD_DAYS: Final = 7.0
"""How many days' worth the usual spread counts in a person's own."""

BODY_SIGNALS: Final = (Signal.RMSSD, Signal.RESTING, Signal.SLEEP, Signal.STRESS)
_SIGNS: Final = np.array([1.0, -1.0, 1.0, 1.0])
_USUAL_SPREADS: Final = np.array([0.234, 2.26, 86.0, 5.3])

PRIOR_MEANS: Final = np.array([0.909, 0.298, 0.345, 0.510, 0.354])
"""Where meters stand on the mornings of ordinary lives."""
PRIOR_SDS: Final = np.array([0.147, 0.259, 0.319, 0.295, 0.319])
BODY_COVARIANCES: Final = np.array(
    [
        [1.159, 0.592, 0.085, 0.132],
        [0.592, 1.320, 0.021, 0.046],
        [0.085, 0.021, 1.111, 0.168],
        [0.132, 0.046, 0.168, 1.156],
    ]
)
"""Covariances of the four departures, in the order of BODY_SIGNALS, each signed so that high is good."""
BODY_WITH_METERS: Final = np.array([[0.043, 0.037, 0.021, 0.012], [0.062, 0.044, -0.002, 0.065]])
"""Their covariances with vitality, and with serenity."""

BOOK_METERS: Final = (Meter.COGNITION, Meter.PROGRESS, Meter.CONNECTION)
BOOK_PULL: Final = 0.03
"""Share of the way back to the prior mean that a bookkept level goes in a slot: old records count less."""
BOOK_UNRECORDED: Final = np.array(
    [
        [-0.050, -0.048, 0.025, 0.000, -0.008],
        [-0.049, -0.032, 0.020, 0.001, -0.001],
        [-0.028, -0.006, -0.025, 0.012, 0.027],
        [0.130, 0.094, -0.028, -0.006, -0.023],
    ]
)
"""What slots without a record change on average, by part of the day."""
BOOK_MEANS: Final = np.array([0.294, 0.320, 0.301])
BOOK_GAINS: Final = np.array([1.112, 1.001, 1.242])
BOOK_SDS: Final = np.array([0.210, 0.272, 0.241])
"""Mean of the bookkept levels, what of a departure from it to believe, and the error left."""


VITALITY_VALUES: Final = np.array([0.75, 0.85, 0.90, 0.95])
VITALITY_SDS: Final = np.array([0.220, 0.180, 0.120, 0.077])
"""Error of a vitality estimate by its value: most mornings are near the top, few are far below it."""

ERROR_LAG_1: Final = np.array([0.80, 0.91, 0.95, 0.93, 0.91])
"""Correlation of a person's errors from one morning to the next: a person's own middle and habits
stay what they are, so the fortieth reading of a meter says little that the tenth did not."""


class MorningReadings(NamedTuple):
    """Meter readings that belong to one morning; every array has shape (people, 5), NaN where there is none.

    Attributes:
        values: estimated levels in [0, 1] as the morning begins.
        sds: standard deviations of their errors.
        observations: the same evidence without the prior: what an observation of the level
            with Gaussian error must be to turn a prior of PRIOR_MEANS and PRIOR_SDS into the
            estimate; not limited to [0, 1].
        observation_sds: standard deviations of that error.
        delays: slots until each arrives.
    """

    values: Floats
    sds: Floats
    observations: Floats
    observation_sds: Floats
    delays: NDArray[np.int64]


class Sensing:
    """The readings of a batch of people, one morning at a time."""

    def __init__(self, people: int) -> None:
        self._past = np.full((BASELINE_DAYS, people, len(BODY_SIGNALS)), np.nan)
        self._day = 0
        self.book = np.tile(PRIOR_MEANS, (people, 1))
        self._mean_people = np.tile(average_person().row, (people, 1))
        self._weights, self._sds = _body_tables()

    def record(self, slot: int, recorded: NDArray[np.int8]) -> None:
        """Book a slot.

        Args:
            slot: slot number.
            recorded: what the slot was spent on as recorded, -1 where nothing is, shape (people,).
        """
        from rhythm.life import kernel  # noqa: PLC0415 - the compiler is loaded on first use

        count = len(recorded)
        part = slot % SLOTS_PER_DAY
        known = recorded >= 0
        after = np.empty_like(self.book)
        kernel.advance(
            0, count, self._mean_people, self.book, np.where(known, recorded, 0).astype(np.int8), part,
            np.full(count, kernel.EXPECTED_EVENT, np.int8), after, np.empty_like(after), np.empty(count),
            np.empty(count, np.int8),
        )  # fmt: skip
        after = np.where(known[:, None], after, np.clip(self.book + BOOK_UNRECORDED[part], 0.0, 1.0))
        self.book = after + BOOK_PULL * (PRIOR_MEANS - after)

    def departures(self, values: Floats) -> Floats:
        """How far today's signals are from the person's own baseline, and remember today.

        Args:
            values: signals by `Signal` in natural units, NaN where missing, shape (people, 5).

        Returns:
            In units of the person's spread, signed so that high is good, NaN where missing
            or too new, shape (people, 4) in the order of BODY_SIGNALS.
        """
        today = values[:, BODY_SIGNALS].copy()
        today[:, 0] = np.log(today[:, 0])
        seen = np.isfinite(self._past)
        days = seen.sum(axis=0)
        past = np.where(seen, self._past, 0.0)
        means = past.sum(axis=0) / np.maximum(days, 1)
        squares = (np.where(seen, self._past - means, 0.0) ** 2).sum(axis=0)
        spreads = np.sqrt((squares + SPREAD_DAYS * _USUAL_SPREADS**2) / (np.maximum(days - 1, 0) + SPREAD_DAYS))
        away: Floats = _SIGNS * (today - means) / spreads
        away[days < BASELINE_LEAST] = np.nan
        self._past[self._day % BASELINE_DAYS] = today
        self._day += 1
        return away

    def morning(self, values: Floats, delays: NDArray[np.int64]) -> MorningReadings:
        """The readings of a morning from its signals and the book.

        Args:
            values: signals by `Signal`, NaN where missing, shape (people, 5).
            delays: slots until they arrive, shape (people,).
        """
        away = self.departures(values)
        present = np.isfinite(away)
        which = present @ (1 << np.arange(len(BODY_SIGNALS)))
        filled = np.where(present, away, 0.0)
        shape = (len(values), METER_COUNT)
        moves, sds = np.empty(shape), np.empty(shape)
        for row, meter in enumerate((Meter.VITALITY, Meter.SERENITY)):
            moves[:, meter] = (self._weights[row, which] * filled).sum(axis=1)
            sds[:, meter] = self._sds[row, which]
        for row, meter in enumerate(BOOK_METERS):
            moves[:, meter] = BOOK_GAINS[row] * (self.book[:, meter] - BOOK_MEANS[row])
            sds[:, meter] = BOOK_SDS[row]
        explained = 1.0 - np.square(sds / PRIOR_SDS)
        observation_sds = sds / np.sqrt(np.maximum(explained, 1e-9))
        observations = PRIOR_MEANS + moves / np.maximum(explained, 1e-9)
        estimates = np.clip(PRIOR_MEANS + moves, 0.0, 1.0)
        sds[:, Meter.VITALITY] = np.interp(estimates[:, Meter.VITALITY], VITALITY_VALUES, VITALITY_SDS)
        late = np.zeros(shape, np.int64)
        late[:, [Meter.VITALITY, Meter.SERENITY]] = delays[:, None]
        readings = MorningReadings(estimates, sds, observations, observation_sds, late)
        without = np.zeros(shape, np.bool_)
        without[:, [Meter.VITALITY, Meter.SERENITY]] = (which == 0)[:, None]
        for array in readings[:4]:
            array[without] = np.nan
        return readings


def _body_tables() -> tuple[Floats, Floats]:
    """Weights (2, 16, 4) and error sds (2, 16) of the estimates, by which of the four signals are there."""
    count = len(BODY_SIGNALS)
    weights, sds = np.zeros((2, 1 << count, count)), np.empty((2, 1 << count))
    for row, meter in enumerate((Meter.VITALITY, Meter.SERENITY)):
        for which in range(1 << count):
            there = [k for k in range(count) if which >> k & 1]
            shared = BODY_WITH_METERS[row, there]
            fitted = np.linalg.solve(BODY_COVARIANCES[np.ix_(there, there)], shared) if there else shared
            weights[row, which, there] = fitted
            sds[row, which] = np.sqrt(PRIOR_SDS[meter] ** 2 - shared @ fitted)
    return weights, sds
