"""Any bytes, for every reader of exports: records or a typed error, in bounded time and memory."""

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bridge.wearables.exporting import read, zip_bytes
from bridge.wearables.vendor_examples import BARE, EXAMPLES
from rhythm.bridge.wearables.exports import documents, parts, tables
from rhythm.bridge.wearables.problems import ProblemKind, UnsafeFileError, WearableFileError
from rhythm.bridge.wearables.records import gate
from rhythm.bridge.wearables.sources import all_sources, source_named

NAMES = sorted(BARE)
LONGEST_S = 5.0


def _whatever_it_is(path: Path) -> None:
    """Reads a file with every source that will; each says either records that pass the gates, or a typed error."""
    begin = time.monotonic()
    for source in all_sources():
        sniffed = source.sniff(path)
        try:
            batches = list(source.read(path))
        except WearableFileError:
            continue
        assert sniffed
        assert batches[-1].checkpoint.done
        for batch in batches:
            for r in batch.records:
                assert gate(r.signal, r.value, r.start_at, r.end_at) is None
                assert r.signal in source.delivers
                assert len(r.source) + len(r.external_id) + len(r.detail) < 1_000
    assert time.monotonic() - begin < LONGEST_S


@given(junk=st.binary(max_size=400), where=st.integers(0, 5000), cut=st.integers(0, 400), name=st.sampled_from(NAMES))
@example(junk=b"", where=0, cut=0, name="oura")
@example(junk=b"[" * 400, where=0, cut=0, name="auto_export")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damage_anywhere_in_a_single_file(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, cut: int, name: str
) -> None:
    file, whole = BARE[name]
    path = tmp_path_factory.mktemp("bare") / file
    at = where % (len(whole) + 1)
    path.write_bytes(whole[:at] + junk + whole[at + cut :])
    _whatever_it_is(path)


@given(junk=st.binary(max_size=60), where=st.integers(0, 20_000), cut=st.integers(0, 60), name=st.sampled_from(NAMES))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damage_anywhere_in_a_zip(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, cut: int, name: str
) -> None:
    whole = EXAMPLES[name] if EXAMPLES[name].startswith(b"PK") else zip_bytes({BARE[name][0]: BARE[name][1]})
    path = tmp_path_factory.mktemp("zip") / "export.zip"
    at = where % (len(whole) + 1)
    path.write_bytes(whole[:at] + junk + whole[at + cut :])
    _whatever_it_is(path)


@given(junk=st.binary(max_size=2000), suffix=st.sampled_from([".csv", ".json", ".fit", ".zip", ""]))
@example(junk=b"PK\x03\x04" + b"\xff" * 300, suffix=".zip")
@example(junk=b"\x0e\x20\x00\x00\x00\x00\x00\x00.FIT\x00\x00" + b"\x40" * 200, suffix=".fit")
@example(junk=b'{"data": {"metrics": ' + b"[" * 1500, suffix=".json")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_bytes_that_are_nothing(tmp_path_factory: pytest.TempPathFactory, junk: bytes, suffix: str) -> None:
    path = tmp_path_factory.mktemp("junk") / f"file{suffix}"
    path.write_bytes(junk)
    _whatever_it_is(path)


def _fields_of(document: object) -> list[tuple[dict[str, object], str]]:
    """Every field of every object in a document, the inner ones first."""
    if isinstance(document, list):
        return [found for value in document for found in _fields_of(value)]
    if not isinstance(document, dict):
        return []
    inner = [found for value in document.values() for found in _fields_of(value)]
    return inner + [(document, name) for name in document]


JSON_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30)
JSON_VALUES = st.recursive(
    JSON_SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(
    values=st.lists(JSON_VALUES, min_size=1, max_size=6),
    keep=st.integers(0, 1 << 24),
    name=st.sampled_from(["oura", "fitbit", "garmin_account", "auto_export"]),
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_any_field_of_a_document(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], keep: int, name: str
) -> None:
    file, whole = BARE[name]
    document = msgspec.json.decode(whole)
    for i, (holder, field) in enumerate(_fields_of(document)):
        if not keep >> i % 24 & 1:
            holder[field] = values[i % len(values)]
    path = tmp_path_factory.mktemp("fields") / file
    path.write_bytes(msgspec.json.encode(document))
    source = source_named(name)
    if source.sniff(path):
        read(path, source=source)


def _bomb(path: Path, member: str, head: bytes, filler: bytes, megabytes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(member, "w") as file:
        file.write(head)
        for _ in range(megabytes):
            file.write(filler * ((1 << 20) // len(filler)))
    return path


@pytest.mark.parametrize("name", [n for n in NAMES if n != "apple_health"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, name: str) -> None:
    file, whole = BARE[name]
    path = _bomb(tmp_path / "bomb.zip", file, whole[:2000], b" ", 80)
    begin = time.monotonic()
    with pytest.raises(UnsafeFileError, match="times its size"):
        list(source_named(name).read(path))
    assert time.monotonic() - begin < LONGEST_S


def test_many_small_bombs_are_one_large_one(tmp_path: Path) -> None:
    path = tmp_path / "bombs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(40):
            archive.writestr(f"Takeout/Fitbit/Global Export Data/sleep-{i:04d}.json", b" " * (2 << 20))
    with pytest.raises(UnsafeFileError):
        list(source_named("fitbit").read(path))


def test_a_zip_of_fit_files_that_unpacks_to_a_flood_of_messages_is_refused(tmp_path: Path) -> None:
    file, whole = BARE["garmin_fit"]
    path = tmp_path / "flood.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(file, whole)
        for i in range(30):
            archive.writestr(f"flood{i}.fit", b"\x0e\x20\x00\x00\xff\xff\xff\x7f.FIT\x00\x00" + b"\x00" * 100_000)
    begin = time.monotonic()
    with pytest.raises(UnsafeFileError):
        list(source_named("garmin_fit").read(path))
    assert time.monotonic() - begin < LONGEST_S


@pytest.mark.parametrize("name", ["whoop", "plain"])
def test_a_line_without_end_costs_itself_only(tmp_path: Path, name: str) -> None:
    file, whole = BARE[name]
    path = tmp_path / file
    head, rest = whole.split(b"\n", 1)
    path.write_bytes(head + b"\n" + b"x," * 3_000_000 + b"\n" + rest)
    records, problems = read(path, source=source_named(name))
    assert records
    assert problems[ProblemKind.OVERSIZED] == 1


@pytest.mark.parametrize("name", ["whoop", "plain"])
def test_a_quote_that_is_never_closed_costs_its_piece_only(tmp_path: Path, name: str) -> None:
    file, whole = BARE[name]
    path = tmp_path / file
    head, rest = whole.split(b"\n", 1)
    path.write_bytes(head + b'\n"' + b"never closed\n" * 30_000 + rest)
    records, problems = read(path, source=source_named(name))
    assert ProblemKind.DAMAGED in problems or not records


@pytest.mark.parametrize("left", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", [n for n in NAMES if EXAMPLES[n].startswith(b"PK")])
def test_a_truncated_zip_keeps_the_files_before_the_cut(tmp_path: Path, name: str, left: float) -> None:
    path = tmp_path / "cut.zip"
    path.write_bytes(EXAMPLES[name][: int(len(EXAMPLES[name]) * left)])
    source = source_named(name)
    if not source.sniff(path):
        with pytest.raises(WearableFileError):
            list(source.read(path))
        return
    whole = tmp_path / "whole.zip"
    whole.write_bytes(EXAMPLES[name])
    kept, problems = read(path, source=source)
    everything, _ = read(whole, source=source)
    assert {r.key for r in kept} <= {r.key for r in everything}
    assert problems.get(ProblemKind.TRUNCATED, 0) >= 1, "whatever stood behind the cut is told as missing"


def test_a_document_of_countless_pieces_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MOST_COMMAS", 1000)
    path = tmp_path / "sleep-2026.json"
    path.write_bytes(BARE["fitbit"][1][:-1] + b",1" * 5000 + b"]")
    records, problems = read(path, source=source_named("fitbit"))
    assert not records
    assert problems == {ProblemKind.OVERSIZED: 1}


def test_elements_nested_without_end_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "sleep-2026.json"
    path.write_bytes(BARE["fitbit"][1][:-1] + b"," + b"[" * 200_000 + b"]" * 200_000 + b"]")
    _, problems = read(path, source=source_named("fitbit"))
    assert sum(problems.values()) == 1


def test_bounds_are_what_the_documents_of_the_readers_say() -> None:
    assert documents.MOST_COMMAS * 64 + documents.MOST_BYTES < 500_000_000
    assert parts.LONGEST_LINE_BYTES <= 1 << 20
    assert tables.MOST_RESTARTS <= 1_000


SHARE = int(os.environ.get("RHYTHM_LARGEST_SHARE", "4"))
"""A document of this part of the largest size is made; its memory may be as much less."""


def _largest_json(path: Path) -> None:
    row = b'{"a": 1, "b": 2},'
    head = b'[{"dateOfSleep": "2026-03-02", "startTime": "x"},'
    path.write_bytes(head + row * (documents.MOST_COMMAS // SHARE // 2 - 10) + b"1]")


@pytest.mark.slow
@pytest.mark.parametrize("make", [_largest_json])
def test_the_largest_document_that_is_read_stays_below_500_megabytes(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """In a process of its own, so that the memory is the reading's alone."""
    path = tmp_path / "sleep-2026.json"
    make(path)
    code = (
        "import sys; from pathlib import Path; from rhythm.bridge.wearables.apple_speed import peak_bytes\n"
        "from rhythm.bridge.wearables.sources import source_named\n"
        "for _ in source_named('fitbit').read(Path(sys.argv[1])): pass\n"
        "print(peak_bytes())"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True, timeout=300
    )
    assert int(done.stdout) < 80_000_000 + 420_000_000 // SHARE
