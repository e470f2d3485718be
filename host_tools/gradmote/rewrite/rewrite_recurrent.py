"""The pass that rewrites LSTM, GRU and RNN without sequence_lens with operators of our own domain.

See docs/DESIGN.md, section 3. For each direction

    Gemm (X, W, bias) -> Z (T, B, G H)
    cells (Z, R, initial states) -> Y (T, B, H), last states (B, H)

and the directions are joined as in ONNX: Y (T, D, B, H), Y_h and Y_c (D, B, H); layout 1 puts B
first.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import DOMAIN, Builder, attribute, describe, sort_nodes, take_over_all
from ..ir.metadata import NO_GRADIENT
from ..operators.constants import given, known_dim
from ..operators.gru import GruCells
from ..operators.lstm import LstmCells
from ..operators.recurrent import Cells
from ..operators.rnn import SLOPES, RnnCells
from ..operators.selection import UNKNOWN, known_dims

#: The number of gates of each operator, and the default activations of a direction.
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}

#: The inputs that all three operators share come first; only LSTM has INITIAL_C and P.
X, W, R, B, SEQUENCE_LENS, INITIAL_H, INITIAL_C, P = range(8)


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every recurrent node."""
    for node in list(graph):
        if node.op_type in GATES and not node.domain:
            take_over_all(graph, node, Rewrite(graph, node).run())
    sort_nodes(graph)


class Rewrite:
    """The rewrite of one recurrent node."""

    def __init__(self, graph: ir.Graph, node: ir.Node) -> None:
        """Read the node's directions, layout and sizes."""
        self.builder, self.node = Builder(graph), node
        self.name = str(next(o.name for o in node.outputs if o.name))
        self.directions = self.known_directions()
        self.batch_first = attribute(node, "layout", 0) == 1
        self.gates = GATES[node.op_type]
        self.hidden = known_dim(self.input(R), 2, node)

    def run(self) -> list[ir.Value]:
        """Append the nodes, and return the values of the node's outputs."""
        self.refuse_what_is_missing()
        made = [self.direction(index, reverse) for index, reverse in enumerate(self.directions)]
        y, *last = zip(*made, strict=True)
        return [self.sequence(y), *(self.last(states) for states in last)]

    # ---- refusals

    def refuse_what_is_missing(self) -> None:
        """Raise UnsupportedOperator for `clip`, and for unsupported activations."""
        if "clip" in self.node.attributes:
            self.refuse("with clip", "train without it; --clip-norm bounds the gradients")
        self.activations()

    def refuse(self, what: str, hint: str) -> None:
        """Raise UnsupportedOperator for the node."""
        raise UnsupportedOperator(f"{self.node.op_type} {what}", hint, describe(self.node))

    def known_directions(self) -> list[bool]:
        """Return, for each direction, whether it runs backward in time."""
        name = attribute(self.node, "direction", "forward")
        if name not in DIRECTIONS:
            self.refuse(f"with direction {name}", f"use {', '.join(DIRECTIONS)}")
        return DIRECTIONS[name]

    def activations(self) -> list[str]:
        """Return the activations by their ONNX names, for each direction in turn."""
        defaults = ACTIVATIONS[self.node.op_type] * len(self.directions)
        named = [a.title() for a in attribute(self.node, "activations", defaults)]
        known = set(named) <= set(SLOPES) if self.node.op_type == "RNN" else named == defaults
        if not known or len(named) != len(defaults):
            choice = "Tanh or Relu" if self.node.op_type == "RNN" else "the default activations"
            self.refuse(f"with activations {', '.join(named)}", f"use {choice}")
        return named

    # ---- one direction

    def direction(self, index: int, reverse: bool) -> Sequence[ir.Value]:
        """Return Y (T, B, H) of one direction, then its last states (B, H)."""
        bias, own_bias = self.biases(index)
        z = self.projection(index, bias)
        r = self.weights[R][index]
        states = [self.initial(i, index, z) for i in (INITIAL_H, INITIAL_C)]
        if self.node.op_type == "LSTM":
            peepholes = self.weights[P][index] if self.input(P) else self.zeros(3 * self.hidden)
            coupled = bool(attribute(self.node, "input_forget", 0))
            return self.cells(LstmCells(reverse, coupled), [z, r, peepholes, *states], 6)[:3]
        if self.node.op_type == "GRU":
            own_bias = own_bias or self.zeros(self.hidden)
            return self.cells(GruCells(reverse, self.reset_after), [z, r, own_bias, states[0]], 5)[:2]
        return self.cells(RnnCells(reverse, self.activations()[index]), [z, r, states[0]], 3)[:2]

    def cells(self, kind: Cells, inputs: Sequence[ir.Value], outputs: int) -> Sequence[ir.Value]:
        """Append the recurrent operator, and return its outputs."""
        names = [f"{self.name}.{kind.name}_{i}" for i in range(outputs)]
        return self.builder.ops(kind.name, *inputs, names=names, domain=DOMAIN)

    @property
    def reset_after(self) -> bool:
        """Return whether a GRU applies its reset gate after the product h R^T."""
        return bool(attribute(self.node, "linear_before_reset", 0))

    def biases(self, index: int) -> tuple[ir.Value | None, ir.Value | None]:
        """Return the bias of X W^T, (G H), and that of a GRU's h R^T, (H).

        A GRU adds the latter before its reset gate; it is None if the former includes it.
        """
        if self.input(B) is None:
            return None, None
        width = self.gates * self.hidden
        of_x, of_h = self.split(self.weights[B][index], 0, [width, width])
        if self.node.op_type != "GRU" or not self.reset_after:
            return self.op("Add", of_x, of_h), None
        sizes = [2 * self.hidden, self.hidden]
        (x_gates, x_candidate), (h_gates, own) = (self.split(v, 0, sizes) for v in (of_x, of_h))
        return self.op("Concat", self.op("Add", x_gates, h_gates), x_candidate, axis=0), own

    def projection(self, index: int, bias: ir.Value | None) -> ir.Value:
        """Return Z (T, B, G H) = X W^T + bias."""
        steps, batch = self.steps_and_batch
        inputs = [self.rows, self.weights[W][index], *([bias] if bias is not None else [])]
        z = self.op("Gemm", *inputs, transB=1)
        return self.op("Reshape", z, self.integers([steps, batch, self.gates * self.hidden]))

    def initial(self, which: int, index: int, z: ir.Value) -> ir.Value:
        """Return an initial state (B, H); zeros if the node has no such input."""
        if self.input(which) is not None:
            return self.states[which][index]
        corner = [self.integers(v) for v in ([0, 0], [1, self.hidden], [0, 2])]
        like = self.squeeze(self.op("Slice", z, *corner), 0)
        zeros = self.op("ZerosLike", like, domain=DOMAIN)
        NO_GRADIENT.write(zeros.producer(), "1")
        return zeros

    # ---- values that both directions share

    @cached_property
    def steps_and_batch(self) -> tuple[int, int]:
        """Return the number of steps and of sequences; one of them may be unknown."""
        steps, batch = known_dims(self.time_major)[:2]
        if steps == batch == UNKNOWN:
            self.refuse("over a sequence whose length is not fixed", "fix it: --dim NAME=N (dims=), or in the export")
        return steps, batch

    @cached_property
    def time_major(self) -> ir.Value:
        """Return X as (T, B, I)."""
        x = self.node.inputs[X]
        assert x is not None and x.shape is not None
        if not self.batch_first:
            return x
        swapped = self.op("Transpose", x, perm=[1, 0, 2])
        swapped.shape, swapped.type = ir.Shape([x.shape[1], x.shape[0], x.shape[2]]), x.type
        return swapped

    @cached_property
    def rows(self) -> ir.Value:
        """Return X as (T B, I)."""
        width = known_dim(self.input(W), 2, self.node)
        return self.op("Reshape", self.time_major, self.integers([-1, width]))

    @cached_property
    def weights(self) -> dict[int, list[ir.Value]]:
        """Return W, R, B and P, each as a list with one tensor per direction."""
        return {i: self.by_direction(v, 0) for i in (W, R, B, P) if (v := self.input(i)) is not None}

    @cached_property
    def states(self) -> dict[int, list[ir.Value]]:
        """Return the initial states (B, H), each as a list with one tensor per direction."""
        axis = 1 if self.batch_first else 0
        return {i: self.by_direction(v, axis) for i in (INITIAL_H, INITIAL_C) if (v := self.input(i)) is not None}

    def by_direction(self, value: ir.Value, axis: int) -> list[ir.Value]:
        """Return the parts of a value along its axis of directions, without that axis."""
        count = len(self.directions)
        parts = [value] if count == 1 else self.split(value, axis, [1] * count)
        return [self.squeeze(p, axis) for p in parts]

    # ---- outputs

    def sequence(self, parts: Sequence[ir.Value]) -> ir.Value:
        """Return Y (T, D, B, H) of the directions' (T, B, H); in layout 1 (B, T, D, H)."""
        y = self.joined(parts, 1)
        return self.op("Transpose", y, perm=[2, 0, 1, 3]) if self.batch_first else y

    def last(self, parts: Sequence[ir.Value]) -> ir.Value:
        """Return states (D, B, H) of the directions' (B, H); in layout 1 (B, D, H)."""
        return self.joined(parts, 1 if self.batch_first else 0)

    def joined(self, parts: Sequence[ir.Value], axis: int) -> ir.Value:
        """Stack the values along a new axis."""
        apart = [self.op("Unsqueeze", p, self.integers([axis])) for p in parts]
        return apart[0] if len(apart) == 1 else self.op("Concat", *apart, axis=axis)

    # ---- small nodes

    def input(self, index: int) -> ir.Value | None:
        """Return an input of the node, or None if it is absent."""
        return given(self.node, index)

    def op(self, op_type: str, *inputs: ir.Value, domain: str = "", **attributes: object) -> ir.Value:
        """Append a node with one output, and return that output."""
        name = f"{self.name}.{op_type.lower()}"
        return self.builder.op(op_type, *inputs, name=name, domain=domain, **attributes)

    def split(self, value: ir.Value, axis: int, sizes: Sequence[int]) -> Sequence[ir.Value]:
        """Append a Split into parts of these sizes."""
        names = [f"{self.name}.part_{i}" for i in range(len(sizes))]
        return self.builder.ops("Split", value, self.integers(sizes), names=names, axis=axis)

    def squeeze(self, value: ir.Value, axis: int) -> ir.Value:
        """Remove an axis of size 1."""
        return self.op("Squeeze", value, self.integers([axis]))

    def integers(self, values: Sequence[int]) -> ir.Value:
        """Return a constant of int64."""
        return self.builder.constant(np.array(values, np.int64), f"{self.name}.integers")

    def zeros(self, size: int) -> ir.Value:
        """Return a float32 vector of zeros."""
        return self.builder.constant(np.zeros(size, np.float32), f"{self.name}.zeros")
