"""Work that is due by itself: each calendar feed is fetched every hour, more seldom while it fails.

What is due stands in the store with a lease, so two processes never fetch the same feed, one that dies
leaves nothing locked for long, and what fell due while nothing ran is done at the next start.
"""

import os
from collections.abc import Callable
from datetime import datetime, timedelta

from rhythm.store import CalendarSource, PersonStore
from rhythm.store.errors import UnknownEntryError

EVERY = timedelta(hours=1)
LONGEST_WAIT = timedelta(hours=24)
LEASE = timedelta(minutes=5)
_PREFIX = "feed-"


def plan_feed(person: PersonStore, number: int, at: datetime) -> None:
    """Sets when a feed is next fetched."""
    person.jobs.plan(f"{_PREFIX}{number}", at)


def drop_feed(person: PersonStore, number: int) -> None:
    """Fetches a feed no more."""
    person.jobs.delete(f"{_PREFIX}{number}")


def run_due(person: PersonStore, now_at: datetime, refresh: Callable[[int], CalendarSource]) -> int:
    """Fetches every feed that is due; how many.

    Args:
        person: whose.
        now_at: the moment, aware.
        refresh: fetches the feed of that number; see `rhythm.assist.feeds.refresh_feed`.
    """
    owner, done = f"process {os.getpid()}", 0
    for job in person.jobs.all():
        if not job.name.startswith(_PREFIX) or person.jobs.claim(job.name, owner, LEASE) is None:
            continue
        try:
            failure = refresh(int(job.name.removeprefix(_PREFIX))).failure
        except UnknownEntryError:
            person.jobs.delete(job.name)
            continue
        wait = EVERY if failure is None else min(LONGEST_WAIT, EVERY * 2 ** min(job.failures, 5))
        person.jobs.finish(job.name, owner, now_at + wait, failure)
        done += 1
    return done
