"""The five meters: where a person stands, each in [0, 1]."""

import math
from collections.abc import Iterable
from enum import IntEnum

from rhythm.vocab.errors import InvalidValueError, UnknownNameError


class Meter(IntEnum):
    """The meters in their fixed order; the value is the index into every array of five."""

    VITALITY = 0
    COGNITION = 1
    PROGRESS = 2
    SERENITY = 3
    CONNECTION = 4

    @property
    def label(self) -> str:
        """The word a person reads, lower case."""
        return self.name.lower()


METERS: tuple[Meter, ...] = tuple(Meter)
METER_COUNT = len(METERS)
CRASH_BELOW = 0.10
"""A meter below this after a step is a crash."""

MeterValues = tuple[float, float, float, float, float]
"""Five meter levels or deltas in the order of `Meter`."""

SensedValues = tuple[float | None, float | None, float | None, float | None, float | None]
"""Five meter levels where a missing one is None, never a silent 0.5."""


def parse_meter(name: str) -> Meter:
    """The meter of that name, in any letter case.

    Raises:
        UnknownNameError: there is no such meter.
    """
    try:
        return Meter[name.strip().upper()]
    except (KeyError, AttributeError):
        raise UnknownNameError("meter", name, tuple(m.label for m in METERS)) from None


def check_meters(values: Iterable[float], what: str = "meters") -> MeterValues:
    """Five finite levels in [0, 1].

    Raises:
        InvalidValueError: not five, or one that is NaN, infinite or outside [0, 1]. The
            message names the meter, not its value: a level is health data.
    """
    five = tuple(float(v) for v in values)
    if len(five) != METER_COUNT:
        raise InvalidValueError(f"{what}: got {len(five)} values; give one for each of {METER_COUNT} meters")
    for meter, value in zip(METERS, five, strict=True):
        if not math.isfinite(value) or not 0.0 <= value <= 1.0:
            raise InvalidValueError(f"{what}: {meter.label} is not a number in [0, 1]; check where it comes from")
    return five[0], five[1], five[2], five[3], five[4]
