"""What a person has set: their day, their limits, what they agreed to."""

import re
from collections.abc import Sequence
from datetime import datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.slots import SlotTimes

DAILY_CAP_MAX = 24
MOST_ADDRESSES = 20
LONGEST_ADDRESS = 254
_ADDRESS = re.compile(r"""[^\s@<>()\[\]\\,;:"]+@[\w-]+(?:\.[\w-]+)*""")


def check_addresses(addresses: Sequence[str]) -> None:
    """That these may be the e-mail addresses of one person: plain, in lower case, each once.

    Raises:
        InvalidValueError: they may not; it says which by its place and never repeats one.
    """
    if len(addresses) > MOST_ADDRESSES:
        raise InvalidValueError(
            f"{len(addresses)} e-mail addresses of one person are too many; at most {MOST_ADDRESSES}"
        )
    for place, one in enumerate(addresses, 1):
        if len(one) > LONGEST_ADDRESS or not one.isprintable() or not _ADDRESS.fullmatch(one):
            raise InvalidValueError(
                f"number {place} is no e-mail address; write it plain, such as kim@example.org, "
                f"without a name and with at most {LONGEST_ADDRESS} characters"
            )
        if one != one.lower():
            raise InvalidValueError(f"e-mail address {place} has capitals; they are kept in lower case")
    if len(set(addresses)) < len(addresses):
        raise InvalidValueError("an e-mail address stands there twice; give each once")


class PersonSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's settings; each default is the careful choice.

    Attributes:
        name: what the pages call them; empty for nothing.
        language: language tag of the pages.
        zone: IANA name of the zone they live in.
        slot_times: when the parts of their day begin, local time.
        daily_cap: most suggestions a day, 0 to 24.
        quiet_from, quiet_until: local times between which nothing is sent; equal for never.
        notify: whether suggestions are sent out at all.
        ask_reports: whether the pages offer a one-tap self-report per meter.
        shortcuts: whether single keys act on the pages.
        model_url, model_name: the language model that is asked about titles the rules do not know; empty for none.
        own_addresses: their e-mail addresses, by which they are known among an event's guests; see `check_addresses`.
        demonstration: the person is invented; every page says so.
        agreed: when each thing that needs consent was agreed to, by its name.
    """

    name: str = ""
    language: str = "en"
    zone: str = "UTC"
    slot_times: SlotTimes = SlotTimes()
    daily_cap: int = 3
    quiet_from: time = time(22)
    quiet_until: time = time(8)
    notify: bool = False
    ask_reports: bool = False
    shortcuts: bool = True
    model_url: str = ""
    model_name: str = ""
    own_addresses: tuple[str, ...] = ()
    demonstration: bool = False
    agreed: dict[str, datetime] = {}

    def __post_init__(self) -> None:
        if not 0 <= self.daily_cap <= DAILY_CAP_MAX:
            raise InvalidValueError(f"daily cap is {self.daily_cap}; it is a whole number from 0 to {DAILY_CAP_MAX}")
        if self.model_url and not self.model_url.startswith(("http://", "https://")):
            raise InvalidValueError("a language model's address begins with http:// or https://")
        if bool(self.model_url) != bool(self.model_name):
            raise InvalidValueError("a language model needs both its address and its name; leave both empty for none")
        check_addresses(self.own_addresses)
        if self.quiet_from.tzinfo is not None or self.quiet_until.tzinfo is not None:
            raise InvalidValueError("quiet hours are local; give them without a time zone")
        if any(at.tzinfo is None for at in self.agreed.values()):
            raise InvalidValueError("agreed: each is an instant with a time zone")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidValueError(f"zone {self.zone[:60]!r} is not known; use a name like Europe/Berlin") from None

    @property
    def zone_info(self) -> ZoneInfo:
        """The zone itself."""
        return ZoneInfo(self.zone)


class Person(msgspec.Struct, frozen=True):
    """One person of the store.

    Attributes:
        id: short name in URLs and files, a-z, 0-9, ``_`` and ``-``.
        created_at: when they came.
        settings: what they have set.
        last_number: number of their newest entry.
    """

    id: str
    created_at: datetime
    settings: PersonSettings
    last_number: int = 0
