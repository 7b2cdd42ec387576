"""Things that add up (steps, energy, exercise minutes): for each local hour the device that covered it best.

A phone and a watch both count a walk, so their sum is about twice the truth; taking one of
them for the whole day loses what the other saw while the first lay on a desk.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
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


class _Hour:
    """What one device says of one hour."""

    def __init__(self) -> None:
        self.amount = 0.0
        self.samples = 0
        self.spans: list[Span] = []


def best_covered_sums(records: Iterable[Record], priority: Sequence[str] = ()) -> dict[date, DaySum]:
    """Sums by local day; a record over several hours is spread over them by time.

    Hours are those of the record's own local clock and offset, so a day has 23, 24 or 25 of
    them when the clocks change, and any number on a journey.

    Args:
        records: records of one signal, each sample once.
        priority: sources in the person's order; it decides between equal coverage only.
    """
    hours: dict[tuple[date, int, int], dict[str, _Hour]] = defaultdict(lambda: defaultdict(_Hour))
    for record in records:
        for key, span, share in _pieces(record):
            hour = hours[key][record.source]
            hour.amount += record.value * share
            hour.samples += 1
            hour.spans.append(span)
    rank = {source: i for i, source in enumerate(priority)}
    days: dict[date, list[tuple[str, _Hour]]] = defaultdict(list)
    for (day, _, _), sources in sorted(hours.items()):
        best = next(iter(sources)) if len(sources) == 1 else _best_covered(sources, rank)
        days[day].append((best, sources[best]))
    return {
        day: DaySum(
            sum(hour.amount for _, hour in chosen),
            sum(hour.samples for _, hour in chosen),
            tuple(sorted({source for source, _ in chosen})),
            max(end_at for _, hour in chosen for _, end_at in hour.spans),
        )
        for day, chosen in days.items()
    }


def _best_covered(sources: dict[str, _Hour], rank: dict[str, int]) -> str:
    covered = {source: total_min(union(hour.spans)) for source, hour in sources.items()}
    return min(sources, key=lambda s: (-covered[s], rank.get(s, len(rank)), -sources[s].amount, s))


def _pieces(record: Record) -> list[tuple[tuple[date, int, int], Span, float]]:
    """The local hours that a record touches, with its span in each and its share by time."""
    offset = record.offset_min * _MINUTE
    lasts = record.end_at - record.start_at
    pieces: list[tuple[tuple[date, int, int], Span, float]] = []
    start_at = record.start_at
    while True:
        local = start_at + offset
        next_at = local.replace(minute=0, second=0, microsecond=0) + _HOUR - offset
        if not pieces and record.end_at <= next_at:
            return [((local.date(), local.hour, record.offset_min), (start_at, record.end_at), 1.0)]
        end_at = min(next_at, record.end_at)
        share = (end_at - start_at) / lasts if lasts else 1.0
        pieces.append(((local.date(), local.hour, record.offset_min), (start_at, end_at), share))
        if next_at >= record.end_at:
            return pieces
        start_at = next_at
