"""Calendars by address: added, fetched again when something changed, and told about when that fails."""

from datetime import datetime, time, timedelta

import msgspec

from rhythm.assist.calendar_facts import to_occurrences
from rhythm.assist.classifying import classifier_for
from rhythm.assist.context import Context
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.assist.keeping_up import keep_up
from rhythm.bridge.calendar.events import CalendarError, Window
from rhythm.bridge.calendar.feeds import FeedError, FeedLimits, Validators
from rhythm.bridge.calendar.ics import window_around
from rhythm.bridge.calendar.sources import FeedSource, FeedState
from rhythm.store import CalendarSource, PersonStore
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab.errors import InvalidValueError

KIND = "feed"
LIMITS = FeedLimits(total_s=30.0)
LONGEST_NAME = 60


def add_feed(person: PersonStore, keeper: Keeper, url: str, name: str, now_at: datetime) -> CalendarSource:
    """Takes a calendar's address, to be fetched by `refresh_feed`; the address itself is kept as a secret.

    Raises:
        InvalidValueError: no http, https or webcal address, or one that is there already.
        SecretError: secrets cannot be kept here.
    """
    host = host_of(url)
    for known in person.calendars.all():
        if known.kind == KIND and known.secret is not None and _same(keeper, known.secret, url):
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
        if source.number == number and source.kind == KIND:
            return source
    raise UnknownEntryError("calendar feed", number)


def refresh_feed(context: Context, keeper: Keeper, number: int, *, allow_private: bool = False) -> CalendarSource:
    """Fetches a feed and replaces what it held; a failure is kept with the feed and changes nothing of it.

    An unchanged feed costs one question to its server. Once a day it is read anew, since the
    stretch of time that is kept moves on.

    Args:
        context: the person now.
        keeper: of the address.
        number: of the feed.
        allow_private: whether it may lie in a private network.

    Returns:
        What is now kept of the feed; its ``failure`` says what went wrong.

    Raises:
        UnknownEntryError: there is no such feed.
    """
    person, settings = context.person, context.settings
    source = feed_numbered(person, number)
    window = day_window(context.now_at)
    mark = f"{window.start_at:%Y-%m-%d} {settings.zone} {settings.model_name}"
    known = FeedState(Validators(source.etag, source.last_modified), window if source.content_hash == mark else None)
    try:
        feed = FeedSource(
            keeper.get(source.secret or ""),
            settings.zone_info,
            source.name,
            state=known,
            allow_private=allow_private,
            feed_limits=LIMITS,
        )
        contents = feed.read(window)
    except (CalendarError, SecretError) as error:
        failure = error.kind.value if isinstance(error, FeedError) else type(error).__name__
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
            etag=feed.state.validators.etag,
            last_modified=feed.state.validators.last_modified,
            content_hash=mark,
            problems={problem.kind.value: problem.count for problem in contents.problems},
        )
    person.calendars.update(read)
    if contents is not None:
        keep_up(Context(person, context.now_at), force=True)
    return read


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
    "SecretError": "the address cannot be read any more; take the calendar out and add it again",
}
"""What a feed's failure means, for a person to read."""


def failure_words(failure: str) -> str:
    """A failure in words."""
    return FAILURE_WORDS.get(failure, "it could not be read; it is tried again by itself")
