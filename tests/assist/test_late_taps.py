"""What comes late: taps of a phone that was offline or of a page left open, and events where a suggestion waits."""

from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from assist.houses import MORNING_AT, Clock, house
from bridge.calendar.ics_texts import calendar
from rhythm.assist import Assistant
from rhythm.assist.answering import TooLateError
from rhythm.store.errors import AlreadyAnsweredError, KeyReusedError
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY


@pytest.fixture
def assistant(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with house(tmp_path, clock) as made:
        yield made


def test_a_tap_made_offline_in_time_counts_though_the_slot_was_closed_meanwhile(
    assistant: Assistant, clock: Clock
) -> None:
    number = assistant.today().waiting[0].number
    clock.move(days=1)
    assistant.today()
    assert assistant.person.answers.holding([number])[number].outcome is Outcome.EXPIRED
    tapped_at = MORNING_AT + timedelta(minutes=3)
    for _ in range(2):  # a phone sends it again until it hears that it is kept
        given = assistant.answer(number, Outcome.ACCEPTED, at=tapped_at, channel="offline", key="tap")
    assert assistant.person.answers.holding([number])[number] == given
    assert (given.outcome, given.at) == (Outcome.ACCEPTED, tapped_at)


def test_a_tap_made_after_the_slot_was_closed_does_not_count(assistant: Assistant, clock: Clock) -> None:
    number = assistant.today().waiting[0].number
    clock.move(days=1)
    assistant.today()
    for at in (None, clock() - timedelta(minutes=5), MORNING_AT - timedelta(days=400)):
        with pytest.raises(TooLateError, match="open Today"):
            assistant.answer(number, Outcome.ACCEPTED, at=at, channel="offline")
    assert assistant.person.answers.holding([number])[number].outcome is Outcome.EXPIRED


@pytest.mark.parametrize("outcome", [Outcome.ACCEPTED, Outcome.IGNORED, Outcome.RESCHEDULED])
def test_a_tap_on_a_page_left_open_until_the_slot_was_over_does_not_count(
    assistant: Assistant, clock: Clock, outcome: Outcome
) -> None:
    """No page was loaded since, so nothing has closed the suggestion before the tap does."""
    number = assistant.today().waiting[0].number
    clock.move(days=1)
    with pytest.raises(TooLateError, match="open Today"):
        assistant.answer(number, outcome)
    (closed,) = assistant.person.answers.events(number)
    assert (closed.outcome, closed.channel) == (Outcome.EXPIRED, "clock")


def test_a_tap_made_offline_in_time_counts_though_nothing_has_closed_the_slot_yet(
    assistant: Assistant, clock: Clock
) -> None:
    number = assistant.today().waiting[0].number
    clock.move(days=1)
    tapped_at = MORNING_AT + timedelta(minutes=3)
    given = assistant.answer(number, Outcome.ACCEPTED, at=tapped_at, channel="offline")
    assert assistant.person.answers.events(number) == (given,)
    assert (given.outcome, given.at) == (Outcome.ACCEPTED, tapped_at)


def test_what_nobody_answers_is_closed_by_the_clock_alone(assistant: Assistant, clock: Clock) -> None:
    """No page is opened and no calendar fetched for three weeks; the work that is due by itself closes it."""
    number = assistant.today().waiting[0].number
    assistant.run_due()
    assert assistant.person.answers.events(number) == ()
    clock.move(days=1)
    assistant.run_due()
    clock.move(days=20)
    assistant.run_due()
    (closed,) = assistant.person.answers.events(number)
    assert (closed.outcome, closed.channel) == (Outcome.EXPIRED, "clock")
    assert closed.at < MORNING_AT + timedelta(days=1)


@pytest.mark.parametrize("days", [15, 100])
def test_what_waited_while_nothing_ran_is_closed_at_the_next_start(
    assistant: Assistant, clock: Clock, days: int
) -> None:
    made = [card.number for card in assistant.today().waiting]
    clock.move(days=days)
    assistant.today()
    assert {one.outcome for one in assistant.person.answers.holding(made).values()} == {Outcome.EXPIRED}
    assert len(assistant.person.answers.holding(made)) == len(made)


def test_what_a_person_has_answered_is_not_replaced_by_a_late_tap(assistant: Assistant, clock: Clock) -> None:
    number = assistant.today().waiting[0].number
    clock.move(minutes=5)
    assistant.answer(number, Outcome.IGNORED)
    with pytest.raises(AlreadyAnsweredError):
        assistant.answer(number, Outcome.ACCEPTED, at=MORNING_AT + timedelta(minutes=1), channel="offline")


def test_a_page_left_open_moves_nothing_to_where_it_is_over_or_busy(
    assistant: Assistant, clock: Clock, tmp_path: Path
) -> None:
    page = assistant.today()
    number, tomorrow = page.waiting[0].number, page.slot + SLOTS_PER_DAY + 1
    day = (MORNING_AT + timedelta(days=1)).strftime("%Y%m%d")
    file = tmp_path / "new.ics"
    file.write_bytes(calendar(f"UID:a\nDTSTART:{day}T120000\nDURATION:PT6H\nSUMMARY:Offsite"))
    assert tomorrow in {move.slot for move in page.moves}
    assistant.import_file(file)
    with pytest.raises(InvalidValueError, match="over or taken"):
        assistant.answer(number, Outcome.RESCHEDULED, moved_to=tomorrow)
    assert assistant.person.answers.holding([number]) == {}
    clock.move(days=1)
    with pytest.raises(TooLateError, match="over or taken"):
        assistant.answer(number, Outcome.RESCHEDULED, moved_to=page.waiting[0].slot + 1)


@pytest.mark.parametrize("choice", ["named", "next_open"])
def test_later_that_comes_twice_moves_once(assistant: Assistant, choice: str) -> None:
    """A double click on a page, or a program that asks again; what it says of another slot is another tap."""
    page = assistant.today()
    number = page.waiting[0].number
    moved_to = page.moves[-1].slot if choice == "named" else None
    first = assistant.answer(number, Outcome.RESCHEDULED, moved_to=moved_to, key="tap")
    assert assistant.answer(number, Outcome.RESCHEDULED, moved_to=moved_to, key="tap") == first
    assert assistant.answer(number, Outcome.RESCHEDULED, key="tap") == first
    assert assistant.person.answers.events(number) == (first,)
    assert first.moved_to is not None
    with pytest.raises(KeyReusedError):
        assistant.answer(number, Outcome.RESCHEDULED, moved_to=first.moved_to + 1, key="tap")
    with pytest.raises(KeyReusedError):
        assistant.answer(number, Outcome.ACCEPTED, key="tap")
    with pytest.raises(AlreadyAnsweredError):
        assistant.answer(number, Outcome.RESCHEDULED, moved_to=moved_to)


def test_a_suggestion_is_withdrawn_when_its_slot_fills_up(assistant: Assistant, tmp_path: Path) -> None:
    (card,) = assistant.today().waiting
    settings = assistant.settings
    begins_at, ends_at = settings.slot_times.bounds_at(card.slot, settings.zone_info)
    stamps = [f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}" for at in (begins_at, ends_at)]
    file = tmp_path / "new.ics"
    file.write_bytes(calendar(f"UID:a\r\nDTSTART:{stamps[0]}\r\nDTEND:{stamps[1]}\r\nSUMMARY:Offsite"))
    assistant.import_file(file)
    assert card.slot not in {waiting.slot for waiting in assistant.today().waiting}
    assert assistant.person.answers.holding([card.number])[card.number].outcome is Outcome.UNAVAILABLE
