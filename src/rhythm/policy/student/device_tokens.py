"""One slot of the device channel as a row of numbers, and the notes that a reader keeps from slot to slot.

A token holds what a deployed assistant knows as a slot begins: the moment, the newest reading
of each meter with its error and age, what the slot before was recorded to be spent on, what was
suggested for it and what became of that, what is planned here, and what follows from the
answers alone (burden, exposure). What is not known is marked unknown and stays 0.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.policy.student.fields import mark_one, places_of
from rhythm.vocab import ACTION_COUNT, DAYS_PER_WEEK, METER_COUNT, OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS, PartOfDay

DEVICE_TOKENS_VERSION: Final = "device-tokens-1"

Floats = NDArray[np.float32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.int8]

_FIELDS: Final = (
    ("part_of_day", SLOTS_PER_DAY),
    ("weekday", DAYS_PER_WEEK),
    ("deadline", 1),
    ("meters", METER_COUNT),
    ("meters_known", METER_COUNT),
    ("meter_sds", METER_COUNT),
    ("meter_ages", METER_COUNT),
    ("done", ACTION_COUNT + 1),
    ("suggested", ACTION_COUNT + 1),
    ("outcome", len(OUTCOMES) + 1),
    ("planned", ACTION_COUNT + 1),
    ("burden", 1),
    ("exposure", 1),
    ("read", 1),
)

DEVICE_PLACES: Final = places_of(_FIELDS)
"""Where each field stands in a token. One-of-many fields have a last place for *unknown* or *none*."""
DEVICE_TOKEN_WIDTH: Final = sum(width for _, width in _FIELDS)
_AGE_SLOTS: Final = 28.0
_BURDEN_SCALE: Final = 4.0
_EXPOSURE_DAYS: Final = 40.0
_READ_SLOTS: Final = 224.0
_BURDEN_KEPT: Final = float(np.exp(-1.0 / 8.0))
"""As `rhythm.life.answer_kernel.BURDEN_KEPT`, which loads the compiler; a test compares both."""
LOOKED_AT: Final = 3
"""Outcome positions below this were looked at: accepted, moved or turned down."""
NONE: Final = -1


class SlotNews(NamedTuple):
    """What came to be known in a slot that is over, and of the one that begins, for a batch of people.

    Attributes:
        slots: number of the slot that begins, shape (people,).
        deadline: whether the calendar tells of a deadline in it, shape (people,).
        values, sds: meter readings that arrived, NaN where none did, shape (people, 5).
        reading_slots: slots that they are about, -1 where none arrived, shape (people, 5).
        done: what the slot before was recorded to be spent on, -1 where unknown, shape (people,).
        suggested: what was suggested for it, -1 for nothing, shape (people,).
        outcomes: place in `rhythm.vocab.OUTCOMES`, -1 where nothing was suggested, shape (people,).
        moved_to: slot that the suggestion was moved to, -1 where it was not, shape (people,).
    """

    slots: Longs
    deadline: NDArray[np.bool_]
    values: NDArray[np.float64]
    sds: NDArray[np.float64]
    reading_slots: Longs
    done: Bytes
    suggested: Bytes
    outcomes: Bytes
    moved_to: Longs


def no_news(slots: Longs) -> SlotNews:
    """Slots that begin with nothing known of the ones before."""
    count = len(slots)
    values, sds = np.full((2, count, METER_COUNT), np.nan)
    done, suggested, outcomes = np.full((3, count), NONE, np.int8)
    return SlotNews(
        slots, np.zeros(count, np.bool_), values, sds, np.full(values.shape, NONE, np.int64), done, suggested, outcomes,
        np.full(count, NONE, np.int64),
    )  # fmt: skip


@dataclass
class Notes:
    """What a reader keeps of each person from slot to slot; changed in place by `token`.

    Attributes:
        values, sds, at: newest reading of each meter, NaN where there is none, and its slot, shape (people, 5).
        burden, exposure: see `rhythm.life.answer_kernel.after_slot`, shape (people,).
        seen_today: whether one was looked at today, shape (people,).
        planned_slot, planned: where a suggestion was moved to, and which, -1 for none, shape (people,).
        read: slots read, shape (people,).
    """

    values: NDArray[np.float64]
    sds: NDArray[np.float64]
    at: Longs
    burden: NDArray[np.float64]
    exposure: NDArray[np.float64]
    seen_today: NDArray[np.bool_]
    planned_slot: Longs
    planned: Longs
    read: Longs

    @staticmethod
    def blank(people: int) -> "Notes":
        """Nothing known of anybody."""
        unread = np.full((people, METER_COUNT), np.nan)
        none = np.full(people, NONE, np.int64)
        return Notes(
            unread, unread.copy(), np.zeros(unread.shape, np.int64), np.zeros(people), np.zeros(people),
            np.zeros(people, np.bool_), none, none.copy(), np.zeros(people, np.int64),
        )  # fmt: skip

    def token(self, news: SlotNews) -> Floats:
        """Take in what is new and give the token of the slot that begins, shape (people, DEVICE_TOKEN_WIDTH)."""
        self._take_in(news)
        people = len(news.slots)
        token = np.zeros((people, DEVICE_TOKEN_WIDTH), np.float32)
        mark_one(token, DEVICE_PLACES["part_of_day"], news.slots % SLOTS_PER_DAY)
        mark_one(token, DEVICE_PLACES["weekday"], news.slots % WEEK_STEPS // SLOTS_PER_DAY)
        token[:, DEVICE_PLACES["deadline"]] = news.deadline[:, None]
        known = np.isfinite(self.values)
        ages = np.minimum((news.slots[:, None] - self.at) / _AGE_SLOTS, 1.0)
        token[:, DEVICE_PLACES["meters"]] = np.where(known, self.values, 0.0)
        token[:, DEVICE_PLACES["meters_known"]] = known
        token[:, DEVICE_PLACES["meter_sds"]] = np.where(known, self.sds, 0.0)
        token[:, DEVICE_PLACES["meter_ages"]] = np.where(known, ages, 0.0)
        mark_one(token, DEVICE_PLACES["done"], news.done)
        mark_one(token, DEVICE_PLACES["suggested"], news.suggested)
        mark_one(token, DEVICE_PLACES["outcome"], news.outcomes)
        mark_one(token, DEVICE_PLACES["planned"], np.where(self.planned_slot == news.slots, self.planned, NONE))
        token[:, DEVICE_PLACES["burden"]] = (self.burden / _BURDEN_SCALE)[:, None]
        token[:, DEVICE_PLACES["exposure"]] = np.minimum(self.exposure / _EXPOSURE_DAYS, 2.0)[:, None]
        token[:, DEVICE_PLACES["read"]] = np.minimum(self.read / _READ_SLOTS, 1.0)[:, None]
        self.read = self.read + 1
        return token

    def _take_in(self, news: SlotNews) -> None:
        over = news.slots - 1
        self.seen_today &= over % SLOTS_PER_DAY != PartOfDay.MORNING
        looked = (news.outcomes >= 0) & (news.outcomes < LOOKED_AT)
        self.burden = self.burden * _BURDEN_KEPT + looked
        self.exposure = self.exposure + (looked & ~self.seen_today)
        self.seen_today |= looked
        moved = news.moved_to >= 0
        self.planned_slot = np.where(moved, news.moved_to, self.planned_slot)
        self.planned = np.where(moved, news.suggested, self.planned)
        came = news.reading_slots >= 0
        self.values = np.where(came, news.values, self.values)
        self.sds = np.where(came, news.sds, self.sds)
        self.at = np.where(came, news.reading_slots, self.at)
