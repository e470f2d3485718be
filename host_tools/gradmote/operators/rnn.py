"""RNN: h[t] = f(Z[t] + R h[t-1]); f is Tanh or Relu.

The pass rewrite_recurrent replaces it with one RnnCells for each direction. dZ[t] = (dY[t] + R^T
dZ[t+1]) f'(h[t]), and dR is the sum over t of dZ[t] h[t-1]^T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.generated import instructions
from ..ir.graph import static_shape
from ..ir.strides import contiguous
from .operator import Backward, Gradients, Operator
from .recurrent import LIMITS, SEQUENCE_LENS, Cells, arriving, gradient_ops, joined_states, scan, split_states

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: ONNX text that computes the derivative `slope` of each activation from its result h.
SLOPES = {
    "Tanh": "square = Mul (h, h)\n    slope = Sub (one, square)",
    "Relu": "positive = Greater (h, zero)\n    slope = Cast <to = 1> (positive)",
}


@dataclass(frozen=True)
class RnnCells(Cells):
    """The operator that runs an RNN through time in one direction.

    Attributes:
        activation: Tanh or Relu.
    """

    activation: str

    @property
    def name(self) -> str:
        """Return the operator's name in our domain."""
        return f"Rnn{self.activation}Cells{'Reverse' if self.reverse else ''}"

    def body(self) -> str:
        """Return the forward pass in standard ONNX, as a Scan over time."""
        return f"""
{self.name} (Z, R, H0) => (Y, Yh, States) {{
  Rt = Transpose <perm = [1, 0]> (R)
  Yh, Y = Scan <{scan(self.reverse, 1, 1)}, body = step (h, z) => (h_new, y) {{
    recurrent = MatMul (h, Rt)
    sums = Add (z, recurrent)
    h_new = {self.activation} (sums)
    y = Identity (h_new)
  }}> (H0, Z)
  {joined_states("Y", "H0", "States", self.reverse)}
}}"""

    def grad_body(self) -> str:
        """Return the gradient in standard ONNX, as a Scan in the opposite direction."""
        return f"""
{self.name}Grad (dY, dYh, R, States) => (dZ, dH0) {{
  one = Constant <value_float = 1.0> ()
  zero = Constant <value_float = 0.0> ()
  {split_states("States", self.reverse)}
  dH0, dZ = Scan <{scan(not self.reverse, 2, 1)}, body = step (dh, dy, h) => (dh_before, dz) {{
    d = Add (dh, dy)
    {SLOPES[self.activation]}
    dz = Mul (d, slope)
    dh_before = MatMul (dz, R)
  }}> (dYh, dY, States_after)
}}"""

    def gradient(self, back: Backward) -> Gradients:
        """Return dZ, dR and dH0."""
        z, r, h0 = back.node.inputs
        states = back.node.outputs[2]
        given = [arriving(back, 0), arriving(back, 1), r, states]
        dz, dh0 = gradient_ops(back, f"{self.name}Grad", given, of=[z, h0])
        dr = self.state_gradient(back, dz, 1, states) if back.needs(1) else None
        return [dz, dr, dh0]

    def lower(self, low: Lowering, node: ir.Node) -> None:
        """Emit one RNN_CELLS, with scratch memory for the sums Z + R h."""
        z, _, h0 = node.inputs
        y, _, states = node.outputs
        shared = self.lowered(low, node, h0, states)
        shape = static_shape(z, node)
        sums = low.scratch(f"{y.name}.sums", shape, contiguous(shape)).ref
        low.emit(node, instructions.RnnCells(**shared, sums=sums, relu=self.activation == "Relu"))

    def lower_grad(self, low: Lowering, node: ir.Node) -> None:
        """Emit one RNN_CELLS_GRAD."""
        _, _, r, states = node.inputs
        h = low.ref(states)
        shared = self.lowered_grad(low, node, r)
        h_step = low.view(states).strides[0]
        low.emit(node, instructions.RnnCellsGrad(**shared, h=h, h_step=h_step, relu=self.activation == "Relu"))


OPERATORS = [
    Operator(
        "RNN",
        becomes="MatMul, and cells",
        constants=(SEQUENCE_LENS,),
        limits=LIMITS.replace("the default ones", "Tanh and Relu"),
    ),
    *(operator for f in SLOPES for reverse in (False, True) for operator in RnnCells(reverse, f).operators()),
]
