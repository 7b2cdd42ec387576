"""Refining the device student by playing: a better action gets likelier, a broken-off refinement goes on as the whole
one, a file can be trained on, the traps are looked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rhythm.adapt.plan import plan_beside
from rhythm.bench.conditions import ReservedSeedError
from rhythm.distill import refining
from rhythm.distill.choices import chances_of_suggesting
from rhythm.distill.device_channel import DEVICE_REFINING, DeviceChannel, live
from rhythm.distill.device_export import device_difference, model_of, network_of
from rhythm.distill.device_network import DeviceOutputs
from rhythm.distill.device_refined import ways_of, write_refined
from rhythm.distill.refining import gain_of, refine
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.device_model import DEVICE_WEIGHTS, DeviceModel, device_model, read_device_model
from rhythm.policy.student.device_tokens import DEVICE_TOKEN_WIDTH
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import InvalidValueError, SchemaError

SEEDS = np.arange(6_900_000, 6_900_006)
FEW = replace(DEVICE_REFINING, turns=2, people=3, copies=2, weeks=1, long_weeks=2, every=1)
CHANNEL = DeviceChannel()


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def test_what_fared_better_gets_likelier_and_what_strays_is_held() -> None:
    """One action always fares better than the others: its chance rises, and less the dearer straying is."""
    random = np.random.default_rng(2)
    first = torch.from_numpy(random.normal(size=(6, 40, 10)).astype(np.float32) * 0.01)
    chosen = random.integers(-1, 10, (6, 40)).astype(np.int8)
    gained = np.where(chosen == 4, 1.0, -0.1)
    before = chances_of_suggesting(first.numpy())[..., 4].mean()
    rises = []
    for kept_near in (0.0, 5.0):
        values = first.clone().requires_grad_(True)
        for _ in range(30):
            gain, divergence = gain_of(
                values / SETTINGS.temperature, first / SETTINGS.temperature, chosen, gained, FLOOR
            )
            (slope,) = torch.autograd.grad(gain - kept_near * divergence, values)
            values = (values + 1e-3 * slope).detach().requires_grad_(True)
        rises.append(chances_of_suggesting(values.detach().numpy())[..., 4].mean() - before)
    assert rises[0] > rises[1] > 0.0
    silent = gain_of(first, first, np.full_like(chosen, -1), gained, FLOOR)
    assert [float(part) for part in silent] == [0.0, 0.0]


@pytest.mark.slow
def test_what_is_learned_does_not_hang_on_how_many_lives_are_reckoned_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The slopes of parts add up to that of all lives, whatever share of each part is silent."""
    first = network_of(DEVICE_WEIGHTS)
    with torch.no_grad():
        first.values.bias.sub_(0.12)  # so that silence is common, and not alike in all lives
    curves, networks = [], []
    for at_once in (96, 2):
        monkeypatch.setattr(refining, "_AT_ONCE", at_once)
        refined = refine(first, CHANNEL, replace(FEW, long_weeks=1), tmp_path / f"{at_once}.pt")
        curves.append([row["divergence"] for row in refined.curve])
        networks.append(torch.cat([part.flatten() for part in refined.network.parameters()]))
    np.testing.assert_allclose(curves[1], curves[0], rtol=1e-2)
    start = torch.cat([part.flatten() for part in first.parameters()])
    assert float((networks[0] - networks[1]).detach().norm()) < 0.05 * float((networks[0] - start).detach().norm())


def test_the_gain_is_that_of_the_chances_with_which_is_chosen() -> None:
    """Mean advantage times the log of the chance that the assistant chooses with, floor and all."""
    random = np.random.default_rng(3)
    values = random.normal(size=(4, 5, 10)) * 0.02
    chosen, gained = random.integers(0, 10, (4, 5)).astype(np.int8), random.normal(size=(4, 5))
    logits = torch.from_numpy((values / SETTINGS.temperature).astype(np.float32))
    chance = np.take_along_axis(chances_of_suggesting(values), chosen[..., None].astype(np.int64), axis=2)[..., 0]
    gain, divergence = gain_of(logits, logits, chosen, gained, FLOOR)
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


def test_a_network_of_no_numbers_is_not_like_its_file() -> None:
    network = network_of(DEVICE_WEIGHTS)
    with torch.no_grad():
        network.norm.weight[0] = float("nan")
    assert np.isnan(device_difference(network, DEVICE_WEIGHTS, np.zeros((2, 3, DEVICE_TOKEN_WIDTH), np.float32)))


@pytest.mark.parametrize(("said", "other"), [('"reading": 96', '"reading": 95'), ('"blocks": 2', '"blocks": 1')])
def test_a_card_of_another_shape_is_refused(said: str, other: str, tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(DEVICE_WEIGHTS.read_bytes())
    card = DEVICE_WEIGHTS.with_suffix(".json").read_text()
    path.with_suffix(".json").write_text(card.replace(said, other))
    with pytest.raises(SchemaError, match=r"other\.onnx holds no network of its card's shape"):
        network_of(path)


@pytest.mark.slow
def test_a_broken_off_refinement_goes_on_as_the_whole_one(tmp_path: Path) -> None:
    first = network_of(DEVICE_WEIGHTS)
    whole = refine(first, CHANNEL, FEW, tmp_path / "whole.pt")

    def broken_off(_label: str, _turns: int) -> None:
        if (tmp_path / "broken.pt").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refine(first, CHANNEL, FEW, tmp_path / "broken.pt", broken_off)
    again = refine(first, CHANNEL, FEW, tmp_path / "broken.pt")
    assert again.curve == whole.curve
    for one, other in zip(again.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(InvalidValueError, match="of another refinement"):
        refine(first, CHANNEL, replace(FEW, turns=3), tmp_path / "whole.pt")
    (tmp_path / "whole.pt").write_bytes(b"torn")
    with pytest.raises(SchemaError, match=r"whole\.pt is no checkpoint"):
        refine(first, CHANNEL, FEW, tmp_path / "whole.pt")


@pytest.mark.slow
def test_a_refined_file_says_what_its_network_says_and_where_it_comes_from(model: DeviceModel, tmp_path: Path) -> None:
    refined = refine(network_of(DEVICE_WEIGHTS), CHANNEL, FEW, tmp_path / "refined.pt")
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


def test_holding_what_the_best_adds_changes_no_choice() -> None:
    """Its slope moves all actions alike: the softmax stays, the best comes nearer to what it was."""
    random = np.random.default_rng(5)
    first = torch.from_numpy(random.normal(size=(2, 3, 10)).astype(np.float32) * 0.02)
    values = (first * 1.5 + 0.05).requires_grad_(True)
    rest = (torch.zeros(2, 3, 10), torch.zeros(2, 3, 9), torch.zeros(2, 3, 1))
    before, said = (DeviceOutputs(rest[0], one, rest[1], rest[2]) for one in (first, values))
    (slope,) = torch.autograd.grad(CHANNEL.held(said, before, torch.full((2, 3, 3), 0.5)), values)
    np.testing.assert_allclose(slope, slope[..., :1].expand_as(slope), rtol=1e-4)
    moved = values.detach() - 1e-4 * slope
    off, now = (float((one.amax(dim=-1) - first.amax(dim=-1)).abs().mean()) for one in (values.detach(), moved))
    assert now < off
