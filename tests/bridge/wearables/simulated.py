"""An invented person's nights and days: the truth that several vendors' devices then tell, each in its own way.

Five weeks in Berlin around the night of 29 March 2026, in which the clocks go forward. Levels scatter from day
to day as published daily data do (ln RMSSD by 0.23, resting heart rate by 2.3 bpm, sleep by 45 minutes).
"""

import random
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
FIRST, DAYS = date(2026, 3, 2), 35
LAST_WEEK = tuple(FIRST + timedelta(days=i) for i in range(DAYS - 7, DAYS))
"""Days that are compared; the ones before them are the baseline."""


class Night(NamedTuple):
    """A night.

    Attributes:
        asleep_at: falling asleep, UTC.
        stages: name (light, deep, rem, awake) and whole minutes of each stretch, in order; the last is awake.
        rmssd: of the night, ms.
        resting: lowest heart rate of the night, bpm.
    """

    asleep_at: datetime
    stages: tuple[tuple[str, int], ...]
    rmssd: float
    resting: float

    @property
    def awake_at(self) -> datetime:
        """The end of the last stretch, UTC."""
        return self.asleep_at + timedelta(minutes=sum(m for _, m in self.stages))

    def minutes(self, *names: str) -> int:
        """Minutes of those stages."""
        return sum(m for name, m in self.stages if name in names)


class Day(NamedTuple):
    """A local day: the night that ended on it, and what was done.

    Attributes:
        day: the day.
        night: ended on it.
        walks: start, UTC, and steps in the ten minutes from it.
        stress: mean level in [0, 1].
    """

    day: date
    night: Night
    walks: tuple[tuple[datetime, int], ...]
    stress: float

    @property
    def steps(self) -> int:
        """Steps of the day."""
        return sum(count for _, count in self.walks)


def local(at: datetime) -> datetime:
    """An instant on the person's clock."""
    return at.astimezone(BERLIN)


def life(seed: int) -> tuple[Day, ...]:
    """The person's days."""
    draw = random.Random(seed)
    level, slow = draw.gauss(3.7, 0.2), draw.gauss(58, 3)
    days = []
    for i in range(DAYS):
        day = FIRST + timedelta(days=i)
        wakes = datetime(day.year, day.month, day.day, 6, 30, tzinfo=BERLIN).astimezone(UTC)
        wakes += timedelta(minutes=round(draw.gauss(0, 20)))
        stages = _stages(draw, max(260, round(draw.gauss(440, 45))))
        began = wakes - timedelta(minutes=sum(m for _, m in stages))
        hrv = draw.gauss(0, 0.23)
        night = Night(began, stages, 2.718281828 ** (level + hrv), slow + draw.gauss(0, 2.0) - 2.0 * hrv)
        noon = datetime(day.year, day.month, day.day, 9, tzinfo=BERLIN).astimezone(UTC)
        walks = [(noon + timedelta(minutes=45 * k), draw.randrange(200, 1300)) for k in range(14)]
        days.append(Day(day, night, tuple(walks), min(0.9, max(0.05, draw.gauss(0.3, 0.08)))))
    return tuple(days)


def _stages(draw: random.Random, asleep: int) -> tuple[tuple[str, int], ...]:
    """Cycles of about ninety minutes, a short wake here and there, and some minutes awake at the end."""
    stages: list[tuple[str, int]] = []
    left = asleep
    while left > 0:
        for name, minutes in (("light", 45), ("deep", 20), ("rem", 25)):
            lasts = min(left, max(5, round(minutes * draw.uniform(0.7, 1.3))))
            if lasts:
                stages.append((name, lasts))
                left -= lasts
        if left > 0 and draw.random() < 0.4:
            stages.append(("awake", draw.randrange(1, 9)))
    return (*stages, ("awake", draw.randrange(3, 12)))
