"""Weights of a student as an item carries them to whoever does it: the file's bytes, and the card's beside it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class SentWeights(NamedTuple):
    """Contents of a file of weights and of its card."""

    weights: bytes
    card: bytes


def packed(weights: Path) -> SentWeights:
    """A file of weights to be sent.

    Raises:
        OSError: it cannot be read, or has no card beside it; names the file.
    """
    return SentWeights(weights.read_bytes(), weights.with_suffix(".json").read_bytes())


@contextmanager
def unpacked(sent: SentWeights) -> Iterator[Path]:
    """The file of weights where it was sent to, its card beside it, until the block is left."""
    with tempfile.TemporaryDirectory(prefix="rhythm-weights-") as folder:
        path = Path(folder) / "sent.onnx"
        path.write_bytes(sent.weights)
        path.with_suffix(".json").write_bytes(sent.card)
        yield path
