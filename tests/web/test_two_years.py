"""Every page within 100 ms at the median with two years of data: 700,000 readings, 5,000 events, 2,000 answers.

PostgreSQL holds a tenth of the readings and a quarter of the answers, unless RHYTHM_A_DAY says how many readings a day:
``RHYTHM_A_DAY=960 .ci/postgres python -m pytest -s tests/web/test_two_years.py`` is the whole.
On SQLite by processor time, which other work on the machine does not count into; on a server,
whose time is another process's, on the clock, where the best of three tries counts.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assist.houses import MORNING_AT
from rhythm.assist import Assistant
from rhythm.assist.day_facts import refresh_days
from rhythm.assist.keeping_up import keep_up
from rhythm.store import CalendarSource, HealthReading, Occurrence, PersonStore, Proposal
from rhythm.vocab import Outcome, Response
from rhythm.vocab.actions import ACTIONS
from web.sites import TOKEN, client_of

DAYS, EVENTS, ANSWERS = 730, 5_000, 2_000
A_DAY = 960
A_DAY_ON_A_SERVER = int(os.environ.get("RHYTHM_A_DAY", "96"))
ANSWERS_ON_A_SERVER = ANSWERS if "RHYTHM_A_DAY" in os.environ else ANSWERS // 4
LIMIT_MS = 100.0
PAGES = ("/", "/you", "/data", "/settings", "/api/v1/today", "/api/v1/trends?days=365")
WATCH = "apple_health/Watch"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def two_years_of_readings(a_day: int) -> Iterator[HealthReading]:
    for back in range(DAYS):
        midnight = (MORNING_AT - timedelta(days=back)).replace(hour=0, minute=0)
        for i in range(a_day - 6):
            at = midnight + timedelta(seconds=i * 90)
            yield HealthReading("heart_rate_bpm", 58.0 + i * 7 % 23, "bpm", at, at, WATCH, 60)
        slept = midnight - timedelta(hours=1), midnight + timedelta(hours=5, minutes=40 + back % 50)
        yield HealthReading("sleep_core_min", (slept[1] - slept[0]).seconds / 60, "min", *slept, WATCH, 60)
        for hour in range(1, 4):
            at = midnight + timedelta(hours=hour)
            yield HealthReading("hrv_sdnn_ms", 40.0 + (back * hour) % 17, "ms", at, at, WATCH, 60)
        yield HealthReading("resting_hr_bpm", 58.0 + back % 5, "bpm", midnight, midnight, WATCH, 60)
        yield HealthReading("steps_count", 6000.0 + back, "count", midnight, midnight + timedelta(hours=1), WATCH, 60)


def fill_two_years(assistant: Assistant, a_day: int, answers: int) -> None:
    person = assistant.person
    assert person.readings.add(two_years_of_readings(a_day)).added == DAYS * a_day
    refresh_days(person, (MORNING_AT - timedelta(days=DAYS + 1)).date(), MORNING_AT.date())
    number = person.calendars.add(CalendarSource("file", "work", "work.ics", MORNING_AT)).number
    begin = MORNING_AT - timedelta(days=DAYS + 10)
    events = [event(i) for i in range(EVENTS)]
    person.occurrences.replace(number, begin, MORNING_AT + timedelta(days=60), events)
    answer_for_two_years(person, assistant.context().slot, answers)
    keep_up(assistant.context(), force=True)


def event(i: int) -> Occurrence:
    start = (MORNING_AT - timedelta(days=DAYS)).replace(hour=7) + (DAYS + 20) * timedelta(days=1) * i / EVENTS
    return Occurrence(
        f"e{i}", "", start, start + timedelta(minutes=50), f"Event {i % 90}", is_activity=True,
        action=ACTIONS[i % 9], confidence=0.8, classifier="rules/1: x", meeting=i % 3 == 0, attendees=i % 3,
    )  # fmt: skip


def answer_for_two_years(person: PersonStore, slot: int, answers: int) -> None:
    for i in range(answers):
        ago = (answers - i) * ANSWERS // answers + 40
        at = MORNING_AT - timedelta(hours=6 * ago)
        asked = Proposal(
            slot=slot - ago, action=ACTIONS[i % 10], reason="You said yes to it before.", propensity=0.2,
            policy="suggest", policy_version="1",
        )  # fmt: skip
        (made,) = person.suggestions.add(asked, at=at)
        given = Outcome.IGNORED if i % 3 else Outcome.ACCEPTED
        person.answers.give(made.number, Response(given), at=at)


def medians_ms(client: TestClient, clock: Callable[[], float]) -> dict[str, float]:
    """The median of each page, in the milliseconds of a clock."""
    found = {}
    for path in PAGES:
        times = []
        for _ in range(11):
            begun = clock()
            assert client.get(path).status_code == 200
            times.append(clock() - begun)
        found[path] = 1000 * statistics.median(times)
    return found


def test_every_page_within_100_ms_with_two_years_of_data(assistant: Assistant, where: str, tmp_path: Path) -> None:
    on_file = where.startswith("sqlite")
    fill_two_years(assistant, A_DAY if on_file else A_DAY_ON_A_SERVER, ANSWERS if on_file else ANSWERS_ON_A_SERVER)
    begun = time.process_time()
    assistant.today()
    learned_s = time.process_time() - begun
    client = client_of(assistant, tmp_path)
    client.headers["authorization"] = f"Bearer {TOKEN}"
    clock = time.process_time if on_file else time.perf_counter
    for _ in range(1 if on_file else 3):
        found = medians_ms(client, clock)
        if max(found.values()) < LIMIT_MS:
            break
    shown = ", ".join(f"{path} {ms:.0f} ms" for path, ms in found.items())
    print(f"{where.partition(':')[0]}: {shown}; first learning {learned_s:.1f} s of processor time")  # noqa: T201
    assert max(found.values()) < LIMIT_MS, shown
