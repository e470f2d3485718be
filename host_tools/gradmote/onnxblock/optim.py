"""The optimizers of onnxruntime-training, as blocks.

Each can be used as an optimizer of Gradmote, and builds an optimizer model inside of
`with onnxblock.empty_base():`. That model has the nodes, inputs and names of onnxruntime's.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx

from ..errors import ModelError
from ..optimizers import Optimizer, adamw_ort, sgd
from .base_model import current
from .block import Block
from .training_nodes import append_training_node, described

__all__ = ["SGD", "AdamW", "ClipGradNorm"]

Parameters = tuple[Sequence[onnx.TensorProto], Sequence[onnx.TensorProto]]


class ClipGradNorm(Block):
    """Clipping of all gradients to a largest global norm."""

    def __init__(self, max_norm: float) -> None:
        """Choose the largest norm."""
        super().__init__()
        self.max_norm = max_norm

    def build(self, gradients_name: str) -> str:
        """Append the clipping of a sequence of gradients, and return the name of the clipped ones."""
        return append_training_node("InplaceClipGradNorm", [gradients_name], max_norm=float(self.max_norm))[0]


class OptimizerBlock(Block):
    """An optimizer of Gradmote as a block.

    moments: the names of its inputs after parameters and gradients.
    """

    moments: tuple[str, ...] = ()

    def __init__(self, optimizer: Optimizer, clip_grad: ClipGradNorm | None, **attributes: float) -> None:
        """Hold the optimizer, the clipping and the attributes of the node."""
        super().__init__()
        self._optimizer, self._clip_grad, self._attributes = optimizer, clip_grad, attributes
        self._model: onnx.ModelProto | None = None

    def to_optimizer(self) -> Optimizer:
        """Return the optimizer of gradmote.optimizers."""
        return self._optimizer

    def build(self, parameters: Parameters) -> str:
        """Turn the current model into one step on these parameters, from TrainingBlock.parameters().

        Returns the name of the first output, a flag. The other outputs are the new parameters and moments. Raises
        ModelError without parameters.
        """
        if not parameters[0]:
            raise ModelError("no parameter is trained", "name them with TrainingBlock.requires_grad()")
        graph = self.base.graph
        sequences = ["params", "gradients", *self.moments]
        graph.input.append(onnx.helper.make_tensor_value_info("learning_rate", onnx.TensorProto.FLOAT, [1]))
        graph.input.append(onnx.helper.make_tensor_value_info("step", onnx.TensorProto.INT64, [1]))
        graph.input.extend(described(name, is_sequence=True) for name in sequences)
        if self._clip_grad is not None:
            sequences[1] = self._clip_grad("gradients")
        outputs = self._step(sequences)
        graph.output.extend(described(name, is_sequence=index > 0) for index, name in enumerate(outputs))
        self._model = onnx.ModelProto()
        self._model.CopyFrom(current())
        return outputs[0]

    def _step(self, sequences: list[str]) -> list[str]:
        """Append the optimizer's node, and return the names of its outputs."""
        raise NotImplementedError

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

    moments = ("first_order_moments", "second_order_moments")

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
        rule = adamw_ort(beta1=beta1, beta2=beta2, eps=eps, weight_decay=weight_decay, clip_norm=norm_of(clip_grad))
        super().__init__(rule, clip_grad, alpha=beta1, beta=beta2, epsilon=eps, weight_decay=weight_decay)

    def _step(self, sequences: list[str]) -> list[str]:
        """Append an AdamWOptimizer in onnxruntime's own mode."""
        modes = {"correct_bias": 1, "adam_mode": 1}
        inputs = ["learning_rate", "step", *sequences]
        return append_training_node("AdamWOptimizer", inputs, "adamw.updated_flag", **self._attributes, **modes)


class SGD(OptimizerBlock):
    """Stochastic gradient descent without momentum."""

    def __init__(self, clip_grad: ClipGradNorm | None = None) -> None:
        """Choose a clipping."""
        super().__init__(sgd(clip_norm=norm_of(clip_grad)), clip_grad)

    def _step(self, sequences: list[str]) -> list[str]:
        """Append an SGDOptimizerV2."""
        return append_training_node("SGDOptimizerV2", ["learning_rate", *sequences], "update_completed")
