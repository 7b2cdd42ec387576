"""Calendars by address: added, fetched again when something changed, and told about when that fails."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

import msgspec

from rhythm.assist.calendar_facts import to_occurrences
from rhythm.assist.classifying import classifier_for
from rhythm.assist.context import Context
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.assist.keeping_up import keep_up
from rhythm.assist.own_addresses import marked
from rhythm.bridge.accounts.caldav import CaldavLogin, read_caldav
from rhythm.bridge.accounts.credentials import Credentials
from rhythm.bridge.accounts.face import Account
from rhythm.bridge.accounts.google_calendar import AccountCalendarError, GoogleCalendar, read_google
from rhythm.bridge.accounts.session import Session
from rhythm.bridge.calendar.events import CalendarContents, CalendarError, Window
from rhythm.bridge.calendar.feeds import FeedError, FeedLimits, Validators
from rhythm.bridge.calendar.ics import window_around
from rhythm.bridge.calendar.sources import FeedSource, FeedState
from rhythm.store import CalendarSource, PersonSettings, PersonStore
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab.errors import InvalidValueError

KIND = "feed"
CALDAV = "caldav"
GOOGLE = "google-calendar"
FETCHED = frozenset({KIND, CALDAV, GOOGLE})
"""Kinds of calendars that are fetched by themselves."""
LIMITS = FeedLimits(total_s=30.0)
LONGEST_NAME = 60
MOST_FEEDS = 30
"""Addresses of one person; each is fetched every hour."""

OpenedCalendar = Callable[[Account, Credentials, Callable[[Credentials], object]], Session]
"""Opens an account's session; another than the usual one in tests."""


def add_feed(person: PersonStore, keeper: Keeper, url: str, name: str, now_at: datetime) -> CalendarSource:
    """Takes a calendar's address, to be fetched by `refresh_feed`; the address itself is kept as a secret.

    Raises:
        InvalidValueError: no http, https or webcal address, one that is there already, or one too many.
        SecretError: secrets cannot be kept here.
    """
    host = host_of(url)
    there = [known for known in person.calendars.all() if known.kind == KIND]
    if len(there) >= MOST_FEEDS:
        raise InvalidValueError(f"{len(there)} calendars are fetched by their addresses already; take one out first")
    for known in there:
        if known.secret is not None and _same(keeper, known.secret, url):
            raise InvalidValueError("this calendar is read already; refresh it instead")
    source = person.calendars.add(CalendarSource(KIND, name.strip()[:LONGEST_NAME] or host, host, now_at))
    secret = f"feed-{source.number}"
    try:
        keeper.put(secret, url.strip())
    except SecretError:
        person.calendars.delete(source.number)
        raise
    kept = msgspec.structs.replace(source, secret=secret)
    person.calendars.update(kept)
    return kept


def add_account_calendar(
    person: PersonStore, keeper: Keeper, kind: str, origin: str, secret: str, now_at: datetime, *, name: str = ""
) -> CalendarSource:
    """Takes a calendar account, to be read by `refresh_feed`; what lets Rhythm in is kept as a secret.

    Args:
        person: whose.
        keeper: of their secrets.
        kind: `CALDAV` or `GOOGLE`.
        origin: what may be shown of where it is.
        secret: JSON of a `CaldavLogin` or of `Credentials`.
        now_at: the moment, aware.
        name: what the person calls it.

    Raises:
        SecretError: secrets cannot be kept here.
    """
    shown = name.strip()[:LONGEST_NAME] or origin
    source = person.calendars.add(CalendarSource(kind, shown, origin[:LONGEST_NAME], now_at))
    kept = msgspec.structs.replace(source, secret=f"feed-{source.number}")
    try:
        keeper.put(f"feed-{source.number}", secret)
    except SecretError:
        person.calendars.delete(source.number)
        raise
    person.calendars.update(kept)
    return kept


def host_of(url: str) -> str:
    """The host of a calendar's address, which may be shown; the rest of it is secret.

    Raises:
        InvalidValueError: no such address.
    """
    scheme, slashes, rest = url.strip().partition("://")
    host = rest.partition("/")[0].rpartition("@")[2].partition("?")[0]
    if not slashes or scheme.lower() not in {"http", "https", "webcal", "webcals"} or not host.strip(":"):
        raise InvalidValueError("a calendar's address begins with https:// or webcal://; copy the secret iCal address")
    return host[:LONGEST_NAME]


def _same(keeper: Keeper, secret: str, url: str) -> bool:
    try:
        return keeper.get(secret) == url.strip()
    except SecretError:
        return False


def feed_numbered(person: PersonStore, number: int) -> CalendarSource:
    """The feed of that number.

    Raises:
        UnknownEntryError: there is none.
    """
    for source in person.calendars.all():
        if source.number == number and source.kind in FETCHED:
            return source
    raise UnknownEntryError("calendar feed", number)


def refresh_feed(
    context: Context,
    keeper: Keeper,
    number: int,
    *,
    allow_private: bool = False,
    opened: OpenedCalendar | None = None,
) -> CalendarSource:
    """Fetches a feed and replaces what it held; a failure is kept with the feed and changes nothing of it.

    An unchanged feed costs one question to its server. Once a day it is read anew, since the
    stretch of time that is kept moves on.

    Args:
        context: the person now.
        keeper: of the address.
        number: of the feed.
        allow_private: whether it may lie in a private network.
        opened: what opens an account's session; the usual one where not given.

    Returns:
        What is now kept of the feed; its ``failure`` says what went wrong.

    Raises:
        UnknownEntryError: there is no such feed.
    """
    person, settings = context.person, context.settings
    source = feed_numbered(person, number)
    window = day_window(context.now_at)
    mark = marked(f"{window.start_at:%Y-%m-%d} {settings.zone} {settings.model_name}", settings)
    known = FeedState(Validators(source.etag, source.last_modified), window if source.content_hash == mark else None)
    try:
        if source.kind == KIND:
            contents, validators = _feed_contents(source, keeper, known, window, settings, allow_private)
        else:
            validators = Validators()
            contents = _account_contents(source, keeper, window, settings, allow_private, opened)
    except (CalendarError, SecretError) as error:
        failure = error.kind.value if isinstance(error, FeedError | AccountCalendarError) else type(error).__name__
        failed = msgspec.structs.replace(source, failed_at=context.now_at, failure=failure)
        person.calendars.update(failed)
        return failed
    read = msgspec.structs.replace(source, fetched_at=context.now_at, failed_at=None, failure=None)
    if contents is not None:
        classifier = classifier_for(settings, keeper)
        found = to_occurrences(contents.events, classifier, settings.zone_info, settings.slot_times)
        person.occurrences.replace(number, window.start_at, window.end_at, found)
        read = msgspec.structs.replace(
            read,
            etag=validators.etag,
            last_modified=validators.last_modified,
            content_hash=mark,
            problems={problem.kind.value: problem.count for problem in contents.problems},
        )
    person.calendars.update(read)
    if contents is not None:
        keep_up(Context(person, context.now_at), force=True)
    return read


def _feed_contents(
    source: CalendarSource,
    keeper: Keeper,
    known: FeedState,
    window: Window,
    settings: PersonSettings,
    allow_private: bool,
) -> tuple[CalendarContents | None, Validators]:
    feed = FeedSource(
        keeper.get(source.secret or ""),
        settings.zone_info,
        source.name,
        state=known,
        allow_private=allow_private,
        own_addresses=frozenset(settings.own_addresses),
        feed_limits=LIMITS,
    )
    contents = feed.read(window)
    return contents, feed.state.validators


def _account_contents(
    source: CalendarSource,
    keeper: Keeper,
    window: Window,
    settings: PersonSettings,
    allow_private: bool,
    opened: OpenedCalendar | None,
) -> CalendarContents:
    secret, zone = source.secret or "", settings.zone_info
    text = keeper.get(secret)
    try:
        if source.kind == CALDAV:
            login = msgspec.json.decode(text, type=CaldavLogin)
            own = frozenset(settings.own_addresses)
            return read_caldav(login, zone, window, name=source.name, own_addresses=own, allow_private=allow_private)
        given = msgspec.json.decode(text, type=Credentials)
    except msgspec.DecodeError:
        raise SecretError("the login of this calendar is damaged; take it out and connect it again") from None

    def keep(new: Credentials) -> None:
        keeper.put(secret, msgspec.json.encode(new).decode())

    with (opened or _google_session)(GoogleCalendar(), given, keep) as session:
        return read_google(session, zone, window, name=source.name)


def _google_session(account: Account, given: Credentials, keep: Callable[[Credentials], object]) -> Session:
    return Session(account, given, keep)


def day_window(now_at: datetime) -> Window:
    """The kept window, widened to whole days, so that two readings of a day replace the same stretch."""
    window = window_around(now_at)
    begin = datetime.combine(window.start_at.date(), time(), now_at.tzinfo)
    return Window(begin, datetime.combine(window.end_at.date() + timedelta(days=1), time(), now_at.tzinfo))


FAILURE_WORDS = {
    "bad_address": "the address cannot be read; take it out and add it again",
    "private_address": "the address lies in a private network; start `rhythm up --private-feeds` to allow that",
    "unreachable": "the server cannot be reached; it is tried again by itself",
    "too_slow": "the server did not answer in time; it is tried again by itself",
    "too_large": "the calendar is too large; share a shorter span",
    "bad_redirect": "the server leads somewhere else that is not allowed; copy the address again",
    "refused": "the server refused; copy the secret iCal address again",
    "not_a_calendar": "what is there is no calendar; copy the secret iCal address, not the web page's",
    "server_error": "the server failed; it is tried again by itself",
    "needs_login": "the account does not take the login any more; take it out and connect it again",
    "forbidden": "the account does not let this login see it; connect it again and allow all that it asks for",
    "unknown": "the server knows no calendar at that address; it is tried again by itself",
    "later": "the account asks to come back later; it is tried again by itself",
    "bad_answer": "the account gave an answer that cannot be read; it is tried again by itself",
    "SecretError": "the address cannot be read any more; take the calendar out and add it again",
}
"""What a feed's failure means, for a person to read."""


def failure_words(failure: str) -> str:
    """A failure in words."""
    return FAILURE_WORDS.get(failure, "it could not be read; it is tried again by itself")
