"""Work that is due by itself: a calendar feed is fetched every hour, an account read every day, more seldom on failure;
adapters are fitted every week where that was asked for.

What is due stands in the store with a lease, so two processes never fetch the same feed, one that dies
leaves nothing locked for long, and what fell due while nothing ran is done at the next start.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from secrets import token_hex

import msgspec

from rhythm.adapt.job import Engine, WeeklyResult, run_due_adapter
from rhythm.assist.accounts import EVERY as ACCOUNT_EVERY
from rhythm.assist.accounts import PREFIX as _ACCOUNT
from rhythm.assist.accounts import BeingReadError, failure_of
from rhythm.assist.keeper import SecretError
from rhythm.assist.learning import cleared_at
from rhythm.bridge.accounts.face import AccountError
from rhythm.store import AdapterState, CalendarSource, ImportRun, Job, PersonStore
from rhythm.store.errors import UnknownEntryError

log = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
ACCOUNT_AGAIN = timedelta(minutes=30)
"""How soon an account that failed is tried again, at first; or later where the vendor says so."""
LONGEST_WAIT = timedelta(hours=24)
LEASE = timedelta(minutes=5)
_PREFIX = "feed-"
ACCOUNT_LEASE = timedelta(minutes=10)
"""Renewed with every page; a page takes minutes at most, waits that a vendor asks for included."""

_OWN = token_hex(4)
"""Processes on two machines may have one number."""

FORGOTTEN = "What was learned was forgotten while it was fitted to you, so it is not used."

OnPage = Callable[[], object]
ReadAccount = Callable[[str, OnPage], ImportRun]
"""Reads the account of a name and calls something after every page."""


def plan_feed(person: PersonStore, number: int, at: datetime) -> None:
    """Sets when a feed is next fetched."""
    person.jobs.plan(f"{_PREFIX}{number}", at)


def hasten_feeds(person: PersonStore, at: datetime) -> None:
    """Has every feed fetched as soon as work that is due is looked for."""
    for job in person.jobs.all():
        if job.name.startswith(_PREFIX):
            plan_feed(person, int(job.name.removeprefix(_PREFIX)), at)


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
    done = 0
    for job in person.jobs.all():
        if not job.name.startswith(_PREFIX) or person.jobs.claim(job.name, _owner(), LEASE) is None:
            continue
        try:
            failure = refresh(int(job.name.removeprefix(_PREFIX))).failure
        except UnknownEntryError:
            person.jobs.delete(job.name)
            continue
        except Exception as error:  # noqa: BLE001 - one calendar must not keep the others from being fetched
            failure = _failed(error)
        wait = EVERY if failure is None else min(LONGEST_WAIT, EVERY * 2 ** min(job.failures, 5))
        person.jobs.finish(job.name, _owner(), now_at + wait, failure)
        done += 1
    return done


def plan_account(person: PersonStore, name: str, at: datetime) -> None:
    """Sets when an account is next read; what was read of it stays known."""
    person.jobs.plan(f"{_ACCOUNT}{name}", at)


def run_due_accounts(person: PersonStore, now_at: datetime, read: ReadAccount) -> int:
    """Reads every account that is due; how many.

    Args:
        person: whose.
        now_at: the moment, aware.
        read: reads an account; see `rhythm.assist.accounts.read_account`.
    """
    done = 0
    for job in person.jobs.all():
        if not job.name.startswith(_ACCOUNT) or person.jobs.claim(job.name, _owner(), ACCOUNT_LEASE) is None:
            continue
        # One account must not keep the others from being read; how it ended is on record.
        with suppress(Exception), _reading(person, job, now_at) as on_page:
            read(job.name.removeprefix(_ACCOUNT), on_page)
        done += 1
    return done


def read_account_now(person: PersonStore, now_at: datetime, name: str, read: ReadAccount) -> ImportRun:
    """Reads an account whether it is due or not.

    Args:
        person: whose.
        now_at: the moment, aware.
        name: of the account.
        read: reads it; its errors are on record and raised.

    Raises:
        BeingReadError: another process is at it.
    """
    job = person.jobs.get(f"{_ACCOUNT}{name}")
    if job is None:
        return read(name, lambda: None)
    if person.jobs.claim(job.name, _owner(), ACCOUNT_LEASE, early=True) is None:
        raise BeingReadError(f"{name} is being read at this moment; the Data page shows how far it is")
    with _reading(person, job, now_at) as on_page:
        return read(name, on_page)


@contextmanager
def _reading(person: PersonStore, job: Job, now_at: datetime) -> Iterator[OnPage]:
    """Holds the lease of an account's job page by page, and writes down how the reading ended."""
    failure, wait = None, ACCOUNT_EVERY
    again = min(LONGEST_WAIT, ACCOUNT_AGAIN * 2 ** min(job.failures, 6))
    try:
        yield lambda: person.jobs.renew(job.name, _owner(), ACCOUNT_LEASE)
    except (AccountError, SecretError) as error:
        failure, wait = failure_of(error), again
        if isinstance(error, AccountError):
            wait = max(wait, timedelta(seconds=error.retry_after_s))
        raise
    except Exception as error:
        failure, wait = _failed(error), again
        raise
    except BaseException:
        failure, wait = "interrupted", timedelta(0)
        raise
    finally:
        person.jobs.finish(job.name, _owner(), now_at + wait, failure)


def fit_adapters(person: PersonStore, now_at: datetime, slot: int, engines: Sequence[Engine]) -> int:
    """Fits the adapters that are due, of those that the person asked for; how many.

    One that was fitted to what the person has forgotten meanwhile is not used.

    Args:
        person: whose.
        now_at: the moment, aware.
        slot: the present slot number.
        engines: what can be fitted.
    """
    wanted = [engine for engine in engines if person.jobs.get(engine.job) is not None]
    if not wanted:
        return 0
    done = 0
    for engine in wanted:
        begin = cleared_at(person.corrections.holding())
        result = run_due_adapter(person, now_at, slot, _owner(), behind=begin, engine=engine)
        if result is None:
            continue
        done += 1
        _unless_forgotten(person, begin, result)
    return done


def fit_adapter_now(person: PersonStore, slot: int, engine: Engine) -> WeeklyResult:
    """Fits an adapter whether it is due or not, and whether the person asked for one every week or not.

    One that was fitted to what the person has forgotten meanwhile is not used.

    Args:
        person: whose.
        slot: the present slot number.
        engine: what fits.

    Raises:
        RhythmError: it cannot be done, and nothing was changed.
    """
    begin = cleared_at(person.corrections.holding())
    return _unless_forgotten(person, begin, engine.run(person, slot, behind=begin))


def _unless_forgotten(person: PersonStore, begin: int, result: WeeklyResult) -> WeeklyResult:
    """What came of a fit to the evidence behind a number; not used where that has been forgotten meanwhile."""
    if result.number is None or cleared_at(person.corrections.holding()) <= begin:
        return result
    person.adapters.decide(result.number, AdapterState.REJECTED)
    return msgspec.structs.replace(result, deployed=False, sentence=FORGOTTEN)


def _owner() -> str:
    """This process among those of all machines that share the database."""
    return f"process {os.getpid()} {_OWN}"


def _failed(error: Exception) -> str:
    """The kind of a failure that nobody foresaw; its text could hold what was read."""
    log.error("work that was due failed: %s", type(error).__name__)
    return type(error).__name__
