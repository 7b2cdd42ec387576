"""Export and restore: everything comes back the same, or nothing does."""

import json
import stat
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rhythm.store import HealthReading, PersonSettings, PersonStore, Store
from rhythm.store.errors import ExportError, PersonExistsError, UnknownPersonError
from rhythm.store.export import export_person
from rhythm.store.open_files import TABLE_FILES, exported
from rhythm.store.restore import restore_person
from rhythm.store.tables import OWNED, people, secrets
from rhythm.vocab import Outcome, Response
from store.samples import NOON_AT, SLOT, fill, keep_posterior, proposal, reading


def rows_of(store: Store, person_id: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of a person, secrets aside."""
    with store.database.read() as connection:
        found = {"people": [tuple(r) for r in connection.execute(_of(people, people.c.id, person_id))]}
        for table in OWNED:
            if table is not secrets:
                query = _of(table, table.c.person_id, person_id)
                found[table.name] = [tuple(r) for r in connection.execute(query)]
    return found


def _of(table: sa.Table, owner: "sa.Column[Any]", person_id: str) -> "sa.Select[Any]":
    return sa.select(*exported(table)).where(owner == person_id).order_by(*table.primary_key)


@pytest.fixture
def fresh(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "fresh" / "rhythm.db")


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_everything_comes_back_the_same(
    store: Store, ada: PersonStore, fresh: Store, tmp_path: Path, name: str
) -> None:
    fill(ada, "adas")
    ada.save_settings(PersonSettings(name="Ada", agreed={"health": NOON_AT}))
    export_person(store, "ada", tmp_path / name)
    restored = restore_person(fresh, tmp_path / name)
    assert rows_of(fresh, "ada") == rows_of(store, "ada")
    assert restored.evidence.after() == ada.evidence.after()
    assert restored.suggestions.add(proposal())[0].number == ada.suggestions.add(proposal())[0].number


def test_a_person_can_come_back_under_another_id_beside_themselves(
    store: Store, ada: PersonStore, tmp_path: Path
) -> None:
    fill(ada, "adas")
    before = rows_of(store, "ada")
    export_person(store, "ada", tmp_path / "out.zip")
    restore_person(store, tmp_path / "out.zip", "ada2")
    assert rows_of(store, "ada2") == rows_of(store, "ada") == before
    with pytest.raises(PersonExistsError):
        restore_person(store, tmp_path / "out.zip")


def test_the_files_are_open_and_explained(store: Store, ada: PersonStore, tmp_path: Path) -> None:
    fill(ada, "adas")
    out = tmp_path / "out"
    manifest = export_person(store, "ada", out)
    assert {p.name for p in out.iterdir()} == {f.name for f in manifest.files} | {"README.md", "manifest.json"}
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in out.iterdir()} == {0o600}
    first = json.loads((out / "suggestions.jsonl").read_text().splitlines()[0])
    assert (first["action"], first["slot"], first["usual"]) == ("meditate", SLOT, "binge_watch")
    header, row, *_ = (out / "readings.csv").read_text().splitlines()
    assert header.startswith("kind,source,unit,value,start_at,end_at")
    assert row.startswith("heart_rate,Watch adas,bpm,61.5,2026-03-03T12:00:00+00:00,2026-03-03T12:00:30+00:00,60")
    explained = (out / "README.md").read_text()
    for file, table in TABLE_FILES.items():
        assert f"## {file}" in explained
        for column in exported(table):
            assert f"- `{column.name}`: {column.doc}" in explained
            assert column.doc


def test_secrets_stay_where_they_are(store: Store, ada: PersonStore, tmp_path: Path) -> None:
    fill(ada, "adas")
    ada.secrets.put("feed", b"sealed-marker")
    export_person(store, "ada", tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        assert b"sealed-marker" not in path.read_bytes()
        assert b"c2VhbGVkLW1hcmtlc" not in path.read_bytes(), "nor as base64"


@pytest.mark.usefixtures("ben")
def test_an_export_holds_nothing_of_another(store: Store, ada: PersonStore, ben: PersonStore, tmp_path: Path) -> None:
    fill(ada, "adas")
    fill(ben, "bens")
    export_person(store, "ada", tmp_path / "out")
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b"adas" in everything
    assert b"bens" not in everything


def test_what_cannot_be_exported_leaves_nothing_behind(store: Store, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ExportError, match="there already"):
        export_person(store, "ada", tmp_path / "there")
    with pytest.raises(UnknownPersonError):
        export_person(store, "ada", tmp_path / "out.zip")
    with pytest.raises(UnknownPersonError):
        export_person(store, "ada", tmp_path / "out")
    with pytest.raises(ExportError, match="cannot be written"):
        export_person(store, "ada", tmp_path / "missing" / "out")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("out")] == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, sqlite_store: Store) -> Path:
    """An export in a folder."""
    fill(sqlite_store.create_person("whole"), "adas")
    out = tmp_path_factory.mktemp("export") / "out"
    export_person(sqlite_store, "whole", out)
    return out


def zipped(files: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def resealed(files: dict[str, bytes], name: str, data: bytes) -> dict[str, bytes]:
    """The export with one file changed and the manifest made to agree, as somebody else's program might."""
    import hashlib  # noqa: PLC0415 only here

    manifest = json.loads(files["manifest.json"])
    for entry in manifest["files"]:
        if entry["name"] == name:
            entry["sha256"] = hashlib.sha256(data).hexdigest()
            entry["rows"] = len(data.splitlines()) - (name == "readings.csv")
    return {**files, name: data, "manifest.json": json.dumps(manifest).encode()}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_export_is_refused_and_changes_nothing(
    sqlite_store: Store, whole: Path, tmp_path: Path, data: st.DataObject
) -> None:
    """Any byte of any file changed, cut or grown, with or without a manifest that agrees."""
    files = {p.name: p.read_bytes() for p in whole.iterdir() if p.name != "README.md"}
    name = data.draw(st.sampled_from(sorted(files)))
    old = files[name]
    at = data.draw(st.integers(0, max(len(old) - 1, 0)))
    new = data.draw(
        st.sampled_from(
            [old[:at], old[:at] + b"\xff" + old[at + 1 :], old[:at] + b"null" + old[at:], old + b"{}\n", old + b"\n["]
        )
    )
    seal = name != "manifest.json" and data.draw(st.booleans())
    changed = resealed(files, name, new) if seal else {**files, name: new}
    before = {person.id for person in sqlite_store.people()}
    refusal = None
    try:
        restore_person(sqlite_store, zipped(changed, tmp_path / "damaged.zip"), "damaged")
    except ExportError as error:
        refusal = str(error)
    if refusal is None:
        assert seal or new == old or json.loads(new) == json.loads(old)
        _forget(sqlite_store, "damaged")
    else:
        assert "adas" not in refusal
    assert {person.id for person in sqlite_store.people()} == before


def _forget(store: Store, person_id: str) -> None:
    with store.database.write() as connection:
        connection.execute(sa.delete(people).where(people.c.id == person_id))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "rhythm.export/2"}, "rhythm.export/1"),
        ({"tables": "v9999"}, "newer release"),
        ({"files": []}, "does not name"),
        ({"files": [{"name": "../../etc/passwd", "rows": 1, "sha256": ""}]}, "does not name"),
        ({"person_id": "../x"}, "cannot be read"),
    ],
)
def test_another_form_is_refused(fresh: Store, whole: Path, tmp_path: Path, change: Any, message: str) -> None:
    files = {p.name: p.read_bytes() for p in whole.iterdir()}
    files["manifest.json"] = json.dumps({**json.loads(files["manifest.json"]), **change}).encode()
    with pytest.raises(ExportError, match=message):
        restore_person(fresh, zipped(files, tmp_path / "x.zip"))
    assert fresh.people() == ()


def without(data: bytes, *names: str) -> bytes:
    """JSON lines without some of their fields."""
    lines = [json.loads(line) for line in data.splitlines()]
    return b"".join(json.dumps({k: v for k, v in line.items() if k not in names}).encode() + b"\n" for line in lines)


def test_an_export_of_the_first_tables_can_still_be_read(
    fresh: Store, sqlite_store: Store, whole: Path, tmp_path: Path
) -> None:
    files = {p.name: p.read_bytes() for p in whole.iterdir() if p.name != "notices.jsonl"}
    calendars = without(files["calendar_sources.jsonl"], "failed_at", "failure")
    events = without(files["occurrences.jsonl"], "start_day", "end_day", "detail")
    rows = [line.rpartition(b",")[0] for line in files["readings.csv"].splitlines()]
    assert rows[0].endswith(b",run"), "the newest field stands last"
    files = resealed(files, "calendar_sources.jsonl", calendars)
    files = resealed(files, "occurrences.jsonl", events)
    files = resealed(files, "readings.csv", b"\r\n".join(rows) + b"\r\n")
    manifest = json.loads(files["manifest.json"])
    manifest["tables"] = "v0001"
    manifest["files"] = [entry for entry in manifest["files"] if entry["name"] != "notices.jsonl"]
    files["manifest.json"] = json.dumps(manifest).encode()
    restore_person(fresh, zipped(files, tmp_path / "old.zip"))
    back, now = rows_of(fresh, "whole"), rows_of(sqlite_store, "whole")
    same = set(now) - {"notices", "readings"}
    assert {name: back[name] for name in same} == {name: now[name] for name in same}
    assert back["notices"] == []
    assert [row[:-1] for row in back["readings"]] == [row[:-1] for row in now["readings"]]


def test_what_is_no_export_is_refused(fresh: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("not a zip")
    for name in ("empty", "text.zip", "missing"):
        with pytest.raises(ExportError):
            restore_person(fresh, tmp_path / name)


WORDS = st.text(max_size=12)
LIVES = st.lists(
    st.one_of(
        st.tuples(st.just("suggest"), WORDS, st.floats(0.01, 1.0)),
        st.tuples(st.just("answer"), st.sampled_from([o.value for o in Outcome]), st.integers(0, 2**62)),
        st.tuples(st.just("read"), WORDS, st.floats(allow_nan=False, allow_infinity=False)),
        st.tuples(st.just("correct"), WORDS, st.one_of(st.none(), st.floats(-1e9, 1e9))),
        st.tuples(st.just("keep"), st.binary(max_size=40), st.integers(0, 9)),
    ),
    max_size=15,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(life=LIVES, as_zip=st.booleans())
def test_any_life_comes_back_the_same(
    sqlite_store: Store, tmp_path_factory: pytest.TempPathFactory, life: list[Any], as_zip: bool
) -> None:
    person_id = f"l{len(sqlite_store.people())}"
    person = sqlite_store.create_person(person_id)
    for i, (verb, what, value) in enumerate(life):
        _live(person, i, verb, what, value)
    out = tmp_path_factory.mktemp("life") / ("out.zip" if as_zip else "out")
    export_person(sqlite_store, person_id, out)
    restore_person(sqlite_store, out, f"{person_id}-back")
    assert rows_of(sqlite_store, f"{person_id}-back") == rows_of(sqlite_store, person_id)


def _live(person: PersonStore, i: int, verb: str, what: Any, value: Any) -> None:
    at = NOON_AT + timedelta(microseconds=i)
    if verb == "suggest":
        one = msgspec.structs.replace(proposal(SLOT + i), reason=what, propensity=value, policy=f"p{i}")
        person.suggestions.add(one, at=at)
    elif verb == "answer":
        for suggestion in person.suggestions.latest(1):
            outcome = Outcome(what)
            moved_to = value if outcome is Outcome.RESCHEDULED else None
            person.answers.give(suggestion.number, Response(outcome, moved_to), at=at, replace=True, key=f"k{i}")
    elif verb == "read":
        person.readings.add([HealthReading("k", value, "u", at, at, what, None, what)])
    elif verb == "correct":
        person.corrections.add("social", "set", value, note=what)
    else:
        keep_posterior(person, what, last_number=10**9, keep=value + 1)


def test_readings_keep_every_bit(store: Store, ada: PersonStore, fresh: Store, tmp_path: Path) -> None:
    values = [0.1 + 0.2, 1e-300, -1.7976931348623157e308, 5e-324, 3.0]
    ada.readings.add([reading(i, value=v, source='Watch, "old"\r\nline') for i, v in enumerate(values)])
    export_person(store, "ada", tmp_path / "out")
    back = restore_person(fresh, tmp_path / "out")
    found = back.readings.window(["heart_rate"], NOON_AT, NOON_AT + timedelta(days=1))
    assert [r.value for r in found] == values
    assert found[0].source == 'Watch, "old"\r\nline'


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("answers.jsonl", {"suggestion": 999}),
        ("answers.jsonl", {"outcome": None}),
        ("suggestions.jsonl", {"slot": 2**70}),
        ("suggestions.jsonl", {"action": "fly"}),
        ("suggestions.jsonl", {"created_at": "2026-03-03T12:00:00"}),
        ("occurrences.jsonl", {"attendees": 2**40}),
        ("occurrences.jsonl", {"person_id": "ben"}),
    ],
)
def test_rows_that_do_not_fit_are_refused_on_either_database(
    store: Store, whole: Path, tmp_path: Path, file: str, line: dict[str, Any]
) -> None:
    files = {p.name: p.read_bytes() for p in whole.iterdir()}
    first, *rest = files[file].splitlines()
    changed = b"\n".join([json.dumps({**json.loads(first), **line}).encode(), *rest]) + b"\n"
    with pytest.raises(ExportError):
        restore_person(store, zipped(resealed(files, file, changed), tmp_path / "x.zip"))
    assert store.people() == ()


def test_a_zip_that_grows_beyond_measure_is_refused(fresh: Store, whole: Path, tmp_path: Path) -> None:
    files = {p.name: p.read_bytes() for p in whole.iterdir()}
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, b"\n" * (64 << 20) if name == "readings.csv" else data)
    with pytest.raises(ExportError, match="beyond all measure"):
        restore_person(fresh, tmp_path / "bomb.zip")


def test_a_large_and_monotonous_export_is_no_bomb(store: Store, ada: PersonStore, fresh: Store, tmp_path: Path) -> None:
    ada.readings.add(reading(m, source="Watch") for m in range(30_000))
    export_person(store, "ada", tmp_path / "out.zip")
    assert restore_person(fresh, tmp_path / "out.zip").readings.streams()[0].reading_count == 30_000
