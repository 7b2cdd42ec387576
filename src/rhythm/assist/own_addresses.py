"""The person's own e-mail addresses: by them files, feeds and servers are told who of an event's guests they are.

Invitations that the person declined leave their time free then, and the person is not counted as somebody else.
What is fetched is read anew when the addresses change. Of a calendar file only its events are kept, not its guests:
it counts by the new addresses once it is given again, and the Data page names those that were read by others.
"""

import hashlib
import re

import msgspec

from rhythm.store import CalendarSource, PersonSettings
from rhythm.store.settings import check_addresses
from rhythm.vocab.errors import InvalidValueError

_BETWEEN = re.compile(r"[\s,;]+")


def with_addresses(settings: PersonSettings, text: str) -> PersonSettings:
    """The settings with further addresses of the person's own; one that is there already is there once.

    Args:
        settings: theirs.
        text: plain addresses, with blanks, commas or semicolons between them; capitals do not matter.

    Raises:
        InvalidValueError: none, too many, or what is no address; none of them is repeated.
    """
    parts = (part.lower().removeprefix("mailto:") for part in _BETWEEN.split(text))
    given = tuple(dict.fromkeys(part for part in parts if part))
    if not given:
        raise InvalidValueError("no e-mail address was given; write one such as kim@example.org")
    check_addresses(given)
    return msgspec.structs.replace(settings, own_addresses=tuple(dict.fromkeys((*settings.own_addresses, *given))))


def without_address(settings: PersonSettings, address: str) -> PersonSettings:
    """The settings without one of the addresses.

    Raises:
        InvalidValueError: it is none of theirs.
    """
    gone = address.strip().lower().removeprefix("mailto:")
    if gone not in settings.own_addresses:
        raise InvalidValueError("that is none of your e-mail addresses; Settings and `rhythm addresses list` show them")
    return msgspec.structs.replace(settings, own_addresses=tuple(one for one in settings.own_addresses if one != gone))


def mark_of(settings: PersonSettings) -> str:
    """Tells by which addresses a calendar was read, without naming them; empty for none."""
    text = "\n".join(sorted(settings.own_addresses))
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def marked(mark: str, settings: PersonSettings) -> str:
    """What is kept to know a calendar's content by, with the addresses that it was read by."""
    return f"{mark} {mark_of(settings)}".rstrip()


def must_be_given_again(source: CalendarSource, settings: PersonSettings) -> bool:
    """Whether it is a calendar file that was read by other addresses than the person has now."""
    return source.kind == "file" and (source.content_hash or "").partition(" ")[2] != mark_of(settings)
