"""Results files: cut, edited, renamed or foreign ones are refused by name before their numbers stand in a table."""

import os
import shutil
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.report import parts_of, sheets_of, to_rich
from rhythm.bench.result_checks import check_comparable, check_kept, check_result, digest_of_result
from rhythm.bench.results import Result, read_result, read_results, write_whole
from rhythm.bench.rows import Row, as_rows
from rhythm.bench.versions import shared_versions, versions
from rhythm.vocab import InvalidValueError, SchemaError

NAME = "constant.in-distribution.peaked.json"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three people's weeks under four policies, one of which states beliefs and one of which does not."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(CONDITIONS, "in-distribution", Condition("in-distribution", range(3)))
        patched.setitem(
            CONDITIONS, "ood-sealed", Condition("ood-sealed", range(1_400_000, 1_400_003), True, sealed=True)
        )
        bench_run.run(["random", "constant"], ["in-distribution", "ood-sealed"], folder)
        yield folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(played, tmp_path / "results"))


def changed(path: Path, change: Change) -> None:
    document = msgspec.json.decode(path.read_bytes())
    change(document)
    path.write_bytes(msgspec.json.encode(document))


def test_what_a_run_writes_is_believed(played: Path) -> None:
    results = read_results(played)
    assert len(results) == 5 * 4
    for result in results:
        assert digest_of_result(result) == result.digest
        assert (result.seal > 0) == (result.condition == "ood-sealed")
        assert read_result(played / result.file_name) == result


def _set(*path: Any, value: Any) -> Change:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def _drop(*path: Any) -> Change:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def _raise_every_wellbeing(document: dict[str, Any]) -> None:
    document["graded"]["wellbeing"] = [0.99] * 3


SPOILED: dict[str, tuple[Change, str]] = {
    "no grades": (_set("graded", value={}), "lacks the grades v2, crash_free"),
    "no curves": (_set("curves", value={}), "lacks the curves wellbeing"),
    "half a belief": (_drop("graded", "crps"), "lacks the grades crps"),
    "belief without a curve": (_drop("curves", "belief_error"), "lacks the curves belief_error"),
    "too few grades": (_set("graded", "v2", value=[0.5, 0.5]), "has 2 grades 'v2' of 3 people"),
    "no grade at all": (_set("graded", "crps", value=[]), "has 0 grades 'crps' of 3 people"),
    "too high": (_set("graded", "wellbeing", 1, value=1.5), "a grade 'wellbeing' of 1.5"),
    "below zero": (_set("graded", "covered", 0, value=-7), "a grade 'covered' of -7"),
    "too late": (
        _set("graded", "steps_to_identify", 2, value=29),
        r"'steps_to_identify' of 29, which lies in \[0, 28\]",
    ),
    "a better grade": (_set("graded", "v2", 0, value=0.9), "'v2' that its parts do not make"),
    "a better part": (_set("graded", "efficiency", 0, value=0.1), "'v2' that its parts do not make"),
    "a better life": (_raise_every_wellbeing, "'wellbeing' that is not of its grades"),
    "a better belief": (_set("graded", "belief_error", 0, value=0.0), "'belief_error' that is not of its grades"),
    "a short curve": (_set("curves", "wellbeing", "low", value=[0.1] * 27), "'wellbeing' of 27 steps"),
    "a wild curve": (_set("curves", "wellbeing", "high", 3, value=1e300), r"'wellbeing' at 1e\+300"),
    "a curve upside down": (_set("curves", "wellbeing", "low", 3, value=1.0), "outside its own interval"),
    "nobody": (_set("people", value=0), "is about 0 people"),
    "before the first": (_set("first_seed", value=-1), "from seed -1"),
    "fewer people": (_set("people", value=2), "has 3 grades 'crash_free' of 2 people"),
    "other seeds": (_set("first_seed", value=50), "from seed 50; in-distribution has 3 from seed 0"),
    "another policy": (_set("policy", value="oracle"), "belongs into oracle.in-distribution.peaked.json"),
    "a policy elsewhere": (_set("policy", value="../constant"), "is no name"),
    "another population": (_set("population", value="classic"), "belongs into constant.in-distribution.classic.json"),
    "no digest": (_set("digest", value=""), "digest that does not fit"),
    "another digest": (_set("digest", value="0123456789abcdef"), "digest that does not fit"),
    "another seal": (_set("seal", value=5), "digest that does not fit"),
    "another version": (_set("versions", "numpy", value="9"), "digest that does not fit"),
    "no version": (_drop("versions", "life"), "does not say its version of life"),
    "another schema": (_set("schema", value="rhythm.bench-result/7"), "is of schema 'rhythm.bench-result/7'"),
    "no schema": (_drop("schema"), "is damaged"),
    "a number for a name": (_set("policy", value=3), "is damaged"),
    "text for grades": (_set("graded", "v2", value="high"), "is damaged"),
    "nothing for a grade": (_set("graded", "v2", 0, value=None), "is damaged"),
    "a key of its own": (_set("mood", value=3), "is damaged.*mood"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_file_that_was_changed_is_refused_by_name(case: str, folder: Path) -> None:
    change, message = SPOILED[case]
    changed(folder / NAME, change)
    with pytest.raises(SchemaError, match=message) as caught:
        read_results(folder)
    assert str(caught.value).startswith(NAME)


def test_a_renamed_copy_is_refused(folder: Path) -> None:
    shutil.copy(folder / NAME, folder / "mine.in-distribution.peaked.json")
    with pytest.raises(SchemaError, match=f"mine.in-distribution.peaked.json holds what belongs into {NAME}"):
        read_results(folder)


def test_a_condition_that_there_is_not_is_refused(folder: Path) -> None:
    (folder / NAME).rename(folder / "constant.mars.peaked.json")
    changed(folder / "constant.mars.peaked.json", _set("condition", value="mars"))
    with pytest.raises(SchemaError, match="condition 'mars', which there is not; there are: in-distribution"):
        read_results(folder)


def test_a_population_that_the_condition_has_not_is_refused(folder: Path) -> None:
    (folder / NAME).rename(folder / "constant.in-distribution.everyone.json")
    changed(folder / "constant.in-distribution.everyone.json", _set("population", value="everyone"))
    with pytest.raises(SchemaError, match="population 'everyone'; in-distribution has: classic, peaked"):
        read_results(folder)


@pytest.mark.parametrize("key", ["life", "population", "grader_v2", "grader_v3", "sources"])
def test_results_of_different_versions_do_not_stand_in_one_table(key: str, folder: Path) -> None:
    result = read_result(folder / NAME)
    other = msgspec.structs.replace(result, versions={**result.versions, key: "another-9"})
    other = msgspec.structs.replace(other, digest=digest_of_result(other))
    (folder / NAME).write_bytes(msgspec.json.encode(other))
    with pytest.raises(SchemaError, match="cannot stand in one table") as caught:
        read_results(folder)
    text = str(caught.value)
    assert f"another-9: {NAME}" in text
    assert f"{versions()[key]}: average.in-distribution.classic.json, " in text
    assert "and 15 more" in text
    assert key.replace("_", " ") in text


def test_results_of_one_other_version_stand_in_a_table_of_their_own(folder: Path) -> None:
    for path in folder.glob("*.*.*.json"):
        result = read_result(path)
        other = msgspec.structs.replace(result, versions={**result.versions, "life": "life-0", "sources": "older"})
        path.write_bytes(msgspec.json.encode(msgspec.structs.replace(other, digest=digest_of_result(other))))
    assert {result.versions["life"] for result in read_results(folder)} == {"life-0"}


def test_versions_that_need_not_agree_are_all_named() -> None:
    held = [{"life": "1", "numpy": "2.3"}, {"life": "1", "numpy": "2.4"}, {"life": "1", "numpy": "2.3"}]
    assert shared_versions(held) == {"life": "1", "numpy": "2.3 or 2.4"}
    both = {name: {**versions(), "numpy": name} for name in "ab"}
    check_comparable(both)


def test_a_run_refuses_what_it_would_not_play_again(folder: Path) -> None:
    """A spoiled file whose digest is the present one would otherwise be taken for played."""
    changed(folder / NAME, _set("graded", value={}))
    with pytest.raises(SchemaError, match=f"{NAME} lacks the grades"):
        bench_run.run(["constant"], ["in-distribution"], folder)
    bench_run.run(["constant"], ["in-distribution"], folder, force=True)
    check_kept(read_result(folder / NAME), NAME)


def test_a_run_plays_again_what_an_earlier_version_made_whatever_it_holds(folder: Path) -> None:
    changed(folder / NAME, lambda document: document.update(digest="older", graded={}, people=99))
    bench_run.run(["constant"], ["in-distribution"], folder)
    check_kept(read_result(folder / NAME), NAME)


def test_a_folder_in_a_file_s_place_is_said_to_be_one(folder: Path) -> None:
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        read_results(folder)
    assert caught.value.filename == str(folder / NAME)


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"schema": 3}'], ids=repr)
def test_a_file_that_is_no_result_is_refused(content: bytes, folder: Path) -> None:
    (folder / NAME).write_bytes(content)
    with pytest.raises(SchemaError, match=f"{NAME} is damaged"):
        read_results(folder)


def test_what_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    (tmp_path / "folder").mkdir()
    for path, error, named in (
        (tmp_path / "file" / "a.json", NotADirectoryError, tmp_path / "file"),
        (tmp_path / "file" / "deep" / "a.json", NotADirectoryError, tmp_path / "file" / "deep"),
        (tmp_path / "folder", IsADirectoryError, tmp_path / "folder"),
        (tmp_path / ("x" * 300), OSError, tmp_path / ("x" * 300)),
    ):
        with pytest.raises(error) as caught:
            write_whole(path, b"{}")
        assert caught.value.filename == str(named)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"a report")
        assert os.read(reader, 100) == b"a report"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_rows_and_results_by_hand_are_checked_too(played: Path) -> None:
    with pytest.raises(InvalidValueError, match="metric/policy/condition"):
        sheets_of([Row("random", 0.4)])
    with pytest.raises(SchemaError, match="not a row"):
        as_rows([{"name": "v2/random/ood"}])
    result: Result = read_result(played / NAME)
    check_result(result, NAME)
    with pytest.raises(SchemaError, match="in -1 s"):
        check_result(msgspec.structs.replace(result, seconds=-1.0), NAME)


@pytest.mark.parametrize("width", [20, 40, 80, 100, 200])
def test_a_table_keeps_its_policies_and_numbers_in_any_width(width: int) -> None:
    names = list(CONDITIONS)[:6]
    rows = [Row(f"v2/random/{name}", 0.4, 0.365, 0.433, 15) for name in names]
    (sheet,) = sheets_of(rows)
    parts = parts_of(sheet, width)
    assert [column for part in parts for column in part.columns] == names
    assert max(len(part.columns) for part in parts) == max(1, min(6, (width - 18) // 18))
    assert sum(cell.value == "0.400" for part in parts for _, _, cells in part.lines for cell in cells) == 6
    published = [cell for part in parts for _, theirs, cells in part.lines for cell in cells if theirs and cell.value]
    assert len(published) == sum(cell.value != "" for _, theirs, cells in sheet.lines for cell in cells if theirs)
    console = Console(width=max(width, 40), file=StringIO(), force_terminal=False)
    for part in parts:
        console.print(to_rich(part))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("random") >= len(parts)
    assert text.count("0.365 to 0.433") == 6
    assert "…" not in text
