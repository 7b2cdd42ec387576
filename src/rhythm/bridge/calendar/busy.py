"""Events to slots: how busy each slot is, and what the calendar says it was spent on.

Three rules, in the order in which they are asked:

1. *Which events take time.* A timed event that is not transparent, not declined, shorter than
   a day and not a working location or birthday *blocks*. All-day events never block, nor does a
   timed event of 24 hours or more: it says where a person is, not what each hour holds.
2. *Which slots are busy.* A slot is busy when blocked time covers at least half of it, or leaves
   no free stretch of at least an hour. Nothing is suggested over a busy slot. Overlapping
   events are merged first, so an hour counts once.
3. *What a slot counts as.* Minutes are summed per action over the blocking events of the slot
   (overlaps of one action once). The action counts when it fills at least half of the slot, or
   at least its own least time (`LEAST_MIN`); of several the one with the most minutes. An event
   that spans slots so counts in each slot of which it fills enough.

The half, the hour and the table are design choices: published studies do not fix them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import msgspec

from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.intervals import Interval, free_between, merged, minutes
from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.history import Done
from rhythm.vocab.slots import SlotTimes

BUSY_SHARE = 0.5
ROOM_MIN = 60.0
COUNT_SHARE = 0.5
LONG_EVENT = timedelta(hours=24)
LEAST_MIN: dict[Action, float] = dict.fromkeys(Action, 60.0) | {Action.EXERCISE: 30.0, Action.MEDITATE: 10.0}
"""Minutes from which an action counts in a slot: short for what is done in short stretches."""
CALENDAR_SOURCE = "calendar"


class SlotUse(msgspec.Struct, frozen=True):
    """One slot as the calendar has it.

    Attributes:
        slot: slot number.
        start_at: its start, aware UTC.
        end_at: its end, aware UTC.
        blocked_min: minutes that events take, overlaps counted once.
        busy: no suggestion may be made for it.
        open_at: the longest free stretch of at least an hour (the earliest of equals); None in a busy slot.
        action: what the calendar says it is spent on, or None where it does not say.
        uids: the events that take time in it, by start.
    """

    slot: int
    start_at: datetime
    end_at: datetime
    blocked_min: float
    busy: bool
    open_at: Interval | None
    action: Action | None = None
    uids: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Blocked share of the slot, in [0, 1]; 1 for a slot without length."""
        length_min = minutes((self.start_at, self.end_at))
        return min(1.0, self.blocked_min / length_min) if length_min > 0 else 1.0


def blocks(event: CalendarEvent) -> bool:
    """Whether an event takes time of its owner."""
    return not (
        event.all_day
        or event.transparent
        or event.declined
        or event.kind in (EventKind.WORKING_LOCATION, EventKind.BIRTHDAY)
        or event.end_at - event.start_at >= LONG_EVENT
        or event.end_at == event.start_at
    )


def slot_uses(
    events: Sequence[CalendarEvent],
    actions: Sequence[Action | None],
    slots: range,
    zone: tzinfo,
    times: SlotTimes | None = None,
) -> tuple[SlotUse, ...]:
    """How the calendar uses each of a run of slots.

    Args:
        events: occurrences, in any order.
        actions: what each event counts as, as a classifier says; None for no activity.
        slots: slot numbers, consecutive and rising.
        zone: the person's time zone.
        times: when their slots begin.

    Raises:
        InvalidValueError: not one action for each event, or slots that are not consecutive.
    """
    if len(events) != len(actions):
        raise InvalidValueError(f"got {len(actions)} actions for {len(events)} events; give one for each, or None")
    if slots.step != 1:
        raise InvalidValueError(f"slots step by {slots.step}; give consecutive, rising slot numbers")
    if not slots:
        return ()
    times = times or SlotTimes()
    bounds = [times.bounds_at(slot, zone) for slot in slots]
    starts = [start_at for start_at, _ in bounds]
    held: list[list[tuple[CalendarEvent, Action | None]]] = [[] for _ in slots]
    pairs = [(event, action) for event, action in zip(events, actions, strict=True) if blocks(event)]
    for event, action in sorted(pairs, key=lambda pair: (pair[0].start_at, pair[0].end_at, pair[0].uid)):
        first = max(0, bisect_right(starts, event.start_at) - 1)
        behind = bisect_left(starts, event.end_at)
        for place in range(first, behind):
            if event.start_at < bounds[place][1]:
                held[place].append((event, action))
    return tuple(_slot_use(*row) for row in zip(slots, bounds, held, strict=True))


def done_in(uses: Iterable[SlotUse], before_at: datetime) -> tuple[Done, ...]:
    """What the slots that are over were spent on, as evidence, where the calendar says it."""
    return tuple(
        Done(use.slot, use.action, CALENDAR_SOURCE)
        for use in uses
        if use.action is not None and use.end_at <= before_at.astimezone(UTC)
    )


def _slot_use(slot: int, bounds: Interval, held: list[tuple[CalendarEvent, Action | None]]) -> SlotUse:
    blocked = merged(((event.start_at, event.end_at) for event, _ in held), bounds)
    blocked_min = sum(minutes(interval) for interval in blocked)
    length_min = minutes(bounds)
    longest = max(free_between(blocked, bounds), key=minutes, default=None)
    # A slot of less than two hours (a day of changed clocks, slot times of a person's own) is
    # open when at least half of it is free in one stretch.
    room_min = min(ROOM_MIN, BUSY_SHARE * length_min)
    busy = longest is None or minutes(longest) < room_min or blocked_min >= BUSY_SHARE * length_min
    return SlotUse(
        slot,
        *bounds,
        blocked_min,
        busy,
        None if busy else longest,
        _action_of(bounds, held),
        tuple(event.uid for event, _ in held),
    )


def _action_of(bounds: Interval, held: list[tuple[CalendarEvent, Action | None]]) -> Action | None:
    best: tuple[float, int] | None = None
    for action in sorted({action for _, action in held if action is not None}):
        parts = merged(((event.start_at, event.end_at) for event, a in held if a is action), bounds)
        spent_min = sum(minutes(part) for part in parts)
        enough = spent_min >= min(LEAST_MIN[action], COUNT_SHARE * minutes(bounds))
        if enough and spent_min > 0 and (best is None or spent_min > best[0]):
            best = (spent_min, action)
    return None if best is None else Action(best[1])
