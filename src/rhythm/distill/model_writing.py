"""Write weights with the card that names them, and refuse those that say anything else than the network did."""

from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench.results import write_whole
from rhythm.policy.student.weights_file import DamagedModelError

MOST_DIFFERENCE: Final = 1e-4
"""By which what is served may differ from what was trained."""


def write_model(path: Path, weights: bytes, card: msgspec.Struct) -> None:
    """Write ``path`` (``.onnx``) and the card beside it, each whole or not at all."""
    write_whole(path, weights)
    write_card(path, card)


def write_card(weights: Path, card: msgspec.Struct) -> None:
    """Write the card beside a file of weights."""
    write_whole(weights.with_suffix(".json"), msgspec.json.format(msgspec.json.encode(card), indent=2))


def larger(worst: float, ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """The greatest difference so far, once these were compared too; not a number where one of them is none."""
    return float(np.maximum(worst, np.abs(ours - theirs).max()))


def checked(path: Path, difference: float) -> float:
    """The greatest difference between what is served and what was trained.

    Raises:
        DamagedModelError: it is above `MOST_DIFFERENCE`; weights and card are gone then.
    """
    if not difference <= MOST_DIFFERENCE:
        path.unlink(missing_ok=True)
        path.with_suffix(".json").unlink(missing_ok=True)
        raise DamagedModelError(f"{path.name} differs from the network by {difference:.1e}; it was taken away again")
    return difference
