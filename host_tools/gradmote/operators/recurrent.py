"""Rules shared by LSTM, GRU and RNN.

The pass rewrite_recurrent replaces each direction of such a node with

    Z (T, B, G H) = X W^T + bias         a Gemm over the whole sequence
    cells (Z, R, initial states) -> Y (T, B, H), last states (B, H), and inputs of the gradient

`cells`, an operator of our own domain, iterates over time. T is the number of steps, B the batch, H
the hidden size and G the number of gates. States are kept in T + 1 slots, including the initial state.
Forward in time, step t leads from slot t to slot t + 1; in reverse, from slot t + 1 to slot t.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..ir.graph import DOMAIN, static_shape
from ..ir.strides import contiguous
from .constants import known_dim
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering, View

#: The input of LSTM, GRU and RNN with the length of each sequence.
SEQUENCE_LENS = 4
LIMITS = "clip, other activations than the default ones, and computed lengths of sequences are refused."


class ForCells(TypedDict):
    """The operands and parameters that the instructions of all cells share."""

    z: Ref
    r: Ref
    h0: Ref | None
    h: Ref
    steps: int
    batch: int
    hidden: int
    h_step: int
    reverse: bool


class ForGradient(TypedDict):
    """The operands and parameters that the instructions of all cells' gradients share."""

    dy: Ref | None
    dyh: Ref | None
    r: Ref
    dh0: Ref
    dz: Ref
    steps: int
    batch: int
    hidden: int
    dy_step: int
    dy_row: int
    reverse: bool


@dataclass(frozen=True)
class Cells(ABC):
    """The operator that iterates over time in one direction, in one variant, and its gradient.

    The gradient is named <name>Grad.

    Attributes:
        reverse: The forward pass runs from the last step to the first.
    """

    reverse: bool

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the operator's name in our domain."""

    @abstractmethod
    def body(self) -> str:
        """Return the forward pass in standard ONNX."""

    @abstractmethod
    def grad_body(self) -> str:
        """Return the gradient in standard ONNX."""

    @abstractmethod
    def gradient(self, back: Backward) -> Gradients:
        """Return a gradient for each input of the operator."""

    @abstractmethod
    def lower(self, low: Lowering, node: ir.Node) -> None:
        """Emit the instruction of the forward pass."""

    @abstractmethod
    def lower_grad(self, low: Lowering, node: ir.Node) -> None:
        """Emit the instruction of the gradient."""

    def state_gradient(self, back: Backward, dz: ir.Value, gates: int, states: ir.Value) -> ir.Value:
        """Return dR, the sum over t of dZ[t] h[t-1]^T; `gates` is the number of gates."""
        r = back.node.inputs[1]
        hidden = known_dim(r, 1, back.node)
        seen = before(back, states, self.reverse)
        return weight_gradient(back, dz, gates * hidden, seen, hidden, of=r)

    def lowered(self, low: Lowering, node: ir.Node, h0: ir.Value, states: ir.Value) -> ForCells:
        """Return what the instructions of all cells share: operands and parameters."""
        (z, r), (y, last) = node.inputs[:2], node.outputs[:2]
        h, h_step = state_slots(low, node, y, last, states, self.reverse)
        steps, batch, hidden = sizes(node, z, r)
        return {
            "z": low.ref(z),
            "r": low.ref(r),
            "h0": unless_zero(low, h0),
            "h": h,
            "steps": steps,
            "batch": batch,
            "hidden": hidden,
            "h_step": h_step,
            "reverse": self.reverse,
        }

    def lowered_grad(self, low: Lowering, node: ir.Node, r: ir.Value) -> ForGradient:
        """Return what the instructions of all cells' gradients share: operands and parameters."""
        (dy, dyh), (dz, dh0) = node.inputs[:2], node.outputs[:2]
        dy_ref, dy_step, dy_row = output_gradient(low, dy)
        steps, batch, hidden = sizes(node, dz, r)
        return {
            "dy": dy_ref,
            "dyh": unless_zero(low, dyh),
            "r": low.ref(r),
            "dh0": low.output(dh0),
            "dz": low.output(dz),
            "steps": steps,
            "batch": batch,
            "hidden": hidden,
            "dy_step": dy_step,
            "dy_row": dy_row,
            "reverse": self.reverse,
        }

    def operators(self) -> list[Operator]:
        """Return the operator and its gradient."""
        return [
            Operator(self.name, self.gradient, self.lower, DOMAIN, self.body(), any_output=True),
            Operator(f"{self.name}Grad", None, self.lower_grad, DOMAIN, self.grad_body()),
        ]


# ---- gradients


def arriving(back: Backward, index: int) -> ir.Value:
    """Return the gradient of output `index`; zeros if none arrives."""
    dy, y = back.dy[index], back.node.outputs[index]
    return dy if dy is not None else back.op("ZerosLike", y, of=y, domain=DOMAIN)


def gradient_ops(
    back: Backward, op_type: str, inputs: Sequence[ir.Value | None], of: Sequence[ir.Value | None]
) -> Sequence[ir.Value]:
    """Add a gradient operator, and return its outputs: one for each value of `of`, in its shape."""
    names = [f"{v.name}_grad.part" for v in of if v is not None]
    outputs = back.builder.ops(op_type, *inputs, names=names, domain=DOMAIN)
    for output, value in zip(outputs, of, strict=True):
        output.shape, output.type = value.shape, value.type
    return outputs


def before(back: Backward, states: ir.Value, reverse: bool) -> ir.Value:
    """Return the state before each step, (T, B, H) of the T + 1 slots."""
    return slots(back, states, 1 if reverse else 0)


def after(back: Backward, states: ir.Value, reverse: bool) -> ir.Value:
    """Return the state after each step, (T, B, H) of the T + 1 slots."""
    return slots(back, states, 0 if reverse else 1)


def slots(back: Backward, states: ir.Value, first: int) -> ir.Value:
    """Return T of the T + 1 slots, from slot `first` (0 or 1) on."""
    return part(back, states, 0, first, None if first else -1)


def part(back: Backward, value: ir.Value, axis: int, start: int, end: int | None) -> ir.Value:
    """Return `value` from `start` to `end` along an axis; None is the end of the axis."""
    limits = {"start": start, "end": np.iinfo(np.int64).max if end is None else end, "axis": axis}
    inputs = [back.builder.constant([v], f"{value.name}.{k}") for k, v in limits.items()]
    return back.op("Slice", value, *inputs, of=value)


def weight_gradient(back: Backward, dz: ir.Value, gates: int, seen: ir.Value, hidden: int, of: ir.Value) -> ir.Value:
    """Return the sum over t, b of dz[t, b, :]^T seen[t, b, :].

    Its shape is (gates, hidden), from dz (T, B, gates) and seen (T, B, hidden).
    """
    return back.op("Gemm", rows(back, dz, gates), rows(back, seen, hidden), of=of, transA=1)


def rows(back: Backward, value: ir.Value, size: int) -> ir.Value:
    """Return a value (T, B, size) as (T B, size)."""
    return back.op("Reshape", value, back.builder.constant([-1, size], f"{value.name}.rows"), of=value)


# ---- bodies in standard ONNX


def scan(reverse: bool, inputs: int, outputs: int) -> str:
    """Return the attributes of a Scan over `inputs` sequences that makes `outputs` others."""
    seen, made = (", ".join([str(int(reverse))] * n) for n in (inputs, outputs))
    return f"num_scan_inputs = {inputs}, scan_input_directions = [{seen}], scan_output_directions = [{made}]"


def split_states(name: str, reverse: bool) -> str:
    """Return nodes that split the T + 1 slots of states by step.

    <name> (T + 1, B, H) becomes <name>_before and <name>_after, the states (T, B, H) before and
    after each step.
    """
    first, last = ("after", "before") if reverse else ("before", "after")
    return f"""
  {name}_0 = Constant <value_ints = [0]> ()
  {name}_1 = Constant <value_ints = [1]> ()
  {name}_m1 = Constant <value_ints = [-1]> ()
  {name}_end = Constant <value_ints = [{np.iinfo(np.int64).max}]> ()
  {name}_{first} = Slice ({name}, {name}_0, {name}_m1, {name}_0)
  {name}_{last} = Slice ({name}, {name}_1, {name}_end, {name}_0)"""


def joined_states(made: str, initial: str, states: str, reverse: bool) -> str:
    """Return nodes that join the initial state and the states after all steps to T + 1 slots."""
    order = f"{made}, {states}_first" if reverse else f"{states}_first, {made}"
    return f"""
  {states}_axis = Constant <value_ints = [0]> ()
  {states}_first = Unsqueeze ({initial}, {states}_axis)
  {states} = Concat <axis = 0> ({order})"""


def parts(x: str, names: Sequence[str]) -> str:
    """Return nodes that split the gates, side by side in (B, G H), into one (B, H) each."""
    lines = [f"{x}_sizes = Constant <value_ints = [0, {len(names)}, -1]> ()", f"{x}_parts = Reshape ({x}, {x}_sizes)"]
    for index, name in enumerate(names):
        lines.append(f"{name}_at = Constant <value_int = {index}> ()")
        lines.append(f"{name} = Gather <axis = 1> ({x}_parts, {name}_at)")
    return "\n    ".join(lines)


# ---- lowering


def sizes(node: ir.Node, z: ir.Value, r: ir.Value) -> tuple[int, int, int]:
    """Return the numbers of steps, of samples in a batch, and of hidden states."""
    steps, batch, _ = static_shape(z, node)
    return steps, batch, static_shape(r, node)[1]


def unless_zero(low: Lowering, value: ir.Value | None) -> Ref | None:
    """Return the value's operand, or None if it is known to be all zeros."""
    return None if value is None or is_zero(low.view(value)) else low.ref(value)


def is_zero(view: View) -> bool:
    """Return whether a view is of constant bytes that are all 0."""
    data = view.ref.buffer.data
    return view.ref.buffer.region == "constant" and data is not None and not any(data)


def output_gradient(low: Lowering, dy: ir.Value) -> tuple[Ref | None, int, int]:
    """Return the gradient of Y (T, B, H), contiguous along H, and its strides along T and B.

    The operand is None if the gradient is known to be all zeros.
    """
    view = low.view(dy)
    if is_zero(view):
        return None, 0, 0
    if view.strides[2] != 1:
        low.ref(dy)
    view = low.view(dy)
    return view.ref, view.strides[0], view.strides[1]


def is_used(value: ir.Value) -> bool:
    """Return whether a value is read by a node or is an output of the graph."""
    return value.is_graph_output() or bool(list(value.uses()))


def state_slots(
    low: Lowering, node: ir.Node, sequence: ir.Value | None, last: ir.Value, states: ir.Value, reverse: bool
) -> tuple[Ref, int]:
    """Return memory for the states, and the stride of a slot.

    It has all slots if the states of single steps are used, else one slot with a stride of 0. `sequence`
    (T, B, H) holds the states after each step, or is None if the operator has no such output; `last` is
    (B, H); `states` is all slots.
    """
    steps, *slot = static_shape(states, node)
    size = math.prod(slot)
    if not any(is_used(v) for v in (sequence, states) if v is not None):
        return low.output(last), 0
    all_slots = low.output(states)
    view, after_last = low.view(states), 0 if reverse else steps - 1
    low.set_view(last, view.at([after_last, 0, 0]).with_strides(contiguous(slot)))
    if sequence is not None:
        low.set_view(sequence, view.at([0 if reverse else 1, 0, 0]))
    return all_slots, size
