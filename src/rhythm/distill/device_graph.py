"""The device student as an ONNX graph of one step: a token of everyone and what is remembered of them."""

from typing import Final

import numpy as np

from rhythm.distill.device_network import WEEK_SCALE, DeviceShape
from rhythm.distill.onnx_nodes import Nodes, Weights
from rhythm.policy.student.device_memory import (
    DAY_KEPT,
    DAY_SCALE,
    MEMORY_FIELDS,
    MEMORY_WIDTH,
    SLOT_KEPT,
    SLOT_SCALE,
    TRACE,
    WEEK_KEPT,
)
from rhythm.policy.student.device_model import DEVICE_INPUTS, DEVICE_OUTPUTS
from rhythm.policy.student.device_tokens import DEVICE_PLACES, DEVICE_TOKEN_WIDTH
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS

_QUANTILES: Final = 3


def device_step_graph(shape: DeviceShape, weights: Weights) -> bytes:
    """The serialised model.

    Args:
        shape: of the network.
        weights: its parameters by the names in its ``state_dict``.

    Returns:
        A model with inputs ``tokens``, shape (people, DEVICE_TOKEN_WIDTH), and ``memory``, shape
        (people, MEMORY_WIDTH), and the outputs `rhythm.policy.student.device_model.DEVICE_OUTPUTS`.
    """
    made = _Maker(weights)
    before = made.part_before()
    done = made.columns("tokens", _ones("done", ACTION_COUNT))
    trace = made.traced(before, done)
    slots, slots_read = made.slot_memory(trace)
    days, days_read = made.day_memory(trace, before)
    weeks, weeks_read = made.week_memory(done)
    hidden = made.dense("read", made.node("Concat", ["tokens", *slots_read, *days_read, weeks_read], axis=1))
    for block in range(shape.blocks):
        wide = made.node("Gelu", [made.dense(f"blocks.{block}.widen", made.normed(f"blocks.{block}.norm", hidden))])
        hidden = made.node("Add", [hidden, made.dense(f"blocks.{block}.narrow", wide)])
    made.normed("norm", hidden, "hidden")
    for head in ("accepts", "values", "beliefs"):
        made.node("Identity", [made.dense(head, "hidden")], head)
    made.node("Concat", [slots, days, weeks], "memory_after", axis=1)
    widths = (ACTION_COUNT, ACTION_COUNT, BELIEF_COUNT * _QUANTILES, shape.width, MEMORY_WIDTH)
    inputs: dict[str, list[str | int | None]] = dict(
        zip(DEVICE_INPUTS, (["people", DEVICE_TOKEN_WIDTH], ["people", MEMORY_WIDTH]), strict=True)
    )
    outputs: dict[str, list[str | int | None]] = {
        name: ["people", width] for name, width in zip(DEVICE_OUTPUTS, widths, strict=True)
    }
    return made.serialised("student-device", inputs, outputs)


def _ones(field: str, count: int) -> slice:
    """The places of a one-of-many field without the last."""
    start = DEVICE_PLACES[field].start
    return slice(start, start + count)


def _memory(name: str) -> slice:
    start = 0
    for field, width in MEMORY_FIELDS:
        if field == name:
            return slice(start, start + width)
        start += width
    raise KeyError(name)


class _Maker(Nodes):
    """The nodes of a step of the device student."""

    def part_before(self) -> str:
        """Part of the day of the slot before, one of four."""
        part = self.columns("tokens", DEVICE_PLACES["part_of_day"])
        return self.node(
            "Concat", [self.columns(part, slice(1, SLOTS_PER_DAY)), self.columns(part, slice(0, 1))], axis=1
        )

    def traced(self, before: str, done: str) -> str:
        """The trace of the slot before, shape (people, TRACE)."""
        suggested = self.columns("tokens", _ones("suggested", ACTION_COUNT))
        outcome = self.columns("tokens", _ones("outcome", len(OUTCOMES)))
        both = self.node("Concat", [self.products(suggested, outcome), done], axis=1)
        crossed = self.products(before, both)
        look = self.node("Gelu", [self.dense("look", self.node("Concat", ["tokens", crossed], axis=1))])
        return self.dense("trace", look)

    def slot_memory(self, trace: str) -> tuple[str, list[str]]:
        """Means over all slots afterwards, and as they are read."""
        means = self.parts(self.columns("memory", _memory("slots")), len(SLOT_KEPT))
        after, read = [], []
        for place, (mean, kept, scale) in enumerate(zip(means, SLOT_KEPT, SLOT_SCALE, strict=True)):
            old = self.node("Mul", [mean, self.constant(f"slot_kept_{place}", kept)])
            new = self.node("Mul", [trace, self.constant(f"slot_new_{place}", 1.0 - kept)])
            after.append(self.node("Add", [old, new]))
            read.append(self.node("Mul", [after[-1], self.constant(f"slot_scale_{place}", scale)]))
        return self.node("Concat", after, axis=1), read

    def day_memory(self, trace: str, before: str) -> tuple[str, list[str]]:
        """Means for each part of the day afterwards, and those of the part that begins as they are read."""
        spans = len(DAY_KEPT)
        means = self.reshaped(self.columns("memory", _memory("days")), 0, SLOTS_PER_DAY, spans, TRACE)
        new = self.constant("day_new", np.array([1.0 - kept for kept in DAY_KEPT]).reshape(1, 1, spans, 1))
        share = self.node("Mul", [self.reshaped(before, 0, SLOTS_PER_DAY, 1, 1), new])
        change = self.node("Sub", [self.reshaped(trace, 0, 1, 1, TRACE), means])
        after = self.node("Add", [means, self.node("Mul", [share, change])])
        part = self.reshaped(self.columns("tokens", DEVICE_PLACES["part_of_day"]), 0, SLOTS_PER_DAY, 1, 1)
        here = self.node("ReduceSum", [self.node("Mul", [part, after]), self.whole(1)], keepdims=0)
        scales = self.constant("day_scale", np.array(DAY_SCALE).reshape(1, spans, 1))
        read = self.reshaped(self.node("Mul", [here, scales]), 0, -1)
        return self.reshaped(after, 0, -1), [read]

    def week_memory(self, done: str) -> tuple[str, str]:
        """What each step of the week was spent on afterwards, and the step that begins as it is read."""
        part, day = (self.columns("tokens", DEVICE_PLACES[name]) for name in ("part_of_day", "weekday"))
        now = self.products(day, part)
        over = self.node("Concat", [self.columns(now, slice(1, WEEK_STEPS)), self.columns(now, slice(0, 1))], axis=1)
        means = self.reshaped(self.columns("memory", _memory("weeks")), 0, WEEK_STEPS, ACTION_COUNT)
        change = self.node("Sub", [self.reshaped(done, 0, 1, ACTION_COUNT), means])
        new = self.constant("week_new", 1.0 - WEEK_KEPT)
        share = self.node("Mul", [self.reshaped(over, 0, WEEK_STEPS, 1), new])
        after = self.node("Add", [means, self.node("Mul", [share, change])])
        here = self.node("Mul", [self.reshaped(now, 0, WEEK_STEPS, 1), after])
        read = self.node("ReduceSum", [here, self.whole(1)], keepdims=0)
        return self.reshaped(after, 0, -1), self.node("Mul", [read, self.constant("week_scale", WEEK_SCALE)])
