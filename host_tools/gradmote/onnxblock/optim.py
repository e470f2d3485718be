"""The optimizers of onnxruntime-training, as blocks.

Each can be used as an optimizer of Gradmote, and builds an optimizer model inside of
`with onnxblock.empty_base():`.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import onnx_ir as ir
from onnx import numpy_helper

from ..artifacts.optimizer_model import optimizer_model
from ..errors import ModelError
from ..ir.write import to_proto
from ..optimizers import Optimizer, adamw_ort, sgd
from .block import Block

__all__ = ["SGD", "AdamW", "ClipGradNorm"]

Parameters = tuple[Sequence[onnx.TensorProto], Sequence[onnx.TensorProto]]


class ClipGradNorm:
    """Clipping of all gradients to a largest global norm."""

    def __init__(self, max_norm: float) -> None:
        """Choose the largest norm."""
        self.max_norm = max_norm


class OptimizerBlock(Block):
    """An optimizer of Gradmote as a block."""

    def __init__(self, optimizer: Optimizer) -> None:
        """Hold the optimizer."""
        super().__init__()
        self._optimizer = optimizer
        self._model: onnx.ModelProto | None = None

    def to_optimizer(self) -> Optimizer:
        """Return the optimizer of gradmote.optimizers."""
        return self._optimizer

    def build(self, parameters: Parameters) -> str:
        """Turn the current model into one step on these parameters, from TrainingBlock.parameters().

        Raises ModelError without parameters.
        """
        arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in parameters[0]}
        if not arrays:
            raise ModelError("no parameter is trained", "name them with TrainingBlock.requires_grad()")
        made = to_proto(optimizer_model(self._optimizer, arrays, ir.from_proto(self.base)))
        self.base.CopyFrom(made)
        self._model = made
        return made.graph.output[0].name

    def to_model_proto(self) -> onnx.ModelProto:
        """Return the optimizer model.

        Raises ModelError before build() has run.
        """
        if self._model is None:
            raise ModelError("the optimizer model is not built yet", "call the block inside onnxblock.empty_base()")
        return self._model


def norm_of(clip_grad: ClipGradNorm | None) -> float | None:
    """Return the largest norm of a clipping, or None.

    Raises ModelError for another kind of clipping.
    """
    if clip_grad is not None and not isinstance(clip_grad, ClipGradNorm):
        raise ModelError(f"clip_grad is {clip_grad!r}", "use onnxblock.optim.ClipGradNorm(max_norm)")
    return None if clip_grad is None else clip_grad.max_norm


class AdamW(OptimizerBlock):
    """AdamW, computed like onnxruntime-training."""

    def __init__(
        self,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        clip_grad: ClipGradNorm | None = None,
    ) -> None:
        """Choose the hyper-parameters. Raises ModelError without bias correction."""
        if not bias_correction:
            raise ModelError("AdamW without bias correction", "leave it on, or use gradmote.optimizers")
        beta1, beta2 = betas
        super().__init__(
            adamw_ort(beta1=beta1, beta2=beta2, eps=eps, weight_decay=weight_decay, clip_norm=norm_of(clip_grad))
        )


class SGD(OptimizerBlock):
    """Stochastic gradient descent without momentum."""

    def __init__(self, clip_grad: ClipGradNorm | None = None) -> None:
        """Choose a clipping."""
        super().__init__(sgd(clip_norm=norm_of(clip_grad)))
