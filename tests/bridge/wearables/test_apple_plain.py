"""The quick way through plain elements gives what the parser gives, whatever stands around them."""

import time
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.wearables.reading import HEAD, TAIL, heart_rate, read_all, sleep
from rhythm.bridge.wearables import apple
from rhythm.bridge.wearables.apple_plain import PlainRun, places, plain_run
from rhythm.bridge.wearables.apple_types import QUANTITIES
from rhythm.bridge.wearables.problems import Problem, merge_problems
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.sources import Checkpoint

DATES = st.sampled_from(
    ["2026-03-01 08:00:00 +0100", "2026-03-01 08:05:00 +0100", "2026-03-29 02:30:00 -0330", "2026-02-30 08:00:00 +0100",
     "2026-03-01 25:00:00 +0100", "0001-01-01 00:00:00 +0100", "9999-12-31 23:59:59 -0500", "2026-03-01 08:00:00 +9900",
     "2026-03-01T08:00:00 +0100", "2026-03-01 08:00:00", "٢026-03-01 08:00:00 +0100"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["Watch", "Anna\u2019s Watch", "R&amp;D", "&nosuch;", "心", "a\tb", "a\nb", "", "a\x0bb", "x]]>y", "a<b"]
)
VALUES = st.sampled_from(["60", "61.5", "-1", "1e9", "1_0", "nan", " 60 ", "0x1", "", "6e1", "1e999", "٦٠", "60&#48;"])
UNITS = st.sampled_from(["count/min", "count", "%", "kcal", "kJ", "ms", "kcal/hr·kg", "lb", "&lt;"])
DEVICES = st.sampled_from(
    [
        "&lt;&lt;HKDevice: 0x1&gt;, name:Watch&gt;",
        "&#60;",
        "plain",
        "&nosuch;",
        "ü",
        "a > b",
        "a < b",
        "<Record>",
        "</Record>",
    ]
)
KINDS = st.sampled_from([*QUANTITIES, "HKQuantityTypeIdentifierBasalEnergyBurned", "HKQuantityTypeIdentifierHeartRate"])
INNER = st.sampled_from(
    ['<MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="0"/>', '<MetadataEntry key="A" value="&amp;"/>',
     '<MetadataEntry key="HKTimeZone" value="Asia/Tokyo"/>', '<MetadataEntry key="HKExternalUUID" value="u-1"/>',
     "<!-- said -->", "text", "<Deep><Deeper/></Deep>", '<MetadataEntry key="HKTimeZoneX" value="Asia/Tokyo"/>', ""]
)  # fmt: skip
LINE = heart_rate(70, "2026-03-02 09:00:00 +0100")
AROUND = st.sampled_from(
    ["<!--", "-->", "<![CDATA[", "]]>", "]]", ">", "<?x ", "?>", "<Correlation>", "</Correlation>", "<Recor", "&",
     "&amp;", "</", "</HealthData>", "<HealthData>", "\r\n", "\r", "text", " <Record/>", " <Workout>", "</Workout>",
     "<Record", '"', "</Record>", LINE, LINE * 3, LINE.replace("\n", "\r\n"), LINE.replace(" ", "  "),
     LINE.replace('"', "'"), LINE.replace("/>", "></Record>"),
     sleep("AsleepCore", "2026-01-10 05:00:00 +0100", "2026-01-10 12:00:00 +0100"),
     "<!DOCTYPE HealthData [<!ENTITY a 'b'>]>", "\ufffe", "\U0001f600"]
)  # fmt: skip


@st.composite
def elements(draw: st.DrawFn) -> bytes:
    """A record as Apple writes it, with anything in it that an attribute may or may not hold."""
    start, end = draw(DATES), draw(DATES)
    more = {"type": draw(KINDS), "sourceName": draw(NAMES), "sourceVersion": draw(NAMES), "device": draw(DEVICES)}
    line = heart_rate(draw(VALUES), start, endDate=end, unit=draw(UNITS))
    fields = line.partition("unit=")[2].removesuffix("/>\n")
    head = " <Record " + " ".join(f'{key}="{value}"' for key, value in more.items()) + " unit=" + fields
    inner = draw(st.lists(INNER, max_size=2))
    return (head + (">\n  " + "\n  ".join(inner) + "\n </Record>\n" if inner else "/>\n")).encode()


TRUE_LINES = st.integers(0, 59).map(lambda minute: heart_rate(50 + minute, f"2026-03-01 07:{minute:02d}:00 +0100"))
BODIES = st.lists(
    st.one_of(
        TRUE_LINES.map(str.encode),
        TRUE_LINES.map(str.encode),
        elements(),
        AROUND.map(str.encode),
        st.binary(max_size=3),
    ),
    max_size=12,
).map(b"".join)


def _key(record: Record) -> tuple[object, ...]:
    return (record.signal, record.start_at, record.end_at, record.source, record.external_id, repr(record.value))


def _both_ways(path: Path, chunk_bytes: int) -> list[tuple[list[Record], set[Problem]]]:
    """What is read with the quick way, and by the parser alone."""
    ways = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apple, "CHUNK_BYTES", chunk_bytes)
        for matcher in (plain_run, lambda _text, start: PlainRun(start, {}, sound=True)):
            patch.setattr(apple, "plain_run", matcher)
            batches = list(apple.AppleHealth().read(path))
            records = sorted((r for batch in batches for r in batch.records), key=_key)
            ways.append((records, set(merge_problems([p for batch in batches for p in batch.problems]))))
    return ways


@given(body=BODIES, chunk_bytes=st.sampled_from([7, 64, 400, 1 << 17]), whole=st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_quick_way_and_the_parser_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, chunk_bytes: int, whole: bool
) -> None:
    path = tmp_path_factory.mktemp("export") / "export.xml"
    path.write_bytes(HEAD.encode() + body + (TAIL.encode() if whole else b""))
    quick, parsed = _both_ways(path, chunk_bytes)
    assert quick == parsed


@given(body=BODIES, after=st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_going_on_at_any_checkpoint_reads_the_rest(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, after: int
) -> None:
    path = tmp_path_factory.mktemp("export") / "export.xml"
    path.write_bytes(HEAD.encode() + LINE.encode() * 3 + body + LINE.encode() * 3 + TAIL.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apple, "CHUNK_BYTES", 200)
        patch.setattr(apple, "BATCH_RECORDS", 1)
        batches = list(apple.AppleHealth().read(path))
        first = batches[: after + 1]
        point: Checkpoint = first[-1].checkpoint
        rest = list(apple.AppleHealth().read(path, resume_from=point))
    read = {_key(r) for batch in (*first, *rest) for r in batch.records}
    assert read >= {_key(r) for batch in batches for r in batch.records}


def test_plain_elements_never_reach_the_parser() -> None:
    text = (LINE * 2000 + "</HealthData>").encode().decode("latin-1")
    run = plain_run(text, 0)
    ((signal, fields),) = run.found.items()
    assert (len(fields), run.end, run.sound) == (2000, 2000 * (len(LINE) - 1) + 1999, True)
    found = places(text, run, 0, signal)
    assert len(found) == 2000
    assert all(text.startswith("<Record ", at) for at in found)


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<Record>", "<?x ", '<Record type="'])
def test_what_never_closes_costs_no_square_of_its_length(tmp_path: Path, opening: str) -> None:
    path = tmp_path / "export.xml"
    path.write_text(HEAD + opening + LINE * 40_000 + TAIL, encoding="utf-8")
    begun_at = datetime.now()  # noqa: DTZ005 - a span
    records, problems = read_all(path)
    assert (datetime.now() - begun_at).total_seconds() < 20  # noqa: DTZ005 - a span
    assert problems
    assert len(records) <= 40_000


def test_an_export_without_a_plain_element_takes_a_few_times_as_long_not_a_hundred(tmp_path: Path) -> None:
    plain = "".join(heart_rate(60 + n % 40) for n in range(4000))
    took_s = []
    for body in (plain, plain.replace('"Watch"', '"R&amp;D"')):
        path = tmp_path / "export.xml"
        path.write_bytes((HEAD + body + TAIL).encode())
        begun = time.process_time()
        records, _ = read_all(path)
        took_s.append(time.process_time() - begun)
        assert len(records) == 4000
    assert took_s[1] < 25 * took_s[0]
