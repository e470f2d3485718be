"""The pass that fuses SOFTMAX_CROSS_ENTROPY with its gradient if only the gradient reads log_prob.

Each exponential is then computed once. Label smoothing needs the logarithms of all classes and
stays in two instructions.
"""

from __future__ import annotations

from ...ir.generated.instructions import SoftmaxCrossEntropy, SoftmaxCrossEntropyGrad, SoftmaxCrossEntropyWithGrad
from ...ir.instruction import Buffer
from ...ir.program import Compiled, Program, Uses


def run(compiled: Compiled) -> None:
    """Fuse every loss with its gradient if possible."""
    for program in compiled.programs:
        for gradient in [i for i in program.instructions if isinstance(i, SoftmaxCrossEntropyGrad)]:
            loss = loss_of(program, program.uses(), gradient)
            if loss is not None:
                fuse(program, loss, gradient)


def loss_of(
    program: Program, uses: dict[Buffer, Uses], gradient: SoftmaxCrossEntropyGrad
) -> SoftmaxCrossEntropy | None:
    """Return the loss that can compute its gradient at once, else None.

    No other instruction may read log_prob, and dloss must be known before the loss.
    """
    log_prob = gradient.log_prob
    used = uses[log_prob.buffer]
    if len(used.writers) != 1 or len(used.readers) != 1 or log_prob.buffer in program.bound():
        return None
    at = used.writers[0]
    loss = program.instructions[at]
    if not isinstance(loss, SoftmaxCrossEntropy) or loss.log_prob != log_prob or not is_alike(loss, gradient):
        return None
    is_first = program.instructions[uses[gradient.dx.buffer].first] is gradient
    return loss if is_first and all(k < at for k in uses[gradient.dloss.buffer].writers) else None


def is_alike(loss: SoftmaxCrossEntropy, gradient: SoftmaxCrossEntropyGrad) -> bool:
    """Return whether loss and gradient have the same operands and parameters, and no smoothing."""
    shared = (loss.labels, loss.weight, loss.mask) == (gradient.labels, gradient.weight, gradient.mask)
    return shared and not loss.smoothing and not loss.log_input and loss.params == gradient.params


def fuse(program: Program, loss: SoftmaxCrossEntropy, gradient: SoftmaxCrossEntropyGrad) -> None:
    """Replace the loss with SOFTMAX_CROSS_ENTROPY_WITH_GRAD, and remove the gradient."""
    both = SoftmaxCrossEntropyWithGrad(
        x=loss.x,
        labels=loss.labels,
        weight=loss.weight,
        mask=loss.mask,
        dloss=gradient.dloss,
        loss=loss.loss,
        dx=gradient.dx,
        outer=loss.outer,
        classes=loss.classes,
        inner=loss.inner,
        loss_outer=loss.loss_outer,
        loss_inner=loss.loss_inner,
        reduction=loss.reduction,
        ignore_index=loss.ignore_index,
    ).in_place_of(loss)
    program.instructions = [both if i is loss else i for i in program.instructions if i is not gradient]
