"""Calendars by address: added, fetched by themselves, unchanged ones cheaply, failures told, addresses secret."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assist.houses import ZONE, Clock
from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Server, body
from rhythm.assist import Assistant
from rhythm.assist.feeds import host_of
from rhythm.assist.keeper import SecretError
from rhythm.assist.schedule import run_due
from rhythm.store import CalendarSource, PersonSettings, Store
from rhythm.vocab.errors import InvalidValueError

RUN = "UID:run\nDTSTART;TZID=Europe/Berlin:20260312T180000\nDTEND;TZID=Europe/Berlin:20260312T190000\nSUMMARY:Run"
PRIVATE_PATH = "/private-7f3a/basic.ics"


@pytest.fixture
def server(server: Server) -> Server:
    server.answers[PRIVATE_PATH] = body(calendar(RUN), ETag='"one"')
    return server


@pytest.fixture
def assistant(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with Store.open(tmp_path / "rhythm.db", clock=clock) as store:
        person = store.create_person("me", PersonSettings(zone=ZONE))
        yield Assistant(store, person, clock, token="of-the-tests", private_feeds=True)  # noqa: S106 opens nothing else


def evening(assistant: Assistant) -> list[tuple[str, str]]:
    return [(event.title, event.counts_as) for event in assistant.today().slots[2].events]


def test_a_feed_is_read_and_its_address_stands_nowhere(assistant: Assistant, server: Server, tmp_path: Path) -> None:
    source = assistant.add_feed(server.url(PRIVATE_PATH), "Sport")
    assert source.failure is None
    assert evening(assistant) == [("Run", "exercise")]
    line = assistant.data().calendars[0]
    assert (line.name, line.origin, line.is_feed) == ("Sport", f"127.0.0.1:{server.port}", True)
    assert b"private-7f3a" not in (tmp_path / "rhythm.db").read_bytes() + (tmp_path / "rhythm.db-wal").read_bytes()


def test_an_unchanged_feed_is_only_asked_about(assistant: Assistant, server: Server, clock: Clock) -> None:
    number = assistant.add_feed(server.url(PRIVATE_PATH)).number
    server.answers[PRIVATE_PATH] = body(b"", 304)
    clock.move(hours=1)
    again = assistant.refresh_feed(number)
    assert again.failure is None
    assert again.fetched_at == clock.at
    assert server.asked[-1][1]["if-none-match"] == '"one"'
    assert evening(assistant) == [("Run", "exercise")]


def test_feeds_are_fetched_by_themselves_once_an_hour(assistant: Assistant, server: Server, clock: Clock) -> None:
    assistant.add_feed(server.url(PRIVATE_PATH))
    assert assistant.run_due() == 0
    clock.move(minutes=61)
    server.answers[PRIVATE_PATH] = body(calendar(RUN.replace("SUMMARY:Run", "SUMMARY:Yoga")), ETag='"two"')
    assert assistant.run_due() == 1
    assert evening(assistant)[0][0] == "Yoga"
    assert assistant.run_due() == 0


def test_a_calendar_that_fails_as_nobody_foresaw_keeps_no_other_waiting(
    assistant: Assistant, server: Server, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers["/other.ics"] = body(calendar(RUN))
    first = assistant.add_feed(server.url(PRIVATE_PATH)).number
    second = assistant.add_feed(server.url("/other.ics")).number
    clock.move(minutes=61)
    refreshed: list[int] = []

    def refresh(number: int) -> CalendarSource:
        refreshed.append(number)
        if number == first:
            raise RuntimeError("Dentist, 9 o'clock")
        return assistant.refresh_feed(number)

    assert run_due(assistant.person, clock(), refresh) == 2
    assert refreshed == [first, second]
    assert "RuntimeError" in caplog.text
    assert "Dentist" not in caplog.text
    clock.move(minutes=61)
    assert run_due(assistant.person, clock(), refresh) == 2


def test_a_failure_is_told_and_what_was_read_stays(assistant: Assistant, server: Server, clock: Clock) -> None:
    number = assistant.add_feed(server.url(PRIVATE_PATH)).number
    server.answers[PRIVATE_PATH] = body(b"gone", 410)
    clock.move(hours=2)
    assert assistant.run_due() == 1
    assert "refused" in assistant.data().calendars[0].failure
    assert evening(assistant) == [("Run", "exercise")]
    clock.move(minutes=90)
    assert assistant.run_due() == 1
    clock.move(minutes=90)
    assert assistant.run_due() == 0, "what fails again is asked more seldom"
    server.answers[PRIVATE_PATH] = body(calendar(RUN))
    assert assistant.refresh_feed(number).failure is None
    assert assistant.data().calendars[0].failure == ""


def test_a_feed_taken_out_leaves_nothing(assistant: Assistant, server: Server, clock: Clock) -> None:
    number = assistant.add_feed(server.url(PRIVATE_PATH)).number
    assistant.remove_calendar(number)
    clock.move(hours=3)
    assert assistant.run_due() == 0
    assert evening(assistant) == []
    assert assistant.person.secrets.all() == ()


def test_the_same_address_twice_and_what_is_no_address_are_refused(assistant: Assistant, server: Server) -> None:
    assistant.add_feed(server.url(PRIVATE_PATH))
    with pytest.raises(InvalidValueError, match="already"):
        assistant.add_feed(server.url(PRIVATE_PATH))
    for wrong in ("", "calendar.ics", "ftp://example.org/a.ics", "https://", "file:///etc/passwd"):
        with pytest.raises(InvalidValueError, match="address"):
            assistant.add_feed(wrong)
    assert host_of("https://kim:secret@cal.example.org:8443/x?key=1") == "cal.example.org:8443"


def test_private_networks_are_shut_unless_allowed(tmp_path: Path, clock: Clock, server: Server) -> None:
    with Store.open(tmp_path / "other.db", clock=clock) as store:
        person = store.create_person("me", PersonSettings(zone=ZONE))
        careful = Assistant(store, person, clock, token="of-the-tests")  # noqa: S106
        assert careful.add_feed(server.url(PRIVATE_PATH)).failure == "private_address"
        assert server.asked == []
        renewed = Assistant(store, person, clock, token="another")  # noqa: S106
        assert renewed.refresh_feed(careful.data().calendars[0].number).failure == "SecretError"
        with pytest.raises(SecretError):
            Assistant(store, person, clock).add_feed("https://example.org/a.ics")
        assert len(renewed.data().calendars) == 1
