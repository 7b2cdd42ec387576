"""The person's word on events holds for their title, survives another reading, and can be taken back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assist.houses import Clock, house
from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Server, body, serving
from rhythm.assist import Assistant
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab import Action
from rhythm.vocab.errors import InvalidValueError

TITLE = "Xylqueb"


def event(uid: str, day: int, hour: int) -> str:
    return (
        f"UID:{uid}\nDTSTART;TZID=Europe/Berlin:202603{day}T{hour}0000\n"
        f"DTEND;TZID=Europe/Berlin:202603{day}T{hour + 1}3000\nSUMMARY:{TITLE}"
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.ics"
    path.write_bytes(calendar(event("a", 11, 18), event("b", 12, 18)))
    return path


@pytest.fixture
def assistant(tmp_path: Path, file: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as opened:
        opened.import_file(file)
        yield opened


def counts_as(assistant: Assistant) -> tuple[str, bool]:
    (line,) = assistant.today().slots[2].events
    return line.counts_as, line.said


def test_a_word_holds_for_every_event_of_the_title_and_for_the_next_reading(assistant: Assistant, file: Path) -> None:
    assert counts_as(assistant) == ("", False)
    assert not assistant.you().evidence
    assistant.correct_event(f"  {TITLE.upper()} ", Action.FAMILY_TIME)
    assert counts_as(assistant) == ("family time", True)
    assert assistant.you().evidence["slots that the calendar accounts for"] == 1, "yesterday's evening counts too"
    assistant.import_file(file)
    assert counts_as(assistant) == ("family time", True)
    assert [one.words for one in assistant.data().events_said] == ["family time"]


def test_no_activity_is_a_word_too_and_each_can_be_taken_back(assistant: Assistant) -> None:
    assistant.correct_event(TITLE, Action.EXERCISE)
    assistant.correct_event(TITLE, None)
    assert counts_as(assistant) == ("", True)
    assistant.withdraw_event(assistant.data().events_said[0].key)
    assert counts_as(assistant) == ("", False)
    with pytest.raises(UnknownEntryError):
        assistant.withdraw_event(TITLE)
    with pytest.raises(InvalidValueError, match="without a title"):
        assistant.correct_event("  ", None)


def ask_model(assistant: Assistant, server: Server | None) -> None:
    from msgspec.structs import replace  # noqa: PLC0415

    url, name = ("", "") if server is None else (server.url("/v1"), "small")
    assistant.save_settings(replace(assistant.settings, model_url=url, model_name=name))


def test_a_language_model_is_asked_only_where_it_is_switched_on(assistant: Assistant, file: Path) -> None:
    answer = b'{"choices": [{"message": {"content": "{\\"1\\": \\"FAMILY_TIME\\"}"}}]}'
    with serving() as server:
        server.answers["/v1/chat/completions"] = body(answer)
        assistant.import_file(file)
        assert server.asked == []
        ask_model(assistant, server)
        assistant.import_file(file)
        assert counts_as(assistant) == ("family time", False)
        assert len(server.asked) == 1
        ask_model(assistant, None)
        assistant.import_file(file)
        assert len(server.asked) == 1
        assert counts_as(assistant) == ("", False)
