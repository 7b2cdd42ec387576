"""What opens the pages: the token file, the first-run link, the cookie among those of other programs here."""

import errno
import os
import stat
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from rhythm.assist.places import Home
from rhythm.assist.tokens import TOKEN_CHARS, HomeError
from rhythm.web.security import Guard, Keys
from web.sites import HOST, TOKEN

KEYS = Keys(TOKEN, 8321)
OURS = f"{KEYS.cookie_name}={KEYS.session}"


def visitor() -> TestClient:
    """Somebody before a page that says "in", without a cookie."""
    return TestClient(Guard(PlainTextResponse("in"), keys=KEYS, hosts=["127.0.0.1:8321"]), base_url=HOST)


def test_a_token_is_made_whole_once_and_for_its_owner_only(tmp_path: Path) -> None:
    home = Home(tmp_path)
    token = home.token()
    assert len(token) == TOKEN_CHARS
    assert home.token() == Home(tmp_path).token() == token
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["token"], "no draft of it stays"


@pytest.mark.parametrize(
    "kept",
    ["", "\n", "a" * (TOKEN_CHARS - 1), "\0" * TOKEN_CHARS, "é" * TOKEN_CHARS],
    ids=["empty", "blank", "cut", "zeros", "letters"],
)
def test_a_token_file_that_is_empty_or_cut_opens_nothing(tmp_path: Path, kept: str) -> None:
    home = Home(tmp_path)
    (tmp_path / "token").write_text(kept, encoding="utf-8")
    with pytest.raises(HomeError, match="damaged; delete the file `token`"):
        home.token()
    assert (tmp_path / "token").read_text(encoding="utf-8") == kept, "what secrets are kept under is not made anew"


def test_a_full_disk_leaves_no_piece_of_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(HomeError, match="No space left on device"):
            home.token()
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []
    assert len(home.token()) == TOKEN_CHARS


def test_of_two_starts_at_once_both_have_the_same_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, first = os.link, "f" * TOKEN_CHARS

    def second(source: str, target: Path) -> None:
        (tmp_path / "token").write_text(first)
        link(source, target)

    monkeypatch.setattr(os, "link", second)
    assert Home(tmp_path).token() == first


def test_a_token_is_made_where_the_file_system_has_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", unable)
    token = Home(tmp_path).token()
    assert len(token) == TOKEN_CHARS
    assert Home(tmp_path).token() == token


def test_the_token_leaves_the_address_at_every_visit() -> None:
    browser = visitor()
    for _ in range(2):  # the second brings the cookie of the first
        answered = browser.get(f"/?token={TOKEN}", follow_redirects=False)
        assert (answered.status_code, answered.headers["location"]) == (303, "/")
    assert browser.get("/?token=of-another-machine").text == "in"
    assert browser.post(f"/?token={TOKEN}").text == "in", "only a visit is led on"
    assert visitor().post(f"/?token={TOKEN}").status_code == 401


@pytest.mark.parametrize(
    "other",
    ['prefs={"a":1}', "foo=bär", "no-equals-sign", "=", 'x="a;b"', "a[1]=2", "q=é ü"],
    ids=["json", "letters", "bare", "empty", "quoted", "brackets", "spaces"],
)
def test_the_cookies_of_other_programs_lock_nobody_out(other: str) -> None:
    def got(cookies: str) -> int:
        return visitor().get("/", headers={b"cookie": cookies.encode()}).status_code

    assert [got(f"{other}; {OURS}"), got(f"{OURS}; {other}"), got(OURS)] == [200, 200, 200]
    assert [got(other), got(f"{other}; {OURS}x"), got(f"{other}; {KEYS.cookie_name}=")] == [401, 401, 401]
