"""Notices of waiting suggestions through Apprise: off by default, never in quiet hours, each told once.

A notice holds no health value and no event title; it says what is suggested and for which part of the day.

Each address has a job of its own, so that one that fails keeps nothing from the others. A notice
is claimed before it is sent, so no crash tells it twice; what an address refuses is given free
again and tried later, ever more rarely, as long as the suggestion waits and `MOST_TRIES` is not
reached. Claims, tries and the next instant are in the store and outlive the process.
"""

import hashlib
import secrets
from datetime import timedelta

from rhythm.assist.context import Context
from rhythm.assist.limits import is_quiet
from rhythm.store import Exchange, PersonStore
from rhythm.vocab.errors import RhythmError
from rhythm.vocab.slots import SLOTS_PER_DAY

CHANNEL = "apprise"
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)
MOST_TRIES = 8
"""Failures in a row after which a notice is given up; with doubling waits these take about three hours."""
_LEASE = timedelta(minutes=10)
_PARTS = ("this morning", "this afternoon", "this evening", "tonight")


class NotifyError(RhythmError):
    """A notice could not be sent; nothing of it is lost, the page has it."""


def notify_waiting(context: Context, targets: str) -> int:
    """Tells each address of today's waiting suggestions that it was not told yet; how many notices were taken.

    Args:
        context: the person now.
        targets: Apprise addresses, one a line.

    Raises:
        NotifyError: Apprise is missing, or an address did not take a notice; it is tried again when due.
    """
    if not context.settings.notify or is_quiet(context.settings, context.now_at):
        return 0
    waiting = [
        one for one in context.person.answers.exchanges(context.slot, context.day_slots[-1]) if one.answer is None
    ]
    addresses = list(dict.fromkeys(line.strip() for line in targets.splitlines() if line.strip()))
    told = [_tell(context, address, waiting) for address in addresses]
    if None in told:
        raise NotifyError(
            f"{told.count(None)} of {len(told)} addresses took no notice; check them, they are tried again later"
        )
    return sum(count or 0 for count in told)


def wait_after(failures: int) -> timedelta:
    """How long an address rests after so many failures in a row (at least 1)."""
    return min(LONGEST_WAIT, FIRST_WAIT * (1 << min(failures - 1, 16)))


def _tell(context: Context, address: str, waiting: list[Exchange]) -> int | None:
    """Tells one address what it was not told; how many, 0 where it rests, None where it failed."""
    person = context.person
    mark = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    job = f"notices-{mark}"
    if person.jobs.get(job) is None:
        person.jobs.plan(job, context.now_at)
    owner = secrets.token_hex(8)
    claimed = person.jobs.claim(job, owner, _LEASE)
    if claimed is None:
        return 0
    sent, failed = 0, False
    try:
        for one in waiting:
            key = f"suggestion-{one.suggestion.number}-{mark}"
            if not person.notices.claim(key, CHANNEL):
                continue
            failed = not _send(address, _text(one))
            if failed:
                if claimed.failures + 1 < MOST_TRIES:
                    person.notices.release(key)
                break
            sent += 1
    finally:
        _rest(person, job, owner, context, claimed.failures + 1 if failed else 0)
    return None if failed else sent


def _rest(person: PersonStore, job: str, owner: str, context: Context, failures: int) -> None:
    error = "NotTaken" if failures else None
    person.jobs.finish(job, owner, context.now_at + (wait_after(failures) if failures else timedelta(0)), error)


def _text(one: Exchange) -> str:
    return f"{one.suggestion.action.label.capitalize()} {_PARTS[one.suggestion.slot % SLOTS_PER_DAY]}?"


def _send(address: str, text: str) -> bool:
    """Whether the address took it."""
    try:
        import apprise  # noqa: PLC0415 - an extra
    except ImportError:
        raise NotifyError("notices need the `notify` extra: pip install 'rhythm[notify]'") from None
    sender = apprise.Apprise()
    return bool(sender.add(address) and sender.notify(title="Rhythm", body=text))
