"""What LSTM, GRU and RNN share. The pass rewrite_recurrent makes of each direction of such a node

    Z (T, B, G H) = X W^T + bias         a Gemm over the whole sequence
    cells (Z, R, initial states) -> Y (T, B, H), last states (B, H), and what the gradient reads

where `cells`, an operator of our own domain, walks through time. States are kept in T + 1 slots, the initial state
among them: forward in time, step t leads from slot t to slot t + 1, in reverse from slot t + 1 to slot t.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..compiler.strides import contiguous
from ..model.graph import DOMAIN, static_shape
from .constants import known_dim
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering, View
    from ..compiler.program import Ref

#: The input of LSTM, GRU and RNN that says how long each sequence is.
SEQUENCE_LENS = 4
LIMITS = "clip, other activations than the default ones, and lengths of sequences that are computed are refused."


@dataclass(frozen=True)
class Cells(ABC):
    """The operator that walks through time in one direction, in one variant, and its gradient `<name>Grad`."""

    reverse: bool

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in our domain."""

    @abstractmethod
    def flags(self) -> dict[str, int]:
        """Return the parameters of its instructions that say which variant it is."""

    @abstractmethod
    def body(self) -> str: ...

    @abstractmethod
    def grad_body(self) -> str: ...

    @abstractmethod
    def gradient(self, back: Backward) -> Gradients: ...

    @abstractmethod
    def lower(self, low: Lowering, node: ir.Node) -> None: ...

    @abstractmethod
    def lower_grad(self, low: Lowering, node: ir.Node) -> None: ...

    def state_gradient(self, back: Backward, dz: ir.Value, gates: int, states: ir.Value) -> ir.Value:
        """Return dR, the sum over t of dZ[t] h[t-1]^T; gates: how many each step has."""
        r = back.node.inputs[1]
        hidden = known_dim(r, 1, back.node)
        seen = before(back, states, self.reverse)
        return weight_gradient(back, dz, gates * hidden, seen, hidden, of=r)

    def lowered(
        self, low: Lowering, node: ir.Node, h0: ir.Value, states: ir.Value
    ) -> tuple[dict[str, Ref | None], dict[str, int]]:
        """Return what the instructions of all cells share: operands and parameters."""
        (z, r), (y, last) = node.inputs[:2], node.outputs[:2]
        h, h_step = state_slots(low, node, y, last, states, self.reverse)
        operands = {"z": low.ref(z), "r": low.ref(r), "h0": unless_zero(low, h0), "h": h}
        return operands, {**sizes(node, z, r), **self.flags(), "h_step": h_step}

    def lowered_grad(self, low: Lowering, node: ir.Node, r: ir.Value) -> tuple[dict[str, Ref | None], dict[str, int]]:
        """Return what the instructions of all cells' gradients share: operands and parameters."""
        (dy, dyh), (dz, dh0) = node.inputs[:2], node.outputs[:2]
        dy_ref, walk = output_gradient(low, dy)
        operands = {"dy": dy_ref, "dyh": unless_zero(low, dyh), "r": low.ref(r)}
        operands |= {"dh0": low.output(dh0), "dz": low.output(dz)}
        return operands, {**sizes(node, dz, r), **walk, **self.flags()}

    def operators(self) -> list[Operator]:
        return [
            Operator(self.name, self.gradient, self.lower, DOMAIN, self.body(), any_output=True),
            Operator(f"{self.name}Grad", None, self.lower_grad, DOMAIN, self.grad_body()),
        ]


# ---- gradients


def arriving(back: Backward, index: int) -> ir.Value:
    """The gradient of output `index`; zeros where none arrives."""
    dy, y = back.dy[index], back.node.outputs[index]
    return dy if dy is not None else back.op("ZerosLike", y, of=y, domain=DOMAIN)


def gradient_ops(
    back: Backward, op_type: str, inputs: Sequence[ir.Value | None], of: Sequence[ir.Value | None]
) -> Sequence[ir.Value]:
    """A gradient operator with one output for each value of `of`, and of the shape of each."""
    names = [f"{v.name}_grad.part" for v in of if v is not None]
    outputs = back.builder.ops(op_type, *inputs, names=names, domain=DOMAIN)
    for output, value in zip(outputs, of, strict=True):
        output.shape, output.type = value.shape, value.type
    return outputs


def before(back: Backward, states: ir.Value, reverse: bool) -> ir.Value:
    """(T, B, H) of the T + 1 slots: the state before each step."""
    return slots(back, states, 1 if reverse else 0)


def after(back: Backward, states: ir.Value, reverse: bool) -> ir.Value:
    """(T, B, H) of the T + 1 slots: the state after each step."""
    return slots(back, states, 0 if reverse else 1)


def slots(back: Backward, states: ir.Value, first: int) -> ir.Value:
    return part(back, states, 0, first, None if first else -1)


def part(back: Backward, value: ir.Value, axis: int, start: int, end: int | None) -> ir.Value:
    """`value` from start to end along an axis."""
    limits = {"start": start, "end": np.iinfo(np.int64).max if end is None else end, "axis": axis}
    inputs = [back.builder.constant([v], f"{value.name}.{k}") for k, v in limits.items()]
    return back.op("Slice", value, *inputs, of=value)


def weight_gradient(back: Backward, dz: ir.Value, gates: int, seen: ir.Value, hidden: int, of: ir.Value) -> ir.Value:
    """sum over t, b of dz[t, b, :]^T seen[t, b, :], (gates, hidden) from (T, B, gates) and (T, B, hidden)."""
    return back.op("Gemm", rows(back, dz, gates), rows(back, seen, hidden), of=of, transA=1)


def rows(back: Backward, value: ir.Value, size: int) -> ir.Value:
    """(T, B, size) as (T B, size)."""
    return back.op("Reshape", value, back.builder.constant([-1, size], f"{value.name}.rows"), of=value)


# ---- bodies in standard ONNX


def scan(reverse: bool, inputs: int, outputs: int) -> str:
    """Attributes of a Scan over `inputs` sequences that makes `outputs` others."""
    seen, made = (", ".join([str(int(reverse))] * n) for n in (inputs, outputs))
    return f"num_scan_inputs = {inputs}, scan_input_directions = [{seen}], scan_output_directions = [{made}]"


def split_states(name: str, reverse: bool) -> str:
    """States <name>_before and <name>_after (T, B, H) of <name> (T + 1, B, H)."""
    first, last = ("after", "before") if reverse else ("before", "after")
    return f"""
  {name}_0 = Constant <value_ints = [0]> ()
  {name}_1 = Constant <value_ints = [1]> ()
  {name}_m1 = Constant <value_ints = [-1]> ()
  {name}_end = Constant <value_ints = [{np.iinfo(np.int64).max}]> ()
  {name}_{first} = Slice ({name}, {name}_0, {name}_m1, {name}_0)
  {name}_{last} = Slice ({name}, {name}_1, {name}_end, {name}_0)"""


def joined_states(made: str, initial: str, states: str, reverse: bool) -> str:
    """The slots: the initial state and those of all steps."""
    order = f"{made}, {states}_first" if reverse else f"{states}_first, {made}"
    return f"""
  {states}_axis = Constant <value_ints = [0]> ()
  {states}_first = Unsqueeze ({initial}, {states}_axis)
  {states} = Concat <axis = 0> ({order})"""


def parts(x: str, names: Sequence[str]) -> str:
    """The gates in a row (B, G H), one (B, H) each."""
    lines = [f"{x}_sizes = Constant <value_ints = [0, {len(names)}, -1]> ()", f"{x}_parts = Reshape ({x}, {x}_sizes)"]
    for index, name in enumerate(names):
        lines.append(f"{name}_at = Constant <value_int = {index}> ()")
        lines.append(f"{name} = Gather <axis = 1> ({x}_parts, {name}_at)")
    return "\n    ".join(lines)


# ---- lowering


def sizes(node: ir.Node, z: ir.Value, r: ir.Value) -> dict[str, int]:
    """steps, batch, hidden."""
    steps, batch, _ = static_shape(z, node)
    return {"steps": steps, "batch": batch, "hidden": static_shape(r, node)[1]}


def unless_zero(low: Lowering, value: ir.Value | None) -> Ref | None:
    """The value's bytes; None where all are known to be 0."""
    return None if value is None or is_zero(low.view(value)) else low.ref(value)


def is_zero(view: View) -> bool:
    data = view.ref.buffer.data
    return view.ref.buffer.region == "constant" and data is not None and not any(data)


def output_gradient(low: Lowering, dy: ir.Value) -> tuple[Ref | None, dict[str, int]]:
    """The gradient of Y (T, B, H), its numbers along H side by side, and how to walk it."""
    view = low.view(dy)
    if is_zero(view):
        return None, {"dy_step": 0, "dy_row": 0}
    if view.strides[2] != 1:
        low.ref(dy)
    view = low.view(dy)
    return view.ref, {"dy_step": view.strides[0], "dy_row": view.strides[1]}


def is_used(value: ir.Value) -> bool:
    return value.is_graph_output() or bool(list(value.uses()))


def state_slots(
    low: Lowering, node: ir.Node, sequence: ir.Value | None, last: ir.Value, states: ir.Value, reverse: bool
) -> tuple[Ref, int]:
    """Scratch for the states: all slots where the steps' are used, else one. Returns it with the stride of a slot.

    sequence: (T, B, H) states after each step, or None where the operator has no such output; last: (B, H); states: all
    slots.
    """
    steps, *slot = static_shape(states, node)
    size = math.prod(slot)
    if not any(is_used(v) for v in (sequence, states) if v is not None):
        return low.output(last), 0
    all_slots = low.output(states)
    view, after_last = low.view(states), 0 if reverse else steps - 1
    low.set_view(last, view.at([after_last, 0, 0]).ref, contiguous(slot))
    if sequence is not None:
        low.set_view(sequence, view.at([0 if reverse else 1, 0, 0]).ref, view.strides)
    return all_slots, size
