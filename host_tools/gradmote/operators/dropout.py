"""Dropout in training mode: y = mask x / (1 - ratio).

The mask is never stored: the backward instruction draws the same numbers again, from the same stream and counter.
Inference graphs lose the node in the pass remove_dropout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Dropout
from ..ir.graph import DOMAIN, constant_array, describe
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

RATIO = 0.5  # ONNX's default
LIMITS = "training always drops and inference never does, whatever the input training_mode says."


def ratio_of(node: ir.Node) -> float:
    """Return the constant input `ratio`, 0 <= ratio < 1; 0.5 if it is absent.

    Raises:
        UnsupportedOperator: The ratio is computed or out of range.
    """
    given = node.inputs[1] if len(node.inputs) > 1 else None
    array = constant_array(given) if given is not None else None
    if given is not None and array is None:
        raise UnsupportedOperator("Dropout with a computed ratio", "make the ratio constant", describe(node))
    ratio = RATIO if array is None else float(array)
    if not 0 <= ratio < 1:
        raise UnsupportedOperator(f"Dropout with ratio {ratio}", "use 0 <= ratio < 1", describe(node))
    return ratio


def gradient(back: Backward) -> Gradients:
    """Return dx = mask dy / (1 - ratio)."""
    node = back.node
    mask = mask_output(back)
    ratio = back.builder.constant(ratio_of(node), f"{node.outputs[0].name}.ratio")
    return [back.op("DropoutGrad", back.dy[0], mask, ratio, of=node.inputs[0], domain=DOMAIN), None, None]


def mask_output(back: Backward) -> ir.Value:
    """Return the node's second output, the mask; add it if the model omits it."""
    node = back.node
    if len(node.outputs) < 2:
        node.resize_outputs(2)
    mask = node.outputs[1]
    if not mask.name:
        mask.name = f"{node.outputs[0].name}.mask"
    return mask


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one DROPOUT on x."""
    emit_dropout(low, node, node)


def lower_grad(low: Lowering, node: ir.Node) -> None:
    """Emit one DROPOUT on dy, with the random stream of the forward node."""
    forward = node.inputs[1].producer()
    emit_dropout(low, node, forward)


def emit_dropout(low: Lowering, node: ir.Node, forward: ir.Node) -> None:
    """Emit the instruction that serves both directions; `forward` owns the random stream."""
    ratio = ratio_of(forward)
    made = Dropout(
        x=low.ref(node.inputs[0]),
        counter=low.control("train_steps"),
        y=low.output(node.outputs[0]),
        n=low.elements(node.outputs[0]),
        stream=low.random_stream(forward),
        threshold=min(round(ratio * 2**32), 2**32 - 1),
        scale=1.0 / (1.0 - ratio),
    )
    low.emit(node, made)


GRAD = """
DropoutGrad (dY, mask, ratio) => (dX) {
  one = Constant <value_float = 1.0> ()
  zero = Constant <value_float = 0.0> ()
  keep = Sub (one, ratio)
  scaled = Div (dY, keep)
  dX = Where (mask, scaled, zero)
}"""

OPERATORS = [
    Operator("Dropout", gradient, lower, constants=(1, 2), limits=LIMITS),
    Operator("DropoutGrad", None, lower_grad, DOMAIN, GRAD),
]
