"""What an invented person's life leaves behind: an .ics calendar and an Apple Health export.

Both are read as anybody's files are: what works here works on real files.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from icalendar import Calendar, Event

from rhythm.bridge.wearables.apple_writer import write_export
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.device import DeviceModel
from rhythm.life.device import Signal as Shown
from rhythm.life.living import Lives
from rhythm.life.profiles import ARCHETYPES
from rhythm.vocab.actions import Action
from rhythm.vocab.slots import SLOTS_PER_DAY, WEEK_STEPS, PartOfDay, day_of, slot_number

WEEKS: Final = 8
AHEAD_DAYS: Final = 7
SEED: Final = 20
ARCHETYPE: Final = "introvert_morning"
WATCH: Final = "apple_health/Demo Watch"

_TITLES: Final[dict[Action, tuple[str, ...]]] = {
    Action.DEEP_WORK: ("Deep work", "Focus time: report"),
    Action.ADMIN_WORK: ("Team meeting", "Email and admin"),
    Action.LEARN: ("Online course", "Study Spanish"),
    Action.EXERCISE: ("Run", "Gym"),
    Action.MEDITATE: ("Meditation",),
    Action.FAMILY_TIME: ("Family dinner", "Family time"),
    Action.SOCIALIZE: ("Dinner with friends", "Coffee with friends"),
    Action.ME_TIME: ("Reading", "Walk alone"),
}
"""What such an event is called; sleep and series are in nobody's calendar."""
_BEGINS_H: Final = {PartOfDay.MORNING: 9, PartOfDay.AFTERNOON: 13, PartOfDay.EVENING: 18, PartOfDay.NIGHT: 22}
_LASTS_MIN: Final = {Action.EXERCISE: 60, Action.MEDITATE: 30, Action.FAMILY_TIME: 150, Action.SOCIALIZE: 150}
_KEPT_IN_CALENDAR: Final = 0.85


class Morning(NamedTuple):
    """What a watch shows of a morning, by `rhythm.life.device.Signal`, NaN where missing."""

    day: date
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Lived(NamedTuple):
    """An invented person's weeks.

    Attributes:
        done: action by slot number.
        mornings: what the watch showed, day by day.
    """

    done: dict[int, Action]
    mornings: tuple[Morning, ...]


def live(last_day: date, *, archetype: str = ARCHETYPE, seed: int = SEED, weeks: int = WEEKS) -> Lived:
    """Weeks of an invented person up to the morning of a day, and their usual days after it.

    Args:
        last_day: the day whose morning is the last that the watch saw.
        archetype: who they are; see `rhythm.life.profiles.ARCHETYPES`.
        seed: of everything that is drawn.
        weeks: how many.
    """
    seeds = np.array([seed], np.int64)
    # A watch that is worn: a demonstration shows what the pages can do, not how often a battery is empty.
    worn = DeviceModel(off_share=0.05, night_share=0.05, rmssd_never=0.001, late=0.0)
    first = slot_number(last_day, PartOfDay.MORNING) - weeks * WEEK_STEPS
    first -= first % WEEK_STEPS  # a life begins on a Monday
    lives = Lives(
        seeds,
        ARCHETYPES[archetype].row[None, :],
        sample_styles(seeds, StyleRange.TRAINED),
        first_slot=first,
        drift=0.0,
        device=worn,
    )
    done: dict[int, Action] = {}
    mornings = []
    now = slot_number(last_day, PartOfDay.MORNING)
    nothing = np.array([-1])
    while lives.slot < now:
        seen = lives.offer(nothing)
        done[seen.slot] = Action(int(lives.done[0]))
        if lives.slot % SLOTS_PER_DAY == PartOfDay.MORNING:
            mornings.append(Morning(day_of(lives.slot), lives.signals.values[0].copy()))
    for slot in range(now, now + AHEAD_DAYS * SLOTS_PER_DAY):
        done[slot] = Action(int(lives.habits.usual(slot)[0]))
    return Lived(done, tuple(mornings))


def write_calendar(
    path: Path, done: Mapping[int, Action], zone: ZoneInfo, seed: int = SEED, *, kept: float = _KEPT_IN_CALENDAR
) -> int:
    """Writes what such a person would have in their calendar; how many events.

    Args:
        path: where to.
        done: action by slot number.
        zone: of the person.
        seed: of titles and times.
        kept: share of what can be in a calendar that is.
    """
    draw = np.random.default_rng(seed)
    calendar = Calendar()
    calendar.add("prodid", "-//Rhythm//demonstration//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Demonstration")
    count = 0
    for slot, action in sorted(done.items()):
        forgotten, title_at, late = draw.random(3)
        if action not in _TITLES or forgotten > kept:
            continue
        part = PartOfDay(slot % SLOTS_PER_DAY)
        start = datetime.combine(day_of(slot), datetime.min.time(), zone) + timedelta(
            hours=_BEGINS_H[part], minutes=30 * int(late * 2)
        )
        titles = _TITLES[action]
        event = Event()
        event.add("uid", f"demo-{slot}@rhythm.invalid")
        event.add("dtstamp", start.astimezone(UTC))
        event.add("dtstart", start)
        event.add("dtend", start + timedelta(minutes=_LASTS_MIN.get(action, 120)))
        event.add("summary", titles[int(title_at * len(titles))])
        calendar.add_component(event)
        count += 1
    path.write_bytes(calendar.to_ical())
    return count


def write_health(path: Path, mornings: Sequence[Morning], zone: ZoneInfo, seed: int = SEED) -> int:
    """Writes what such a person's phone would export; how many records."""
    exported_at = datetime.combine(mornings[-1].day, datetime.min.time(), zone) + timedelta(hours=9)
    return write_export(path, _records(mornings, zone, seed), exported_at=exported_at, home=zone)


def _records(mornings: Sequence[Morning], zone: ZoneInfo, seed: int) -> Iterator[Record]:
    draw = np.random.default_rng(seed + 1)
    for morning in mornings:
        midnight = datetime.combine(morning.day, datetime.min.time(), zone)
        woke = midnight + timedelta(hours=6.25) + timedelta(minutes=round(float(draw.normal(0, 18))))
        asleep_min = morning.values[Shown.SLEEP]
        if np.isfinite(asleep_min) and asleep_min >= 120:
            yield from _night(woke, float(asleep_min))
        rmssd, resting, steps = (morning.values[s] for s in (Shown.RMSSD, Shown.RESTING, Shown.STEPS))
        if np.isfinite(rmssd):
            # Apple's watch gives SDNN: spot checks in the night that scatter around the night's level.
            for hour in (1, 3, 5):
                spot = float(np.clip(rmssd * 1.2 * np.exp(draw.normal(0, 0.08)), 5, 250))
                yield _record(Signal.HRV_SDNN_MS, spot, woke - timedelta(hours=6 - hour), 1)
        if np.isfinite(resting):
            yield _record(Signal.RESTING_HR_BPM, float(resting), woke, 1)
        if np.isfinite(steps):
            before = midnight - timedelta(days=1)
            shares = draw.dirichlet(np.full(10, 2.0))
            for place, share in enumerate(shares):
                count = float(round(steps * share))
                yield _record(Signal.STEPS_COUNT, count, before + timedelta(hours=8 + place), 45)


def _night(woke: datetime, asleep_min: float) -> Iterator[Record]:
    """Cycles of core, deep and REM sleep that end at waking."""
    begins = woke - timedelta(minutes=asleep_min)
    shares = ((Signal.SLEEP_CORE_MIN, 0.55), (Signal.SLEEP_DEEP_MIN, 0.2), (Signal.SLEEP_REM_MIN, 0.25))
    cycles = max(1, round(asleep_min / 95))
    for _ in range(cycles):
        for signal, share in shares:
            minutes = asleep_min / cycles * share
            ends = begins + timedelta(minutes=minutes)
            yield _record(signal, minutes, begins, minutes)
            begins = ends


def _record(signal: Signal, value: float, start: datetime, lasts_min: float) -> Record:
    start = start.replace(microsecond=0)
    offset = start.utcoffset() or timedelta()
    start_at = start.astimezone(UTC)
    end_at = start_at + timedelta(seconds=round(60 * lasts_min))
    return Record(signal, value, start_at, end_at, int(offset.total_seconds() // 60), WATCH)
