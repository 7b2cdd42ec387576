"""Follows one person's evidence with the device student, reading anew only from the day that something changed.

A calendar tells in the morning what yesterday was spent on, a watch may be days late, an answer
may be undone: so the past changes, mostly of late. What is said is always what reading it all
from the beginning would say.
"""

import copy
from collections.abc import Iterable
from typing import Final

import numpy as np

from rhythm.adapt.reading import MOST_SLOTS, news_by_slot
from rhythm.policy.student.device_model import DeviceModel, DeviceSaid, Floats
from rhythm.policy.student.device_tokens import Notes, SlotNews, no_news
from rhythm.vocab import SLOTS_PER_DAY, Evidence

_Kept = tuple[Notes, Floats]
"""Notes and memory as a day begins, before its first slot is read."""
_NO_SLOT: Final = -1


class Follower:
    """What the student makes of one person, from visit to visit."""

    def __init__(self, model: DeviceModel) -> None:
        """Begin knowing nothing.

        Args:
            model: the frozen student, which others may share.
        """
        self._reader = model.reader(1)
        self._first = _NO_SLOT
        self._read: list[bytes] = []
        self._mornings: list[_Kept] = []

    def say(self, evidence: Iterable[Evidence], slot: int, ahead: int = 1) -> list[DeviceSaid]:
        """What the student says as slots begin, of the later ones as if nothing more became known.

        Args:
            evidence: everything that holds, in the order in which it came.
            slot: the present slot number.
            ahead: how many slots, the present one first.
        """
        past = [entry for entry in evidence if 0 <= entry.slot <= slot]
        earliest = min((entry.slot for entry in past), default=slot)
        first = max(earliest, slot - MOST_SLOTS) // SLOTS_PER_DAY * SLOTS_PER_DAY
        news = news_by_slot(past, first, slot)
        saying = [self._catch_up(first, news)]
        kept = self._now()
        saying += [self._reader.read(no_news(np.array([later]))) for later in range(slot + 1, slot + ahead)]
        self._go_back(kept)
        return saying

    def _catch_up(self, first: int, news: list[SlotNews]) -> DeviceSaid:
        """Read from the first day that is not as it was; the last slot is always read, as it is still to be said."""
        keys = [b"".join(part.tobytes() for part in one) for one in news]
        same = 0
        if first == self._first:
            while same < min(len(keys) - 1, len(self._read)) and keys[same] == self._read[same]:
                same += 1
        day = min(same // SLOTS_PER_DAY, max(0, len(self._mornings) - 1))
        self._go_back(self._mornings[day] if day else (Notes.blank(1), np.zeros_like(self._reader.memory)))
        del self._mornings[day:]
        for place in range(day * SLOTS_PER_DAY, len(news)):
            if place % SLOTS_PER_DAY == 0:
                self._mornings.append(self._now())
            said = self._reader.read(news[place])
        self._first, self._read = first, keys
        return said

    def _now(self) -> _Kept:
        return copy.deepcopy(self._reader.notes), self._reader.memory

    def _go_back(self, kept: _Kept) -> None:
        self._reader.notes, self._reader.memory = copy.deepcopy(kept[0]), kept[1]
