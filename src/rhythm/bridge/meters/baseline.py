"""A value against the person's own recent past: robust z, squashed, shrunk while days are few.

The form, used by every meter: the *baseline* is the person's own values of up to 60 days
before, today excluded. z = (value - median) / (1.4826 x median absolute deviation); a score
in [0, 1] is Phi(z), the normal distribution function; it is shrunk towards one half, the mean of what could be,
by k = n / (n + 7) for n days of baseline, and by r^age for a value that is ``age`` days old.

Why own baseline: in 7,410 person-days of the public LifeSnaps set the spread between people
(ln RMSSD: SD 0.40) is larger than within one (0.23). Why these lengths: Garmin takes three
weeks, Oura about two months; k is 0.67 at 14 days and 0.81 at 30. Phi, the 7 and the floors of
the spread are design choices.

What is unknown is said by the uncertainty, never by the one half alone: the share 1 - k of a score has the
spread of anything between 0 and 1.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, median

import msgspec

WINDOW_DAYS = 60
FEWEST_DAYS = 5
"""Below so many days there is no baseline to speak of."""
HALF_KNOWN_DAYS = 7.0
UNKNOWN_SD = math.sqrt(1 / 12)
"""Standard deviation of a level of which nothing is known: uniform between 0 and 1."""

_MAD_TO_SD = 1.4826
_NORMAL = NormalDist()


class Baseline(msgspec.Struct, frozen=True):
    """A person's own usual.

    Attributes:
        center: median.
        spread: robust standard deviation, never below the floor given.
        days: how many days it rests on.
    """

    center: float
    spread: float
    days: int

    def z(self, value: float) -> float:
        """How many of the person's own standard deviations above usual."""
        return (value - self.center) / self.spread


class Score(msgspec.Struct, frozen=True):
    """A level in [0, 1] with its standard deviation."""

    value: float
    sd: float


def baseline_of(values: Sequence[float], floor: float) -> Baseline | None:
    """The baseline of earlier days' values; None where they are too few.

    Args:
        values: one a day, today's not among them; at most the latest 60 days.
        floor: smallest spread that is taken seriously, in the values' unit, above 0.
    """
    if len(values) < FEWEST_DAYS:
        return None
    center = median(values)
    spread = _MAD_TO_SD * median(abs(v - center) for v in values)
    return Baseline(center, max(spread, floor), len(values))


def squash(z: float) -> float:
    """Phi(z): 0.5 at usual, 0.84 one standard deviation above, 0.16 below."""
    return _NORMAL.cdf(z)


def shrunk(score: float, noise_sd: float, known: float) -> Score:
    """A score of which only the share ``known`` in [0, 1] can be relied on.

    Args:
        score: as measured, in [0, 1].
        noise_sd: standard deviation of its error if it is fully relied on.
        known: the share; 0 gives one half with the spread of the unknown.
    """
    variance = known * noise_sd**2 + (1.0 - known) * UNKNOWN_SD**2
    return Score(0.5 + known * (score - 0.5), math.sqrt(variance))


def reliance(days: int, age_days: int = 0, persistence: float = 1.0) -> float:
    """How far a score is relied on: n / (n + 7), times persistence to the power of its age in days."""
    return days / (days + HALF_KNOWN_DAYS) * persistence**age_days
