"""The benchmarks of living and of taps on a few people: fair references, resumable files, rows that add up."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rhythm.belief import origins
from rhythm.belief.person import PersonPosterior
from rhythm.bench import living_run, taps_play, taps_run
from rhythm.bench.living_assistants import ASSISTANTS, KINDS, Kind, assistant_of, heard
from rhythm.bench.living_play import play
from rhythm.bench.taps_asking import MOST_WAITED, Patience, said_by, told_by_answers
from rhythm.bench.taps_bound import Told, best_taps
from rhythm.bench.taps_learners import LEARNERS, archetype_tables, nearest
from rhythm.bench.taps_play import KNOWN, play_taps
from rhythm.cli.main import main
from rhythm.policy.student.device_model import DeviceModel, device_model
from rhythm.policy.student.device_tokens import no_news
from rhythm.vocab import SchemaError, UnknownNameError

SEEDS = np.arange(2_900_000, 2_900_003)


@pytest.mark.parametrize("name", ["silent", "random", "heuristic", "bandit"])
def test_simple_assistants_do_the_same_again_and_alone(name: str) -> None:
    together = play(SEEDS, 1, assistant_of(name, SEEDS))
    alone = play(SEEDS[1:2], 1, assistant_of(name, SEEDS[1:2]))
    assert np.array_equal(together.wellbeing[1:2], alone.wellbeing)
    assert together.errors.shape == (3, 0, 3)


def test_the_advised_assistant_does_the_same_again_and_alone() -> None:
    together = play(SEEDS, 1, assistant_of("rhythm", SEEDS))
    alone = play(SEEDS[1:2], 1, assistant_of("rhythm", SEEDS[1:2]))
    assert np.array_equal(together.wellbeing[1:2], alone.wellbeing)
    assert not np.array_equal(together.wellbeing, play(SEEDS, 1, assistant_of("no-student", SEEDS)).wellbeing)


def test_an_assistant_without_a_part_has_a_student_without_it() -> None:
    one, whole = np.array([1]), no_news(np.array([9]))
    levels = np.full((1, 5), 0.5)
    byte = one.astype(np.int8)
    told = whole._replace(
        values=levels,
        sds=levels,
        reading_slots=np.full((1, 5), 8),
        done=byte,
        suggested=byte,
        outcomes=byte,
        moved_to=one,
    )

    def changed(kind: Kind) -> set[str]:
        left = heard(told, kind)
        return {name for name in told._fields if not np.array_equal(getattr(left, name), getattr(told, name))}

    assert changed(KINDS["rhythm"]) == set()
    assert changed(KINDS["no-taps"]) == {"suggested", "outcomes", "moved_to"}
    assert changed(KINDS["no-readings"]) == {"values", "sds", "reading_slots"}
    assert changed(KINDS["no-device"]) == {"values", "sds", "reading_slots", "done"}


def test_parts_are_kept_and_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living_run, "REFERENCES", ("silent", "random"))
    done: list[tuple[str, int]] = []
    first = living_run.run(["bandit"], tmp_path, people=9, weeks=1, on_progress=lambda *one: done.append(one))
    assert sum(more for _, more in done) == 27
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.json")}
    assert len(files) == 6
    again = living_run.run(["bandit"], tmp_path, people=9, weeks=1, on_progress=lambda *_: None)
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.json")} == files
    next(iter(files)).write_bytes(b"{")
    with pytest.raises(SchemaError, match="damaged"):
        living_run.run(["bandit"], tmp_path, people=9, weeks=1, on_progress=lambda *_: None)


def test_captured_is_nothing_for_the_average_and_all_for_the_oracle() -> None:
    rng = np.random.default_rng(1)
    low = rng.uniform(0.3, 0.5, (40, 2))
    empty: list[list[list[float]]] = [[] for _ in range(40)]

    def part(levels: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[living_run.Part]:
        return [living_run.Part("", "", 0.0, levels.tolist(), levels.tolist(), empty, empty, empty)]

    levels = {"average": low, "oracle": low + 0.1, "copy": low + 0.1, "half": low + 0.05}
    rows = {row.name: row for row in living_run.rows_of({name: part(each) for name, each in levels.items()})}
    assert rows["captured/copy/all"].value == pytest.approx(1.0)
    assert rows["captured/half/week-2"].value == pytest.approx(0.5)


def test_weeks_are_played_again_where_other_weights_advise(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [living_run._digest(name, 2) for name in ("rhythm", "no-student", "random")]
    other = DeviceModel(msgspec.structs.replace(device_model().card, sha256="0" * 64), None)
    monkeypatch.setattr(living_run, "device_model", lambda: other)
    after = [living_run._digest(name, 2) for name in ("rhythm", "no-student", "random")]
    assert [one == two for one, two in zip(before, after, strict=True)] == [False, True, True]


def test_an_unknown_assistant_or_learner_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        living_run.run(["nobody"], tmp_path, people=2, weeks=1, on_progress=lambda *_: None)
    with pytest.raises(UnknownNameError):
        taps_run.run(["nobody"], 3, lambda *_: None)
    assert set(living_run.DEFAULT) < set(ASSISTANTS)


def test_a_table_is_nearest_to_itself() -> None:
    for place, table in enumerate(archetype_tables()):
        assert nearest(table[None])[place] == 1.0


@pytest.mark.parametrize("name", list(LEARNERS))
def test_chances_sum_to_one_and_being_known_means_being_sure(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taps_play, "MOST_SLOTS", 28)
    learner = LEARNERS[name](7)
    assert learner.chances().sum() == pytest.approx(1.0)
    taps = play_taps(SEEDS, LEARNERS[name])
    assert (taps.right <= taps.known).all()
    assert (taps.taps <= taps.offers).all()
    assert (taps.offers <= taps.slots).all()
    assert KNOWN > 0.5


def test_it_waits_for_a_slot_that_tells_more_but_not_for_ever() -> None:
    patience, little, much = Patience(), np.array([0.1, 0.2]), np.array([0.3, 0.0])
    assert patience.asks(much, [little]) == 0
    assert patience.asks(little, [little]) == 1, "nothing to wait for"
    assert [patience.asks(little, [little, much]) for _ in range(MOST_WAITED + 1)] == [-1] * MOST_WAITED + [1]
    assert patience.asks(little, [much]) == -1, "and waits anew"


def test_what_an_answer_tells_is_what_it_is_expected_to_take_from_the_doubt_about_the_archetype() -> None:
    draws = PersonPosterior(origins.one_of_the_archetypes()).draws(0, 96)
    said = said_by(draws)
    np.testing.assert_allclose(said.sum(axis=2), 1.0)
    shares = np.array([(g.stop - g.start) / 96 for g in draws.origin.groups.values() if g.stop > g.start])
    by_kind = np.array([said[g].mean(axis=0) for g in draws.origin.groups.values() if g.stop > g.start])
    for action, told in enumerate(told_by_answers(draws)):
        after = shares[:, None] * by_kind[:, action]
        chance = after.sum(axis=0)
        left = -(after * np.log(after / chance)).sum()
        assert told == pytest.approx(-(shares * np.log(shares)).sum() - left, abs=1e-9)
        assert 0.0 <= told < np.log(3)


def test_the_commands_print_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "bench taps --learners rhythm --people 3 --json --plot"
    with pytest.raises(SystemExit) as ended:
        main([*arguments.split(), str(tmp_path / "taps.png")])
    assert ended.value.code == 0
    shares = json.loads((tmp_path / "taps.json").read_text())["lines"]["rhythm"]
    assert shares == sorted(shares)
    names = {row["name"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert {"taps-median/rhythm", "taps-p90/rhythm", "right/rhythm"} <= names
    arguments = "bench living --assistants random --people 2 --weeks 1 --json --plots --results"
    with pytest.raises(SystemExit) as ended:
        main([*arguments.split(), str(tmp_path)])
    assert ended.value.code == 0
    assert (tmp_path / "living.png").is_file()


def test_who_is_told_more_needs_fewer_taps() -> None:
    seeds = np.arange(2_300_000, 2_300_010)
    slow, quick = best_taps(seeds, Told.TENDENCIES), best_taps(seeds, Told.USUAL)
    assert quick.taps.mean() < slow.taps.mean()
    for taps in (slow, quick):
        assert taps.known.all()
        assert taps.right.mean() >= 0.8
        assert (taps.taps <= taps.offers).all()
