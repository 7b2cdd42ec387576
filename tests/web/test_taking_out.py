"""Imports stay within reach on the Data page for as long as there is something of them to take out."""

from fastapi.testclient import TestClient

from assist.houses import MORNING_AT
from rhythm.assist import Assistant
from rhythm.assist.data import LATEST_IMPORTS
from rhythm.store import HealthReading
from web.sites import csrf_of


def taken_in(assistant: Assistant, name: str, readings: int, *, ends: bool) -> str:
    """Reads so many readings in; the address that takes them out again."""
    run = assistant.person.imports.begin("invented", name, name, 1)
    rows = [HealthReading("invented", 1.0, "count", MORNING_AT, MORNING_AT, f"{name} {i}") for i in range(readings)]
    assistant.person.imports.advance(run.number, rows)
    if ends:
        assistant.person.imports.finish(run.number)
    return f"/data/imports/{run.number}/undo"


def test_what_broke_off_and_what_was_read_long_ago_can_be_taken_out(client: TestClient, assistant: Assistant) -> None:
    first = taken_in(assistant, "first.zip", 5, ends=True)
    for day in range(LATEST_IMPORTS):
        taken_in(assistant, f"day {day}", 0, ends=True)
    broken = taken_in(assistant, "broken.zip", 3, ends=False)
    page = client.get("/data").text
    assert page.count("/data/imports/") == 2
    before = assistant.context().state
    for address, left in ((broken, 5), (first, 0)):
        assert address in page
        page = client.post(address, data={"csrf": csrf_of(client)}).text
        assert assistant.data().readings == left
        assert address not in page
        assert assistant.context().state != before, "what was worked out of it is worked out again"
        before = assistant.context().state
