"""The pages without JavaScript: the whole flow by forms, and what is refused."""

import html
import logging
import re
import time
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import ZONE, Clock, house, introvert_files
from rhythm.assist import Assistant
from rhythm.store import PersonSettings
from web.sites import HOST, TOKEN, client_of, csrf_of

PAGES = ("/", "/you", "/data", "/settings")
SUGGESTION = re.compile(r'action="/suggestions/(\d+)/answer"')


@pytest.fixture
def files() -> tuple[Path, Path]:
    return introvert_files()


def give(client: TestClient, files: tuple[Path, ...]) -> str:
    sent = [("files", (path.name, path.read_bytes())) for path in files]
    answered = client.post("/data/import", data={"csrf": csrf_of(client)}, files=sent)
    assert answered.status_code == 200
    page = answered.text
    while "being read" in page:  # on a machine that has to compile first, a page does not wait so long
        time.sleep(0.1)
        page = client.get("/data").text
    return page


def tap(client: TestClient, number: str, outcome: str, **more: str) -> str:
    data = {"csrf": csrf_of(client), "outcome": outcome, "key": f"k-{number}-{outcome}", **more}
    answered = client.post(f"/suggestions/{number}/answer", data=data)
    assert answered.status_code == 200
    return answered.text


def test_the_whole_flow_by_forms(client: TestClient, files: tuple[Path, Path]) -> None:
    assert "Begin with your own files" in client.get("/").text
    read = give(client, files)
    assert "events read" in read
    assert "readings read" in read
    page = client.get("/").text
    for word in ("Vitality", "Cognition", "Progress", "Serenity", "Connection", "Apple Health, Demo Watch"):
        assert word in page
    before = client.get("/you").text
    number = SUGGESTION.findall(page)[0]
    after = tap(client, number, "accepted")
    assert "You can undo it" in after
    assert f"/suggestions/{number}/undo" in after
    changed = client.get("/you").text
    assert "1 answer to a suggestion" in changed
    undone = client.post(f"/suggestions/{number}/undo", data={"csrf": csrf_of(client), "key": "u"})
    assert f"/suggestions/{number}/answer" in undone.text
    strip = re.compile(r'name="(csrf|key)" value="[^"]*"')
    assert strip.sub("", client.get("/you").text) == strip.sub("", before)


def test_later_says_where_it_went(client: TestClient) -> None:
    number = SUGGESTION.findall(client.get("/").text)[0]
    assert "moved to" in tap(client, number, "rescheduled")


def test_an_answer_sent_again_is_recorded_once(client: TestClient, assistant: Assistant) -> None:
    number = SUGGESTION.findall(client.get("/").text)[0]
    for _ in range(2):
        tap(client, number, "accepted", at="2026-03-12T08:30:00Z")
    events = assistant.person.answers.events(int(number))
    assert [event.channel for event in events] == ["offline"]


def test_correcting_and_clearing_what_is_believed(client: TestClient) -> None:
    csrf = csrf_of(client)
    told = client.post("/you/correct", data={"csrf": csrf, "subject": "social", "value": "12"}).text
    assert "You said 12" in told
    cleared = client.post("/you/clear", data={"csrf": csrf}).text
    assert "Learning begins anew" in cleared


def test_settings_are_kept_and_nonsense_is_refused(client: TestClient, assistant: Assistant) -> None:
    form = {
        "csrf": csrf_of(client), "name": "Kim", "zone": "America/New_York", "morning": "05:30", "afternoon": "12:00",
        "evening": "17:00", "night": "21:30", "daily_cap": "2", "quiet_from": "21:00", "quiet_until": "07:00",
        "ask_reports": "on",
    }  # fmt: skip
    assert "Settings kept" in client.post("/settings", data=form).text
    assert assistant.settings.zone == "America/New_York"
    assert assistant.settings.daily_cap == 2
    assert not assistant.settings.shortcuts
    assert "How does it feel?" in client.get("/").text
    for wrong in ({"zone": "Mars/Olympus"}, {"daily_cap": "99"}, {"night": "03:00"}, {"morning": "soon"}):
        refused = client.post("/settings", data={**form, **wrong})
        assert refused.status_code == 400
        assert "That did not work" in refused.text
    assert assistant.settings.zone == "America/New_York"


def test_a_report_by_one_tap(client: TestClient) -> None:
    data = {"csrf": csrf_of(client), "meter": "vitality", "step": "4"}
    assert "your own word" in client.post("/report", data=data).text
    assert "You said 90" in client.get("/").text


def test_export_and_erase(client: TestClient, files: tuple[Path, Path], assistant: Assistant) -> None:
    give(client, files)
    exported = client.post("/data/export", data={"csrf": csrf_of(client)})
    with zipfile.ZipFile(BytesIO(exported.content)) as archive:
        assert "manifest.json" in archive.namelist()
    assert client.post("/data/erase", data={"csrf": csrf_of(client), "word": "no"}).status_code == 400
    assert assistant.data().readings > 0
    erased = client.post("/data/erase", data={"csrf": csrf_of(client), "word": "erase"}, follow_redirects=False)
    assert erased.headers["clear-site-data"]
    assert assistant.data().readings == 0


def test_a_broken_file_is_told_and_changes_nothing(client: TestClient, tmp_path: Path) -> None:
    broken = tmp_path / "export.xml"
    broken.write_bytes(b"<?xml version='1.0'?><Nothing/>")
    page = give(client, (broken,))
    assert "no file that Rhythm can read" in page
    assert "No health export yet" in page


def test_titles_are_shown_as_text(client: TestClient, tmp_path: Path) -> None:
    evil = tmp_path / "evil.ics"
    evil.write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260312T130000Z\r\n"
        "DTEND:20260312T140000Z\r\nSUMMARY:<script>alert(1)</script>\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    give(client, (evil,))
    page = client.get("/").text
    assert "<script>alert" not in page
    assert html.escape("<script>alert(1)</script>") in page


def test_a_demonstration_is_marked_on_every_page(tmp_path: Path) -> None:
    with house(tmp_path, Clock(), PersonSettings(zone=ZONE, demonstration=True)) as assistant:
        client = client_of(assistant, tmp_path)
        for page in PAGES:
            assert "Demonstration." in client.get(page).text


def test_without_the_token_everything_is_shut(assistant: Assistant, tmp_path: Path) -> None:
    stranger = client_of(assistant, tmp_path, signed_in=False)
    for page in (*PAGES, "/api/v1/today", "/api/openapi.json", "/?token=wrong"):
        assert stranger.get(page).status_code == 401
    assert stranger.post("/you/clear").status_code == 401
    assert stranger.get("/healthz").status_code == 200


def test_the_token_leaves_the_address_at_once(assistant: Assistant, tmp_path: Path) -> None:
    stranger = client_of(assistant, tmp_path, signed_in=False)
    first = stranger.get(f"/?token={TOKEN}", follow_redirects=False)
    assert first.headers["location"] == "/"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert TOKEN not in cookie


def test_another_host_name_is_refused(client: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1:9", "localhost.evil.example:8321", ""):
        assert client.get("/", headers={"host": host}).status_code == 421
    assert client.get("/", headers={"host": "localhost:8321"}).status_code == 200


def test_a_form_from_elsewhere_is_refused(client: TestClient, assistant: Assistant) -> None:
    number = SUGGESTION.findall(client.get("/").text)[0]
    good = {"csrf": csrf_of(client), "outcome": "accepted"}
    where = f"/suggestions/{number}/answer"
    assert client.post(where, data={**good, "csrf": ""}).status_code == 403
    assert client.post(where, data={**good, "csrf": "0" * 64}).status_code == 403
    assert client.post(where, data=good, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.post(where, data=good, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert assistant.person.answers.events() == ()
    assert client.post(where, data=good, headers={"origin": HOST}).status_code == 200


def test_every_answer_carries_the_page_policy(client: TestClient) -> None:
    for page in (*PAGES, "/api/v1/today", "/static/rhythm.css", "/nowhere"):
        policy = client.get(page).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_pages_ask_nothing_of_another_host_and_carry_no_inline_code(client: TestClient) -> None:
    for page in PAGES:
        text = client.get(page).text
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text)
        assert "style=" not in text
        assert not re.search(r"<script(?! src)", text)


def test_nothing_of_the_person_reaches_the_log(
    client: TestClient, files: tuple[Path, Path], assistant: Assistant, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def failing() -> None:
        raise ValueError("Dinner with a secret title")

    caplog.set_level(logging.DEBUG)
    give(client, files)
    monkeypatch.setattr(assistant, "today", failing)
    assert client.get("/").status_code == 500
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("rhythm"))
    assert "ValueError" in ours
    assert "secret title" not in ours
    assert TOKEN not in ours


def test_the_feed_opens_by_its_own_address_only(client: TestClient, assistant: Assistant, tmp_path: Path) -> None:
    found = re.search(r'value="http://127.0.0.1:8321(/feed/[0-9a-f]+\.ics)"', client.get("/data").text)
    assert found is not None
    stranger = client_of(assistant, tmp_path, signed_in=False)
    feed = stranger.get(found.group(1))
    assert feed.headers["content-type"].startswith("text/calendar")
    assert b"BEGIN:VCALENDAR" in feed.content
    assert stranger.get("/feed/0000.ics").status_code == 404


def test_two_people_never_see_each_other(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with house(tmp_path / "one", Clock()) as first, house(tmp_path / "two", Clock()) as second:
        here, there = client_of(first, tmp_path / "one"), client_of(second, tmp_path / "two")
        give(here, files)
        assert "Demo Watch" in here.get("/data").text
        assert "Demo Watch" not in there.get("/data").text
