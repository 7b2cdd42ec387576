"""A file of weights and the card beside it: read, checked against each other, opened by ONNX Runtime."""

import hashlib
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from rhythm.vocab import RhythmError, SchemaError

LARGEST_BYTES: Final = 10_000_000
EVEN: Final = 2
"""A batch is filled up to a multiple of so many rows: a single row's products are added up in another order."""

_Card = TypeVar("_Card", bound=msgspec.Struct)


class DamagedModelError(RhythmError, ValueError):
    """A model's weights are not the ones that its card describes."""


def digest_of_weights(weights: bytes) -> str:
    """SHA-256 by which a card names its weights."""
    return hashlib.sha256(weights).hexdigest()


def read_card_beside(weights: Path, kind: type[_Card], **wanted: object) -> _Card:
    """The card beside a file of weights.

    Args:
        weights: the ``.onnx`` file; its card is the ``.json`` file of that name.
        kind: what a card holds.
        wanted: fields that must be what this version reads.

    Raises:
        SchemaError: it is missing, damaged, or of another version.
    """
    path = weights.with_suffix(".json")
    try:
        card = msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise SchemaError(f"{path.name} is no model card ({type(error).__name__}); install Rhythm again") from None
    found = {name: getattr(card, name) for name in wanted}
    if found != wanted:
        got, reads = (", ".join(str(value)[:60] for value in each.values()) for each in (found, wanted))
        raise SchemaError(f"{path.name} is of {got}; this version reads {reads}")
    return card


def open_weights(path: Path, sha256: str, threads: int) -> Any:
    """An ONNX Runtime session of a file of weights.

    Args:
        path: the ``.onnx`` file.
        sha256: that its card gives.
        threads: that a call may use.

    Raises:
        DamagedModelError: the weights are missing, or not those of the card.
    """
    try:
        weights = path.read_bytes() if path.stat().st_size <= LARGEST_BYTES else b""
    except OSError as error:
        raise DamagedModelError(f"{path.name} cannot be read ({type(error).__name__}); install Rhythm again") from None
    if digest_of_weights(weights) != sha256:
        raise DamagedModelError(f"{path.name} is not the file that its card describes; install Rhythm again")
    import onnxruntime  # noqa: PLC0415 - loaded on first use

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    try:
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - the runtime raises whatever a foreign file makes it raise
        raise DamagedModelError(
            f"{path.name} is no network that this ONNX Runtime reads ({type(error).__name__}); install Rhythm again"
        ) from None


def changed_ns(path: Path) -> int:
    """When a file was last changed, by which one that was read is known again; 0 where there is none."""
    return path.stat().st_mtime_ns if path.exists() else 0
