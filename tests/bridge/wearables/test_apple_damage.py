"""Damaged, hostile and truncated Apple exports: bounded, reported, and everything else still read."""

import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.wearables.reading import HEAD, TAIL, heart_rate, read_all, read_text
from rhythm.bridge.wearables import apple
from rhythm.bridge.wearables.apple import AppleHealth
from rhythm.bridge.wearables.problems import NotThisFormatError, ProblemKind, UnsafeFileError, WearableFileError
from rhythm.bridge.wearables.signals import Signal

BROKEN_DTD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
<!ATTLIST Record
  type CDATA #REQUIRED
<!ATTLIST Workout <workoutActivityType CDATA
]>
<HealthData locale="en_US">
"""
ENTITY_BOMB = """<?xml version="1.0"?>
<!DOCTYPE HealthData [
<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f SYSTEM "file:///etc/passwd">
]>
<HealthData locale="en_US">
"""


def _minutes(count: int) -> str:
    return "".join(
        heart_rate(60, f"2026-03-{1 + i // 1440:02d} {i // 60 % 24:02d}:{i % 60:02d}:00 +0100") for i in range(count)
    )


def test_the_malformed_dtd_since_ios_16_is_skipped(tmp_path: Path) -> None:
    read, problems = read_text(tmp_path, _minutes(3), head=BROKEN_DTD)
    assert len(read) == 3
    assert not problems


def test_a_vertical_tab_and_other_control_characters_cost_nothing(tmp_path: Path) -> None:
    body = heart_rate(60, sourceName="Wa\x0btch\x01") + heart_rate(61, "2026-03-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [60, 61]
    assert not problems


def test_an_entity_bomb_is_never_expanded(tmp_path: Path) -> None:
    body = heart_rate(60) + heart_rate(61, sourceName="&e;") + heart_rate(62, sourceName="&f;") + _minutes(2)
    read, problems = read_text(tmp_path, body, head=ENTITY_BOMB)
    assert len(read) == 3
    assert problems[ProblemKind.DAMAGED].count == 2
    assert all(len(r.source) < 40 for r in read)


def test_a_billion_laughs_in_the_middle_is_damage(tmp_path: Path) -> None:
    body = heart_rate(60) + '<!DOCTYPE x [<!ENTITY a "b">]>' + heart_rate(61, "2026-03-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [60, 61]
    assert ProblemKind.DAMAGED in problems


@pytest.mark.parametrize(
    "damage",
    [
        '<Record type="HKQuan',
        "<<<<>>>>",
        "\xff\xfe",
        "&nosuch;",
        "&#11;",
        "</HealthData><junk>",
        "]]>",
        '<a b="1" b="2"/>',
    ],
)
def test_damage_in_the_middle_costs_only_its_place(tmp_path: Path, damage: str) -> None:
    body = (
        _minutes(400).encode() + damage.encode("latin-1") + b"\n" + heart_rate(99, "2026-04-01 08:00:00 +0100").encode()
    )
    read, problems = read_text(tmp_path, body)
    assert len(read) == 401
    assert read[-1].value == 99
    assert problems[ProblemKind.DAMAGED].count >= 1


@given(cut=st.integers(0, 4000))
@settings(max_examples=40, deadline=None)
def test_a_truncated_file_keeps_everything_before_the_cut(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    whole = (HEAD + _minutes(40) + TAIL).encode()
    path = tmp_path_factory.mktemp("cut") / "export.xml"
    kept = whole[: max(len(HEAD), len(whole) - cut - 2)]
    path.write_bytes(kept)
    read, problems = read_all(path)
    assert len(read) == kept.count(b"/>")
    assert (ProblemKind.TRUNCATED in problems) != kept.rstrip().endswith(b"</HealthData>")


@pytest.mark.parametrize("left", [0.3, 0.6, 0.9])
def test_a_truncated_zip_keeps_what_came_before_the_cut(tmp_path: Path, left: float) -> None:
    whole = tmp_path / "export.zip"
    text = (
        HEAD
        + "".join(
            heart_rate(50 + i * 7919 % 97, f"2026-03-01 08:{i % 60:02d}:{i // 60 % 60:02d} +0100") for i in range(3000)
        )
        + TAIL
    )
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/export_cda.xml", "<ClinicalDocument/>")
        archive.writestr("apple_health_export/export.xml", text)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * left)])
    read, problems = read_all(cut)
    assert 3000 * left * 0.7 < len(read) <= 3000
    assert ProblemKind.TRUNCATED in problems
    everything, _ = read_all(whole)
    assert read == everything[: len(read)]


def test_a_flipped_byte_inside_a_zip_keeps_what_came_before(tmp_path: Path) -> None:
    whole = tmp_path / "export.zip"
    text = (
        HEAD
        + "".join(
            heart_rate(50 + i * 7919 % 97, f"2026-03-01 08:{i % 60:02d}:{i // 60 % 60:02d} +0100") for i in range(3000)
        )
        + TAIL
    )
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/export.xml", text)
    data = bytearray(whole.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 40] = b"\xff" * 40
    bad = tmp_path / "bad.zip"
    bad.write_bytes(data)
    read, problems = read_all(bad)
    everything, _ = read_all(whole)
    assert read[:1000] == everything[:1000]
    assert problems


def test_the_member_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/exportación_cda.xml", "<ClinicalDocument/>" + " " * 5000)
        archive.writestr("apple_health_export/Exportación.xml", HEAD + _minutes(2) + TAIL)
        archive.writestr("__MACOSX/apple_health_export/._Exportación.xml", "junk")
    assert AppleHealth().sniff(path)
    assert len(read_all(path)[0]) == 2


def test_a_zip_without_an_export_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "holiday.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("diary.xml", "<Diary/>")
    assert not AppleHealth().sniff(path)
    with pytest.raises(NotThisFormatError, match="Export All Health Data") as caught:
        read_all(path)
    assert "diary" not in str(caught.value)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("export.xml", "w") as member:
        member.write(HEAD.encode())
        for _ in range(80):
            member.write(b" " * (1 << 20))
    with pytest.raises(UnsafeFileError, match="times its size"):
        read_all(path)
    assert AppleHealth().sniff(path), "else its reader is told that no source knows it, and not why"


def test_a_bomb_of_another_name_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("other.xml", "w") as member:
        for _ in range(80):
            member.write(b" " * (1 << 20))
    assert not AppleHealth().sniff(path)


def test_a_bomb_that_lies_about_its_size_is_stopped(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (
        packer.compress(HEAD.encode())
        + b"".join(packer.compress(b" " * (1 << 20)) for _ in range(100))
        + packer.flush()
    )
    name = b"export.xml"
    header = b"PK\x03\x04" + b"\x14\0\0\0\x08\0" + b"\0" * 4 + b"\0" * 4
    header += (
        len(packed).to_bytes(4, "little") + (1000).to_bytes(4, "little") + len(name).to_bytes(2, "little") + b"\0\0"
    )
    path = tmp_path / "bomb.zip"
    path.write_bytes(header + name + packed)
    seen: list[int] = []
    list(AppleHealth().read(path, progress=lambda done, _: seen.append(done)))
    assert max(seen) < 66 * (1 << 20)


@pytest.mark.parametrize("text", ["<Record a='" + "x" * 3_000_000, "<!-- " + "x" * 3_000_000, "<" + "y" * 3_000_000])
def test_a_giant_token_is_skipped_in_bounded_memory(tmp_path: Path, text: str) -> None:
    body = heart_rate(60) + text + "\n" + heart_rate(61, "2026-03-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [60, 61]
    assert ProblemKind.OVERSIZED in problems


def test_elements_nested_without_end_are_stopped(tmp_path: Path) -> None:
    body = heart_rate(60) + "<a>" * 300_000 + heart_rate(61, "2026-03-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [60, 61]
    assert ProblemKind.OVERSIZED in problems


def test_names_without_end_are_stopped(tmp_path: Path) -> None:
    body = heart_rate(60) + "".join(f"<n{i}/>" for i in range(60_000)) + heart_rate(61, "2026-03-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [60, 61]
    assert ProblemKind.OVERSIZED in problems


def test_endless_damage_ends(tmp_path: Path) -> None:
    read, problems = read_text(tmp_path, heart_rate(60) + "<Record <" * 50_000)
    assert len(read) == 1
    assert problems[ProblemKind.DAMAGED].count == apple.MOST_RESTARTS
    assert ProblemKind.TOO_DAMAGED in problems


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (heart_rate(60, "0001-01-01 00:00:00 +0100"), ProblemKind.BAD_DATE),
        (heart_rate(60, "0001-06-01 00:00:00 +0100"), ProblemKind.OUT_OF_ERA),
        (heart_rate(60, "9999-12-31 23:59:59 +0000"), ProblemKind.OUT_OF_ERA),
        (heart_rate(60, "9999-12-31 23:59:59 -0500"), ProblemKind.BAD_DATE),
        (heart_rate(60, "2026-02-30 00:00:00 +0100"), ProblemKind.BAD_DATE),
        (heart_rate(60, "2026-02-01 00:00:00"), ProblemKind.BAD_DATE),
        (heart_rate(60, "2026-02-01 00:00:00 +9900"), ProblemKind.BAD_DATE),
        (heart_rate(60, ""), ProblemKind.BAD_DATE),
        (heart_rate("sixty"), ProblemKind.BAD_VALUE),
        (heart_rate("nan"), ProblemKind.IMPLAUSIBLE),
        (heart_rate("inf"), ProblemKind.IMPLAUSIBLE),
        (heart_rate("65535"), ProblemKind.IMPLAUSIBLE),
        (heart_rate("9" * 500), ProblemKind.IMPLAUSIBLE),
        (heart_rate(60, unit="furlong"), ProblemKind.UNKNOWN_UNIT),
        (heart_rate(60, endDate="2026-02-01 08:00:00 +0100"), ProblemKind.REVERSED),
        (heart_rate(60, endDate="2026-04-01 08:00:00 +0100"), ProblemKind.TOO_LONG),
        (heart_rate(60).replace("startDate", "begin"), ProblemKind.MISSING_FIELD),
        (heart_rate(60).replace(" value=", " worth="), ProblemKind.MISSING_FIELD),
    ],
)
def test_a_bad_record_is_counted_and_its_neighbours_are_kept(tmp_path: Path, line: str, kind: ProblemKind) -> None:
    body = heart_rate(59, "2026-02-01 08:00:00 +0100") + line + heart_rate(61, "2026-02-01 09:00:00 +0100")
    read, problems = read_text(tmp_path, body)
    assert [r.value for r in read] == [59, 61]
    (problem,) = problems.values()
    assert (problem.kind, problem.signal, problem.count) == (kind, Signal.HEART_RATE_BPM, 1)
    start = (HEAD + heart_rate(59, "2026-02-01 08:00:00 +0100")).encode()
    assert problem.first_byte == len(start) + 1


def test_no_problem_tells_a_health_value(tmp_path: Path) -> None:
    _, problems = read_text(tmp_path, heart_rate(7777) + heart_rate("secret"))
    told = " ".join(p.message for p in problems.values())
    assert "7777" not in told
    assert "secret" not in told


@given(
    junk=st.binary(max_size=3000), where=st.integers(0, 2000), how=st.sampled_from(["alone", "head", "inside", "zip"])
)
@example(junk=b"PK\x03\x04", where=0, how="alone")
@example(junk=b"PK\x03\x04" + b"\xff" * 300, where=0, how="alone")
@example(junk=b"<HealthData", where=0, how="alone")
@example(junk=b"", where=0, how="alone")
@settings(max_examples=300, deadline=5000)
def test_any_bytes_give_records_or_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, how: str
) -> None:
    whole = (HEAD + _minutes(8) + TAIL).encode()
    path = tmp_path_factory.mktemp("junk") / "file"
    if how == "alone":
        path.write_bytes(junk)
    elif how == "head":
        path.write_bytes(junk + whole)
    elif how == "inside":
        path.write_bytes(whole[:where] + junk + whole[where:])
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("export.xml", whole)
        packed = path.read_bytes()
        path.write_bytes(packed[: where % len(packed)] + junk[:50] + packed[where % len(packed) :])
    sniffed = AppleHealth().sniff(path)
    try:
        batches = list(AppleHealth().read(path))
    except WearableFileError:
        assert not sniffed
    else:
        assert batches[-1].checkpoint.done


def test_a_folder_or_a_missing_file_is_a_typed_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.xml"):
        assert not AppleHealth().sniff(path)
        with pytest.raises(WearableFileError):
            read_all(path)
