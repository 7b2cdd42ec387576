"""Handing in: a look before anything is kept, posts from the phone's app, and which days have what."""

import json
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import Clock, house
from bridge.calendar.ics_texts import calendar
from rhythm.assist import Assistant
from rhythm.assist.calendar_facts import to_occurrences
from rhythm.assist.feeds import day_window
from rhythm.assist.preview import preview_file
from rhythm.bridge.calendar.classify import RuleClassifier
from rhythm.bridge.calendar.sources import FileSource
from rhythm.store import CalendarSource
from web.sites import TOKEN, client_of, csrf_of

LOOKED = re.compile(r'action="/data/looked/([0-9a-f]+)/keep"')
PUSH = "/api/v1/health-records"
CLOCK = Clock()


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as made:
        yield made


def export(days: int = 10) -> bytes:
    last = CLOCK().date()
    hrv, sleep = [], []
    for n in range(days):
        day = last - timedelta(days=n)
        hrv.append({"date": f"{day} 04:00:00 +0100", "qty": 40 + n, "source": "Watch"})
        sleep.append({
            "date": f"{day} 00:00:00 +0100", "sleepStart": f"{day - timedelta(days=1)} 23:00:00 +0100",
            "sleepEnd": f"{day} 06:30:00 +0100", "totalSleep": 7.0, "deep": 1.0, "rem": 1.5, "core": 4.5,
            "source": "Watch",
        })  # fmt: skip
    metrics = [
        {"name": "heart_rate_variability", "units": "ms", "data": hrv},
        {"name": "sleep_analysis", "units": "hr", "data": sleep},
    ]
    return json.dumps({"data": {"metrics": metrics}}).encode()


def look(client: TestClient, name: str, content: bytes) -> str:
    data = {"csrf": csrf_of(client), "look": "1"}
    page = client.post("/data/import", data=data, files=[("files", (name, content))]).text
    while "being read" in page:
        time.sleep(0.05)
        page = client.get("/data").text
    return page


def test_a_look_stores_nothing_and_can_be_kept(client: TestClient, assistant: Assistant, tmp_path: Path) -> None:
    page = look(client, "health.json", export())
    assert "Nothing of it is kept yet" in page
    assert "10 hrv sdnn ms" in page
    assert "10 days that nothing is known of yet" in page
    assert assistant.data().readings == 0
    assert assistant.data().imports == ()
    (job,) = LOOKED.findall(page)
    page = client.post(f"/data/looked/{job}/keep", data={"csrf": csrf_of(client)}).text
    while "being read" in page:
        time.sleep(0.05)
        page = client.get("/data").text
    assert "readings read" in page
    assert assistant.data().readings >= 20
    assert not list((tmp_path / "incoming").rglob("*health*"))
    assert client.post(f"/data/looked/{job}/keep", data={"csrf": csrf_of(client)}).status_code == 404


def test_a_look_can_be_thrown_away(client: TestClient, assistant: Assistant, tmp_path: Path) -> None:
    now = CLOCK().strftime("%Y%m%dT%H0000Z")
    (job,) = LOOKED.findall(look(client, "mine.ics", calendar(f"UID:a\nDTSTART:{now}\nSUMMARY:Gym")))
    assert "Thrown away" in client.post(f"/data/looked/{job}/drop", data={"csrf": csrf_of(client)}).text
    assert assistant.data().calendars == ()
    assert not list((tmp_path / "incoming").rglob("*mine*"))
    assert client.post(f"/data/looked/{job}/drop", data={"csrf": csrf_of(client)}).status_code == 404
    assert client.post("/data/looked/0/keep", data={"csrf": "wrong"}).status_code == 403


def test_a_look_at_what_cannot_be_read_says_so(client: TestClient, tmp_path: Path) -> None:
    page = look(client, "x.bin", b"\x00" * 100)
    assert "this is no file that Rhythm can read" in page
    assert not LOOKED.findall(page)
    assert not list((tmp_path / "incoming").rglob("*x.bin*"))


def push_key(client: TestClient) -> str:
    found = re.search(r'id="pushkey" readonly value="(Bearer [0-9a-f]+)"', client.get("/data").text)
    assert found is not None
    return found.group(1)


def test_the_app_posts_with_a_key_of_its_own(client: TestClient, assistant: Assistant, tmp_path: Path) -> None:
    headers = {"authorization": push_key(client)}
    phone = client_of(assistant, tmp_path, signed_in=False)
    first = phone.post(PUSH, content=export(), headers=headers)
    assert first.status_code == 201
    assert first.json()["added"] >= 20
    again = phone.post(PUSH, content=export(12), headers=headers).json()
    assert again["known"] == first.json()["added"]
    assert 0 < again["added"] < first.json()["added"]
    assert phone.get("/api/v1/today", headers=headers).status_code == 401, "it opens nothing else"
    assert phone.post(PUSH, content=export()).status_code == 401
    assert phone.post(PUSH, content=export(), headers={"authorization": f"Bearer {TOKEN}"}).status_code == 201
    assert client.post(PUSH, content=export()).status_code == 403, "a cookie alone is not enough"
    assert "posted by the app" in client.get("/data").text


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"data": 3}', b"\xff\xfe", b'{"data": {"metrics": 3, "workouts": {}}}']
)
def test_a_post_that_is_none_changes_nothing(client: TestClient, assistant: Assistant, body: bytes) -> None:
    answered = client.post(PUSH, content=body, headers={"authorization": push_key(client)})
    assert answered.status_code in (201, 400)
    assert assistant.data().readings == 0
    assert answered.status_code == 400 or answered.json()["added"] == 0


def test_the_coverage_calendar_shows_which_days_have_what(client: TestClient, assistant: Assistant) -> None:
    assert "Which days have what" not in client.get("/data").text
    client.post(PUSH, content=export(10), headers={"authorization": push_key(client)})
    weeks = assistant.data().coverage
    assert len(weeks) == 12
    days = {day.day: day for week in weeks for day in week.days}
    today = CLOCK().date()
    assert days[today].letters == ("S", "V")
    assert days[today].words == "sleep, heart-rate variability"
    assert days[today - timedelta(days=9)].letters[0] == "S"
    assert days[today - timedelta(days=12)].letters == ()
    assert days[today + timedelta(days=1)].letters == ()
    assert "Which days have what" in client.get("/data").text


def test_a_title_that_nothing_is_known_of_is_asked_about_once(client: TestClient, assistant: Assistant) -> None:
    def event(uid: str, day: int, title: str) -> str:
        at = (CLOCK() + timedelta(days=day)).strftime("%Y%m%dT%H0000Z")
        end = (CLOCK() + timedelta(days=day, hours=2)).strftime("%Y%m%dT%H0000Z")
        return f"UID:{uid}\nDTSTART:{at}\nDTEND:{end}\nSUMMARY:{title}"

    events = [event("a", -7, "Xylqueb"), event("b", 2, "Xylqueb"), event("c", -3, "Vlurp"), event("d", 1, "Gym")]
    data = {"csrf": csrf_of(client)}
    client.post("/data/import", data=data, files=[("files", ("mine.ics", calendar(*events)))])
    (asked,) = assistant.data().unknown_titles
    assert (asked.title, asked.count) == ("Xylqueb", 2), "one that stood once, in the past, is left in peace"
    page = client.get("/data").text
    assert "What are these?" in page
    answered = client.post("/events/correct", data={**data, "title": "Xylqueb", "action": "none", "from": "data"})
    assert answered.url.path == "/data"
    assert assistant.data().unknown_titles == ()
    client.post("/data/import", data=data, files=[("files", ("mine.ics", calendar(*events)))])
    assert assistant.data().unknown_titles == (), "remembered when the calendar is read again"


def test_a_calendar_that_is_read_already_brings_no_new_days(assistant: Assistant, tmp_path: Path) -> None:
    def days(*numbers: int) -> list[str]:
        starts = [(CLOCK() + timedelta(days=day)).strftime("%Y%m%dT%H0000Z") for day in numbers]
        return [f"UID:{at}\nDTSTART:{at}\nDURATION:PT1H\nSUMMARY:Gym" for at in starts]

    person, path = assistant.person, tmp_path / "mine.ics"
    path.write_bytes(calendar(*days(1, 2, 3)))
    assert preview_file(person, path, CLOCK()).new_days == 3
    source = person.calendars.add(CalendarSource("file", "mine", "mine.ics", CLOCK()))
    window, zone = day_window(CLOCK()), person.about().settings.zone_info
    events = FileSource(path, zone, "mine").read(window).events
    found = to_occurrences(events, RuleClassifier(), zone, person.about().settings.slot_times)
    person.occurrences.replace(source.number, window.start_at, window.end_at, found)
    assert preview_file(person, path, CLOCK()).new_days == 0
    path.write_bytes(calendar(*days(1, 2, 3, 4, 5)))
    seen = preview_file(person, path, CLOCK())
    assert (seen.lines[0].count, seen.new_days) == (5, 2)
