"""The network as an ONNX graph of one step: one token of everyone, after the keys and values of what was read before.

Written node by node, since a step needs no mask, no shapes that vary but the batch and the
past, and the same bits whoever else is in the batch: functions of single numbers that may
round otherwise in the remainder of a loop (softplus, sigmoid) get rows of whole vectors.
"""

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from rhythm.distill.network import CAME, QUANTILES, ROTARY_BASE, VECTOR, Shape
from rhythm.distill.onnx_nodes import Nodes, Weights
from rhythm.policy.student.model_file import INPUTS, OUTPUTS
from rhythm.policy.student.tokens import PLACES, TOKEN_WIDTH
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT


def step_graph(shape: Shape, weights: Weights) -> bytes:
    """The serialised model.

    Args:
        shape: of the network.
        weights: its parameters by the names in its ``state_dict``.

    Returns:
        A model with inputs ``tokens`` of shape (people, TOKEN_WIDTH) and ``past_keys``,
        ``past_values`` of shape (layers, people, heads, past, width / heads), and the outputs
        `rhythm.policy.student.model_file.OUTPUTS`, each with the people first, the last two as the past.
    """
    made = _Maker(shape, weights)
    hidden = made.dense("read", made.with_products("tokens"))
    cosine, sine = made.rotation("past_keys")
    kept: list[tuple[str, str]] = []
    for layer in range(shape.layers):
        hidden, keys, values = made.block(layer, hidden, cosine, sine)
        kept.append((keys, values))
    made.heads(made.normed("norm", hidden, "hidden"))
    for place, name in enumerate(OUTPUTS[-2:]):
        made.node("Concat", [made.unsqueezed(both[place], 0) for both in kept], name, axis=0)
    return made.model()


def belief_head(constants: Weights) -> dict[str, NDArray[np.float32]]:
    """The belief head's parameters, whose rows stand level by level in the file, as the network has them.

    Raises:
        KeyError: they are not there.
    """
    found = {}
    for part in ("weight", "bias"):
        levels = [constants[f"beliefs.{level}.{part}"] for level in range(len(QUANTILES))]
        found[f"beliefs.{part}"] = np.stack(levels, axis=1).reshape(-1, *levels[0].shape[1:])
    return found


class _Maker(Nodes):
    """The nodes of the student's step."""

    def __init__(self, shape: Shape, weights: Weights) -> None:
        super().__init__(weights)
        self._shape = shape

    def with_products(self, tokens: str) -> str:
        came = self.node("Concat", [self.columns(tokens, place) for place in CAME], axis=1)
        deltas = self.columns(tokens, PLACES["deltas"])
        paid = self.node("Concat", [deltas, self.columns(tokens, PLACES["reward"])], axis=1)
        done = self.products(self.columns(tokens, PLACES["done"]), came)
        return self.node("Concat", [tokens, done, self.products(deltas, paid)], axis=1)

    def rotation(self, past: str) -> tuple[str, str]:
        """Cosine and sine of the angles at the place of the token, which is how many were read before."""
        half = self._shape.width // self._shape.heads // 2
        rates = self.constant("rates", np.float32(ROTARY_BASE) ** (-np.arange(half, dtype=np.float32) / half))
        before = self.node("Cast", [self.node("Shape", [past], start=3, end=4)], to=TensorProto.FLOAT)
        angle = self.node("Mul", [before, rates])
        return self.node("Cos", [angle]), self.node("Sin", [angle])

    def rotated(self, part: str, cosine: str, sine: str) -> str:
        one, other = self.parts(part, 2)
        first = self.node("Sub", [self.node("Mul", [one, cosine]), self.node("Mul", [other, sine])])
        second = self.node("Add", [self.node("Mul", [one, sine]), self.node("Mul", [other, cosine])])
        return self.node("Concat", [first, second], axis=-1)

    def block(self, layer: int, hidden: str, cosine: str, sine: str) -> tuple[str, str, str]:
        name = f"blocks.{layer}"
        each = self._shape.width // self._shape.heads
        row = self.whole(0, self._shape.heads, 1, each)
        asked = self.parts(self.dense(f"{name}.project", self.normed(f"{name}.norm_1", hidden)), 3)
        query, key, value = (self.node("Reshape", [part, row]) for part in asked)
        query, key = self.rotated(query, cosine, sine), self.rotated(key, cosine, sine)
        at = self.constant(f"layer_{layer}", layer, np.int64)
        keys = self.node("Concat", [self.node("Gather", ["past_keys", at], axis=0), key], axis=2)
        values = self.node("Concat", [self.node("Gather", ["past_values", at], axis=0), value], axis=2)
        query = self.node("Mul", [query, self.constant("scale", 1.0 / np.sqrt(each))])
        weight = self.node("MatMul", [query, self.node("Transpose", [keys], perm=[0, 1, 3, 2])])
        mixed = self.node("MatMul", [self.node("Softmax", [weight], axis=-1), values])
        mixed = self.node("Reshape", [mixed, self.whole(0, self._shape.width)])
        hidden = self.node("Add", [hidden, self.dense(f"{name}.mix", mixed)])
        wide = self.node("Gelu", [self.dense(f"{name}.widen", self.normed(f"{name}.norm_2", hidden))])
        return self.node("Add", [hidden, self.dense(f"{name}.narrow", wide)]), keys, values

    def padded(self, part: str, width: int) -> str:
        return self.node("Pad", [part, self.whole(0, 0, 0, -width % VECTOR)])

    def heads(self, hidden: str) -> None:
        for name in ("actions", "accepts"):
            self.node("Identity", [self.dense(name, hidden)], name)
        values = self.node("Softplus", [self.padded(self.dense("values", hidden), ACTION_COUNT)])
        self.node("Neg", [self.columns(values, slice(0, ACTION_COUNT))], "values")
        weight, bias = self._weights["beliefs.weight"], self._weights["beliefs.bias"]
        low, middle, high = (
            self.affine(f"beliefs.{level}", hidden, weight[level :: len(QUANTILES)], bias[level :: len(QUANTILES)])
            for level in range(len(QUANTILES))
        )
        both = self.node("Concat", [low, high], axis=1)
        ends = self.node("Softplus", [self.padded(both, 2 * BELIEF_COUNT)])
        down = self.columns(ends, slice(0, BELIEF_COUNT))
        up = self.columns(ends, slice(BELIEF_COUNT, 2 * BELIEF_COUNT))
        stated = self.node("Concat", [self.node("Sub", [middle, down]), middle, self.node("Add", [middle, up])], axis=1)
        levels = self.node("Sigmoid", [self.padded(stated, len(QUANTILES) * BELIEF_COUNT)])
        levels = self.columns(levels, slice(0, len(QUANTILES) * BELIEF_COUNT))
        levels = self.node("Reshape", [levels, self.whole(0, len(QUANTILES), BELIEF_COUNT)])
        self.node("Transpose", [levels], "beliefs", perm=[0, 2, 1])

    def model(self) -> bytes:
        shape = self._shape
        past: list[str | int | None] = [shape.layers, "people", shape.heads, "past", shape.width // shape.heads]
        later = [*past[:3], "read", past[4]]
        widths: tuple[list[str | int | None], ...] = (
            ["people", ACTION_COUNT],
            ["people", ACTION_COUNT],
            ["people", BELIEF_COUNT, len(QUANTILES)],
            ["people", ACTION_COUNT],
            ["people", shape.width],
            later,
            later,
        )
        inputs: tuple[list[str | int | None], ...] = (["people", TOKEN_WIDTH], past, past)
        return self.serialised(
            "student", dict(zip(INPUTS, inputs, strict=True)), dict(zip(OUTPUTS, widths, strict=True))
        )
