"""Stretches of time as (start, end) pairs of instants: merging, free gaps, minutes."""

from collections.abc import Iterable, Sequence
from datetime import datetime

Interval = tuple[datetime, datetime]


def merged(intervals: Iterable[Interval], within: Interval) -> list[Interval]:
    """The union of intervals, clipped to one, as disjoint stretches by start; empty ones fall away."""
    start_at, end_at = within
    result: list[Interval] = []
    for first_at, last_at in sorted((max(a, start_at), min(b, end_at)) for a, b in intervals):
        if first_at >= last_at:
            continue
        if result and first_at <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], last_at))
        else:
            result.append((first_at, last_at))
    return result


def free_between(blocked: Sequence[Interval], within: Interval) -> list[Interval]:
    """What is left of an interval beside disjoint stretches inside it, by start."""
    gaps: list[Interval] = []
    cursor_at, end_at = within
    for first_at, last_at in blocked:
        if cursor_at < first_at:
            gaps.append((cursor_at, first_at))
        cursor_at = last_at
    if cursor_at < end_at:
        gaps.append((cursor_at, end_at))
    return gaps


def minutes(interval: Interval) -> float:
    """Length in minutes."""
    return (interval[1] - interval[0]).total_seconds() / 60
