"""The face of a health account: what it asks for, and how what comes back becomes records.

An account is one small file of pure functions behind `HealthAccount`: it names requests and reads pages, and never
touches the network. `session` sends the requests, `backfill` walks through days and pages. The records have the
source of the vendor's files, so a night that a file and the account both tell is one night.
"""

from datetime import date, timedelta, tzinfo
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.exports.documents import Fields
from rhythm.vocab.errors import RhythmError

Carry = dict[str, Any]
"""What one kind's items leave for a later kind of the same days; plain JSON, as it stands in the mark."""


class AccountErrorKind(StrEnum):
    """Why an account could not be read."""

    NEEDS_LOGIN = "needs_login"
    """The vendor does not take the key or login any more."""
    FORBIDDEN = "forbidden"
    """The vendor does not let this login see what was asked for."""
    REFUSED = "refused"
    """The vendor refuses the request itself."""
    UNKNOWN = "unknown"
    """The vendor knows nothing at that address."""
    LATER = "later"
    """The vendor asks to come back later."""
    UNREACHABLE = "unreachable"
    BAD_ANSWER = "bad_answer"


class AccountError(RhythmError):
    """An account that could not be read; the text holds no key, no token and nothing of the answer.

    Attributes:
        kind: why.
        retry_after_s: seconds that the vendor asks to wait; 0 where it does not say.
    """

    def __init__(self, kind: AccountErrorKind, text: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(text)
        self.kind = kind
        self.retry_after_s = retry_after_s


class Request(msgspec.Struct, frozen=True):
    """A path below the account's base address, and its query."""

    path: str
    query: tuple[tuple[str, str], ...] = ()


class Page(msgspec.Struct, frozen=True):
    """Items, and where the next page begins; empty after the last."""

    items: tuple[Any, ...] = ()
    after: str = ""


class Account(Protocol):
    """A vendor's interface."""

    @property
    def name(self) -> str:
        """What commands call it."""
        ...

    @property
    def title(self) -> str:
        """The words a person reads."""
        ...

    @property
    def base_url(self) -> str:
        """Where its interface is."""
        ...

    @property
    def login(self) -> Login:
        """How a person lets Rhythm in."""
        ...


class HealthAccount(Account, Protocol):
    """A vendor's interface for health records."""

    @property
    def source(self) -> str:
        """The registry name of the source whose records these are."""
        ...

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is asked for, in order, for each stretch of days."""
        ...

    @property
    def chunk_days(self) -> int:
        """How many days are asked for at once; no request may be longer."""
        ...

    def request(self, kind: str, first: date, last: date, after: str) -> Request:
        """The request for a page of those days, both included; ``after`` is where it begins."""
        ...

    def page(self, kind: str, answer: Any) -> Page:
        """What an answer holds; None stands for an empty one."""
        ...

    def take(self, kind: str, fields: Fields, out: Collector, zone: tzinfo, carry: Carry) -> None:
        """One item to records.

        Raises:
            UnusableError: it cannot be used; it is counted.
        """
        ...


def items_of(answer: Any, *names: str) -> tuple[Any, ...]:
    """The list in an answer: the answer itself, or what stands in it under the first of the names that is there."""
    if isinstance(answer, dict):
        answer = next((answer[name] for name in names if isinstance(answer.get(name), list)), None)
    return tuple(answer) if isinstance(answer, list) else ()


def text_at(answer: Any, name: str) -> str:
    """A text in an answer; empty where there is none."""
    value = answer.get(name) if isinstance(answer, dict) else None
    return value if isinstance(value, str) else ""


def day_after(day: date) -> str:
    """The next day in ISO form, for ends that a vendor leaves out."""
    return (day + timedelta(days=1)).isoformat()


def all_accounts() -> tuple[HealthAccount, ...]:
    """Every account, by title."""
    from rhythm.bridge.accounts.garmin import Garmin  # noqa: PLC0415 - an account imports this face
    from rhythm.bridge.accounts.google_health import GoogleHealth  # noqa: PLC0415
    from rhythm.bridge.accounts.oura import OuraAccount  # noqa: PLC0415
    from rhythm.bridge.accounts.whoop import WhoopAccount  # noqa: PLC0415

    return Garmin(), GoogleHealth(), OuraAccount(), WhoopAccount()
