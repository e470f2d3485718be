"""GRU, which the pass rewrite_recurrent replaces with one GruCells for each direction.

The gates are in the order z, r, n:

    z = sigmoid(Z_z + R_z h[t-1])      r = sigmoid(Z_r + R_r h[t-1])
    n = tanh(Z_n + R_n (r h[t-1])), or with linear_before_reset tanh(Z_n + r (R_n h[t-1] + bias))
    h[t] = (1 - z) n + z h[t-1]

`Part` is r h[t-1], or with linear_before_reset R_n h[t-1] + bias. Backward through time, with dh =
dY[t] plus the gradient from the step after:

    dz = dh (h[t-1] - n) z (1 - z)     dn = dh (1 - z) (1 - n^2)
    dPart = R_n^T dn                   dr = dPart h[t-1] r (1 - r)
    dh[t-1] = dh z + R_zr^T (dz, dr) + dPart r

With linear_before_reset:

    dPart = dn r                       dr = dn Part r (1 - r)
    dh[t-1] = dh z + R_zr^T (dz, dr) + R_n^T dPart

dR_zr is the sum over t of (dz, dr) h[t-1]^T. dR_n is the sum of dn Part^T, or with
linear_before_reset of dPart h[t-1]^T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated import instructions
from .constants import known_dim
from .operator import Backward, Gradients, Operator
from .recurrent import (
    LIMITS,
    SEQUENCE_LENS,
    Cells,
    arriving,
    before,
    gradient_ops,
    is_used,
    joined_states,
    part,
    parts,
    scan,
    split_states,
    unless_zero,
    weight_gradient,
)

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering

#: The number of gates. Z has as many blocks of `hidden` columns, and R of `hidden` rows.
GATES = 3

# These bodies multiply by all of R although a part would do, which keeps them short.
# The kernels multiply by that part alone.

RESET_BEFORE = """part = Mul (r, h)
    part_recurrent = MatMul (part, Rt)
    {parts}
    s_n = Add (x_n, q_n)"""
RESET_AFTER = """part = Add (h_n, Bias)
    gated = Mul (r, part)
    s_n = Add (x_n, gated)"""

RESET_BEFORE_GRAD = """padded = Concat <axis = 1> (none, none, dn)
    d_part = MatMul (padded, R)
    d_reset = Mul (d_part, h)
    dr = Mul (d_reset, slope_r)
    d_through = Mul (d_part, r)
    dzr = Concat <axis = 1> (dz, dr, none)"""
RESET_AFTER_GRAD = """d_part = Mul (dn, r)
    d_reset = Mul (dn, part)
    dr = Mul (d_reset, slope_r)
    d_through = Identity (none)
    dzr = Concat <axis = 1> (dz, dr, d_part)"""


@dataclass(frozen=True)
class GruCells(Cells):
    """The operator that runs a GRU through time in one direction.

    Attributes:
        reset_after: ONNX's linear_before_reset.
    """

    reset_after: bool

    @property
    def name(self) -> str:
        """Return the operator's name in our domain."""
        return f"Gru{'ResetAfter' if self.reset_after else ''}Cells{'Reverse' if self.reverse else ''}"

    def body(self) -> str:
        """Return the forward pass in standard ONNX, as a Scan over time."""
        reset = RESET_AFTER if self.reset_after else RESET_BEFORE
        return f"""
{self.name} (Z, R, Bias, H0) => (Y, Yh, States, Part, Gates) {{
  Rt = Transpose <perm = [1, 0]> (R)
  Yh, Y, Part, Gates = Scan <{scan(self.reverse, 1, 3)}, body = step (h, x) => (h_new, y, part, gates) {{
    recurrent = MatMul (h, Rt)
    {parts("x", ["x_z", "x_r", "x_n"])}
    {parts("recurrent", ["h_z", "h_r", "h_n"])}
    s_z = Add (x_z, h_z)
    z = Sigmoid (s_z)
    s_r = Add (x_r, h_r)
    r = Sigmoid (s_r)
    {reset.format(parts=parts("part_recurrent", ["q_z", "q_r", "q_n"]))}
    n = Tanh (s_n)
    difference = Sub (h, n)
    kept = Mul (z, difference)
    h_new = Add (n, kept)
    y = Identity (h_new)
    gates = Concat <axis = 1> (z, r, n)
  }}> (H0, Z)
  {joined_states("Y", "H0", "States", self.reverse)}
}}"""

    def grad_body(self) -> str:
        """Return the gradient in standard ONNX, as a Scan in the opposite direction."""
        return f"""
{self.name}Grad (dY, dYh, R, States, Part, Gates) => (dZ, dH0, dPart) {{
  one = Constant <value_float = 1.0> ()
  zero = Constant <value_float = 0.0> ()
  {split_states("States", self.reverse)}
  dH0, dZ, dPart = Scan <{scan(not self.reverse, 4, 2)},
      body = step (dh, dy, gates, h, part) => (dh_before, dx, d_part) {{
    {parts("gates", ["z", "r", "n"])}
    d = Add (dh, dy)
    not_z = Sub (one, z)
    slope_z = Mul (z, not_z)
    not_r = Sub (one, r)
    slope_r = Mul (r, not_r)
    n_2 = Mul (n, n)
    slope_n = Sub (one, n_2)
    difference = Sub (h, n)
    d_update = Mul (d, difference)
    dz = Mul (d_update, slope_z)
    d_candidate = Mul (d, not_z)
    dn = Mul (d_candidate, slope_n)
    none = Mul (dn, zero)
    {RESET_AFTER_GRAD if self.reset_after else RESET_BEFORE_GRAD}
    d_gates = MatMul (dzr, R)
    d_kept = Mul (d, z)
    d_past = Add (d_kept, d_through)
    dh_before = Add (d_past, d_gates)
    dx = Concat <axis = 1> (dz, dr, dn)
  }}> (dYh, dY, Gates, States_before, Part)
}}"""

    def gradient(self, back: Backward) -> Gradients:
        """Return dZ, dR, dBias and dH0; dBias is the sum of dPart over t and b."""
        z, r, bias, h0 = back.node.inputs
        _, _, states, saved, gates = back.node.outputs
        given = [arriving(back, 0), arriving(back, 1), r, states, saved, gates]
        dz, dh0, dpart = gradient_ops(back, f"{self.name}Grad", given, of=[z, h0, saved])
        dr = self.recurrence_gradient(back, dz, dpart) if back.needs(1) else None
        dbias = None
        if self.reset_after and back.needs(2):
            axes = back.builder.constant([0, 1], f"{bias.name}_grad.axes")
            dbias = back.op("ReduceSum", dpart, axes, of=bias, keepdims=0)
        return [dz, dr, dbias, dh0]

    def recurrence_gradient(self, back: Backward, dz: ir.Value, dpart: ir.Value) -> ir.Value:
        """Return dR: dR_zr of the update and reset gates, then dR_n of the candidate."""
        r, (_, _, states, saved, _) = back.node.inputs[1], back.node.outputs
        hidden, past = known_dim(r, 1, back.node), before(back, states, self.reverse)
        gates = part(back, dz, 2, 0, 2 * hidden)
        candidate = part(back, dz, 2, 2 * hidden, GATES * hidden)
        d_gates = weight_gradient(back, gates, 2 * hidden, past, hidden, of=r)
        pair = (dpart, past) if self.reset_after else (candidate, saved)
        d_candidate = weight_gradient(back, pair[0], hidden, pair[1], hidden, of=r)
        return back.op("Concat", d_gates, d_candidate, of=r, axis=0)

    def lower(self, low: Lowering, node: ir.Node) -> None:
        """Emit one GRU_CELLS."""
        _, _, bias, h0 = node.inputs
        _, _, states, saved, gates = node.outputs
        shared = self.lowered(low, node, h0, states)
        part, part_step = self.part_buffer(low, saved, shared["batch"] * shared["hidden"], is_used(saved))
        made = instructions.GruCells(
            **shared,
            bias=unless_zero(low, bias),
            part=part,
            gates=low.output(gates),
            part_step=part_step,
            reset_after=self.reset_after,
        )
        low.emit(node, made)

    def lower_grad(self, low: Lowering, node: ir.Node) -> None:
        """Emit one GRU_CELLS_GRAD."""
        _, _, r, states, saved, gates = node.inputs
        shared = self.lowered_grad(low, node, r)
        slot = shared["batch"] * shared["hidden"]
        h, part, kept = low.ref(states), low.ref(saved), low.ref(gates)
        dpart, dpart_step = self.part_buffer(low, node.outputs[2], slot, is_used(node.outputs[2]))
        made = instructions.GruCellsGrad(
            **shared,
            h=h,
            part=part,
            gates=kept,
            dpart=dpart,
            h_step=low.view(states).strides[0],
            part_step=slot,
            dpart_step=dpart_step,
            reset_after=self.reset_after,
        )
        low.emit(node, made)

    def part_buffer(self, low: Lowering, value: ir.Value, slot: int, every_step: bool) -> tuple[Ref, int]:
        """Return the memory of (T, B, H), or of one step of it, and the stride of a step."""
        if every_step:
            return low.output(value), slot
        return low.scratch(f"{value.name}.step", [slot], [1]).ref, 0


OPERATORS = [
    Operator("GRU", becomes="MatMul, and cells", constants=(SEQUENCE_LENS,), limits=LIMITS),
    *(o for after in (False, True) for reverse in (False, True) for o in GruCells(reverse, after).operators()),
]
