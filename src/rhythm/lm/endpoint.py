"""Asks a chat model over HTTP: any server of the OpenAI kind, or one of Azure's, streaming or not.

An answer counts only when it came whole: with a reason why it ended, and when streamed to its last
line. What passes by itself (429, 5xx, a timeout, a connection or body that broke off) is asked
again with growing waits, or after what ``Retry-After`` says, at most two minutes. What does not (a wrong key, no such
model) is said at once. The key is sent in a header and stands in no text that this module makes; nor
does a password that the address holds.
"""

import json
import math
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
import msgspec

from rhythm.lm.prompt import Message
from rhythm.lm.trajectories import Usage
from rhythm.vocab import InvalidValueError, RhythmError
from rhythm.vocab.checks import check_text, is_number

KEY_VARIABLE: Final = "RHYTHM_LM_KEY"
AZURE_VERSION: Final = "2024-10-21"
MAX_ANSWER_BYTES: Final = 4 * 2**20
LONGEST_WAIT_S: Final = 120.0
_LONGEST_TIMEOUT_S: Final = 86_400.0
_SHORTEST_S: Final = 0.01
_HOTTEST: Final = 100.0
_MOST_TOKENS: Final = 10**9
"""A server that counts more for one answer does not count."""
FIRST_QUESTION: Final = 2
"""Messages in the first question of a week: one that is refused already is not refused for its length."""
_TOO_MANY, _TIMED_OUT, _SERVER = 429, 408, 500


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Which model is asked, and how.

    Attributes:
        base_url: address up to the version (``http://localhost:8000/v1``); for Azure the resource's.
        model: its name there; for Azure the deployment's.
        key: from an environment variable; empty where none is needed.
        azure: Azure's form of address and header.
        azure_version: its ``api-version``.
        stream: have the answer in pieces.
        temperature: of the draw; None leaves it to the server.
        max_tokens: most that one answer may take.
        limit_name: what the server calls that; newer models say ``max_completion_tokens``.
        timeout_s: seconds without a byte after which a request has failed.
        tries: requests for one answer, at most.
        first_wait_s: seconds before the second; each further wait is twice as long.
        deadline_s: seconds after which an answer is given up, all its requests and waits together, however busily
            the server sends; None for none. Only what comes before the body is held to `timeout_s` alone.
    """

    base_url: str
    model: str
    key: str = ""
    azure: bool = False
    azure_version: str = AZURE_VERSION
    stream: bool = False
    temperature: float | None = None
    max_tokens: int = 512
    limit_name: str = "max_tokens"
    timeout_s: float = 60.0
    tries: int = 6
    first_wait_s: float = 1.0
    deadline_s: float | None = None

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")) or not self.model:
            raise InvalidValueError("a model to ask needs --base-url with http or https, and --model")
        check_text(self.model, "the name of a model")
        if self.tries < 1 or self.max_tokens < 1 or not (self.timeout_s > 0 and self.first_wait_s >= 0):
            raise InvalidValueError("tries, max_tokens and timeout_s are above 0, and first_wait_s not below")
        if self.timeout_s > _LONGEST_TIMEOUT_S or (self.deadline_s is not None and not self.deadline_s > 0):
            raise InvalidValueError("timeout_s is at most a day, and deadline_s above 0")
        if self.temperature is not None and not is_number(self.temperature, 0.0, _HOTTEST):
            raise InvalidValueError(f"temperature is from 0 to {_HOTTEST:g}")

    def __repr__(self) -> str:
        """Without the key."""
        return f"Endpoint(place={self.place!r}, model={self.model!r})"

    @property
    def place(self) -> str:
        """The address without a user's name and password, to be shown and kept on record."""
        before, _, after = self.base_url.partition("://")
        found, slash, path = after.partition("/")
        return f"{before}://{found.rpartition('@')[2]}{slash}{path}"

    @property
    def on_record(self) -> str:
        """Who answers, as weeks in words name their teacher: the model, and the temperature that it is asked at."""
        return self.model if self.temperature is None else f"{self.model} at temperature {self.temperature:g}"

    @property
    def url(self) -> str:
        """Where questions are sent."""
        base = self.base_url.rstrip("/")
        if self.azure:
            return f"{base}/openai/deployments/{self.model}/chat/completions?api-version={self.azure_version}"
        return f"{base}/chat/completions"


def key_from(variable: str, *, needed: bool = False) -> str:
    """The key that an environment variable holds, or nothing.

    Raises:
        InvalidValueError: it is needed and not set, or cannot stand in a header.
    """
    key = os.environ.get(variable, "").strip()
    if needed and not key:
        raise InvalidValueError(f"no key: set the environment variable {variable} to the one that your provider shows")
    if not (key.isascii() and key.isprintable()):
        raise InvalidValueError(f"{variable} holds no key: a key is printable ASCII")
    return key


class Answer(msgspec.Struct, frozen=True):
    """What came of a question: its text, and what all its tries took."""

    text: str
    usage: Usage


class NoAnswerError(RhythmError):
    """A question was given up.

    Attributes:
        usage: what its tries took.
        hopeless: it would be the same for every other question: wrong key, address or model, or nobody there.
    """

    def __init__(self, problem: str, usage: Usage, *, hopeless: bool = False) -> None:
        super().__init__(problem)
        self.usage = usage
        self.hopeless = hopeless


class _TryAgainError(Exception):
    def __init__(
        self, problem: str, after_s: float | None = None, *, charged: bool = False, nobody: bool = False
    ) -> None:
        super().__init__(problem)
        self.after_s = after_s
        self.charged = charged
        self.nobody = nobody


class Model:
    """A model that can be asked, from several threads at once.

    Args:
        endpoint: which.
        sleep: waits so many seconds.
    """

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        self.endpoint = endpoint
        self._sleep = sleep
        headers = {}
        if endpoint.key:
            named = ("api-key", endpoint.key) if endpoint.azure else ("Authorization", f"Bearer {endpoint.key}")
            headers = dict([named])
        self._client = httpx.Client(timeout=endpoint.timeout_s, headers=headers, trust_env=False)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The model's answer.

        Raises:
            NoAnswerError: given up, at once, after `Endpoint.tries` or where `Endpoint.deadline_s` is over.
        """
        lost = 0
        ends_s = math.inf if self.endpoint.deadline_s is None else time.monotonic() + self.endpoint.deadline_s
        for count in range(1, self.endpoint.tries + 1):
            try:
                text, usage = self._once(messages, ends_s)
            except _TryAgainError as error:
                lost += error.charged
                wait_s = self._wait_s(count, error.after_s)
                if count == self.endpoint.tries or time.monotonic() + wait_s >= ends_s:
                    said = f"{error}, {'once' if count == 1 else f'{count} times'}"
                    said += "; check the base URL and the network" if error.nobody else ""
                    raise NoAnswerError(said, Usage(unaccounted=lost), hopeless=error.nobody) from None
                self._sleep(wait_s)
            except NoAnswerError as error:
                hopeless = error.hopeless or len(messages) <= FIRST_QUESTION
                raise NoAnswerError(str(error), Usage(unaccounted=lost), hopeless=hopeless) from None
            else:
                return Answer(text, usage + Usage(unaccounted=lost))
        raise AssertionError

    def _wait_s(self, count: int, after_s: float | None) -> float:
        wait_s = self.endpoint.first_wait_s * 2.0 ** (count - 1) * random.uniform(0.75, 1.25)
        return min(max(wait_s, after_s or 0.0), LONGEST_WAIT_S)

    def _once(self, messages: Sequence[Message], ends_s: float) -> tuple[str, Usage]:
        endpoint = self.endpoint
        body: dict[str, Any] = {
            "model": endpoint.model,
            "messages": list(messages),
            endpoint.limit_name: endpoint.max_tokens,
        }
        if endpoint.temperature is not None:
            body["temperature"] = endpoint.temperature
        if endpoint.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        timeout_s = min(endpoint.timeout_s, max(ends_s - time.monotonic(), _SHORTEST_S))
        try:
            with self._client.stream("POST", endpoint.url, json=body, timeout=timeout_s) as response:
                _check_status(response)
                pieces = _pieces(response, lambda: time.monotonic() < ends_s)
                return _streamed(pieces) if endpoint.stream else _whole(pieces)
        except httpx.TimeoutException:
            raise _TryAgainError("the server did not answer in time", charged=True) from None
        except httpx.ConnectError:
            raise _TryAgainError("the server could not be reached", nobody=True) from None
        except httpx.TransportError:
            raise _TryAgainError("the connection broke off", charged=True) from None
        except httpx.DecodingError:
            raise _TryAgainError("the answer broke off", charged=True) from None
        except (httpx.InvalidURL, UnicodeError):
            raise NoAnswerError("the base URL is no address; check --base-url", Usage(), hopeless=True) from None


def retry_after_s(value: str | None, now_at: datetime) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, given as such or as a date; None where it says nothing."""
    if value is None:
        return None
    if value.strip().isdecimal() and len(value) < 10:
        return float(value)
    try:
        until_at = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    if until_at.tzinfo is None:
        until_at = until_at.replace(tzinfo=UTC)
    return max(0.0, (until_at - now_at).total_seconds())


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in (_TOO_MANY, _TIMED_OUT) or status >= _SERVER:
        after_s = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC))
        raise _TryAgainError(f"the server answered with status {status}", after_s)
    if not response.is_success:
        wrong = {401: "check the key", 403: "check the key", 404: "check base URL and model"}
        if response.is_redirect:
            wrong = {status: "it points to another address, so check the base URL"}
        hint = wrong.get(status, "check --limit-name, --max-tokens and --temperature against what this model takes")
        raise NoAnswerError(f"the server refused with status {status}; {hint}", Usage(), hopeless=status in wrong)


def _pieces(response: httpx.Response, in_time: Callable[[], bool]) -> Iterator[bytes]:
    """The body as it comes: no more of it than an answer has, and no longer than is waited for."""
    taken = 0
    for piece in response.iter_bytes():
        taken += len(piece)
        if taken > MAX_ANSWER_BYTES:
            raise _TryAgainError("the answer is too long", charged=True)
        if not in_time():
            raise _TryAgainError("the server did not answer in time", charged=True)
        yield piece


def _whole(pieces: Iterable[bytes]) -> tuple[str, Usage]:
    data = b"".join(pieces)
    try:
        document = json.loads(data)
        choice = document["choices"][0]
        text, ended = choice["message"].get("content") or "", choice["finish_reason"]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise _TryAgainError("the answer broke off", charged=True) from None
    return _checked(text, ended, document.get("usage"))


def _streamed(pieces: Iterable[bytes]) -> tuple[str, Usage]:
    text, ended, counted, finished = [], None, None, False
    for event in _events(pieces):
        if event == b"[DONE]":
            finished = True
            break
        try:
            document = json.loads(event)
            counted = document.get("usage") or counted
            for choice in document["choices"][:1]:
                text.append(choice["delta"].get("content") or "")
                ended = choice.get("finish_reason") or ended
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _TryAgainError("the answer broke off", charged=True) from None
    if not finished:
        raise _TryAgainError("the answer broke off", charged=True)
    return _checked("".join(map(str, text)), ended, counted)


def _events(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line[5:].strip() for line in lines if line.startswith(b"data:"))
    if rest.startswith(b"data:"):
        yield rest[5:].strip()


def _checked(text: object, ended: object, counted: object) -> tuple[str, Usage]:
    if not isinstance(text, str) or not isinstance(ended, str):
        raise _TryAgainError("the answer broke off", charged=True)
    try:
        assert isinstance(counted, dict)
        usage = Usage(1, counted["prompt_tokens"], counted["completion_tokens"])
        assert max(usage.prompt_tokens, usage.completion_tokens) <= _MOST_TOKENS
    except (AssertionError, KeyError, InvalidValueError):
        usage = Usage(calls=1, unaccounted=1)
    return text.encode(errors="replace").decode(), usage
