"""Meeting density: the share of a working day that meetings take.

A meeting is a timed event that takes time, is no special state (focus time, out of office),
and has at least one other person on it or is called a meeting by its title. Meetings are
merged before they are summed, and clipped to the working window. A free stretch of two hours
or more counts as focus time, as calendar tools commonly define it.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, tzinfo

import msgspec

from rhythm.bridge.calendar.busy import blocks
from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.intervals import free_between, merged, minutes
from rhythm.bridge.calendar.zones import to_utc
from rhythm.vocab.errors import InvalidValueError

WORK_BEGINS = time(9)
WORK_ENDS = time(17)
FOCUS_MIN = 120.0


class MeetingDensity(msgspec.Struct, frozen=True):
    """How a day's working window is taken up.

    Attributes:
        share: share of the window in meetings, in [0, 1].
        meetings: how many events count as meetings in it.
        longest_free_min: longest stretch without a meeting.
        focus_min: minutes in stretches of two hours or more without a meeting.
    """

    share: float
    meetings: int
    longest_free_min: float
    focus_min: float


def is_meeting(event: CalendarEvent, *, called_meeting: bool) -> bool:
    """Whether an event counts as a meeting; `called_meeting` is what its classification says."""
    return blocks(event) and event.kind is EventKind.DEFAULT and (event.others >= 1 or called_meeting)


def meeting_density(
    events: Sequence[CalendarEvent],
    called_meeting: Sequence[bool],
    day: date,
    zone: tzinfo,
    *,
    begins: time = WORK_BEGINS,
    ends: time = WORK_ENDS,
) -> MeetingDensity:
    """The density of one local day.

    Args:
        events: occurrences, in any order.
        called_meeting: for each event, whether its classification calls it a meeting.
        day: the local day.
        zone: the person's time zone.
        begins: local start of the working window.
        ends: local end of it.

    Raises:
        InvalidValueError: not one flag for each event, or a window that does not end after it begins.
    """
    if len(events) != len(called_meeting):
        raise InvalidValueError(f"got {len(called_meeting)} flags for {len(events)} events; give one for each")
    window = (to_utc(datetime.combine(day, begins), zone), to_utc(datetime.combine(day, ends), zone))
    if window[1] <= window[0]:
        raise InvalidValueError("the working window must end after it begins")
    meetings = [
        (event.start_at, event.end_at)
        for event, called in zip(events, called_meeting, strict=True)
        if is_meeting(event, called_meeting=called) and event.start_at < window[1] and window[0] < event.end_at
    ]
    taken = merged(meetings, window)
    free = [minutes(gap) for gap in free_between(taken, window)]
    return MeetingDensity(
        sum(minutes(part) for part in taken) / minutes(window),
        len(meetings),
        max(free, default=0.0),
        sum(gap for gap in free if gap >= FOCUS_MIN),
    )
