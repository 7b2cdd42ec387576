"""Short ways to make records at local times."""

from datetime import UTC, datetime, timedelta

from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal


def at(text: str, offset_min: int = 60) -> datetime:
    """The instant of a local time ``2026-03-02 23:10``."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) - timedelta(minutes=offset_min)


def made(
    signal: Signal,
    start: str,
    end: str | None = None,
    value: float | None = None,
    source: str = "apple_health/Watch",
    offset_min: int = 60,
) -> Record:
    """A record between two local times; an interval's value is its length unless it is given."""
    start_at = at(start, offset_min)
    end_at = start_at if end is None else at(end, offset_min)
    if value is None:
        assert SIGNALS[signal].is_interval_length
        value = (end_at - start_at) / timedelta(minutes=1)
    return Record(signal, value, start_at, end_at, offset_min, source)
