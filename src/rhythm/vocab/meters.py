"""The five meters: where a person stands, each in [0, 1]."""

from collections.abc import Iterable
from enum import IntEnum

from rhythm.vocab.checks import is_number
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
    """The meter of that name, in any letter case; names are ASCII.

    Raises:
        UnknownNameError: there is no such meter.
    """
    key = name.strip() if isinstance(name, str) else ""
    if key.isascii() and key.upper() in Meter.__members__:
        return Meter[key.upper()]
    raise UnknownNameError("meter", name, tuple(m.label for m in METERS))


def check_meters(values: Iterable[float], what: str = "meters") -> MeterValues:
    """Five finite levels in [0, 1].

    Raises:
        InvalidValueError: not five, or one that is no number, NaN, infinite or outside [0, 1].
            The message names the meter, not its value: a level is health data.
    """
    try:
        five = () if isinstance(values, str | bytes) else tuple(values)
    except TypeError:
        raise InvalidValueError(
            f"{what}: got {type(values).__name__}; give a number for each of {METER_COUNT} meters"
        ) from None
    check_five(five, what)
    return float(five[0]), float(five[1]), float(five[2]), float(five[3]), float(five[4])


def check_five(values: object, what: str, low: float = 0.0, high: float = 1.0, *, missing: bool = False) -> None:
    """A tuple of five finite numbers from low to high, as a record holds it.

    Args:
        values: what is checked.
        what: its name in the error.
        low: the least that is allowed.
        high: the most.
        missing: whether a number may be None, where it is not known.

    Raises:
        InvalidValueError: no tuple, not five, or a number that is none or outside. The message
            names the meter, never its value: it is health data.
    """
    if type(values) is tuple and len(values) == METER_COUNT:
        for value in values:
            if type(value) is not float or not low <= value <= high:
                break
        else:
            return
    if not isinstance(values, tuple):
        raise InvalidValueError(
            f"{what}: got {type(values).__name__}; give a tuple of {METER_COUNT}, one for each meter"
        )
    if len(values) != METER_COUNT:
        raise InvalidValueError(f"{what}: got {len(values)} values; give one for each of {METER_COUNT} meters")
    for meter, value in zip(METERS, values, strict=True):
        if not (is_number(value, low, high) or (missing and value is None)):
            allowed = f"a number in [{low:g}, {high:g}]" + (", nor None" if missing else "")
            raise InvalidValueError(f"{what}: {meter.label} is not {allowed}; check where it comes from")
