"""A network back from the file of weights that it was written into, and a file served without being written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn


def constants_of(path: Path) -> dict[str, NDArray[Any]]:
    """The constants of a file of weights by name; those of a layer have the names of the network's parameters."""
    return {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}


def fill(network: nn.Module, held: Mapping[str, NDArray[Any]]) -> None:
    """Give a network the parameters that constants hold.

    Raises:
        KeyError: one is not there.
        RuntimeError: one is of another shape.
    """
    network.load_state_dict({name: torch.from_numpy(np.array(held[name])) for name in network.state_dict()})


def session_of(weights: bytes) -> Any:
    """An ONNX Runtime session of weights that are in no file."""
    import onnxruntime  # noqa: PLC0415 - loaded on first use

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
