"""A person's accounts with vendors: let in, read day by day, shown with their age, taken out.

Reading an account is an import like that of a file: a run with a checkpoint after each page, so that what was cut
short goes on there, nothing is stored twice, and the whole can be taken out again on the Data page. What lets
Rhythm in is kept encrypted beside the calendars' addresses.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta

import msgspec

from rhythm.assist.context import Context
from rhythm.assist.day_facts import refresh_days
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.assist.keeping_up import keep_up
from rhythm.bridge.accounts.backfill import Mark, steps
from rhythm.bridge.accounts.credentials import Credentials
from rhythm.bridge.accounts.face import Account, AccountError, HealthAccount, all_accounts
from rhythm.bridge.accounts.session import Session
from rhythm.store import ImportRun, PersonStore
from rhythm.vocab.errors import InvalidValueError, RhythmError, UnknownNameError

PREFIX = "account-"
"""Begins the name of an account's secret, of its job, and of what it reads in place of a file."""
EVERY = timedelta(hours=24)
FIRST_DAYS = 730
"""How far back the first reading goes."""
OVERLAP_DAYS = 3
"""Days that each later reading asks for again at least, and as many as one request may hold: watches tell late, some
after weeks in a drawer, and vendors work scores out again."""

_ENCODED = msgspec.json.Encoder()

Opened = Callable[[Account, Credentials, Callable[[Credentials], object]], Session]
"""Opens a session; another than the usual one in tests."""


class BeingReadError(RhythmError):
    """An account is being read by another process."""


class AccountLine(msgspec.Struct, frozen=True):
    """An account that Rhythm is let into.

    Attributes:
        name, title: which.
        since_at: when it was first let in.
        renewed_at: when what lets it in last changed.
        read_at: when a reading last ended; None before the first.
        next_at: when it is read next.
        failure: kind of the last failure; empty where there was none.
    """

    name: str
    title: str
    since_at: datetime
    renewed_at: datetime
    read_at: datetime | None
    next_at: datetime | None
    failure: str


def account_named(name: str) -> HealthAccount:
    """The account of that name.

    Raises:
        UnknownNameError: there is none.
    """
    for account in all_accounts():
        if account.name == name:
            return account
    raise UnknownNameError("account", name, tuple(account.name for account in all_accounts()))


def open_session(account: Account, credentials: Credentials, keep: Callable[[Credentials], object]) -> Session:
    """The usual session: the vendor's own address, and its patience."""
    return Session(account, credentials, keep)


def keep_credentials(keeper: Keeper, name: str, credentials: Credentials) -> None:
    """Keeps what lets Rhythm into an account.

    Raises:
        SecretError: secrets cannot be kept here.
    """
    keeper.put(f"{PREFIX}{name}", _ENCODED.encode(credentials).decode())


def credentials_of(keeper: Keeper, name: str) -> Credentials:
    """What lets Rhythm into an account.

    Raises:
        SecretError: it is not connected, or was kept under another token.
    """
    try:
        return msgspec.json.decode(keeper.get(f"{PREFIX}{name}"), type=Credentials)
    except msgspec.DecodeError:
        raise SecretError(f"the login of {name} is damaged; run `rhythm connect {name}` again") from None


def disconnect(person: PersonStore, keeper: Keeper, name: str) -> None:
    """Forgets what lets Rhythm into an account, and reads it no more; what was read stays.

    Raises:
        UnknownNameError: no such account.
    """
    account_named(name)
    keeper.drop(f"{PREFIX}{name}")
    person.jobs.delete(f"{PREFIX}{name}")


def lines_of(person: PersonStore) -> tuple[AccountLine, ...]:
    """The accounts that Rhythm is let into, by name."""
    known = {info.name: info for info in person.secrets.all()}
    found = []
    for account in all_accounts():
        info, job = known.get(f"{PREFIX}{account.name}"), person.jobs.get(f"{PREFIX}{account.name}")
        if info is not None:
            read_at, next_at, failure = (None, None, "") if job is None else (
                job.finished_at, job.due_at, job.last_error or ""
            )  # fmt: skip
            since_at, renewed_at = info.created_at, info.updated_at
            found.append(AccountLine(account.name, account.title, since_at, renewed_at, read_at, next_at, failure))
    return tuple(found)


def read_account(
    context: Context,
    keeper: Keeper,
    name: str,
    *,
    first_days: int | None = None,
    opened: Opened = open_session,
    on_page: Callable[[], object] = lambda: None,
) -> ImportRun:
    """Reads what is new in an account, then goes on with a reading that was cut short, if there is one.

    Args:
        context: the person now.
        keeper: of what lets Rhythm in.
        name: of the account.
        first_days: how far back to read; `FIRST_DAYS` the first time, only what is new later, where not given.
        opened: what opens a session.
        on_page: called after every page.

    Returns:
        The import that was finished last.

    Raises:
        UnknownNameError: no such account.
        InvalidValueError: fewer than one day.
        SecretError: it is not connected, or was forgotten while it was read.
        AccountError: it could not be read to the end; what was read stands and the next reading goes on there.
    """
    if first_days is not None and first_days < 1:
        raise InvalidValueError(f"days is {first_days}; give one or more")
    account, person = account_named(name), context.person
    given = credentials_of(keeper, name)

    def keep(new: Credentials) -> None:
        if _is_connected(person, name):
            keep_credentials(keeper, name, new)

    first, last, news = _stretches(context, account, first_days)
    one = timedelta(days=1)
    try:
        with opened(account, given, keep) as session:
            if news is not None:
                _read_news(context, account, session, *news, on_page)
            run = _begin(context, account, first, last)
            _read(context, account, session, run, first, last, on_page)
    finally:
        refresh_days(person, min(first, *(news or (first,))) - one, max(last, *(news or (last,))) + one)
        keep_up(Context(person, context.now_at), force=True)
    finished = person.imports.finish(run.number)
    read_until = max(last, *(news or (last,)))
    person.jobs.plan(f"{PREFIX}{name}", context.now_at + EVERY, {"read_until": read_until.isoformat()})
    return finished


def _read_news(
    context: Context,
    account: HealthAccount,
    session: Session,
    first: date,
    last: date,
    on_page: Callable[[], object],
) -> None:
    """Reads the days since a reading that was cut short, which may have stopped long ago and far back."""
    run = _begin(context, account, first, last)
    try:
        _read(context, account, session, run, first, last, on_page)
    finally:
        context.person.imports.finish(run.number)  # tomorrow's days are others, so this run is never gone on with
    job = context.person.jobs.get(f"{PREFIX}{account.name}")
    if job is not None:
        context.person.jobs.plan(job.name, job.due_at, {**job.payload, "read_until": last.isoformat()})


def _begin(context: Context, account: HealthAccount, first: date, last: date) -> ImportRun:
    key = f"{PREFIX}{account.name}-{first}-{last}"
    return context.person.imports.begin(account.source, f"{account.title} account", key, 0)


def _read(
    context: Context,
    account: HealthAccount,
    session: Session,
    run: ImportRun,
    first: date,
    last: date,
    on_page: Callable[[], object],
) -> None:
    """Reads some days into a run, from where it stopped."""
    person = context.person
    mark = None if run.checkpoint is None else msgspec.json.decode(run.checkpoint, type=Mark)
    for step in steps(account, session, first, last, context.settings.zone_info, mark):
        problems: dict[str, int] = {}
        for problem in step.problems:
            problems[problem.kind.value] = problems.get(problem.kind.value, 0) + problem.count
        person.imports.advance(run.number, step.records, checkpoint=_ENCODED.encode(step.mark), problems=problems)
        on_page()
        if not _is_connected(person, account.name):
            raise SecretError(f"{account.title} was forgotten while it was read; what was read stays")


def _is_connected(person: PersonStore, name: str) -> bool:
    return person.jobs.get(f"{PREFIX}{name}") is not None


def _stretches(
    context: Context, account: HealthAccount, first_days: int | None
) -> tuple[date, date, tuple[date, date] | None]:
    """The days to be read: those of a reading that was cut short, and what is new since; or what is new alone."""
    jobs, today = context.person.jobs, context.now_at.astimezone(context.settings.zone_info).date()
    job = jobs.get(f"{PREFIX}{account.name}")
    kept = {} if job is None else dict(job.payload)

    def since(until: date) -> date:
        return min(until - timedelta(days=OVERLAP_DAYS), today - timedelta(days=account.chunk_days - 1))

    if "first" in kept and "last" in kept:
        first, last = date.fromisoformat(kept["first"]), date.fromisoformat(kept["last"])
        until = date.fromisoformat(kept.get("read_until", kept["last"]))
        return first, last, None if until >= today else (max(first, since(until)), today)
    first = today - timedelta(days=(first_days or FIRST_DAYS) - 1)
    if "read_until" in kept and first_days is None:
        first = max(first, since(date.fromisoformat(kept["read_until"])))
    due_at = None if job is None else job.due_at
    jobs.plan(f"{PREFIX}{account.name}", due_at, {**kept, "first": first.isoformat(), "last": today.isoformat()})
    return first, today, None


def failure_of(error: AccountError | SecretError) -> str:
    """The kind of a failure, as it is kept."""
    return error.kind.value if isinstance(error, AccountError) else "needs_login"
