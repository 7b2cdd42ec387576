"""Refining by playing: advantages cancel who people are, a better action gets likelier, the traps are looked for."""

from pathlib import Path

import numpy as np
import pytest

from rhythm.adapt.job import shipped_plan
from rhythm.adapt.plan import plan_beside
from rhythm.bench.conditions import ReservedSeedError
from rhythm.distill import device_refining as refining
from rhythm.distill.device_refined import head_of, ways_of, with_head, write_refined
from rhythm.distill.device_refining import Head, Lived, Refining, advantages, chances_of, live, refine, slope_of
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.device_model import DEVICE_WEIGHTS, DeviceModel, device_model, read_device_model
from rhythm.policy.student.device_tokens import no_news

SEEDS = np.arange(6_900_000, 6_900_006)


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def test_copies_are_compared_with_each_other_only() -> None:
    random = np.random.default_rng(0)
    wellbeing = random.random((20, 12))
    gained = advantages(wellbeing, 4, 5.0)
    np.testing.assert_allclose(gained.reshape(20, 3, 4).mean(axis=2), 0.0, atol=1e-12)
    happier = wellbeing + np.repeat([0.0, 0.3, 0.6], 4)
    np.testing.assert_allclose(advantages(happier, 4, 5.0), gained, atol=1e-9)
    late = wellbeing.copy()
    late[:10] = 0.5
    ratio = (advantages(late, 4, 5.0) / gained)[10:].reshape(10, 3, 4)
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[:1, :, :1], ratio.shape))  # what was before plays no part


def _first(width: int = 3) -> Head:
    random = np.random.default_rng(1)
    return Head(random.normal(size=(width, 10)) * 0.01, random.normal(size=10) * 0.01)


def test_what_fared_better_gets_likelier_and_what_strays_is_held() -> None:
    """One action always fares better than the others: its chance rises, and less the dearer straying is."""
    random, first = np.random.default_rng(2), _first()
    hidden = random.normal(size=(30, 40, 3)).astype(np.float32)
    chosen = random.integers(-1, 10, (30, 40)).astype(np.int8)
    lived = Lived(hidden, chosen, np.zeros((30, 40)))
    gained = np.where(chosen == 4, 1.0, -0.1)
    before = chances_of(first.values(hidden))[..., 4].mean()
    rises = []
    for kept_near in (0.0, 5.0):
        head = first
        for _ in range(30):
            weight, bias = slope_of(lived, gained, head, first, kept_near)
            head = Head(head.weight + 2e-5 * weight, head.bias + 2e-5 * bias)
        rises.append(chances_of(head.values(hidden))[..., 4].mean() - before)
    assert rises[0] > rises[1] > 0.0
    silent = slope_of(lived._replace(chosen=np.full_like(chosen, -1)), gained, first, first, 1.0)
    assert all((part == 0.0).all() for part in silent)


def test_the_slope_is_the_slope() -> None:
    """By differences: of the mean of advantage times the log of the chance, less the divergence."""
    random, first, head = np.random.default_rng(3), _first(), Head(_first().weight * 1.5, _first().bias + 0.001)
    hidden = random.normal(size=(4, 5, 3)).astype(np.float32)
    chosen = random.integers(0, 10, (4, 5)).astype(np.int8)
    gained = random.normal(size=(4, 5))

    def objective(one: Head) -> float:
        chance = np.take_along_axis(chances_of(one.values(hidden)), chosen[..., None].astype(int), axis=2)[..., 0]
        soft, before = refining.softly(one.values(hidden)), refining.softly(first.values(hidden))
        divergence = (soft * (np.log(soft) - np.log(before))).sum(axis=2)
        return float((gained * np.log(chance) - 0.3 * divergence).mean())

    weight, _ = slope_of(Lived(hidden, chosen, gained), gained, head, first, 0.3)
    step = np.zeros_like(head.weight)
    step[1, 6] = 1e-6
    found = (objective(Head(head.weight + step, head.bias)) - objective(Head(head.weight - step, head.bias))) / 2e-6
    assert weight[1, 6] == pytest.approx(found, rel=1e-4)


def test_lives_differ_only_in_what_is_drawn_for_them(model: DeviceModel) -> None:
    head = head_of(DEVICE_WEIGHTS.read_bytes())
    keys = scramble_seeds(np.array([1, 1, 2, 3, 4, 5]), Stream.POLICY)
    lived = live(model, head, np.repeat(SEEDS[:1], 6), keys, 12)
    np.testing.assert_array_equal(lived.wellbeing[:, 0], lived.wellbeing[:, 1])
    assert (lived.chosen[:, 0] != lived.chosen[:, 2]).any()
    with pytest.raises(ReservedSeedError):
        live(model, head, np.array([1_600_000]), keys[:1], 4)


def test_a_refined_file_says_what_its_head_says_and_nothing_else_changes(model: DeviceModel, tmp_path: Path) -> None:
    head = refine(model, head_of(DEVICE_WEIGHTS.read_bytes()), Refining(turns=1, people=3, copies=2, weeks=1))
    path = tmp_path / "refined.onnx"
    write_refined(DEVICE_WEIGHTS, path, head, shipped_plan(model), {"turns": 1})
    refined = read_device_model(path)
    news = no_news(np.arange(4))
    ours, theirs = refined.reader(4).read(news), model.reader(4).read(news)
    np.testing.assert_allclose(ours.values, head.values(theirs.hidden), atol=1e-5)
    assert np.abs(ours.values - theirs.values).max() > 1e-6
    for name in ("accepts", "beliefs", "hidden"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert refined.card.training["refined"]["first"] == model.card.sha256
    assert plan_beside(path, refined.card.name, refined.card.width).directions == shipped_plan(model).directions
    same = with_head(DEVICE_WEIGHTS.read_bytes(), head_of(DEVICE_WEIGHTS.read_bytes()))
    np.testing.assert_array_equal(head_of(same).weight, head_of(DEVICE_WEIGHTS.read_bytes()).weight)


@pytest.mark.parametrize(
    ("trap", "caught"),
    [
        ([-1] * 20, {"silence", "actions-in-use"}),
        ([5] * 20, {"actions-in-use", "two-commonest"}),
        ([5, 6] * 10, {"actions-in-use", "two-commonest", "two-in-turn"}),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] * 2, set()),
    ],
)
def test_traps_are_seen(trap: list[int], caught: set[str]) -> None:
    rows = ways_of("refined", [np.full(3, action, np.int8) for action in trap])
    assert {row.metric for row in rows if row.ok is False} == caught
