"""A network back from the file of weights that it was written into, and a file served without being written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn

from rhythm.vocab import SchemaError

Constants = Mapping[str, NDArray[Any]]
_BLOCKS: Final = "blocks."
"""Of a network's parameters that repeat: none may be left over, or the file has more blocks than its card."""
Network = TypeVar("Network", bound=nn.Module)


def network_in(
    path: Path, blank: Callable[[], Network], parameters_in: Callable[[Constants], Constants] = lambda held: held
) -> Network:
    """The network in a file of weights, whose constants have the names of the network's parameters.

    Args:
        path: of the file, which was checked against its card.
        blank: a network of the card's shape.
        parameters_in: constants by the parameters' names where the file names some otherwise.

    Raises:
        SchemaError: file and card are not of one network.
    """
    constants = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    try:
        network, held = blank(), parameters_in(constants)
        network.load_state_dict({name: torch.from_numpy(np.array(held[name])) for name in network.state_dict()})
    except (KeyError, TypeError, RuntimeError) as error:
        raise SchemaError(f"{path.name} holds no network of its card's shape ({type(error).__name__})") from None
    if {name for name in constants if name.startswith(_BLOCKS)} - network.state_dict().keys():
        raise SchemaError(f"{path.name} holds no network of its card's shape (more blocks)")
    return network


def past_in(path: Path) -> tuple[int, ...]:
    """Layers, heads and width of a head that a file of weights reads what is past with; none where it reads none."""
    inputs = {one.name: one.type.tensor_type.shape.dim for one in onnx.load(path).graph.input}
    return tuple(size.dim_value for size in inputs.get("past_keys", ()) if size.dim_value)


def session_of(weights: bytes) -> Any:
    """An ONNX Runtime session of weights that are in no file."""
    import onnxruntime  # noqa: PLC0415 - loaded on first use

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
