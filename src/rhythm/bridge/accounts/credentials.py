"""Letting Rhythm in: OAuth with the person's own app, or a key; tokens asked for, renewed, never shown."""

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from rhythm.vocab.errors import InvalidValueError

EARLY = timedelta(seconds=90)
"""A token is renewed so long before it ends, so that none ends on its way."""
KEY_TOKEN_LASTS = timedelta(hours=24)
_LONGEST = 8_000


class Login(msgspec.Struct, frozen=True):
    """How a vendor lets programs in.

    Attributes:
        token_url: where tokens are given out.
        authorize_url: the page on which the person agrees; empty where a key is used.
        scopes: what is asked for.
        extra: further words of the page's address.
        advice: where the person makes the app or the key.
        renewal: further words of what is posted to renew a token.
    """

    token_url: str
    authorize_url: str = ""
    scopes: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    renewal: tuple[tuple[str, str], ...] = ()

    @property
    def by_key(self) -> bool:
        """Whether it takes a key, not an app."""
        return not self.authorize_url


class Credentials(msgspec.Struct, frozen=True, omit_defaults=True):
    """What lets Rhythm in; kept encrypted, and never in an error, a log or a repr.

    Attributes:
        client_id, client_secret: of the person's own app.
        refresh_token: renews the access token; some vendors give a new one each time.
        access_token: opens the interface until ``expires_at``.
        key: a key in place of all these.
    """

    client_id: str = ""
    client_secret: str = ""
    refresh_token: str = ""
    access_token: str = ""
    expires_at: datetime | None = None
    key: str = ""

    def __repr__(self) -> str:
        """Without any of it."""
        return "Credentials(...)"

    def is_fresh(self, now_at: datetime) -> bool:
        """Whether the access token can still be used."""
        return bool(self.access_token) and (self.expires_at is None or now_at + EARLY < self.expires_at)


def authorize_address(login: Login, client_id: str, redirect_url: str, state: str) -> str:
    """The address of the page on which the person agrees."""
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_url,
        "scope": " ".join(login.scopes),
        "state": state,
        **dict(login.extra),
    }
    return f"{login.authorize_url}?{urlencode(query)}"


def code_from(address: str, state: str) -> str:
    """The code in the address to which the vendor sent the person back.

    Raises:
        InvalidValueError: no code in it, or it answers another request than ours.
    """
    try:
        query = parse_qs(urlsplit(address.strip()).query)
    except ValueError:
        query = {}
    code = query.get("code", [""])[0]
    if not code or len(code) > _LONGEST:
        raise InvalidValueError("there is no code in this address; copy the whole address that the browser ended at")
    if query.get("state", [""])[0] != state:
        raise InvalidValueError("this address answers another request; begin again with the newest link")
    return code


def code_form(credentials: Credentials, code: str, redirect_url: str) -> dict[str, str]:
    """What is posted to turn a code into tokens."""
    return {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_url,
        "client_id": credentials.client_id,
        "client_secret": credentials.client_secret,
    }


def renewal_form(login: Login, credentials: Credentials) -> dict[str, str]:
    """What is posted to renew an access token."""
    return {
        **dict(login.renewal),
        "grant_type": "refresh_token",
        "refresh_token": credentials.refresh_token,
        "client_id": credentials.client_id,
        "client_secret": credentials.client_secret,
    }


def sendable(token: str) -> bool:
    """Whether a token or key can stand in a header: a page, or what a copy picked up beside it, cannot."""
    return 0 < len(token) <= _LONGEST and token.isascii() and token.isprintable() and " " not in token


def with_tokens(credentials: Credentials, answer: Mapping[str, Any], now_at: datetime) -> Credentials | None:
    """The credentials with the tokens of an answer; None where it holds no access token."""
    access, refresh, lasts_s = (answer.get(name) for name in ("access_token", "refresh_token", "expires_in"))
    if not isinstance(access, str) or not sendable(access):
        return None
    lasts = timedelta(seconds=float(lasts_s)) if isinstance(lasts_s, int | float) and 0 < lasts_s < 1e9 else None
    return msgspec.structs.replace(
        credentials,
        access_token=access,
        refresh_token=refresh if isinstance(refresh, str) and refresh else credentials.refresh_token,
        expires_at=None if lasts is None else now_at + lasts,
    )


def with_bearer(credentials: Credentials, token: str, now_at: datetime) -> Credentials | None:
    """The credentials with a bearer that a key was exchanged for; None where it is none."""
    token = token.strip().strip('"')
    if not sendable(token):
        return None
    ends_at = _end_of(token) or now_at + KEY_TOKEN_LASTS
    return msgspec.structs.replace(credentials, access_token=token, expires_at=ends_at)


def _end_of(token: str) -> datetime | None:
    """When a token ends by its own word; None where it does not say. Its signature is the vendor's to check."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        return datetime.fromtimestamp(float(claims["exp"]), UTC)
    except (ValueError, KeyError, TypeError, OverflowError, OSError, RecursionError):
        return None
