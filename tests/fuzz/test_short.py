"""The fuzzers' short form: the kept corpus, and a few hundred damaged files of each kind from a fixed seed."""

import random
import time
from pathlib import Path

import pytest

from fuzz.__main__ import run
from fuzz.mutating import mutated
from fuzz.readers import SEEDS, corpus, read_broken_zip, read_damaged, whole_zip

KINDS = sorted(SEEDS)
FILES = 60


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_is_read_and_the_corpus_does_no_harm(kind: str, tmp_path: Path) -> None:
    assert read_damaged(kind, SEEDS[kind][1], tmp_path)
    for data in corpus()[kind]:
        read_damaged(kind, data, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_in_time(kind: str, tmp_path: Path) -> None:
    draw, pool = random.Random(f"short {kind}"), corpus()[kind]
    for number in range(FILES):
        begun = time.monotonic()
        read_damaged(kind, mutated(draw.choice(pool), draw), tmp_path, as_zip=kind != "calendar" and number % 5 == 0)
        if kind != "calendar" and number % 10 == 0:
            read_broken_zip(kind, mutated(whole_zip(kind), draw), tmp_path)
        assert time.monotonic() - begun < 5.0


def test_damage_follows_from_the_seed() -> None:
    seed = SEEDS["plain"][1]
    first, again, other = (mutated(seed, random.Random(n)) for n in (1, 1, 2))
    assert first == again != other
    assert mutated(b"", random.Random(1)) == b""


def test_the_guided_run_says_when_nothing_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(0.5, 3) == 0
    assert "0 crashes" in capsys.readouterr().out
