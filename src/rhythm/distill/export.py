"""Export a trained network to ONNX, with a model card and a digest, and check that it says the same.

What is exported is one step with a cache, so that a served decision reads one token whatever
the length of the history.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from rhythm.bench.versions import versions
from rhythm.distill.dataset import described
from rhythm.distill.graph import belief_head, step_graph
from rhythm.distill.model_reading import network_in, past_in, session_of
from rhythm.distill.model_writing import checked, larger, write_model
from rhythm.distill.network import Shape, Student, parameters_of
from rhythm.distill.training import load
from rhythm.policy.student.model_file import MODEL_SCHEMA, Card, Model, read_model
from rhythm.policy.student.tokens import TOKEN_WIDTH, TOKENS_VERSION
from rhythm.policy.student.weights_file import digest_of_weights
from rhythm.vocab import SchemaError

LIMITS: Final = (
    "It learned from simulated people whose meters are seen exactly, in weeks of 28 slots; it has read "
    "no estimated meter, no answer and no longer history, and its chance of acceptance was not trained. "
    "No corner person was in its data. Its intervals are narrower than they should be for such people."
)
_PROBES: Final = (7, 28)
"""People and steps of the random tokens that both are asked about."""


def export(network: Student, path: Path, training: dict[str, Any]) -> Card:
    """Write ``path`` (``.onnx``) and the card beside it (``.json``).

    Args:
        network: trained.
        path: where to write.
        training: what it was trained on and how, for the card.
    """
    network.eval()
    weights = weights_of(network)
    card = card_of(network, weights, training)
    write_model(path, weights, card)
    return card


def weights_of(network: Student) -> bytes:
    """A network as the file that is served."""
    return step_graph(network.shape, {name: part.numpy() for name, part in network.state_dict().items()})


def card_of(network: Student, weights: bytes, training: dict[str, Any]) -> Card:
    """The card of a network's weights."""
    shape = network.shape
    return Card(
        schema=MODEL_SCHEMA,
        tokens=TOKENS_VERSION,
        sha256=digest_of_weights(weights),
        layers=shape.layers,
        heads=shape.heads,
        width=shape.width,
        parameters=parameters_of(network),
        training=training,
    )


def model_of(network: Student) -> Model:
    """A network as it would be served, without a file: what plays while it is trained."""
    weights = weights_of(network)
    return Model(card_of(network, weights, {}), session_of(weights))


def network_of(path: Path) -> Student:
    """The network in a file of weights, to be trained on.

    Raises:
        SchemaError: the card is damaged or of another version, or file and card are not of one network.
        DamagedModelError: the weights are missing, or not those of the card.
    """
    card = read_model(path).card  # checks the file against its card
    if min(card.layers, card.heads) < 1 or past_in(path) != (card.layers, card.heads, card.width // card.heads):
        raise SchemaError(f"{path.name} holds no network of its card's shape (heads or layers)")
    return network_in(
        path, lambda: Student(Shape(card.width, card.layers, card.heads)), lambda held: {**held, **belief_head(held)}
    )


def export_checkpoint(checkpoint: Path, path: Path, data: Sequence[Path] = ()) -> tuple[Card, float]:
    """Export the network of a checkpoint, and compare: the card, and the greatest difference found.

    Args:
        checkpoint: from `rhythm.distill.training.save`.
        path: of the weights.
        data: folders of weeks that it learned from, for the card.

    Raises:
        SchemaError: see `rhythm.distill.training.load` and `rhythm.distill.dataset.described`.
        DamagedModelError: what is served would differ by more than `rhythm.distill.model_writing.MOST_DIFFERENCE`.
    """
    progress = load(checkpoint)
    last = progress.curve[-1] if progress.curve else {}
    training = {
        "recipe": asdict(progress.recipe),
        "earlier": progress.earlier,
        "step": progress.step,
        "last": last,
        "data": [described(folder) for folder in data],
        "versions": {**versions(), "torch": str(torch.__version__)},
        "limits": LIMITS,
    }
    card = export(progress.network, path, training)
    probes = np.random.default_rng(0).normal(size=(*_PROBES, TOKEN_WIDTH)).astype(np.float32)
    difference = greatest_difference(progress.network, path, probes)
    return card, checked(path, difference)


def greatest_difference(network: Student, path: Path, tokens: np.ndarray[Any, np.dtype[np.float32]]) -> float:
    """Largest absolute difference between what network and exported file say of sequences, read step by step."""
    network.eval()
    with torch.no_grad():
        expected = network(torch.from_numpy(tokens))
    reader = read_model(path).reader(len(tokens))
    worst = 0.0
    for step in range(tokens.shape[1]):
        said = reader.read(tokens[:, step])
        for name in ("actions", "values", "beliefs", "accepts"):
            right = getattr(expected, name)[:, step].numpy()
            worst = larger(worst, getattr(said, name), right)
    return worst
