"""A file is known by its content: whatever it is called, it goes to the one source that reads it."""

from pathlib import Path

import pytest

from bridge.wearables.exporting import read, zip_bytes
from bridge.wearables.vendor_examples import BARE, EXAMPLES
from rhythm.bridge.wearables.problems import NotThisFormatError
from rhythm.bridge.wearables.sources import all_sources, source_of

CALLED = ["download", "3f9a-export (1).zip", "data.txt", "резервная копия"]


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_whole_export_is_known_whatever_it_is_called(tmp_path: Path, name: str, called: str) -> None:
    path = tmp_path / called
    path.write_bytes(EXAMPLES[name])
    assert [source.name for source in all_sources() if source.sniff(path)] == [name]


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("name", sorted(BARE))
def test_a_single_file_is_known_and_read_whatever_it_is_called(tmp_path: Path, name: str, called: str) -> None:
    own, (file, content) = tmp_path / "own", BARE[name]
    own.mkdir()
    for path in (own / file, tmp_path / called):
        path.write_bytes(content)
        assert [source.name for source in all_sources() if source.sniff(path)] == [name]
    assert read(tmp_path / called) == read(own / file)
    assert read(own / file)[0]


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"a,b\n1,2\n", b"[1, 2]", b"{}", zip_bytes({"holiday.jpg": b"\xff\xd8"})]
)
def test_what_nobody_reads_is_refused_with_the_list_of_those_that_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(NotThisFormatError, match="Apple Health, WHOOP, Garmin FIT files"):
        source_of(path)
