"""Seals: a folder keeps its own, sealed people are other people, and no number seen opens a seal."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from rhythm.bench import run as bench_run
from rhythm.bench.conditions import CONDITIONS, Condition
from rhythm.bench.measures import rows_of
from rhythm.bench.play import policy_seeds
from rhythm.bench.seal import FILE_NAME, check_seal, seal_of
from rhythm.life.counter import Stream, mix, scramble_seeds
from rhythm.life.profiles import People
from rhythm.policy import tabulator
from rhythm.policy.face import Player, Policy
from rhythm.policy.registry import make_policy
from rhythm.policy.simple import RandomPolicy
from rhythm.vocab import InvalidValueError, SchemaError

SEAL = 20_261_128
FEW = Condition("in-distribution-sealed", range(1_300_000, 1_300_006), sealed=True)


@pytest.fixture(autouse=True)
def _few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONDITIONS, FEW.name, FEW)


def test_a_folder_keeps_the_seal_it_was_given_first(tmp_path: Path) -> None:
    made = seal_of(tmp_path / "one")
    assert 0 < made < 2**64
    assert seal_of(tmp_path / "one") == seal_of(tmp_path / "one", made) == made
    assert seal_of(tmp_path / "two") != made
    assert seal_of(tmp_path / "three", SEAL) == seal_of(tmp_path / "three") == SEAL
    with pytest.raises(InvalidValueError, match="is sealed with another number") as refused:
        seal_of(tmp_path / "three", SEAL + 1)
    assert str(SEAL) not in str(refused.value)


@pytest.mark.parametrize("number", [0, -1, 2**64])
def test_no_other_number_seals(number: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="from 1 to"):
        check_seal(number)
    with pytest.raises(InvalidValueError):
        seal_of(tmp_path, number)
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"schema":"rhythm.bench-seal/2","number":5}', b'{"schema":"rhythm.bench-seal/1","number":0}'],
)
def test_a_damaged_seal_is_refused_and_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(SchemaError, match="is damaged or not of schema"):
        seal_of(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_sealed_people_depend_on_the_seal_and_open_people_do_not() -> None:
    for name, condition in CONDITIONS.items():
        population = condition.populations[-1]
        one, other = condition.people(population, 1), condition.people(population, 2)
        assert (one != other).any() == condition.sealed, name


def test_sealed_archetypes_stand_in_no_order_and_are_as_many_of_each() -> None:
    condition = CONDITIONS["archetypes-sealed"]
    people = condition.people("everyone", SEAL)
    kinds = np.unique(people, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(kinds)
    assert counts.max() - counts.min() <= 1
    assert len({tuple(kinds[i : i + 3]) for i in range(0, 1_998, 3)}) == 6


def test_the_same_seal_gives_the_same_results_and_another_is_played_again(tmp_path: Path) -> None:
    def graded(folder: Path, seal: int | None) -> list[dict[str, list[float]]]:
        return [r.graded for r in bench_run.run(["random"], [FEW.name], folder, seal=seal)]

    first = graded(tmp_path / "one", SEAL)
    assert graded(tmp_path / "one", None) == first == graded(tmp_path / "again", SEAL)
    assert graded(tmp_path / "other", SEAL + 1) != first
    config = msgspec.json.decode((tmp_path / "one" / "config.json").read_bytes())
    assert config["conditions"][0]["seal"] == SEAL


def test_an_open_run_makes_no_seal(tmp_path: Path) -> None:
    bench_run.run(["random"], ["archetypes"], tmp_path)
    assert not (tmp_path / FILE_NAME).exists()


def _unmix(word: int) -> int:
    """The inverse of `mix` on one word, as anybody can write it."""

    def unshift(value: int, by: int) -> int:
        found = value
        for _ in range(64 // by):
            found = value ^ (found >> by)
        return found

    word = unshift(word, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    word = unshift(word, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return unshift(word, 30)


def test_mixing_can_be_undone_and_so_hides_no_seal() -> None:
    word = np.uint64(0x0123_4567_89AB_CDEF)
    with np.errstate(over="ignore"):
        assert _unmix(int(mix(word))) == word


def test_a_policys_numbers_under_a_seal_are_no_mixing_of_the_seed() -> None:
    """Undoing the mixing of two seeds' numbers gives one salt for open seeds, and none for sealed ones."""
    seeds = np.array([5, 6])
    plain = [_mix_once(seed) for seed in seeds.tolist()]

    def salts(secret: int) -> set[int]:
        keys = scramble_seeds(seeds, Stream.POLICY, secret).tolist()
        return {_unmix(key) ^ base for key, base in zip(keys, plain, strict=True)}

    assert len(salts(0)) == 1
    assert len(salts(SEAL)) == 2


def _mix_once(seed: int) -> int:
    with np.errstate(over="ignore"):
        return int(mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)))


def test_nobody_is_met_twice_under_one_seal() -> None:
    """A policy that remembers people by what it is handed finds them in no other condition or population."""
    met: set[int] = set()
    traits: set[bytes] = set()
    units = [(c, population) for c in CONDITIONS.values() if c.sealed for population in c.populations]
    for condition, population in units:
        numbers = policy_seeds(condition.seed_array, condition.secret(population, SEAL)).tolist()
        assert not met & set(numbers), condition.name
        met |= set(numbers)
        if not condition.archetypes:
            rows = {row[5:].tobytes() for row in condition.people(population, SEAL)}
            assert not traits & rows, condition.name
            traits |= rows
    assert len(met) == sum(len(c.seeds) for c, _ in units)


def test_runs_that_begin_at_once_share_one_seal(tmp_path: Path) -> None:
    for attempt in range(20):
        with ThreadPoolExecutor(4) as pool:
            seals = list(pool.map(seal_of, [tmp_path / str(attempt)] * 4))
        assert len(set(seals)) == 1
        assert [path.name for path in (tmp_path / str(attempt)).iterdir()] == [FILE_NAME]


def test_results_under_two_seals_stand_in_no_table(tmp_path: Path) -> None:
    one = bench_run.run(["random"], [FEW.name], tmp_path / "one", seal=1)
    other = bench_run.run(["random"], [FEW.name], tmp_path / "other", seal=2)
    mixed = [r for r in one if r.policy == "random"] + [r for r in other if r.policy != "random"]
    with pytest.raises(SchemaError, match="drawn under different seals"):
        rows_of(mixed)


def test_a_seal_for_open_conditions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="no condition is sealed"):
        bench_run.run(["random"], ["archetypes"], tmp_path, seal=5)


def test_a_policy_is_handed_the_people_only_where_the_result_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a policy answers later, `told` is asked once and holds for play and result alike."""
    asked: list[bool] = []

    class Shy:
        name = "random"

        @property
        def told(self) -> bool:
            asked.append(True)
            return len(asked) > 1

        def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
            assert people is None
            return RandomPolicy().start(seeds)

    def made(name: str) -> Policy:
        return Shy() if name == "random" else make_policy(name)

    monkeypatch.setattr(bench_run, "make_policy", made)
    results = bench_run.run(["random"], [FEW.name], tmp_path)
    assert [r.told for r in results if r.policy == "random"] == [False, False]


def test_streams_under_a_seal_share_nothing() -> None:
    seeds = np.arange(2_000)
    words = np.concatenate([scramble_seeds(seeds, stream, SEAL) for stream in Stream])
    assert len(np.unique(words)) == len(words)
    assert not set(policy_seeds(seeds, SEAL).tolist()) & set(policy_seeds(seeds).tolist())


def test_the_tabulators_table_holds_every_seed_of_the_benchmark() -> None:
    table = tabulator.table()
    assert len(table.people) == sum(len(c.seeds) for n, c in CONDITIONS.items() if n != FEW.name) + 2_000
    for name in ("in-distribution", "ood-wide", "archetypes"):
        condition = CONDITIONS[name]
        numbers = policy_seeds(condition.seed_array)
        found = table.people[[table.by_number[n] for n in numbers.tolist()]]
        np.testing.assert_array_equal(found, condition.people(condition.populations[-1]))
