"""The service over a real store: files in, today out, taps learned and unlearned, limits kept."""

import re
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assist.houses import MORNING_AT, ZONE, Clock, house, introvert_files, lived_house
from rhythm.assist import Assistant
from rhythm.assist.files import Imported, UnknownFileError
from rhythm.assist.limits import is_quiet
from rhythm.store import PersonSettings, Store
from rhythm.store.erase import erase_person
from rhythm.store.errors import EraseIncompleteError, StoreBusyError
from rhythm.vocab import Meter, Outcome
from rhythm.vocab.errors import InvalidValueError, UnknownNameError


@pytest.fixture
def assistant(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with house(tmp_path, clock) as opened:
        yield opened


@pytest.fixture
def lived(tmp_path: Path, clock: Clock) -> Iterator[Assistant]:
    with lived_house(tmp_path, clock) as opened:
        yield opened


def test_an_empty_house_says_that_everything_is_missing(assistant: Assistant) -> None:
    today = assistant.today()
    assert [meter.value for meter in today.meters] == [None] * 5
    assert all(meter.missing and meter.word == "not known" for meter in today.meters)
    assert not today.has_calendar
    assert not today.has_health
    assert today.learned_days == 0


def test_of_a_stranger_there_is_one_guess_at_a_time_and_it_is_called_that(assistant: Assistant) -> None:
    today = assistant.today()
    (card,) = today.waiting
    assert "first guess" in card.reason
    assert [meter.needs for meter in today.meters if meter.name == "connection"] == ["Needs your calendar."]
    assistant.answer(card.number, Outcome.ACCEPTED)
    assert len(assistant.today().waiting) == 1


def test_what_is_only_counted_from_a_calendar_is_never_held_to_be_sure(lived: Assistant) -> None:
    """Whatever the posterior's own spread, the shown interval is as wide as one reading's at least."""
    shown = {level.name: level.weighed for level in lived.you().levels}
    for name in ("progress", "connection"):
        mean, low, high = (int(number) for number in re.findall(r"\d+", shown[name]))
        assert (low == 0 or mean - low >= 39) and (high == 100 or high - mean >= 39)  # noqa: PT018 both ends of one


def test_a_file_is_kept_before_it_is_learned_from(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off in learning, nothing of the file is lost, and the next look learns from it."""

    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    told: list[Imported] = []
    with monkeypatch.context() as patch:
        patch.setattr("rhythm.assist.service.learn", cut_off)
        with pytest.raises(KeyboardInterrupt):
            assistant.import_file(introvert_files()[1], on_stored=told.append)
    assert told[0].added == assistant.data().readings > 0
    assert assistant.data().imports[0].state == "done"
    assert assistant.you().evidence


def test_files_become_meters_with_source_and_age(lived: Assistant) -> None:
    today = lived.today()
    by_name = {meter.name: meter for meter in today.meters}
    assert by_name["vitality"].source == "Apple Health, Demo Watch"
    assert by_name["vitality"].age
    assert by_name["connection"].source == "calendar"
    assert today.learned_days == 14
    assert any(line.events for line in today.slots)


def test_a_file_read_twice_adds_nothing(lived: Assistant) -> None:
    before = lived.data(), lived.you()
    again = [lived.import_file(file) for file in introvert_files()]
    assert again[1].added == 0
    assert again[1].known > 1000
    assert lived.data().readings == before[0].readings
    assert len(lived.data().calendars) == 1
    assert lived.you().beliefs == before[1].beliefs


def test_the_same_suggestions_stand_until_they_are_answered(lived: Assistant) -> None:
    first = lived.today().waiting
    assert first
    assert lived.today().waiting == first


def test_every_suggestion_is_for_an_open_slot_and_its_chance_is_logged(lived: Assistant) -> None:
    context = lived.context()
    lived.today()
    made = lived.person.suggestions.in_slots(context.day_slots[0], context.day_slots[-1])
    assert made
    assert len(made) <= lived.settings.daily_cap
    for one in made:
        assert 0.0 < one.propensity <= 1.0
        assert not context.uses[one.slot].busy
        assert context.uses[one.slot].action is None


def test_an_answer_moves_what_is_believed_and_an_undo_moves_it_back(lived: Assistant) -> None:
    card = lived.today().waiting[0]
    before = lived.you()
    lived.answer(card.number, Outcome.ACCEPTED)
    after = lived.you()
    assert after.beliefs != before.beliefs
    assert after.evidence["answers to suggestions"] == 1
    lived.undo(card.number)
    assert lived.you().beliefs == before.beliefs


def test_a_tap_that_comes_twice_counts_once(lived: Assistant) -> None:
    card = lived.today().waiting[0]
    first = lived.answer(card.number, Outcome.ACCEPTED, key="tap-1", channel="offline", at=MORNING_AT)
    assert lived.answer(card.number, Outcome.ACCEPTED, key="tap-1", channel="offline", at=MORNING_AT) == first
    assert lived.you().evidence["answers to suggestions"] == 1


def test_later_moves_to_an_open_slot_and_it_stands_there(lived: Assistant) -> None:
    card = lived.today().waiting[0]
    given = lived.answer(card.number, Outcome.RESCHEDULED)
    assert given.moved_to is not None
    assert given.moved_to > card.slot
    assert given.moved_to not in {one.slot for one in lived.today().waiting}


def test_only_taps_are_taken_from_a_person(lived: Assistant) -> None:
    card = lived.today().waiting[0]
    with pytest.raises(InvalidValueError, match="not a tap"):
        lived.answer(card.number, Outcome.EXPIRED)
    with pytest.raises(InvalidValueError, match="later slot"):
        lived.answer(card.number, Outcome.RESCHEDULED, moved_to=card.slot)


def test_no_answer_is_recorded_as_expired_when_the_slot_is_over(lived: Assistant, clock: Clock) -> None:
    number = lived.today().waiting[0].number
    clock.move(days=1)
    lived.today()
    assert lived.person.answers.holding([number])[number].outcome is Outcome.EXPIRED


def test_two_refusals_leave_the_day_in_peace_until_tomorrow(assistant: Assistant, clock: Clock) -> None:
    for card in assistant.today().waiting[:2]:
        assistant.answer(card.number, Outcome.IGNORED)
        clock.move(minutes=1)
    waiting = assistant.today().waiting
    for card in waiting:  # those that were there already may stay; nothing new comes
        assistant.answer(card.number, Outcome.IGNORED)
    assert "rest of today is yours" in assistant.today().silence
    clock.move(days=1)
    assert assistant.today().waiting


def test_the_daily_cap_is_kept_all_day(tmp_path: Path, clock: Clock) -> None:
    with house(tmp_path, clock, PersonSettings(zone=ZONE, daily_cap=1)) as assistant:
        first = assistant.today().waiting
        assert len(first) == 1
        assistant.answer(first[0].number, Outcome.ACCEPTED)
        assert assistant.today().waiting == ()
        clock.move(hours=5)
        assert assistant.today().waiting == ()


def test_no_suggestions_where_the_cap_is_zero(tmp_path: Path, clock: Clock) -> None:
    with house(tmp_path, clock, PersonSettings(zone=ZONE, daily_cap=0)) as assistant:
        assert "switched off" in assistant.today().silence


def test_quiet_hours_run_over_midnight() -> None:
    settings = PersonSettings(zone="UTC", quiet_from=time(22), quiet_until=time(8))
    assert is_quiet(settings, MORNING_AT.replace(hour=23))
    assert is_quiet(settings, MORNING_AT.replace(hour=7))
    assert not is_quiet(settings, MORNING_AT.replace(hour=8))
    never = msgspec.structs.replace(settings, quiet_until=time(22))
    assert not is_quiet(never, MORNING_AT.replace(hour=23))


def test_a_persons_word_counts_and_can_be_taken_back(lived: Assistant) -> None:
    before = lived.you().beliefs
    lived.correct("social", 0.9)
    told = lived.you().beliefs[0]
    assert told.mean > before[0].mean
    assert told.told == 90
    lived.withdraw(told.correction)
    assert lived.you().beliefs == before


def test_suggestions_go_on_after_a_persons_word_in_a_slot_that_has_evidence(lived: Assistant) -> None:
    lived.report(Meter.SERENITY, 0.3)
    lived.correct("social", 0.9)
    assert lived.today().waiting
    lived.answer(lived.today().waiting[0].number, Outcome.ACCEPTED)
    assert lived.you().levels


def test_a_word_must_be_of_a_belief_and_in_range(assistant: Assistant) -> None:
    with pytest.raises(UnknownNameError):
        assistant.correct("luck", 0.5)
    with pytest.raises(InvalidValueError):
        assistant.correct("social", 1.5)


def test_clearing_forgets_and_learning_begins_anew(lived: Assistant) -> None:
    assert lived.you().evidence
    lived.clear()
    cleared = lived.you()
    assert cleared.evidence == {}
    assert all(line.settled == 0 for line in cleared.beliefs)
    card = lived.today().waiting[0]
    lived.answer(card.number, Outcome.ACCEPTED)
    assert lived.you().evidence == {"answers to suggestions": 1}


def test_a_self_report_is_evidence(lived: Assistant) -> None:
    lived.report(Meter.SERENITY, 0.1, key="r")
    lived.report(Meter.SERENITY, 0.1, key="r")
    assert lived.you().evidence["self-reports"] == 1
    assert next(m for m in lived.today().meters if m.name == "serenity").reported == 10


def test_a_file_that_is_neither_changes_nothing(assistant: Assistant, tmp_path: Path) -> None:
    strange = tmp_path / "notes.bin"
    strange.write_bytes(b"\x00\x01" * 500)
    with pytest.raises(UnknownFileError, match="no file that Rhythm can read"):
        assistant.import_file(strange)
    assert assistant.data().imports == ()
    assert assistant.data().calendars == ()


def test_learning_anew_tells_how_far_it_is(lived: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lived.you().beliefs
    lived.person.posteriors.clear()
    told: list[tuple[int, int]] = []
    lived.on_learning = lambda done, whole: told.append((done, whole))
    monkeypatch.setattr("rhythm.assist.learning.AT_ONCE_DAYS", 3)
    assert lived.you().beliefs == before
    assert len(told) > 5
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1][0] == told[-1][1]


def test_an_import_taken_out_leaves_nothing_of_it(lived: Assistant) -> None:
    lived.undo_import(lived.data().imports[0].number)
    lived.remove_calendar(lived.data().calendars[0].number)
    assert [meter.value for meter in lived.today().meters] == [None] * 5
    assert lived.you().evidence == {}


def test_erase_leaves_an_empty_house(lived: Assistant, tmp_path: Path) -> None:
    lived.today()
    lived.erase()
    assert lived.data().readings == 0
    assert lived.data().suggestions == 0
    assert b"Demo Watch" not in (tmp_path / "rhythm.db").read_bytes()


def test_erasing_that_failed_says_why_and_leaves_the_person(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise StoreBusyError("another process is at it")

    monkeypatch.setattr("rhythm.assist.erasing.erase_person", busy)
    with pytest.raises(StoreBusyError):
        assistant.erase()
    assert assistant.settings.name == "Kim"


def test_erasing_that_was_not_complete_says_so_and_leaves_an_empty_record(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def incomplete(store: Store, person_id: str, **how: Any) -> None:
        erase_person(store, person_id, **how)
        raise EraseIncompleteError("another process holds old pages")

    monkeypatch.setattr("rhythm.assist.erasing.erase_person", incomplete)
    with pytest.raises(EraseIncompleteError):
        assistant.erase()
    assert assistant.settings == PersonSettings(zone=ZONE)


def test_the_feed_holds_waiting_and_accepted_and_nothing_refused(lived: Assistant) -> None:
    waiting = lived.today().waiting
    assert len(waiting) >= 2
    lived.answer(waiting[0].number, Outcome.ACCEPTED)
    lived.answer(waiting[1].number, Outcome.IGNORED)
    feed = lived.feed().decode()
    assert f"SUMMARY:{waiting[0].action.capitalize()}\r\n" in feed
    assert feed.count("BEGIN:VEVENT") == len(waiting) - 1
    assert "TRANSP:TRANSPARENT" in feed
