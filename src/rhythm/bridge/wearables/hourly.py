"""Things that add up (steps, energy, exercise minutes): for each hour the device that covered it best.

A phone and a watch both count a walk, so their sum is about twice the truth; taking one of
them for the whole day loses what the other saw while the first lay on a desk. Devices are compared
over hours of UTC: two that disagree about the local offset (one of them on a journey, or told
before the clocks changed) still told of the same hour.

One device, too, can tell the same twice: an app that once gave days and now gives hours, a day that
was read once in one time zone and once in another. Neither is added to the other; the fuller one counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.spans import total_min, union

_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)
_DAY_LONG = timedelta(hours=20)
"""A record of at least so much is the total of a day."""


class DaySum(NamedTuple):
    """What a day adds up to, from how many records, by which devices, until when."""

    value: float
    samples: int
    sources: tuple[str, ...]
    last_at: datetime


_Piece = tuple[date, datetime, datetime, float]
"""A record's share of one hour: of which local day, from when until when, how much. Millions of them: no class."""
_Hour = dict[str, list[_Piece]]
"""The pieces of one hour of UTC by source."""


def best_covered_sums(records: Iterable[Record], priority: Sequence[str] = ()) -> dict[date, DaySum]:
    """Sums by local day; a record over several hours is spread over them by time.

    A piece lies on the local day of its record's own clock and offset, so a day has 23, 24 or 25
    hours when the clocks change, and any number on a journey.

    Args:
        records: records of one signal, each sample once.
        priority: sources, best first; it decides between equal coverage only, and the assistant offers none yet.
    """
    rank = {source: i for i, source in enumerate(priority)}
    chosen: dict[date, list[_Piece]] = defaultdict(list)
    sources: dict[date, set[str]] = defaultdict(set)
    for _, hour in sorted(_by_hour(records).items()):
        best = next(iter(hour)) if len(hour) == 1 else _best_covered(hour, rank)
        pieces = hour[best] if len(hour[best]) == 1 else _told_once(hour[best])
        for piece in pieces:
            chosen[piece[0]].append(piece)
        for day in {piece[0] for piece in pieces}:
            sources[day].add(best)
    return {
        day: DaySum(
            sum([amount for _, _, _, amount in pieces]),
            len(pieces),
            tuple(sorted(sources[day])),
            max([end_at for _, _, end_at, _ in pieces]),
        )
        for day, pieces in sorted(chosen.items())
    }


def _best_covered(hour: _Hour, rank: dict[str, int]) -> str:
    covered = {
        source: total_min(union((start_at, end_at) for _, start_at, end_at, _ in pieces))
        for source, pieces in hour.items()
    }
    amounts = {source: sum(piece[3] for piece in pieces) for source, pieces in hour.items()}
    return min(hour, key=lambda s: (-covered[s], rank.get(s, len(rank)), -amounts[s], s))


def _told_once(pieces: list[_Piece]) -> list[_Piece]:
    """One device's pieces of an hour: where one is the whole hour and others of its day lie in it, the larger telling.

    Two days can share an hour: those on whose border the clocks change, or a journey lies.
    """
    whole = {piece[0]: piece for piece in sorted(pieces, key=lambda piece: piece[3]) if _is_whole(piece)}
    if not whole or len(pieces) == len(whole):
        return pieces
    parts: dict[date, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        if not _is_whole(piece):
            parts[piece[0]].append(piece)
    kept: list[_Piece] = []
    for day in sorted(whole.keys() | parts.keys()):
        told = sum(piece[3] for piece in parts[day])
        kept += [whole[day]] if day in whole and whole[day][3] > told else parts[day]
    return kept


def _is_whole(piece: _Piece) -> bool:
    return piece[2] - piece[1] == _HOUR


def _lay_days(hours: dict[datetime, _Hour], totals: list[Record]) -> None:
    """Adds totals of days to the hours: one a day and device, and only where that tells more than its shorter ones."""
    best: dict[tuple[str, date], Record] = {}
    for record in totals:
        known = best.get((record.source, record.local_day))
        if known is None or record.value > known.value:
            best[record.source, record.local_day] = record
    told: dict[tuple[str, date], float] = defaultdict(float)
    of_days = {source for source, _ in best}
    for hour in hours.values():
        for source in of_days & hour.keys():
            for day, _, _, amount in hour[source]:
                told[source, day] += amount
    larger = {key: record for key, record in best.items() if record.value > told.get(key, 0.0)}
    for hour in hours.values():
        for source in of_days & hour.keys():
            hour[source] = [piece for piece in hour[source] if (source, piece[0]) not in larger]
            if not hour[source]:
                del hour[source]
    for record in larger.values():
        for piece_at, piece in _pieces(record):
            hours[piece_at][record.source].append(piece)


def _by_hour(records: Iterable[Record]) -> dict[datetime, _Hour]:
    """The records' pieces by hour of UTC. Nearly all lie within one hour, which is a short way."""
    hours: dict[datetime, _Hour] = defaultdict(lambda: defaultdict(list))
    totals: list[Record] = []
    hour_at = next_at = datetime.min.replace(tzinfo=UTC)
    for record in records:
        start_at, end_at, offset_min = record.start_at, record.end_at, record.offset_min
        if not hour_at <= start_at < next_at:
            hour_at = start_at.replace(minute=0, second=0, microsecond=0)
            next_at = hour_at + _HOUR
            days: dict[int, date] = {}
        if end_at <= next_at and not offset_min % 60:  # no local midnight lies within the hour
            day = days.get(offset_min)
            if day is None:
                day = days[offset_min] = (hour_at + offset_min * _MINUTE).date()
            hours[hour_at][record.source].append((day, start_at, end_at, record.value))
        elif end_at - start_at >= _DAY_LONG:
            totals.append(record)
        else:
            for piece_at, piece in _pieces(record):
                hours[piece_at][record.source].append(piece)
    if totals:
        _lay_days(hours, totals)
        hours = {at: hour for at, hour in hours.items() if hour}
    return hours


def _pieces(record: Record) -> Iterator[tuple[datetime, _Piece]]:
    """The record cut at full hours of UTC and at its local midnights, each piece with the hour it lies in."""
    offset = timedelta(minutes=record.offset_min)
    lasts = record.end_at - record.start_at
    start_at = record.start_at
    while True:
        hour_at = start_at.replace(minute=0, second=0, microsecond=0)
        day = (start_at + offset).date()
        midnight_at = (
            (start_at + offset).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - offset
        )
        end_at = min(hour_at + _HOUR, midnight_at, record.end_at)
        share = (end_at - start_at) / lasts if lasts else 1.0
        yield hour_at, (day, start_at, end_at, record.value * share)
        if end_at >= record.end_at:
            return
        start_at = end_at
