"""One invented person lives weeks with the assistant: files each morning, a look at *Today* in every slot, taps.

What the person is, what they answer and how they fare is the life model's (`rhythm.life.living`); what reaches the
assistant are an .ics calendar, an Apple Health export, and answers over HTTP. It is never told anything else.
"""

import statistics
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
import numpy as np

from rhythm.bench.living_play import NOTHING, lives_of
from rhythm.life.living import Lives
from rhythm.life.profiles import belief_targets
from rhythm.rehearse.files import Morning, write_calendar, write_health
from rhythm.rehearse.house import Clock, House, served
from rhythm.rehearse.suggesters import suggester_of
from rhythm.vocab import (
    ACTIONS,
    BELIEF_NAMES,
    OUTCOMES,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    Action,
    Outcome,
    PartOfDay,
    day_of,
    slot_number,
)

ZONE: Final = "Europe/Berlin"
FIRST_SLOT: Final = slot_number(datetime(2026, 3, 2, tzinfo=UTC).date(), PartOfDay.MORNING)
"""A Monday; the clocks change in the fourth week."""
_OPENS_H: Final = {PartOfDay.MORNING: 7, PartOfDay.AFTERNOON: 13, PartOfDay.EVENING: 18, PartOfDay.NIGHT: 22.5}
_TAPPED: Final = (Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED)
_BY_LABEL: Final = {action.label: action for action in ACTIONS}


class Lived(msgspec.Struct, frozen=True):
    """One person's weeks with one policy, week by week.

    Attributes:
        policy: see `rhythm.rehearse.suggesters`.
        seed: of the person.
        wellbeing: mean over the slots, by their own weights.
        offered: suggestions whose slot came.
        looked_at: of these, accepted, turned down or moved.
        accepted: of these, accepted.
        errors: absolute error of the three beliefs that *You* shows, as the week ends.
        covered: whether their 80 % intervals hold the truth.
        today_ms: median time of *Today* over HTTP.
    """

    policy: str
    seed: int
    wellbeing: list[float]
    offered: list[int]
    looked_at: list[int]
    accepted: list[int]
    errors: list[list[float]]
    covered: list[list[bool]]
    today_ms: float


def rehearse(policy: str, seed: int, weeks: int) -> Lived:
    """Live so many weeks.

    Raises:
        UnknownNameError: no such policy.
        RehearsalError: the assistant refused what a person may do.
    """
    own = lives_of(np.array([seed]))
    lives = Lives(np.array([seed]), own.people, own.styles, first_slot=FIRST_SLOT)
    clock = Clock(_opens_at(FIRST_SLOT))
    zone = ZoneInfo(ZONE)
    record = _Record(weeks)
    with tempfile.TemporaryDirectory(prefix="rhythm-rehearsal-") as folder:
        suggester = suggester_of(policy, lives)
        with served(Path(folder), clock, ZONE, suggester) as house:
            desk = _Desk(house, zone, seed)
            for number in range(weeks * WEEK_STEPS):
                _live_slot(lives, house, desk, record, number // WEEK_STEPS)
                if (number + 1) % WEEK_STEPS == 0:
                    record.judge(house.you(), belief_targets(lives.people)[0])
            today_ms = 1000.0 * statistics.median(house.today_s)
    return Lived(
        policy, seed, (record.wellbeing / WEEK_STEPS).tolist(), record.offered, record.looked_at, record.accepted,
        record.errors, record.covered, today_ms,
    )  # fmt: skip


def _live_slot(lives: Lives, house: House, desk: "_Desk", record: "_Record", week: int) -> None:
    house.clock.at = _opens_at(lives.slot)
    if lives.slot % SLOTS_PER_DAY == PartOfDay.MORNING:
        desk.hand_in(lives.slot)
    waiting = [one for one in house.today()["waiting"] if one["slot"] == lives.slot]
    offered = _BY_LABEL[waiting[0]["action"]] if waiting else NOTHING
    seen = lives.offer(np.array([offered]))
    record.wellbeing[week] += lives.wellbeing[0]
    if waiting:
        outcome, moved = OUTCOMES[seen.outcomes[0]], int(seen.moved_to[0])
        record.count(week, outcome)
        if outcome in _TAPPED:
            house.clock.at += timedelta(minutes=10)
            house.answer(waiting[0]["number"], outcome.value, moved if moved >= 0 else None)
    desk.file(seen.slot, int(seen.recorded[0]), lives)


def _opens_at(slot: int) -> datetime:
    """Some minutes into a slot, so that what was in it before is over."""
    local = datetime.combine(day_of(slot), datetime.min.time(), ZoneInfo(ZONE))
    return (local + timedelta(hours=_OPENS_H[PartOfDay(slot % SLOTS_PER_DAY)], minutes=5)).astimezone(UTC)


class _Desk:
    """What calendar and watch have of the person, and the files that they are handed in as."""

    def __init__(self, house: House, zone: ZoneInfo, seed: int) -> None:
        self._house = house
        self._zone = zone
        self._seed = seed
        self._recorded: dict[int, Action] = {}
        self._mornings: list[tuple[int, Morning]] = []

    def file(self, slot: int, recorded: int, lives: Lives) -> None:
        """What a slot that is over leaves behind; signals of a morning from when they arrive."""
        if recorded >= 0:
            self._recorded[slot] = ACTIONS[recorded]
        if lives.slot % SLOTS_PER_DAY == PartOfDay.MORNING:
            arrives = lives.slot + int(lives.signals.delays[0])
            self._mornings.append((arrives, Morning(day_of(lives.slot), lives.signals.values[0].copy())))

    def hand_in(self, slot: int) -> None:
        """The whole calendar, and what the watch has shown since the last morning."""
        calendar, health = self._house.folder / "calendar.ics", self._house.folder / f"health-{slot}.xml"
        write_calendar(calendar, self._recorded, self._zone, self._seed, kept=1.0)
        self._house.hand_in(calendar)
        here = [morning for arrives, morning in self._mornings if arrives <= slot]
        self._mornings = [(arrives, morning) for arrives, morning in self._mornings if arrives > slot]
        if any(np.isfinite(morning.values).any() for morning in here):
            write_health(health, here, self._zone, self._seed + slot)
            self._house.hand_in(health)


class _Record:
    """Grades, week by week."""

    def __init__(self, weeks: int) -> None:
        self.wellbeing = np.zeros(weeks)
        self.offered, self.looked_at, self.accepted = [0] * weeks, [0] * weeks, [0] * weeks
        self.errors: list[list[float]] = []
        self.covered: list[list[bool]] = []

    def count(self, week: int, outcome: Outcome) -> None:
        """A suggestion's slot came."""
        self.offered[week] += 1
        self.looked_at[week] += outcome in _TAPPED
        self.accepted[week] += outcome is Outcome.ACCEPTED

    def judge(self, you: dict[str, Any], truth: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        """What *You* shows against who the person is."""
        lines = {line["name"]: line for line in you["beliefs"]}
        ours = [lines[name] for name in BELIEF_NAMES]
        pairs = list(zip(ours, truth.tolist(), strict=True))
        self.errors.append([abs(line["mean"] / 100.0 - target) for line, target in pairs])
        self.covered.append([line["low"] <= 100.0 * target <= line["high"] for line, target in pairs])
