"""A Fitbit sleep log to records: stages or classic levels, short wakes cut out, totals where there are no levels.

The log's times are the wall clock without an offset, and its levels lie end to end; so the first
start is read in the person's zone and everything behind it is counted in seconds, which keeps
the true length of a night in which the clocks change. ``shortData``, where it is there, lays wakes
of up to three minutes over the levels; Fitbit does not count these as sleep. A summary of
the levels is written too, sometimes twice: it is not read.
"""

from datetime import datetime, timedelta, tzinfo

from rhythm.bridge.wearables.exports.clocks import Moment, in_zone, lasting, us_wall
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.exports.documents import Fields, objects_at
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.signals import Signal

LEVELS: dict[str, Signal] = {
    "deep": Signal.SLEEP_DEEP_MIN,
    "light": Signal.SLEEP_CORE_MIN,
    "rem": Signal.SLEEP_REM_MIN,
    "wake": Signal.SLEEP_AWAKE_MIN,
    "asleep": Signal.SLEEP_ASLEEP_MIN,
    "restless": Signal.SLEEP_AWAKE_MIN,
    "awake": Signal.SLEEP_AWAKE_MIN,
}
"""Restless, of the classic levels, is not counted as sleep by Fitbit's own minutes asleep."""
TOTALS: dict[Signal, str] = {Signal.NIGHT_ASLEEP_MIN: "minutesAsleep", Signal.NIGHT_AWAKE_MIN: "minutesAwake"}

_LONGEST_S = 86_400.0

_Piece = tuple[float, float, Signal]
"""From and to, in seconds behind the log's start, and what it was."""


def sleep_log(log: Fields, out: Collector, zone: tzinfo) -> Times:
    """The records of one log.

    Returns:
        From when until when it lasts.

    Raises:
        UnusableError: it has no start, or a level's length is no number.
    """
    wall = us_wall(log.get("startTime"))
    start, name = in_zone(wall, zone), log.get("logId")
    pieces = _levels(log)
    night = lasting(start, pieces[-1][1] if pieces else number_of(log.get("duration") or 0) / 1000)
    if not pieces:
        for signal, field in TOTALS.items():
            out.add(signal, log.get(field), night, external_id=name)
        return night
    wakes = _wakes(log, wall)
    for piece in pieces:
        for begin, end in _without(piece, wakes):
            out.span(piece[2], _times(start, begin, end), external_id=word(name))
    for begin, end in wakes:
        out.span(Signal.SLEEP_AWAKE_MIN, _times(start, begin, end), external_id=f"{word(name)} short")
    return night


def _levels(log: Fields) -> list[_Piece]:
    pieces: list[_Piece] = []
    at_s = 0.0
    for level in objects_at(log, "levels", "data"):
        signal = LEVELS.get(word(level.get("level")))
        lasts_s = number_of(level.get("seconds"))
        if signal is None or not 0 <= lasts_s <= _LONGEST_S:
            raise UnusableError(ProblemKind.BAD_VALUE, Signal.SLEEP_ASLEEP_MIN)
        if lasts_s:
            pieces.append((at_s, at_s + lasts_s, signal))
        at_s += lasts_s
    return pieces


def _wakes(log: Fields, wall: datetime) -> list[tuple[float, float]]:
    """The short wakes that lie within the levels; in order and apart."""
    wakes = []
    for short in objects_at(log, "levels", "shortData"):
        begin = (us_wall(short.get("dateTime")) - wall) / timedelta(seconds=1)
        lasts_s = number_of(short.get("seconds"))
        if 0 <= begin <= _LONGEST_S and 0 < lasts_s <= _LONGEST_S:
            wakes.append((begin, begin + lasts_s))
    apart: list[tuple[float, float]] = []
    for begin, end in sorted(wakes):
        if not apart or begin >= apart[-1][1]:
            apart.append((begin, end))
    return apart


def _without(piece: _Piece, wakes: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """What is left of a piece when the wakes are cut out."""
    begin, end, _ = piece
    left = []
    for wake_begin, wake_end in wakes:
        if wake_end <= begin or wake_begin >= end:
            continue
        if wake_begin > begin:
            left.append((begin, wake_begin))
        begin = wake_end
    if begin < end:
        left.append((begin, end))
    return left


def _times(start: Moment, begin_s: float, end_s: float) -> Times:
    begin_at = lasting(start, begin_s).end_at
    return lasting(Moment(begin_at, start.offset_min), end_s - begin_s)
