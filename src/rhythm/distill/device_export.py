"""Export the device student to ONNX, with a model card and a digest, and check that it says the same slot by slot."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from rhythm.bench.versions import versions
from rhythm.distill.device_graph import device_step_graph
from rhythm.distill.device_lives import read_lives
from rhythm.distill.device_network import DeviceShape, DeviceStudent
from rhythm.distill.device_training import load_device, remembered_weeks, stated
from rhythm.distill.model_reading import network_in, session_of
from rhythm.distill.model_writing import checked, larger, write_model
from rhythm.distill.network import parameters_of
from rhythm.policy.student.device_memory import MEMORY_WIDTH
from rhythm.policy.student.device_model import (
    DEVICE_SCHEMA,
    DeviceCard,
    DeviceModel,
    quantiles,
    read_device_model,
)
from rhythm.policy.student.device_tokens import DEVICE_TOKENS_VERSION
from rhythm.policy.student.weights_file import digest_of_weights

_COMPARED: Final = 5
"""Lives of which file and network are compared."""
_LEARNED_FROM: Final = (
    "It learned from simulated people and their simulated answers, styles no wider than the posterior's prior, up to "
    "eight weeks read, one suggestion a slot at most. Nothing here was seen of real people. What a suggestion brings "
)
DEVICE_LIMITS: Final = f"{_LEARNED_FROM}is reckoned with habits following, not with further suggestions."
DEVICE_REFINED_LIMITS: Final = (
    f"{_LEARNED_FROM}was reckoned with habits following, then refined by playing: its best is held to what it was, the "
    "others are scores to choose by."
)


def device_card(network: DeviceStudent, weights: bytes, training: dict[str, Any]) -> DeviceCard:
    """The card of a network's weights."""
    return DeviceCard(
        schema=DEVICE_SCHEMA,
        tokens=DEVICE_TOKENS_VERSION,
        sha256=digest_of_weights(weights),
        width=network.shape.width,
        memory=MEMORY_WIDTH,
        parameters=parameters_of(network),
        training=training,
    )


def weights_of(network: DeviceStudent) -> bytes:
    """A network as the file that is served."""
    return device_step_graph(network.shape, {name: part.numpy() for name, part in network.state_dict().items()})


def export_device(
    checkpoint: Path, path: Path, lives: Sequence[Path], described: dict[str, Any]
) -> tuple[DeviceCard, float]:
    """Write ``path`` (``.onnx``) and the card beside it, and compare: the card, and the greatest difference found.

    Args:
        checkpoint: from `rhythm.distill.device_training.save_device`.
        path: where to write.
        lives: shards whose first few lives both are asked about.
        described: what it learned from, for the card.

    Raises:
        SchemaError: a damaged checkpoint or shard.
        DamagedModelError: what is served would differ by more than `rhythm.distill.model_writing.MOST_DIFFERENCE`.
    """
    progress = load_device(checkpoint)
    network = progress.network.eval()
    weights = weights_of(network)
    training = {
        "recipe": asdict(progress.recipe),
        "step": progress.step,
        "last": progress.curve[-1] if progress.curve else {},
        "data": described,
        "versions": {**versions(), "torch": str(torch.__version__)},
        "limits": DEVICE_LIMITS,
    }
    card = device_card(network, weights, training)
    write_model(path, weights, card)
    return card, checked(path, device_difference(network, path, read_lives(*lives).tokens[:_COMPARED]))


def device_difference(network: DeviceStudent, path: Path, tokens: NDArray[Any]) -> float:
    """Largest absolute difference between what network and file say of some lives, read slot by slot.

    Args:
        network: as it was trained.
        path: of the file.
        tokens: of the lives, shape (lives, slots, DEVICE_TOKEN_WIDTH).
    """
    tokens = tokens.astype(np.float32)
    weeks = remembered_weeks(tokens)
    with torch.no_grad():
        expected = network(torch.from_numpy(tokens), torch.from_numpy(weeks))
        beliefs = stated(expected.beliefs).numpy()
    model = read_device_model(path)
    memory, worst = np.zeros((len(tokens), MEMORY_WIDTH), np.float32), 0.0
    for t in range(tokens.shape[1]):
        accepts, values, raw, hidden, memory = model.run(tokens[:, t], memory)
        pairs = (
            (accepts, expected.accepts[:, t].numpy()),
            (values, expected.values[:, t].numpy()),
            (hidden, expected.hidden[:, t].numpy()),
            (quantiles(raw), beliefs[:, t]),
        )
        for ours, theirs in pairs:
            worst = larger(worst, ours, theirs)
    return worst


def model_of(network: DeviceStudent) -> DeviceModel:
    """A network as it would be served, without a file: what plays while it is trained."""
    weights = weights_of(network)
    return DeviceModel(device_card(network, weights, {}), session_of(weights))


def network_of(path: Path) -> DeviceStudent:
    """The network in a file of weights, to be trained on.

    Raises:
        SchemaError: the card is damaged or of another version, or file and card are not of one network.
        DamagedModelError: the weights are missing, or not those of the card.
    """
    card = read_device_model(path).card  # checks the file against its card
    return network_in(path, lambda: DeviceStudent(DeviceShape(**card.training["recipe"]["shape"])))
