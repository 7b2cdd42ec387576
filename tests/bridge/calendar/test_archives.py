"""Zip archives of calendars: read in place, bounded, and damage costs only what it damages."""

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from bridge.calendar.ics_texts import BERLIN, calendar, window
from rhythm.bridge.calendar.events import CalendarContents, NotACalendarError, ProblemKind
from rhythm.bridge.calendar.ics import read_ics_file
from rhythm.bridge.calendar.limits import Limits

SPAN = window("2026-03-01", "2026-04-01")
WORK = calendar("UID:work\nDTSTART:20260310T090000Z\nDURATION:PT1H\nSUMMARY:Sync", "UID:x")
HOME = calendar(
    "UID:home\nDTSTART:20260311T090000Z", "UID:other\nDTSTART:20260310T090000Z\nDURATION:PT1H\nSUMMARY:sync"
)


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members.items():
            zipped.writestr(name.replace("_", "."), data)
    return path


def read(path: Path, **limits: int) -> CalendarContents:
    return read_ics_file(path, BERLIN, SPAN, limits=Limits(**limits))


def test_all_calendars_of_an_archive_are_read_together(tmp_path: Path) -> None:
    contents = read(archive(tmp_path / "c.zip", work_ics=WORK, home_ICS=HOME, photo_jpg=b"x"))
    assert [e.uid for e in contents.events] == ["work", "home"]
    assert contents.read == 4
    assert [(p.kind, p.count) for p in contents.problems] == [(ProblemKind.NO_START, 1)]


def test_the_ending_of_the_name_does_not_matter(tmp_path: Path) -> None:
    assert len(read(archive(tmp_path / "calendar.ics", work_ics=WORK)).events) == 1


@pytest.mark.parametrize("members", [{}, {"photo_jpg": b"x"}, {"a_ics": b"<html>"}])
def test_an_archive_without_a_calendar_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    path = archive(tmp_path / "c.zip", **members)
    with pytest.raises(NotACalendarError):
        read(path)


def test_a_member_that_is_no_calendar_is_told(tmp_path: Path) -> None:
    contents = read(archive(tmp_path / "c.zip", a_ics=b"nonsense", work_ics=WORK))
    assert [e.uid for e in contents.events] == ["work"]
    assert not contents.complete


def test_damage_anywhere_gives_a_result_or_a_typed_error(tmp_path: Path) -> None:
    whole = archive(tmp_path / "c.zip", work_ics=WORK * 3, home_ics=HOME).read_bytes()
    path = tmp_path / "damaged.zip"
    told = 0
    for place in range(0, len(whole), 3):
        for data in (whole[:place], whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]):
            path.write_bytes(data)
            try:
                contents = read(path)
            except NotACalendarError:
                told += 1
            else:
                told += bool(contents.problems)
    assert told > len(whole) // 3


def test_a_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    path = archive(tmp_path / "bomb.zip", a_ics=WORK.replace(b"END:VCALENDAR", b"X-PAD:" + b"0" * 60_000_000))
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    contents = read(path, max_bytes=10_000_000)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [e.uid for e in contents.events] == ["work"]
    assert not contents.complete
    assert peak_bytes < 5_000_000


def test_more_members_than_any_export_has_are_cut_and_told(tmp_path: Path) -> None:
    contents = read(archive(tmp_path / "c.zip", **{f"c{n}_ics": WORK for n in range(70)}))
    assert len(contents.events) == 1
    assert not contents.complete
