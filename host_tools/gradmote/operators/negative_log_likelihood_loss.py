"""NegativeLogLikelihoodLoss over log-probabilities (N, C, d1, ...) and labels (N, d1, ...).

It is the second half of SoftmaxCrossEntropyLoss. dx = -dloss w onehot, divided by the total weight
for "mean".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..ir.graph import static_shape
from ..ir.strides import contiguous
from .operator import Backward, Gradients, Operator
from .softmax_cross_entropy_loss import LOG_INPUT, emit_loss, grad_operators, gradient_from

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def gradient(back: Backward) -> Gradients:
    """Return dx = -dloss w onehot, divided by the total weight for "mean"."""
    return gradient_from(back, back.node.inputs[0])


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one SOFTMAX_CROSS_ENTROPY that takes logarithms of probabilities as they are."""
    shape = static_shape(node.inputs[0], node)
    emit_loss(low, node, low.scratch(f"{node.outputs[0].name}.log_prob", shape, contiguous(shape)).ref)


OPERATORS = [Operator(LOG_INPUT, gradient, lower), *grad_operators(LOG_INPUT)]
