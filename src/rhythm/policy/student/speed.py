"""How long the students take on one core: a decision for one person, and a slot of a whole batch.

Times of the processor and of the clock, which differ where others use the machine.
"""

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_tokens import no_news
from rhythm.policy.student.model_file import Model
from rhythm.policy.student.tokens import TOKEN_WIDTH
from rhythm.vocab import WEEK_STEPS

BATCH: Final = 1000
WEEKS: Final = 4
"""Weeks that one person's history is read for; a batch reads one."""


class Taken(NamedTuple):
    """Medians over the slots of a history, in milliseconds.

    Attributes:
        processor_ms: of all threads of this process.
        clock_ms: that passed.
        calls: slots that were read.
    """

    processor_ms: float
    clock_ms: float
    calls: int


def perfect_student(model: Model, people: int, slots: int) -> Taken:
    """Of the student of the perfect channel, whose slot costs more the more was read before: a week at most."""
    tokens = np.zeros((people, TOKEN_WIDTH), np.float32)
    made: list[Any] = []

    def read(slot: int) -> None:
        if slot % WEEK_STEPS == 0:
            made[:] = [model.reader(people)]
        made[0].read(tokens)

    return _taken(read, slots)


def device_student(model: DeviceModel, people: int, slots: int) -> Taken:
    """Of the device student, whose slot costs the same however much was read before."""
    reader = model.reader(people)
    return _taken(lambda slot: reader.read(no_news(np.full(people, slot))), slots)


def _taken(read: Callable[[int], object], slots: int) -> Taken:
    found = []
    for slot in range(slots):
        begun = time.process_time(), time.perf_counter()
        read(slot)
        found.append((time.process_time() - begun[0], time.perf_counter() - begun[1]))
    processor, clock = 1000.0 * np.median(found, axis=0)
    return Taken(float(processor), float(clock), slots)
