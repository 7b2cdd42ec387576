"""Stretches of time as (start, end) pairs of instants: unions, differences, lengths."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]

_MINUTE = timedelta(minutes=1)


def union(spans: Iterable[Span], *, bridge: timedelta = timedelta(0)) -> list[Span]:
    """The same time as disjoint spans by start; gaps up to ``bridge`` are closed, empty spans fall away."""
    joined: list[Span] = []
    for start_at, end_at in sorted(s for s in spans if s[0] < s[1]):
        if joined and start_at - joined[-1][1] <= bridge:
            joined[-1] = joined[-1][0], max(joined[-1][1], end_at)
        else:
            joined.append((start_at, end_at))
    return joined


def overlap_min(first: Sequence[Span], second: Sequence[Span]) -> float:
    """Minutes that two lists of disjoint spans share."""
    total = timedelta(0)
    i = j = 0
    while i < len(first) and j < len(second):
        start_at, end_at = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if start_at < end_at:
            total += end_at - start_at
        if first[i][1] <= second[j][1]:
            i += 1
        else:
            j += 1
    return total / _MINUTE


def total_min(spans: Iterable[Span]) -> float:
    """Minutes of disjoint spans together."""
    return sum((end_at - start_at) / _MINUTE for start_at, end_at in spans)
