"""A network back from the file of weights that it was written into, and a file served without being written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn

from rhythm.vocab import SchemaError

Constants = Mapping[str, NDArray[Any]]
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
    return network


def session_of(weights: bytes) -> Any:
    """An ONNX Runtime session of weights that are in no file."""
    import onnxruntime  # noqa: PLC0415 - loaded on first use

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
