"""Training: losses are what they say, what is learned is learned, and a resumed run goes on as the whole one."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from distill.conftest import TINY, trained
from rhythm.distill.dataset import shards_in
from rhythm.distill.losses import losses_of, pinball
from rhythm.distill.network import QUANTILES, Outputs, Shape, Student
from rhythm.distill.shards import digest_of_shards
from rhythm.distill.training import Recipe, begin, digest_of_start, load, resumed, split, train
from rhythm.distill.weeks import TaughtWeeks
from rhythm.policy.student.tokens import TOKEN_WIDTH
from rhythm.vocab import InvalidValueError, SchemaError


@given(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=40))
def test_the_pinball_loss_is_least_at_the_quantiles(draws: list[float]) -> None:
    right = torch.tensor(draws, dtype=torch.float64)

    def cost(levels: torch.Tensor) -> float:
        return float(pinball(levels.expand(len(draws), -1), right))

    best = torch.quantile(right, torch.tensor(QUANTILES, dtype=torch.float64), interpolation="lower")
    for shift in (-0.1, -0.01, 0.01, 0.1):
        for place in range(len(QUANTILES)):
            other = best.clone()
            other[place] += shift
            assert cost(best) <= cost(other) + 1e-6 + abs(shift) / len(draws)


def test_beliefs_are_in_order_and_values_not_above_the_best() -> None:
    torch.manual_seed(0)
    said = Student(Shape(16, 1, 2))(30.0 * torch.randn(4, 9, TOKEN_WIDTH))
    assert (said.beliefs.diff(dim=-1) >= 0.0).all()
    assert ((said.beliefs >= 0.0) & (said.beliefs <= 1.0)).all()
    assert (said.values <= 0.0).all()


def test_the_loss_is_least_for_who_says_what_the_teacher_says() -> None:
    values = torch.tensor([[[0.0, -0.1, -1.0, -0.02, *[-0.3] * 6]]])
    targets = torch.full((1, 3), 0.4)
    teacher = Outputs(
        values / 0.03, 10.0 * values.clamp(min=-0.5), targets[:, None, :, None].expand(1, 1, 3, 3), values, values
    )
    found = losses_of(teacher, values, targets)
    assert float(found.value) == float(found.belief) == 0.0
    other = losses_of(teacher._replace(actions=-teacher.actions), values, targets)
    assert float(other.action) > float(found.action) + 1.0


def test_no_token_sees_a_later_one() -> None:
    torch.manual_seed(0)
    network = Student(Shape(16, 2, 2))
    tokens = torch.randn(3, 10, TOKEN_WIDTH)
    changed = tokens.clone()
    changed[:, 6:] += 1.0
    before, after = network(tokens).hidden, network(changed).hidden
    torch.testing.assert_close(before[:, :6], after[:, :6])
    assert (before[:, 6:] - after[:, 6:]).abs().max() > 0.1


def test_read_step_by_step_or_in_one_go_it_says_the_same() -> None:
    torch.manual_seed(0)
    network = Student(Shape(16, 2, 2))
    tokens = torch.randn(3, 12, TOKEN_WIDTH)
    cache, parts = network.empty_cache(3), []
    for piece in (tokens[:, :1], tokens[:, 1:5], tokens[:, 5:]):
        hidden, cache = network.step(piece, cache)
        parts.append(hidden)
    torch.testing.assert_close(torch.cat(parts, dim=1), network(tokens).hidden, atol=1e-5, rtol=1e-5)


def test_it_learns(checkpoint: Path) -> None:
    curve = load(checkpoint).curve
    assert [row["step"] for row in curve] == [20, 40, 60]
    for part in ("action", "value", "belief"):
        assert curve[-1][f"train_{part}"] < curve[0][f"train_{part}"]
    assert curve[-1]["aside_value"] < curve[0]["aside_value"]


def test_a_resumed_run_ends_where_the_whole_one_does(checkpoint: Path, weeks: TaughtWeeks, tmp_path: Path) -> None:
    path = tmp_path / "student.pt"
    part, looked = begin(TINY), 0

    def stop(_label: str, _count: int) -> None:
        nonlocal looked
        looked += 1
        if looked == 27:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(part, *split(weeks), path, stop)
    again = resumed(TINY, path)
    assert again.step == 20
    train(again, *split(weeks), path)
    whole = load(checkpoint)
    assert again.curve == whole.curve
    for ours, theirs in zip(again.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_other_weeks_do_not_go_on_from_a_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="from other weeks"):
        resumed(replace(TINY, data="of others"), checkpoint)
    one, two = tmp_path / "weeks-1.npz", tmp_path / "weeks-2.npz"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    assert shards_in(tmp_path) == [one, two]
    digests = {digest_of_shards([one, two]), digest_of_shards([one])}
    two.write_bytes(b"3")
    assert len(digests | {digest_of_shards([one, two])}) == 3


def test_another_recipe_does_not_go_on_from_a_checkpoint(checkpoint: Path) -> None:
    with pytest.raises(InvalidValueError, match="trained by another recipe"):
        resumed(Recipe(TINY.shape, steps=61), checkpoint)


def test_a_run_may_start_from_another_and_says_so(checkpoint: Path, weeks: TaughtWeeks, tmp_path: Path) -> None:
    recipe = replace(TINY, steps=20, start=digest_of_start(checkpoint))
    further = begin(recipe, checkpoint)
    before = load(checkpoint)
    for ours, theirs in zip(further.network.parameters(), before.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    train(further, *split(weeks), tmp_path / "further.pt")
    again = load(tmp_path / "further.pt")
    assert again.earlier == [asdict(TINY)]
    assert again.curve[0]["train_action"] < before.curve[0]["train_action"]


def test_a_run_starts_from_what_its_recipe_names(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="is not what this recipe starts from"):
        begin(TINY, checkpoint)
    wider = replace(TINY, shape=Shape(32, 2, 2), start=digest_of_start(checkpoint))
    with pytest.raises(InvalidValueError, match="of another shape"):
        begin(wider, checkpoint)
    with pytest.raises(SchemaError, match="no checkpoint to start from"):
        digest_of_start(tmp_path / "none.pt")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x02}."])
def test_what_is_no_checkpoint_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "student.pt"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match="is no checkpoint"):
        load(path)


def test_weeks_kept_aside_are_not_learned_from(weeks: TaughtWeeks, tmp_path: Path) -> None:
    given_, aside = split(weeks)
    assert not np.intersect1d(given_.seeds, aside.seeds).size
    assert len(given_) + len(aside) == len(weeks)
    with pytest.raises(InvalidValueError, match="share a seed"):
        train(begin(TINY), weeks, aside, tmp_path / "student.pt")
    with pytest.raises(InvalidValueError, match="too few"):
        split(weeks.rows(weeks.seeds % 20 != 0))


def test_two_runs_of_one_seed_are_one(weeks: TaughtWeeks, checkpoint: Path, tmp_path: Path) -> None:
    assert trained(weeks, tmp_path / "other.pt").curve == load(checkpoint).curve
