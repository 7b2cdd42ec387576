"""Work that is due by itself: a calendar feed is fetched every hour, an account read every day; more seldom on failure.

What is due stands in the store with a lease, so two processes never fetch the same feed, one that dies
leaves nothing locked for long, and what fell due while nothing ran is done at the next start.
"""

import logging
import os
from collections.abc import Callable
from datetime import datetime, timedelta

from rhythm.assist.accounts import EVERY as ACCOUNT_EVERY
from rhythm.assist.accounts import PREFIX as _ACCOUNT
from rhythm.assist.accounts import failure_of
from rhythm.assist.keeper import SecretError
from rhythm.bridge.accounts.face import AccountError
from rhythm.store import CalendarSource, PersonStore
from rhythm.store.errors import UnknownEntryError

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
ACCOUNT_AGAIN = timedelta(minutes=30)
"""How soon an account that failed is tried again, at first; or later where the vendor says so."""
LONGEST_WAIT = timedelta(hours=24)
LEASE = timedelta(minutes=5)
_PREFIX = "feed-"
ACCOUNT_LEASE = timedelta(hours=2)


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
        except Exception as error:  # noqa: BLE001 - one calendar must not keep the others from being fetched
            failure = _failed(error)
        wait = EVERY if failure is None else min(LONGEST_WAIT, EVERY * 2 ** min(job.failures, 5))
        person.jobs.finish(job.name, owner, now_at + wait, failure)
        done += 1
    return done


def plan_account(person: PersonStore, name: str, at: datetime) -> None:
    """Sets when an account is next read; what was read of it stays known."""
    person.jobs.plan(f"{_ACCOUNT}{name}", at)


def run_due_accounts(person: PersonStore, now_at: datetime, read: Callable[[str], object]) -> int:
    """Reads every account that is due; how many.

    Args:
        person: whose.
        now_at: the moment, aware.
        read: reads the account of that name; see `rhythm.assist.accounts.read_account`.
    """
    owner, done = f"process {os.getpid()}", 0
    for job in person.jobs.all():
        if not job.name.startswith(_ACCOUNT) or person.jobs.claim(job.name, owner, ACCOUNT_LEASE) is None:
            continue
        failure, wait = None, ACCOUNT_EVERY
        try:
            read(job.name.removeprefix(_ACCOUNT))
        except (AccountError, SecretError) as error:
            failure = failure_of(error)
            asked = timedelta(seconds=error.retry_after_s) if isinstance(error, AccountError) else timedelta(0)
            wait = max(asked, min(LONGEST_WAIT, ACCOUNT_AGAIN * 2 ** min(job.failures, 6)))
        except Exception as error:  # noqa: BLE001 - one account must not keep the others from being read
            failure, wait = _failed(error), min(LONGEST_WAIT, ACCOUNT_AGAIN * 2 ** min(job.failures, 6))
        person.jobs.finish(job.name, owner, now_at + wait, failure)
        done += 1
    return done


def _failed(error: Exception) -> str:
    """The kind of a failure that nobody foresaw; its text could hold what was read."""
    log.error("work that was due failed: %s", type(error).__name__)
    return type(error).__name__
