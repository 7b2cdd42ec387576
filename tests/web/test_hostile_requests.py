"""Requests that no page of ours makes: clocks, numbers, names and headers that cannot be. None of them hurts a page."""

import errno
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import Clock, house
from bridge.calendar.ics_texts import calendar
from rhythm.assist import Assistant
from rhythm.assist.data import MOST_STREAMS
from rhythm.store import HealthReading
from rhythm.store.errors import StoreBusyError
from web.sites import TOKEN, csrf_of, entered

BEARER = {"authorization": f"Bearer {TOKEN}"}
HUGE = "9" * 30


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as made:
        yield made


def test_no_clock_of_a_phone_can_break_the_pages(client: TestClient, assistant: Assistant) -> None:
    number = assistant.today().waiting[0].number
    data = {"csrf": csrf_of(client), "outcome": "accepted"}
    for at in ("yesterday", "2026-03-12T08:30:00"):
        assert client.post(f"/suggestions/{number}/answer", data=data | {"at": at}).status_code == 400
        body = {"outcome": "accepted", "at": at}
        assert client.post(f"/api/v1/suggestions/{number}/answer", json=body, headers=BEARER).status_code == 400
    for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00", "1970-01-01T00:00:00Z"):
        assert client.post(f"/suggestions/{number}/answer", data=data | {"at": at}).status_code == 200
        given = assistant.person.answers.holding([number])[number]
        assert abs(given.at - given.recorded_at) < timedelta(minutes=1)
        assert client.get("/").status_code == 200
        assert client.post(f"/suggestions/{number}/undo", data=data).status_code == 200


def test_numbers_beyond_all_measure_are_refused_in_words(client: TestClient) -> None:
    data = {"csrf": csrf_of(client), "outcome": "accepted", "number": HUGE, "subject": "social", "value": "9" * 400}
    for path in (f"/suggestions/{HUGE}/answer", f"/suggestions/{HUGE}/undo", f"/data/imports/{HUGE}/undo",
                 f"/data/calendars/{HUGE}/remove", "/you/correct", "/you/withdraw"):  # fmt: skip
        answered = client.post(path, data=data)
        assert answered.status_code in {400, 404}
        assert "That did not work" in answered.text


def test_what_the_framework_refuses_is_said_as_the_document_says(client: TestClient) -> None:
    asked = [
        client.get("/api/v1/trends?days=many", headers=BEARER), client.delete("/api/v1/today", headers=BEARER),
        client.post("/api/v1/suggestions/one/undo", headers=BEARER), client.get("/api/v1/nothing", headers=BEARER),
        client.post(f"/api/v1/suggestions/{HUGE}/undo", json={}, headers=BEARER),
    ]  # fmt: skip
    assert [answered.status_code for answered in asked] == [400, 405, 404, 404, 400]
    assert all(set(answered.json()) == {"error", "message"} for answered in asked)
    assert client.post("/suggestions/one/undo", data={"csrf": csrf_of(client)}).text == (
        "There is nothing at this address."
    )


def test_an_origin_that_is_no_address_is_refused(client: TestClient) -> None:
    assert client.post("/report", data={"csrf": csrf_of(client)}, headers={"origin": "http://["}).status_code == 403


def test_a_file_of_a_long_name_in_any_script_is_read(client: TestClient, assistant: Assistant) -> None:
    now = Clock()().strftime("%Y%m%dT%H0000Z")
    content = calendar(f"UID:a\nDTSTART:{now}\nDURATION:PT1H\nSUMMARY:one")
    sent = [("files", (letter * 200, content)) for letter in "日𠀀"]
    assert client.post("/data/import", data={"csrf": csrf_of(client)}, files=sent).status_code == 200
    assert [source.kind for source in assistant.person.calendars.all()] == ["file", "file"]


def test_a_full_disk_is_said_and_leaves_no_piece_of_a_file(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"csrf": csrf_of(client)}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "incoming" / "diary.ics"))

    monkeypatch.setattr(os, "fsync", full)
    answered = client.post("/data/import", data=data, files=[("files", ("diary.ics", calendar("UID:a")))])
    assert answered.status_code == 500
    assert "No space left on device" in answered.text
    assert "diary" not in answered.text
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_busy_database_is_no_refusal(assistant: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise StoreBusyError("another process holds the database; try again")

    monkeypatch.setattr(assistant, "answer", busy)
    client = entered(assistant, tmp_path)
    data = {"csrf": csrf_of(client), "outcome": "accepted"}
    page = client.post("/suggestions/1/answer", data=data)
    called = client.post("/api/v1/suggestions/1/answer", json={"outcome": "accepted"}, headers=BEARER)
    assert (page.status_code, called.status_code) == (503, 503), "a tap that was given offline waits then"
    assert "Another process holds the database; try again" in page.text
    assert called.json()["error"] == "StoreBusyError"


def test_a_file_of_thousands_of_devices_keeps_the_data_page_short(client: TestClient, assistant: Assistant) -> None:
    at = Clock()()
    assistant.person.readings.add(
        HealthReading("heart_rate_bpm", 60.0, "bpm", at, at, f"Watch {n // (1 + n % 2)}", 60, "") for n in range(400)
    )
    data = assistant.data()
    assert len(data.streams) == MOST_STREAMS
    assert len(data.streams) + data.streams_left_out == len(assistant.person.readings.streams())
    assert data.readings > MOST_STREAMS
    page = client.get("/data").text
    assert f"And {data.streams_left_out:,} more" in page
    assert len(page) < 150_000
