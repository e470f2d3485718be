"""LSTM, which the pass rewrite_recurrent replaces with one LstmCells for each direction.

With sums S = Z[t] + R h[t-1], and the gates in the order i, o, f, g:

    i = sigmoid(S_i + P_i c[t-1])      f = sigmoid(S_f + P_f c[t-1]), or 1 - i if coupled
    g = tanh(S_g)                      c[t] = f c[t-1] + i g
    o = sigmoid(S_o + P_o c[t])        h[t] = o tanh(c[t])

Backward through time, with dh = dY[t] + R^T dZ[t+1], and dc from the step after:

    do = dh tanh(c) o (1 - o)          dc += dh o (1 - tanh(c)^2) + P_o do
    di = dc g i (1 - i)                df = dc c[t-1] f (1 - f)
    dg = dc i (1 - g^2)
    dZ[t] = (di, do, df, dg)           dc[t-1] = dc f + P_i di + P_f df

With coupled gates, di = dc (g - c[t-1]) i (1 - i) and df = 0. dR is the sum over t of dZ[t]
h[t-1]^T. dP is the sums of di c[t-1], do c[t] and df c[t-1].
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
    after,
    arriving,
    before,
    gradient_ops,
    joined_states,
    part,
    parts,
    scan,
    split_states,
    state_slots,
    unless_zero,
)

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The number of gates. Z has as many blocks of `hidden` columns, and R of `hidden` rows.
GATES = 4

PEEPHOLES = """
  p_rows = Constant <value_ints = [3, -1]> ()
  first = Constant <value_int = 0> ()
  second = Constant <value_int = 1> ()
  third = Constant <value_int = 2> ()
  P_parts = Reshape (P, p_rows)
  p_i = Gather (P_parts, first)
  p_o = Gather (P_parts, second)
  p_f = Gather (P_parts, third)"""

FORGET = """peep_f = Mul (p_f, c)
    sum_f = Add (s_f, peep_f)
    f = Sigmoid (sum_f)"""
COUPLED_FORGET = "f = Sub (one, i)"

GRAD_GATES = """d_cg = Mul (d_c, g)
    d_i = Mul (d_cg, slope_i)
    d_cc = Mul (d_c, c_before)
    d_f = Mul (d_cc, slope_f)"""
COUPLED_GRAD_GATES = """gain = Sub (g, c_before)
    d_cg = Mul (d_c, gain)
    d_i = Mul (d_cg, slope_i)
    d_f = Sub (d_i, d_i)"""


@dataclass(frozen=True)
class LstmCells(Cells):
    """The operator that runs an LSTM through time in one direction.

    Attributes:
        coupled: ONNX's input_forget: the forget gate is 1 - the input gate.
    """

    coupled: bool

    @property
    def name(self) -> str:
        """Return the operator's name in our domain."""
        return f"Lstm{'Coupled' if self.coupled else ''}Cells{'Reverse' if self.reverse else ''}"

    def body(self) -> str:
        """Return the forward pass in standard ONNX, as a Scan over time."""
        return f"""
{self.name} (Z, R, P, H0, C0) => (Y, Yh, Yc, States, Cells, Gates) {{
  Rt = Transpose <perm = [1, 0]> (R)
  one = Constant <value_float = 1.0> ()
  {PEEPHOLES}
  Yh, Yc, Y, C, Gates = Scan <{scan(self.reverse, 1, 3)}, body = step (h, c, z) => (h_new, c_new, y, c_out, gates) {{
    recurrent = MatMul (h, Rt)
    s = Add (z, recurrent)
    {parts("s", ["s_i", "s_o", "s_f", "s_g"])}
    peep_i = Mul (p_i, c)
    sum_i = Add (s_i, peep_i)
    i = Sigmoid (sum_i)
    {COUPLED_FORGET if self.coupled else FORGET}
    g = Tanh (s_g)
    kept = Mul (f, c)
    new = Mul (i, g)
    c_new = Add (new, kept)
    peep_o = Mul (p_o, c_new)
    sum_o = Add (s_o, peep_o)
    o = Sigmoid (sum_o)
    squashed = Tanh (c_new)
    h_new = Mul (o, squashed)
    y = Identity (h_new)
    c_out = Identity (c_new)
    gates = Concat <axis = 1> (i, o, f, g)
  }}> (H0, C0, Z)
  {joined_states("Y", "H0", "States", self.reverse)}
  {joined_states("C", "C0", "Cells", self.reverse)}
}}"""

    def grad_body(self) -> str:
        """Return the gradient in standard ONNX, as a Scan in the opposite direction."""
        return f"""
{self.name}Grad (dY, dYh, dYc, R, P, Cells, Gates) => (dZ, dH0, dC0) {{
  one = Constant <value_float = 1.0> ()
  {PEEPHOLES}
  {split_states("Cells", self.reverse)}
  dH0, dC0, dZ = Scan <{scan(not self.reverse, 4, 1)},
      body = step (dh, dc, dy, gates, c_before, c) => (dh_before, dc_before, dz) {{
    {parts("gates", ["i", "o", "f", "g"])}
    d = Add (dh, dy)
    squashed = Tanh (c)
    not_o = Sub (one, o)
    slope_o = Mul (o, not_o)
    d_squashed = Mul (d, squashed)
    d_o = Mul (d_squashed, slope_o)
    squashed_2 = Mul (squashed, squashed)
    slope_c = Sub (one, squashed_2)
    d_out = Mul (d, o)
    d_direct = Mul (d_out, slope_c)
    d_peep_o = Mul (p_o, d_o)
    d_now = Add (d_direct, d_peep_o)
    d_c = Add (dc, d_now)
    not_i = Sub (one, i)
    slope_i = Mul (i, not_i)
    not_f = Sub (one, f)
    slope_f = Mul (f, not_f)
    {COUPLED_GRAD_GATES if self.coupled else GRAD_GATES}
    g_2 = Mul (g, g)
    slope_g = Sub (one, g_2)
    d_ci = Mul (d_c, i)
    d_g = Mul (d_ci, slope_g)
    dz = Concat <axis = 1> (d_i, d_o, d_f, d_g)
    dh_before = MatMul (dz, R)
    d_kept = Mul (d_c, f)
    d_peep_i = Mul (p_i, d_i)
    d_peep_f = Mul (p_f, d_f)
    d_peeps = Add (d_peep_i, d_peep_f)
    dc_before = Add (d_kept, d_peeps)
  }}> (dYh, dYc, dY, Gates, Cells_before, Cells_after)
}}"""

    def gradient(self, back: Backward) -> Gradients:
        """Return dZ, dR, dP, dH0 and dC0."""
        z, r, p, h0, c0 = back.node.inputs
        _, _, _, states, cells, gates = back.node.outputs
        given = [*(arriving(back, i) for i in range(3)), r, p, cells, gates]
        dz, dh0, dc0 = gradient_ops(back, f"{self.name}Grad", given, of=[z, h0, c0])
        dr = self.state_gradient(back, dz, GATES, states) if back.needs(1) else None
        dp = self.peephole_gradient(back, dz, known_dim(r, 1, back.node)) if back.needs(2) else None
        return [dz, dr, dp, dh0, dc0]

    def peephole_gradient(self, back: Backward, dz: ir.Value, hidden: int) -> ir.Value:
        """Return dP: di c[t-1], do c[t] and df c[t-1], each summed over t and b."""
        p, cells = back.node.inputs[2], back.node.outputs[4]
        past, now = before(back, cells, self.reverse), after(back, cells, self.reverse)
        axes = back.builder.constant([0, 1], f"{p.name}_grad.axes")
        sums = []
        for index, seen in enumerate((past, now, past)):
            gate = part(back, dz, 2, index * hidden, (index + 1) * hidden)
            product = back.op("Mul", gate, seen, of=p)
            sums.append(back.op("ReduceSum", product, axes, of=p, keepdims=0))
        return back.op("Concat", *sums, of=p, axis=0)

    def lower(self, low: Lowering, node: ir.Node) -> None:
        """Emit one LSTM_CELLS."""
        _, _, p, h0, c0 = node.inputs
        _, _, last_cell, states, cells, gates = node.outputs
        shared = self.lowered(low, node, h0, states)
        c, c_step = state_slots(low, node, None, last_cell, cells, self.reverse)
        made = instructions.LstmCells(
            **shared,
            p=unless_zero(low, p),
            c=c,
            c0=unless_zero(low, c0),
            gates=low.output(gates),
            c_step=c_step,
            coupled=self.coupled,
        )
        low.emit(node, made)

    def lower_grad(self, low: Lowering, node: ir.Node) -> None:
        """Emit one LSTM_CELLS_GRAD."""
        _, _, dyc, r, p, cells, gates = node.inputs
        shared = self.lowered_grad(low, node, r)
        made = instructions.LstmCellsGrad(
            **shared,
            dyc=unless_zero(low, dyc),
            p=unless_zero(low, p),
            c=low.ref(cells),
            gates=low.ref(gates),
            dc0=low.output(node.outputs[2]),
            c_step=low.view(cells).strides[0],
            coupled=self.coupled,
        )
        low.emit(node, made)


OPERATORS = [
    Operator("LSTM", becomes="MatMul, and cells", constants=(SEQUENCE_LENS,), limits=LIMITS),
    *(o for coupled in (False, True) for reverse in (False, True) for o in LstmCells(reverse, coupled).operators()),
]
