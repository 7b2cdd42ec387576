"""Reading a stretch of days from an account, newest first, in steps that can be gone on with after any of them.

The days are cut into chunks of what one request may ask for; for each chunk every kind is asked for, page by page.
After each page stands a `Mark`: what to ask for next. A reading that goes on from a mark asks for nothing before it.

A kind that a vendor refuses, does not know or does not let this login see is passed over and counted, as long as
something else is answered: one box that was not ticked must not keep everything else away. Where nothing is answered
at all, the reading ends there and has passed over nothing.
"""

from collections.abc import Iterator
from datetime import date, timedelta, tzinfo

import msgspec

from rhythm.bridge.accounts.face import AccountError, AccountErrorKind, Carry, HealthAccount, Page
from rhythm.bridge.accounts.session import Session
from rhythm.bridge.wearables.exports.collecting import Collector, UnusableError
from rhythm.bridge.wearables.problems import Problem, ProblemKind, ProblemTally
from rhythm.bridge.wearables.records import Record

PASSED_OVER = frozenset({AccountErrorKind.REFUSED, AccountErrorKind.FORBIDDEN, AccountErrorKind.UNKNOWN})
"""Why a request may fail that says nothing of the others."""
MOST_PAGES = 2_000
"""Of one kind of one chunk; a vendor whose pages never end is left."""


class Mark(msgspec.Struct, frozen=True):
    """What to ask for next.

    Attributes:
        last: last day of the chunk.
        kind: number of the kind in the account's order.
        after: where its page begins.
        pages: pages of that kind and chunk that are done.
        carry: what earlier kinds of the chunk left.
        done: nothing; everything has been asked for.
    """

    last: date
    kind: int = 0
    after: str = ""
    pages: int = 0
    carry: Carry = {}
    done: bool = False


class Step(msgspec.Struct, frozen=True):
    """One page's records and problems, and where to go on behind it: store them in one transaction."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    mark: Mark


def steps(
    account: HealthAccount, session: Session, first: date, last: date, zone: tzinfo, mark: Mark | None = None
) -> Iterator[Step]:
    """The days from the last to the first, both included.

    Args:
        account: which.
        session: sends its requests.
        first: earliest day.
        last: latest day.
        zone: where the person is, for times that say no place.
        mark: where to go on; from the start where not given.

    Raises:
        AccountError: the reading ends here; what was handed out stands.
    """
    mark = mark or Mark(last, done=last < first)
    going_on = False  # a page's name from an earlier reading may not be taken any more; one of this reading is
    passed_over = 0
    while not mark.done:
        kind = account.kinds[mark.kind]
        begin = max(first, mark.last - timedelta(days=account.chunk_days - 1))
        try:
            answer = session.get(account.request(kind, begin, mark.last, mark.after))
        except AccountError as error:
            if error.kind not in PASSED_OVER or (mark.after and going_on):
                raise
            if mark.after:
                mark, going_on = _at_first_page(mark), True
                continue
            passed_over += 1
            behind = _behind(account, mark, "", begin, first, dict(mark.carry))
            if not session.answered and (behind.done or passed_over == len(account.kinds)):
                raise _refused(error) from None
            mark = behind
            if session.answered:
                yield Step((), _gaps(passed_over), mark)
                passed_over = 0
            continue
        going_on = True
        page = account.page(kind, answer)
        if _is_no_page(answer, page):
            raise AccountError(AccountErrorKind.BAD_ANSWER, f"{account.title} gave an answer that is no list")
        tally, carry = ProblemTally(), dict(mark.carry)
        out = Collector(account.source, tally)
        for item in page.items:
            _take(account, kind, item, out, zone, carry)
        if page.after and (page.after == mark.after or mark.pages + 1 >= MOST_PAGES):
            raise AccountError(AccountErrorKind.BAD_ANSWER, f"{account.title} gives pages without an end")
        mark = _behind(account, mark, page.after, begin, first, carry)
        once = {record.key: record for record in out.records}
        yield Step(tuple(once.values()), (*_gaps(passed_over), *tally.take()), mark)
        passed_over = 0


def _gaps(count: int) -> tuple[Problem, ...]:
    """So many kinds of a stretch of days that were passed over, as a problem."""
    return (Problem(ProblemKind.NOT_GIVEN, None, count, 0),) if count else ()


def _refused(error: AccountError) -> AccountError:
    """What a vendor's refusing everything means: a login that may see nothing at all has to be agreed to again."""
    if error.kind is not AccountErrorKind.FORBIDDEN:
        return error
    return AccountError(AccountErrorKind.NEEDS_LOGIN, str(error))


def _take(account: HealthAccount, kind: str, item: object, out: Collector, zone: tzinfo, carry: Carry) -> None:
    if not isinstance(item, dict):
        if item is not None:  # vendors mix nulls into lists
            out.problem(ProblemKind.DAMAGED)
        return
    try:
        account.take(kind, item, out, zone, carry)
    except UnusableError as error:
        out.problem(error.kind, error.signal)


def _at_first_page(mark: Mark) -> Mark:
    """The same days and kind from their first page; what is read again has the keys that it had."""
    return Mark(mark.last, mark.kind, carry=mark.carry)


def _is_no_page(answer: object, page: Page) -> bool:
    """Whether an answer speaks of something else, such as an error with status 200: it must not pass for no days."""
    if page.items or page.after or not isinstance(answer, dict) or not answer:
        return False
    return not any(value is None or isinstance(value, list) for value in answer.values())


def _behind(account: HealthAccount, mark: Mark, after: str, begin: date, first: date, carry: Carry) -> Mark:
    if after:
        return Mark(mark.last, mark.kind, after, mark.pages + 1, carry)
    if mark.kind + 1 < len(account.kinds):
        return Mark(mark.last, mark.kind + 1, carry=carry)
    return Mark(begin - timedelta(days=1), done=begin <= first)
