"""Runs: resumable, whole files only, other schema versions refused, the same rows from any split."""

from pathlib import Path

import msgspec
import pytest

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.measures import rows_of
from rhythm.bench.results import Result, read_result, read_results, write_whole
from rhythm.vocab import SchemaError, UnknownNameError

TINY = Condition("in-distribution", range(6))


@pytest.fixture(autouse=True)
def _few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six people instead of a hundred."""
    monkeypatch.setitem(CONDITIONS, "in-distribution", TINY)


def _run(folder: Path, *policies: str, force: bool = False, workers: int = 2) -> tuple[list[Result], int]:
    played: list[int] = []
    before = {p.name: p.stat().st_mtime_ns for p in folder.glob("*.*.*.json")}
    results = bench_run.run(
        policies, ["in-distribution"], folder, force=force, workers=workers, on_progress=lambda _, n: played.append(n)
    )
    assert sum(played) == bench_run.weeks_to_play(policies, ["in-distribution"])
    after = {p.name: p.stat().st_mtime_ns for p in folder.glob("*.*.*.json")}
    return results, sum(before.get(name) != at for name, at in after.items())


def test_what_a_folder_holds_is_not_played_again(tmp_path: Path) -> None:
    first, written = _run(tmp_path, "random")
    assert written == 2 * 4
    again, written = _run(tmp_path, "random")
    assert written == 0
    assert again == first
    _, written = _run(tmp_path, "random", "constant")
    assert written == 2
    forced, written = _run(tmp_path, "random", force=True)
    assert written == 2 * 4
    assert [r.graded for r in forced] == [r.graded for r in first]


def test_a_result_of_other_sources_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = _run(tmp_path, "random")
    monkeypatch.setattr(bench_run, "versions", lambda: {"sources": "changed"})
    second, written = _run(tmp_path, "random")
    assert written == 2 * 4
    assert second[0].digest != first[0].digest


def test_the_number_of_threads_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_run, "CHUNK", 2)
    many, _ = _run(tmp_path / "many", "average", workers=3)
    monkeypatch.setattr(bench_run, "CHUNK", 100)
    one, _ = _run(tmp_path / "one", "average", workers=1)
    assert rows_of(many) == rows_of(one)
    assert [r.curves for r in many] == [r.curves for r in one]


def test_configuration_and_versions_stand_beside_the_results(tmp_path: Path) -> None:
    results, _ = _run(tmp_path, "random")
    config = msgspec.json.decode((tmp_path / "config.json").read_bytes())
    assert config["schema"] == "rhythm.bench-config/1"
    assert config["policies"] == ["random", "heuristic", "average", "oracle"]
    assert config["conditions"][0]["people"] == 6
    assert config["bootstrap"]["draws"] == 2_000
    wanted = {
        "rhythm",
        "life",
        "population",
        "grader_v2",
        "grader_v3",
        "python",
        "numpy",
        "numba",
        "machine",
        "sources",
    }
    assert set(config["versions"]) == set(results[0].versions) == wanted
    assert sorted(read_results(tmp_path), key=str) == sorted(results, key=str)


def test_another_schema_version_is_refused(tmp_path: Path) -> None:
    _run(tmp_path, "random")
    path = tmp_path / "random.in-distribution.peaked.json"
    document = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**document, "schema": "rhythm.bench-result/7"}))
    with pytest.raises(SchemaError, match=r"is of schema 'rhythm.bench-result/7'; this version reads"):
        _run(tmp_path, "random")
    _, written = _run(tmp_path, "random", force=True)
    assert written == 2 * 4


@pytest.mark.parametrize("keep", [0, 1, 40, -1])
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, keep: int) -> None:
    _run(tmp_path, "random")
    path = tmp_path / "random.in-distribution.peaked.json"
    damaged = path.read_bytes()[:keep]
    path.write_bytes(damaged)
    with pytest.raises(SchemaError, match="is damaged"):
        _run(tmp_path, "random")
    assert path.read_bytes() == damaged


def test_an_unknown_policy_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown policy 'nobody'"):
        bench_run.run(["nobody"], ["in-distribution"], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_interrupted_write_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"before")

    def fail(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_without_results_says_how_to_make_some(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="make some with `rhythm bench run"):
        read_results(tmp_path)


def test_rows_of_other_sources_are_not_mixed(tmp_path: Path) -> None:
    results, _ = _run(tmp_path, "random")
    other = msgspec.structs.replace(results[0], versions={"sources": "other"})
    with pytest.raises(SchemaError, match="cannot be compared"):
        rows_of([other, *results[1:]])


def test_a_result_is_what_was_written(tmp_path: Path) -> None:
    results, _ = _run(tmp_path, "oracle")
    oracle = read_result(tmp_path / "oracle.in-distribution.classic.json")
    assert oracle in results
    assert oracle.told
    assert oracle.people == len(oracle.graded["v2"]) == 6
    assert len(oracle.curves["wellbeing"].mean) == len(oracle.curves["belief_error"].high) == 28
