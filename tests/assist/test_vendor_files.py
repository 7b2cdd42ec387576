"""Every vendor's export through the assistant: by its content, into the store once, and out again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assist.houses import Clock, house
from bridge.wearables.simulated import DAYS, life
from bridge.wearables.vendor_examples import EXAMPLES
from bridge.wearables.vendors_writing import WRITERS
from rhythm.assist import Assistant
from rhythm.assist.meter_words import source_words


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    with house(tmp_path, Clock()) as found:
        yield found


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_export_is_read_once_by_its_own_reader_and_can_be_taken_out(
    assistant: Assistant, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "handed-in"
    path.write_bytes(EXAMPLES[name])
    first = assistant.import_file(path)
    assert first.kind == name
    assert first.added > 0
    again = assistant.import_file(path)
    assert (again.added, again.known) == (0, first.added)
    data = assistant.data()
    assert data.readings == first.added
    assert {stream.source.partition("/")[0] for stream in data.streams} == {name}
    for run in data.imports:
        assistant.undo_import(run.number)
    assert assistant.data().readings == 0


def test_an_archive_of_an_account_with_a_calendar_in_it_is_read_for_its_health_data(
    assistant: Assistant, tmp_path: Path
) -> None:
    found = assistant.import_file(WRITERS["fitbit"](tmp_path / "takeout.zip", life(1)))
    assert found.kind == "fitbit"
    assert found.added > DAYS
    assert assistant.data().calendars == ()


@pytest.mark.parametrize(
    ("source", "words"),
    [("whoop/", "Whoop"), ("garmin_fit/fenix7", "Garmin Fit, fenix7"), ("apple_health/Watch", "Apple Health, Watch")],
)
def test_a_source_is_named_in_words_with_its_device_where_the_export_names_one(source: str, words: str) -> None:
    assert source_words(source) == words
