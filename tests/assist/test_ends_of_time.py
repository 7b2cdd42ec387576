"""Events in year 1 and 9999, and from one to the other: whatever the zone, pages answer, and quickly."""

import time
from pathlib import Path

import pytest

from assist.houses import Clock, house
from rhythm.store import PersonSettings

EVENTS = (
    "DTSTART:00010101T000000Z\r\nDTEND:99991231T235959Z\r\nSUMMARY:all of time",
    "DTSTART:00010101T000000\r\nRRULE:FREQ=WEEKLY\r\nSUMMARY:since year one",
    "DTSTART:99991231T230000\r\nDURATION:PT5H\r\nSUMMARY:past the end",
    "DTSTART;VALUE=DATE:00010101\r\nDTEND;VALUE=DATE:99991231\r\nSUMMARY:all days",
    "DTSTART:20260312T090000Z\r\nDTEND:20260312T100000Z\r\nSUMMARY:Lunch with friends",
)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_events_at_the_ends_of_time_cost_no_more_than_others(tmp_path: Path, zone: str) -> None:
    path = tmp_path / "ends.ics"
    held = "".join(f"BEGIN:VEVENT\r\nUID:{i}\r\n{event}\r\nEND:VEVENT\r\n" for i, event in enumerate(EVENTS))
    path.write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{held}END:VCALENDAR\r\n", encoding="utf-8")
    with house(tmp_path, Clock(), PersonSettings(zone=zone)) as assistant:
        assistant.learn(assistant.context())  # what is compiled and loaded is no cost of the file
        begun = time.process_time()
        assert assistant.preview_file(path).lines[0].count >= 2
        assert assistant.import_file(path).added >= 2
        today = assistant.today()
        assert any(event.title == "Lunch with friends" for slot in today.slots for event in slot.events)
        assert assistant.data().coverage
        assistant.insights()
        assert time.process_time() - begun < 6  # walking through all days of such an event took ten and more
