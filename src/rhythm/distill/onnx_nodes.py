"""Nodes and constants of an ONNX graph, collected one by one by whoever writes a network out."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET: Final = 20
_IR_VERSION: Final = 10
_EPSILON: Final = 1e-5

Weights = Mapping[str, NDArray[np.float32]]
Ports = Mapping[str, Sequence[str | int | None]]
"""Shapes of inputs or outputs by name."""


class Nodes:
    """Collects nodes and constants; its methods add nodes and give the names of what they make."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[Any]] = {}

    def node(self, kind: str, inputs: Sequence[str], output: str = "", **attributes: Any) -> str:
        """Any node of one output."""
        name = output or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, values: Any, kind: Any = np.float32) -> str:
        """A constant array."""
        self._constants[name] = np.asarray(values, kind)
        return name

    def whole(self, *values: int) -> str:
        """Whole numbers, as shapes and places are given."""
        return self.constant("whole_" + "_".join(map(str, values)), values, np.int64)

    def unsqueezed(self, part: str, axis: int) -> str:
        """The same with an axis of 1."""
        return self.node("Unsqueeze", [part, self.whole(axis)])

    def reshaped(self, part: str, *shape: int) -> str:
        """The same in another shape; 0 keeps a length, -1 takes what is left."""
        return self.node("Reshape", [part, self.whole(*shape)])

    def columns(self, part: str, place: slice, axis: int = -1) -> str:
        """A stretch along an axis."""
        return self.node("Slice", [part, self.whole(place.start), self.whole(place.stop), self.whole(axis)])

    def parts(self, part: str, count: int, axis: int = -1) -> list[str]:
        """So many equal parts."""
        names = [f"part_{len(self._nodes)}_{i}" for i in range(count)]
        self._nodes.append(helper.make_node("Split", [part], names, axis=axis, num_outputs=count))
        return names

    def affine(self, name: str, part: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """A matrix and a bias."""
        return self.node(
            "Gemm", [part, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)], transB=1
        )

    def dense(self, name: str, part: str) -> str:
        """A linear layer of that name."""
        return self.affine(name, part, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def normed(self, name: str, part: str, output: str = "") -> str:
        """A layer norm of that name."""
        scale = self.constant(f"{name}.weight", self._weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", self._weights[f"{name}.bias"])
        return self.node("LayerNormalization", [part, scale, bias], output, axis=-1, epsilon=_EPSILON)

    def products(self, one: str, other: str) -> str:
        """Every product of a number of the one with a number of the other, in a row."""
        product = self.node("Mul", [self.unsqueezed(one, 2), self.unsqueezed(other, 1)])
        return self.node("Reshape", [product, self.whole(0, -1)])

    def serialised(self, name: str, inputs: Ports, outputs: Ports) -> bytes:
        """The whole graph, checked."""
        graph = helper.make_graph(
            self._nodes,
            name,
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(s)) for n, s in inputs.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(s)) for n, s in outputs.items()],
            [numpy_helper.from_array(values, constant) for constant, values in self._constants.items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION)
        onnx.checker.check_model(made, full_check=True)
        found: bytes = made.SerializeToString()
        return found
