"""Refining by playing: advantages cancel who people are and luck that was foreseen, a better action gets likelier,
a broken-off refinement goes on as the whole one, the traps are looked for."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rhythm.adapt.plan import plan_beside
from rhythm.bench.conditions import ReservedSeedError
from rhythm.distill.device_critic import Critic, group_relative, lived_returns
from rhythm.distill.device_export import device_difference, model_of, network_of
from rhythm.distill.device_network import DeviceOutputs
from rhythm.distill.device_play import TRUTH_WIDTH, Lived, chances_of, live
from rhythm.distill.device_refined import ways_of, write_refined
from rhythm.distill.device_refining import Refined, Refining, gain_of, refine
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.device_model import DEVICE_WEIGHTS, DeviceModel, device_model, read_device_model
from rhythm.policy.student.device_tokens import DEVICE_TOKEN_WIDTH
from rhythm.vocab import InvalidValueError, SchemaError

SEEDS = np.arange(6_900_000, 6_900_006)
FEW = Refining(turns=2, people=3, copies=2, weeks=1, long_weeks=2, every=1)


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def test_copies_are_compared_with_each_other_only() -> None:
    random = np.random.default_rng(0)
    gained = group_relative(random.random((12, 20)), 4)
    np.testing.assert_allclose(gained.reshape(3, 4, 20).mean(axis=1), 0.0, atol=1e-12)
    assert gained.std() == pytest.approx(1.0)
    random = np.random.default_rng(0)
    happier = random.random((12, 20)) + np.repeat([0.0, 0.3, 0.6], 4)[:, None]
    np.testing.assert_allclose(group_relative(happier, 4), gained, atol=1e-9)


def test_a_return_is_lived_or_foreseen_as_trust_says() -> None:
    random = np.random.default_rng(1)
    wellbeing, values = random.random((2, 6)), random.random((2, 7))
    lived = [sum(0.9**k * wellbeing[0, t + k] for k in range(6 - t)) + 0.9 ** (6 - t) * values[0, 6] for t in range(6)]
    np.testing.assert_allclose(lived_returns(wellbeing, values, 0.9, 1.0)[0], lived)
    np.testing.assert_allclose(lived_returns(wellbeing, values, 0.9, 0.0), wellbeing + 0.9 * values[:, 1:])
    both = lived_returns(wellbeing, values, 0.9, 0.5)[0]
    assert both[5] == pytest.approx(lived[5])
    assert both[4] == pytest.approx(wellbeing[0, 4] + 0.9 * (0.5 * values[0, 5] + 0.5 * both[5]))


def _made_up(random: np.random.Generator, people: int) -> tuple[Lived, np.ndarray]:
    """Wellbeing that mostly follows from a hidden number, and a little from one choice in two."""
    truth = np.zeros((2 * people, 11, TRUTH_WIDTH), np.float32)
    truth[..., 0] = random.normal(size=(2 * people, 1))
    chosen = random.integers(0, 2, (2 * people, 10)).astype(np.int8)
    wellbeing = 0.5 + 0.1 * truth[:, :-1, 0] + 0.02 * chosen
    return Lived(
        np.zeros((2 * people, 10, DEVICE_TOKEN_WIDTH), np.float32), chosen, wellbeing.astype(np.float64),
        np.full((2 * people, 10, 3), 0.5, np.float32), np.zeros((2 * people, 11, 4), np.float32), truth,
    ), chosen  # fmt: skip


def test_a_critic_that_knows_the_truth_takes_luck_out_of_what_a_choice_brought() -> None:
    """What is left of an advantage goes with the choice far more clearly once the critic has learned."""
    random = np.random.default_rng(4)
    critic, clear = Critic(4), []
    for _ in range(12):
        lived, chosen = _made_up(random, 200)
        gained, foreseen = critic.advantages(lived, copies=2, fades=2.0, trust=0.5)
        clear.append(np.corrcoef(gained.ravel(), chosen.ravel())[0, 1] if gained.any() else 0.0)
    assert clear[0] == 0.0  # nothing is learned from before the critic knows anything
    assert clear[-1] > max(0.3, 1.5 * clear[1])
    assert foreseen > 0.5


def _said(values: torch.Tensor) -> DeviceOutputs:
    return DeviceOutputs(torch.zeros_like(values), values, torch.zeros(*values.shape[:-1], 9), torch.zeros(1))


def test_what_fared_better_gets_likelier_and_what_strays_is_held() -> None:
    """One action always fares better than the others: its chance rises, and less the dearer straying is."""
    random = np.random.default_rng(2)
    first = torch.from_numpy(random.normal(size=(6, 40, 10)).astype(np.float32) * 0.01)
    chosen = random.integers(-1, 10, (6, 40)).astype(np.int8)
    gained = np.where(chosen == 4, 1.0, -0.1)
    before = chances_of(first.numpy().astype(np.float64))[..., 4].mean()
    rises = []
    for kept_near in (0.0, 5.0):
        values = first.clone().requires_grad_(True)
        for _ in range(30):
            gain, divergence = gain_of(_said(values), _said(first), chosen, gained)
            (slope,) = torch.autograd.grad(gain - kept_near * divergence, values)
            values = (values + 1e-3 * slope).detach().requires_grad_(True)
        rises.append(chances_of(values.detach().numpy().astype(np.float64))[..., 4].mean() - before)
    assert rises[0] > rises[1] > 0.0
    silent = gain_of(_said(first), _said(first), np.full_like(chosen, -1), gained)
    assert [float(part) for part in silent] == [0.0, 0.0]


def test_the_gain_is_that_of_the_chances_with_which_is_chosen() -> None:
    """Mean advantage times the log of the chance that the assistant chooses with, floor and all."""
    random = np.random.default_rng(3)
    values = random.normal(size=(4, 5, 10)) * 0.02
    chosen, gained = random.integers(0, 10, (4, 5)).astype(np.int8), random.normal(size=(4, 5))
    said = _said(torch.from_numpy(values.astype(np.float32)))
    chance = np.take_along_axis(chances_of(values), chosen[..., None].astype(np.int64), axis=2)[..., 0]
    gain, divergence = gain_of(said, said, chosen, gained)
    assert float(gain) == pytest.approx(float((gained * np.log(chance)).mean()), abs=1e-5)
    assert float(divergence) == pytest.approx(0.0, abs=1e-6)


def test_lives_differ_only_in_what_is_drawn_for_them(model: DeviceModel) -> None:
    keys = scramble_seeds(np.array([1, 1, 2, 3, 4, 5]), Stream.POLICY)
    lived = live(model, np.repeat(SEEDS[:1], 6), keys, 12)
    np.testing.assert_array_equal(lived.wellbeing[0], lived.wellbeing[1])
    assert (lived.chosen[0] != lived.chosen[2]).any()
    with pytest.raises(ReservedSeedError):
        live(model, np.array([1_600_000]), keys[:1], 4)


def test_a_file_can_be_trained_on(model: DeviceModel) -> None:
    """The network in the shipped file says what the file says."""
    network = network_of(DEVICE_WEIGHTS).eval()
    keys = scramble_seeds(SEEDS, Stream.POLICY)
    lived = live(model, SEEDS, keys, 28)
    again = live(model_of(network), SEEDS, keys, 28)
    np.testing.assert_array_equal(lived.chosen, again.chosen)
    assert device_difference(network, DEVICE_WEIGHTS, lived.tokens) < 1e-4


def test_a_card_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(DEVICE_WEIGHTS.read_bytes())
    card = DEVICE_WEIGHTS.with_suffix(".json").read_text()
    path.with_suffix(".json").write_text(card.replace('"reading": 96', '"reading": 95'))
    with pytest.raises(SchemaError, match=r"other\.onnx holds no network of its card's shape"):
        network_of(path)


@pytest.mark.slow
def test_a_broken_off_refinement_goes_on_as_the_whole_one(tmp_path: Path) -> None:
    first = network_of(DEVICE_WEIGHTS)
    whole = refine(first, FEW, tmp_path / "whole.pt")

    def broken_off(_label: str, _turns: int) -> None:
        if (tmp_path / "broken.pt").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refine(first, FEW, tmp_path / "broken.pt", broken_off)
    again = refine(first, FEW, tmp_path / "broken.pt")
    assert again.curve == whole.curve
    for one, other in zip(again.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(InvalidValueError, match="of another refinement"):
        refine(first, Refining(turns=3, people=3, copies=2, weeks=1), tmp_path / "whole.pt")
    (tmp_path / "whole.pt").write_bytes(b"torn")
    with pytest.raises(SchemaError, match=r"whole\.pt is no checkpoint"):
        refine(first, FEW, tmp_path / "whole.pt")


@pytest.mark.slow
def test_a_refined_file_says_what_its_network_says_and_where_it_comes_from(model: DeviceModel, tmp_path: Path) -> None:
    refined = refine(network_of(DEVICE_WEIGHTS), FEW, tmp_path / "refined.pt")
    assert isinstance(refined, Refined)
    path = tmp_path / "refined.onnx"
    assert write_refined(DEVICE_WEIGHTS, path, refined, 12) < 1e-4
    card = read_device_model(path).card
    assert card.sha256 != model.card.sha256
    *earlier, last = card.training["refined"]
    assert last["first"] == model.card.sha256
    assert last["turns"] == FEW.turns
    assert len(earlier) >= 1
    assert len(plan_beside(path, card.name, card.width).directions) > 0


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
