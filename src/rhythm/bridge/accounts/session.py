"""Sending an account's requests: tokens renewed in time, asked again where it may help, bounded in every way.

A renewed token is handed to ``keep`` before it is used: some vendors take the old one back at once, and a process
that dies in between must not lose the way in. 429 and 503 are waited out where the vendor asks for no more than
the session's patience; more than that ends the reading as `AccountErrorKind.LATER`, to be gone on with later.
One exchange, its slow headers included, has one deadline. Not to be used inside a running event loop.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec

from rhythm.bridge.accounts.credentials import Credentials, code_form, renewal_form, sendable, with_bearer, with_tokens
from rhythm.bridge.accounts.face import Account, AccountError, AccountErrorKind, Request

USER_AGENT = "rhythm"
MOST_BYTES = 32 * 1024 * 1024
TRIES = 4
CODINGS = frozenset({"identity", "gzip", "deflate"})
"""How an answer may be packed: once, and by what cannot grow beyond all measure in one piece."""
TIMEOUT_S = 30.0
LONGEST_ANSWER_S = 180.0
"""From the asking to the last byte; a server that takes longer is not asked again at once."""
LONGEST_WAIT_S = 7 * 86_400.0
"""A vendor that asks for more, or for nonsense, is asked again after a week."""
_WAIT_STATUSES = frozenset({429, 503})
_LIMIT_MARKS = (b"rateLimitExceeded", b"userRateLimitExceeded", b"quotaExceeded", b"RATE_LIMIT_EXCEEDED")
"""In the body of a 403 by which Google says that there were too many requests, not that the login ended."""


def _now_at() -> datetime:
    return datetime.now(UTC)


class Session:
    """An account that is being read; use it as a context.

    Attributes:
        answered: whether a request has been answered with data, or with there being none.
    """

    answered = False

    def __init__(
        self,
        account: Account,
        credentials: Credentials,
        keep: Callable[[Credentials], object],
        *,
        host: str = "",
        patience_s: float = 60.0,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], datetime] = _now_at,
    ) -> None:
        """Read an account.

        Args:
            account: which.
            credentials: what lets us in.
            keep: takes renewed credentials, before they are used.
            host: another base address than the vendor's, tokens included; for tests and proxies of one's own.
            patience_s: longest single wait that a vendor may ask for.
            sleep: waits so many seconds.
            now: the clock.
        """
        self._account = account
        self._credentials = credentials
        self._keep = keep
        self._host = host.rstrip("/")
        self._patience_s = patience_s
        self._sleep = sleep
        self._now = now
        self._client = httpx.AsyncClient(timeout=TIMEOUT_S, headers={"User-Agent": USER_AGENT}, trust_env=False)
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._runner as runner:
            runner.run(self._client.aclose())

    def get(self, request: Request) -> Any:
        """The JSON that answers a request; None for an empty answer.

        Raises:
            AccountError: it cannot be had; see its kind.
        """
        url = (self._host or self._account.base_url) + request.path
        renewed = False
        if not self._credentials.is_fresh(self._now()):
            self._renew()
            renewed = True
        while True:
            headers = {"Authorization": f"Bearer {self._credentials.access_token}", "Accept": "application/json"}
            status, body = self._ask("GET", url, headers, params=list(request.query))
            if status == 401 and not renewed:
                self._renew()
                renewed = True
                continue
            answer = self._read(status, body)
            self.answered = True
            return answer

    def exchange_code(self, code: str, redirect_url: str) -> Credentials:
        """Turns the code of an agreed login into tokens, and keeps them.

        Raises:
            AccountError: the vendor does not take it.
        """
        self._tokens(code_form(self._credentials, code, redirect_url))
        return self._credentials

    def exchange_key(self) -> Credentials:
        """Turns a key into a first token, and keeps it, so that a mistyped key is seen at once.

        Raises:
            AccountError: the vendor does not take it.
        """
        self._renew()
        return self._credentials

    def _renew(self) -> None:
        if not self._account.login.by_key:
            if not self._credentials.refresh_token:
                raise self._needs_login()
            self._tokens(renewal_form(self._account.login, self._credentials))
            return
        if not sendable(self._credentials.key):
            raise self._needs_login()
        status, body = self._ask("GET", self._token_url(), {"Authorization": f"ApiKey {self._credentials.key}"})
        fresh = with_bearer(self._credentials, body.decode(errors="replace"), self._now()) if status == 200 else None
        self._take(status, fresh)

    def _tokens(self, form: Mapping[str, str]) -> None:
        status, body = self._ask("POST", self._token_url(), {"Accept": "application/json"}, data=dict(form))
        answer = _json(body)
        given = answer if status == 200 and isinstance(answer, dict) else {}
        self._take(status, with_tokens(self._credentials, given, self._now()))

    def _take(self, status: int, fresh: Credentials | None) -> None:
        if fresh is None:
            if status in (400, 401, 403):
                raise self._needs_login()
            if status == 200:  # a page for people: maintenance, or a network that wants its own login first
                raise AccountError(AccountErrorKind.BAD_ANSWER, f"{self._account.title} gave no token; try again later")
            raise AccountError(AccountErrorKind.UNREACHABLE, f"{self._account.title} gave no token (status {status})")
        self._keep(fresh)
        self._credentials = fresh

    def _token_url(self) -> str:
        url = self._account.login.token_url
        return self._host + httpx.URL(url).path if self._host else url

    def _ask(self, method: str, url: str, headers: Mapping[str, str], **what: Any) -> tuple[int, bytes]:
        """Status and body, after waiting and asking again where that may help."""
        for attempt in range(1, TRIES + 1):
            last = attempt == TRIES
            try:
                status, asked, body = self._runner.run(self._sent(method, url, headers, what))
            except TimeoutError:
                raise AccountError(
                    AccountErrorKind.UNREACHABLE, f"{self._account.title} does not answer in time; it is tried again"
                ) from None
            except (httpx.HTTPError, httpx.InvalidURL, OSError):
                if last:
                    raise AccountError(
                        AccountErrorKind.UNREACHABLE, f"{self._account.title} cannot be reached; it is tried again"
                    ) from None
                self._sleep(2.0**attempt)
                continue
            if status in _WAIT_STATUSES or (status == 403 and any(mark in body for mark in _LIMIT_MARKS)):
                wait_s = _seconds(asked, self._now()) or 2.0**attempt
                if last or wait_s > self._patience_s:
                    raise AccountError(
                        AccountErrorKind.LATER, f"{self._account.title} asks to come back later", retry_after_s=wait_s
                    )
                self._sleep(wait_s)
            elif status >= 500 and not last:
                self._sleep(2.0**attempt)
            else:
                return status, body
        raise AssertionError  # the last attempt returned or raised

    async def _sent(
        self, method: str, url: str, headers: Mapping[str, str], what: Mapping[str, Any]
    ) -> tuple[int, str, bytes]:
        """Status, how long to wait, and the whole body.

        Raises:
            TimeoutError: the whole took too long.
        """
        async with (
            asyncio.timeout(LONGEST_ANSWER_S),
            self._client.stream(method, url, headers=dict(headers), **what) as response,
        ):
            return response.status_code, response.headers.get("Retry-After", ""), await self._whole(response)

    async def _whole(self, response: httpx.Response) -> bytes:
        if response.headers.get("Content-Encoding", "identity").strip().lower() not in CODINGS:
            raise AccountError(AccountErrorKind.BAD_ANSWER, f"{self._account.title} packs its answer oddly")
        data = bytearray()
        async for chunk in response.aiter_bytes(1 << 16):
            data += chunk
            if len(data) > MOST_BYTES:
                raise AccountError(AccountErrorKind.BAD_ANSWER, f"{self._account.title} gave an absurdly long answer")
        return bytes(data)

    def _read(self, status: int, body: bytes) -> Any:
        if status == 204 or (status == 200 and not body.strip()):
            return None
        if status == 401:
            raise self._needs_login()
        if status == 403:
            raise AccountError(
                AccountErrorKind.FORBIDDEN,
                f"{self._account.title} does not let this login see what was asked for; run "
                f"`rhythm connect add {self._account.name}` again and allow all that it asks for",
            )
        if status == 404:
            raise AccountError(AccountErrorKind.UNKNOWN, f"{self._account.title} knows nothing at that address")
        if status >= 500:
            raise AccountError(AccountErrorKind.UNREACHABLE, f"{self._account.title} has trouble (status {status})")
        if status != 200:
            raise AccountError(AccountErrorKind.REFUSED, f"{self._account.title} refuses the request (status {status})")
        answer = _json(body)
        if answer is None:
            raise AccountError(AccountErrorKind.BAD_ANSWER, f"{self._account.title} gave an answer that is no JSON")
        return answer

    def _needs_login(self) -> AccountError:
        return AccountError(
            AccountErrorKind.NEEDS_LOGIN,
            f"{self._account.title} does not take the login any more; "
            f"run `rhythm connect add {self._account.name}` again",
        )


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError):
        return None


def _seconds(asked: str, now_at: datetime) -> float:
    """A Retry-After, seconds or a date, as seconds; 0 where it is neither."""
    try:
        wait_s = float(asked) if asked.strip().replace(".", "", 1).isdigit() else _until(asked, now_at)
        return min(max(0.0, wait_s), LONGEST_WAIT_S)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _until(asked: str, now_at: datetime) -> float:
    at = parsedate_to_datetime(asked)
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now_at).total_seconds())
