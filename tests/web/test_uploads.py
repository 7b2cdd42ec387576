"""Files that are handed in: none that is held is lost sight of, each outcome is told, and of two clicks one counts."""

import threading
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest

from assist.houses import Clock, house
from rhythm.assist import Assistant
from rhythm.assist.files import Imported
from rhythm.assist.preview import Preview
from rhythm.web.uploads import MOST_TOLD, READ_AT_ONCE, Job, NotHeldError, Uploads
from web.sites import csrf_of, entered

MANY = MOST_TOLD + 2


class Reader:
    """Reads any file as a calendar of one event."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def preview_file(self, _: Path, *, name: str) -> Preview:
        """See `Assistant`."""
        return Preview(name, "a calendar", (), None, None, 0, 0)

    def import_file(self, _: Path, *, name: str, on_stored: Callable[[Imported], None]) -> None:
        """See `Assistant`."""
        self.read.append(name)
        on_stored(Imported(name, "calendar", 1, 0, {}))


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def uploads(reader: Reader, tmp_path: Path) -> Uploads:
    return Uploads(tmp_path, cast("Assistant", reader))


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as made:
        yield made


def handed_in(take: Callable[[BytesIO, str], Job], prefix: str = "", count: int = MANY) -> list[Job]:
    jobs = [take(BytesIO(b"x"), f"{prefix}{n}.ics") for n in range(count)]
    assert all(job.ended.wait(20) for job in jobs)
    return jobs


def test_of_many_people_two_files_are_read_at_once(tmp_path: Path) -> None:
    """Whoever waits is read for when one of them is through; nobody's pages wait for it."""
    going_on, counting = threading.Event(), threading.Lock()
    at_once: list[int] = []
    busy = 0

    class Slow(Reader):
        def import_file(self, path: Path, *, name: str, on_stored: Callable[[Imported], None]) -> None:
            nonlocal busy
            with counting:
                busy += 1
                at_once.append(busy)
            going_on.wait(20)
            with counting:
                busy -= 1
            super().import_file(path, name=name, on_stored=on_stored)

    people = []
    for name in "abcd":
        (tmp_path / name).mkdir()
        people.append(Uploads(tmp_path / name, cast("Assistant", Slow())))
    jobs = [one.take(BytesIO(b"x"), "own.ics") for one in people]
    while len(at_once) < READ_AT_ONCE:
        time.sleep(0.01)
    assert not any(job.ended.wait(0.3) for job in jobs)
    assert len(at_once) == READ_AT_ONCE
    going_on.set()
    assert all(job.ended.wait(20) and not job.failed for job in jobs)
    assert len(at_once) == len(jobs)
    assert max(at_once) == READ_AT_ONCE


def test_every_file_that_was_looked_into_can_be_reached(uploads: Uploads, reader: Reader, tmp_path: Path) -> None:
    held = handed_in(uploads.look)
    uploads.begin()
    handed_in(uploads.take, "read-")
    uploads.begin()
    assert [job.name for job in uploads.latest if job.is_held] == [job.name for job in held]
    for job in held[1:]:
        uploads.drop(job.id)
    assert uploads.keep(held[0].id).ended.wait(20)
    assert reader.read[-1] == "0.ics"
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_became_of_each_file_is_told_until_more_is_handed_in(uploads: Uploads) -> None:
    for before in ("a", "b", "c"):
        uploads.begin()
        handed_in(uploads.take, before)
        told = [job.message for job in uploads.latest]
        assert told[-MANY:] == [f"{before}{n}.ics: 1 events read" for n in range(MANY)]
        assert len(told) <= MOST_TOLD + MANY


def test_of_two_clicks_at_once_one_keeps_the_file(uploads: Uploads, reader: Reader) -> None:
    (job,) = handed_in(uploads.look, count=1)
    together, refused = threading.Barrier(4), []

    def click() -> None:
        together.wait(20)
        try:
            uploads.keep(job.id).ended.wait(20)
        except NotHeldError as error:
            refused.append(str(error))

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join(20)
    assert reader.read == ["0.ics"]
    assert len(refused) == 3


def test_the_page_says_that_a_file_was_kept_already(
    assistant: Assistant, reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assistant, "import_file", reader.import_file)
    monkeypatch.setattr(assistant, "preview_file", reader.preview_file)
    client = entered(assistant, tmp_path)
    uploads = cast("Any", client.app).state.site.uploads
    form = {"csrf": csrf_of(client)}
    files = [("files", (f"{n}.ics", b"x")) for n in range(MANY)]
    for more in ({}, {}, {"look": "1"}):
        sent = client.post("/data/import", data={**form, **more}, files=files, follow_redirects=False)
        assert sent.status_code == 303
        assert all(job.ended.wait(20) for job in uploads.latest)
    held = [job for job in uploads.latest if job.is_held]
    assert len(held) == MANY
    assert len(uploads.latest) == MOST_TOLD + MANY, "of the first files the outcome is told no more"
    where = f"/data/looked/{held[0].id}/keep"
    assert client.post(where, data=form, follow_redirects=False).status_code == 303
    again = client.post(where, data=form)
    assert again.status_code == 404
    assert "it was kept or thrown away already" in again.text
    assert "see on the Data page what was read" in again.text
