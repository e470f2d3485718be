"""The pass that rewrites LSTM, GRU and RNN over sequences of known lengths.

Sequences of one length are computed together: each group by a node without sequence_lens on its part
of X, with zeros after it in Y. Backward in time, a node starts at the last step of its sequences.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, constant_array, describe, sort_nodes, take_over_all
from ..operators.constants import given, known_dim
from ..operators.recurrent import SEQUENCE_LENS

RECURRENT = ("LSTM", "GRU", "RNN")
X, INITIAL_H, INITIAL_C = 0, 5, 6


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every recurrent node with sequence_lens."""
    for node in list(graph):
        if node.op_type in RECURRENT and not node.domain and given(node, SEQUENCE_LENS) is not None:
            take_over_all(graph, node, ByLength(graph, node).run())
    sort_nodes(graph)


class ByLength:
    """The rewrite of one recurrent node, grouped by sequence length."""

    def __init__(self, graph: ir.Graph, node: ir.Node) -> None:
        """Read the node's layout, number of steps and lengths."""
        self.builder, self.node = Builder(graph), node
        self.name = str(next(o.name for o in node.outputs if o.name))
        batch_first = attribute(node, "layout", 0) == 1
        self.time_axis, self.batch_axis = (1, 0) if batch_first else (0, 1)
        self.state_axis, self.y_batch_axis = (0, 0) if batch_first else (1, 2)
        self.steps = known_dim(node.inputs[X], self.time_axis, node)
        self.lengths = self.known_lengths()

    def known_lengths(self) -> np.ndarray:
        """Return the lengths; raise UnsupportedOperator if they are computed or out of range."""
        lengths = constant_array(given(self.node, SEQUENCE_LENS))
        if lengths is None:
            raise UnsupportedOperator(
                f"{self.node.op_type} with computed sequence_lens",
                "make them constant (--constant if they are an input), or leave them out if X has one length",
                describe(self.node),
            )
        if lengths.size and not 1 <= lengths.min() <= lengths.max() <= self.steps:
            raise UnsupportedOperator(
                f"{self.node.op_type} with sequence_lens {lengths.tolist()} of {self.steps} steps",
                "give lengths from 1 to the number of steps",
                describe(self.node),
            )
        return lengths.reshape(-1)

    def run(self) -> Sequence[ir.Value]:
        """Append the nodes, and return the values of the node's outputs."""
        groups = [np.flatnonzero(self.lengths == length) for length in np.unique(self.lengths)]
        if len(groups) == 1:
            return self.group(None, int(self.lengths[0]))
        known_dim(self.node.inputs[X], self.batch_axis, self.node)
        made = [self.group(members, int(self.lengths[members[0]])) for members in groups]
        order = np.argsort(np.concatenate(groups))
        axes = [self.y_batch_axis, self.state_axis, self.state_axis]
        return [self.joined(parts, axis, order) for parts, axis in zip(zip(*made, strict=True), axes, strict=False)]

    def group(self, members: np.ndarray | None, length: int) -> Sequence[ir.Value]:
        """Return the outputs for the sequences `members`, all of one length; None means all sequences."""
        inputs = list(self.node.inputs)
        inputs[SEQUENCE_LENS] = None
        for index, axis in ((X, self.batch_axis), (INITIAL_H, self.state_axis), (INITIAL_C, self.state_axis)):
            if members is not None and given(self.node, index) is not None:
                inputs[index] = self.gather(inputs[index], members, axis)
        inputs[X] = self.cut(inputs[X], length)
        names = [f"{self.name}.of_{length}_{i}" for i in range(len(self.node.outputs))]
        attributes = {name: a.value for name, a in self.node.attributes.items()}
        y, *states = self.builder.ops(self.node.op_type, *inputs, names=names, **attributes)
        count = len(members) if members is not None else self.node.inputs[X].shape[self.batch_axis]
        self.shape(y, self.node.outputs[0], {self.y_batch_axis: count, self.time_axis: length})
        for state, whole in zip(states, self.node.outputs[1:], strict=True):
            self.shape(state, whole, {self.state_axis: count})
        return [self.lengthened(y, length), *states]

    def cut(self, x: ir.Value, length: int) -> ir.Value:
        """Return the first `length` steps of x."""
        if length == self.steps:
            return x
        limits = [self.integers([v]) for v in (0, length, self.time_axis)]
        return self.shape(self.op("Slice", x, *limits), x, {self.time_axis: length})

    def lengthened(self, y: ir.Value, length: int) -> ir.Value:
        """Return y with zeros for the steps past the end of the sequences."""
        if length == self.steps:
            return y
        pads = np.zeros((2, 4), np.int64)
        pads[1, self.time_axis] = self.steps - length
        return self.shape(self.op("Pad", y, self.integers(pads.reshape(-1))), y, {self.time_axis: self.steps})

    def gather(self, x: ir.Value, members: np.ndarray, axis: int) -> ir.Value:
        """Return the sequences `members` of x."""
        return self.shape(self.op("Gather", x, self.integers(members), axis=axis), x, {axis: len(members)})

    def joined(self, parts: Sequence[ir.Value], axis: int, order: np.ndarray) -> ir.Value:
        """Return all sequences of the batch in their original order."""
        together = self.shape(self.op("Concat", *parts, axis=axis), parts[0], {axis: len(order)})
        return self.gather(together, order, axis)

    def op(self, op_type: str, *inputs: ir.Value, **attributes: int) -> ir.Value:
        """Append a node with one output, and return that output."""
        return self.builder.op(op_type, *inputs, name=f"{self.name}.{op_type.lower()}", **attributes)

    def shape(self, made: ir.Value, like: ir.Value, dims: dict[int, int | ir.SymbolicDim]) -> ir.Value:
        """Give a value the shape of `like` with some dimensions replaced, and return it."""
        if like.shape is not None:
            made.shape = ir.Shape([dims.get(axis, d) for axis, d in enumerate(like.shape)])
        made.type = self.node.inputs[X].type
        return made

    def integers(self, values: Sequence[int] | np.ndarray) -> ir.Value:
        """Return a constant of int64."""
        return self.builder.constant(np.array(values, np.int64), f"{self.name}.integers")
