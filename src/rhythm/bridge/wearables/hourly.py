"""Things that add up (steps, energy, exercise minutes): for each hour the device that covered it best.

A phone and a watch both count a walk, so their sum is about twice the truth; taking one of
them for the whole day loses what the other saw while the first lay on a desk. Devices are compared
over hours of UTC: two that disagree about the local offset (one of them on a journey, or told
before the clocks changed) still told of the same hour.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.spans import Span, total_min, union

_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)


class DaySum(NamedTuple):
    """What a day adds up to, from how many records, by which devices, until when."""

    value: float
    samples: int
    sources: tuple[str, ...]
    last_at: datetime


class _Piece(NamedTuple):
    """A record's share of one hour: of which local day, from when until when, how much."""

    day: date
    span: Span
    amount: float


def best_covered_sums(records: Iterable[Record], priority: Sequence[str] = ()) -> dict[date, DaySum]:
    """Sums by local day; a record over several hours is spread over them by time.

    A piece lies on the local day of its record's own clock and offset, so a day has 23, 24 or 25
    hours when the clocks change, and any number on a journey.

    Args:
        records: records of one signal, each sample once.
        priority: sources in the person's order; it decides between equal coverage only.
    """
    hours = _by_hour(records)
    rank = {source: i for i, source in enumerate(priority)}
    days: dict[date, list[tuple[str, _Piece]]] = defaultdict(list)
    for _, sources in sorted(hours.items()):
        if len(sources) == 1:
            for source, pieces in sources.items():
                for piece in pieces:
                    days[piece[0]].append((source, piece))
            continue
        covered = {source: total_min(union(p.span for p in pieces)) for source, pieces in sources.items()}
        amounts = {source: sum(p.amount for p in pieces) for source, pieces in sources.items()}
        best = min(sources, key=lambda s: (-covered[s], rank.get(s, len(rank)), -amounts[s], s))
        for piece in sources[best]:
            days[piece.day].append((best, piece))
    return {
        day: DaySum(
            sum(piece.amount for _, piece in chosen),
            len(chosen),
            tuple(sorted({source for source, _ in chosen})),
            max(piece.span[1] for _, piece in chosen),
        )
        for day, chosen in sorted(days.items())
    }


def _by_hour(records: Iterable[Record]) -> dict[datetime, dict[str, list[_Piece]]]:
    """The records' pieces by hour of UTC and source. Nearly all lie within one hour, which is a short way."""
    hours: dict[datetime, dict[str, list[_Piece]]] = defaultdict(lambda: defaultdict(list))
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
            hours[hour_at][record.source].append(_Piece(day, (start_at, end_at), record.value))
        else:
            for piece_at, piece in _pieces(record):
                hours[piece_at][record.source].append(piece)
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
        yield hour_at, _Piece(day, (start_at, end_at), record.value * share)
        if end_at >= record.end_at:
            return
        start_at = end_at
