"""The losses of onnxruntime-training, as blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from ..errors import ModelError
from . import blocks
from .base_model import current, described, exists, new_name
from .blocks import append_constant

__all__ = ["BCEWithLogitsLoss", "CrossEntropyLoss", "L1Loss", "MSELoss"]

_REDUCE = {"mean": blocks.ReduceMean, "sum": blocks.ReduceSum, "none": blocks.PassThrough}


def reduction_of(reduction: str) -> Any:
    """Return the block of a reduction.

    Raises ModelError unless it is "mean", "sum" or "none".
    """
    if reduction not in _REDUCE:
        raise ModelError(f"reduction '{reduction}'", f"use one of {', '.join(_REDUCE)}")
    return _REDUCE[reduction](keepdims=False)


def target_of(output: str, name: str) -> str:
    """Return the input of that name, and make it like the output if there is none."""
    return name if exists(name) else blocks.InputLike(output)(name)


class MSELoss(blocks.Block):
    """(output - target)^2, reduced."""

    def __init__(self, reduction: str = "mean") -> None:
        """Choose the reduction: mean, sum or none."""
        super().__init__()
        self._reduce = reduction_of(reduction)

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        """Append the loss of an output, and its target unless there is one of that name."""
        target = target_of(loss_input_name, target_name)
        return self._reduce(blocks.Pow(2.0)(blocks.Sub()(loss_input_name, target)))


class L1Loss(blocks.Block):
    """|output - target|, reduced."""

    def __init__(self, reduction: str = "mean") -> None:
        """Choose the reduction: mean, sum or none."""
        super().__init__()
        self._reduce = reduction_of(reduction)

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        """Append the loss of an output, and its target unless there is one of that name."""
        target = target_of(loss_input_name, target_name)
        return self._reduce(blocks.Abs()(blocks.Sub()(loss_input_name, target)))


class CrossEntropyLoss(blocks.Block):
    """Softmax cross-entropy of scores (N, C) or (N, C, d1, ...) and labels (N) or (N, d1, ...)."""

    def __init__(
        self, weight: np.ndarray | None = None, reduction: str = "mean", ignore_index: int | None = None
    ) -> None:
        """Choose a weight for each class, the reduction, and a label to ignore."""
        super().__init__()
        reduction_of(reduction)
        self._weight = weight
        ignored = {} if ignore_index is None else {"ignore_index": ignore_index}
        self._attributes: dict[str, Any] = {"reduction": reduction, **ignored}

    def build(self, scores_input_name: str, labels_name: str = "labels") -> str:
        """Append the loss of scores, and its labels unless there are some of that name."""
        if not exists(labels_name):
            append_labels(scores_input_name, labels_name)
        inputs = [scores_input_name, labels_name]
        if self._weight is not None:
            inputs.append(append_constant(np.asarray(self._weight, np.float32), "celoss.weight"))
        outputs = [new_name("loss"), new_name("log_prob")]
        node = onnx.helper.make_node("SoftmaxCrossEntropyLoss", inputs, outputs, **self._attributes)
        current().graph.node.append(node)
        return outputs[0]


def append_labels(scores: str, name: str) -> None:
    """Append an input of class indices for scores."""
    labels = described(scores)
    labels.name, tensor = name, labels.type.tensor_type
    tensor.elem_type = onnx.TensorProto.INT64
    if len(tensor.shape.dim) < 2:
        raise ModelError(f"'{scores}' has {len(tensor.shape.dim)} dimensions", "cross-entropy needs (N, classes, ...)")
    del tensor.shape.dim[1]
    current().graph.input.append(labels)


class BCEWithLogitsLoss(blocks.Block):
    """Binary cross-entropy of logits and targets in 0 .. 1, reduced."""

    def __init__(
        self, weight: np.ndarray | None = None, reduction: str = "mean", pos_weight: np.ndarray | None = None
    ) -> None:
        """Choose a weight for each element, the reduction, and the weight of the positive class."""
        super().__init__()
        self._weight, self._pos_weight, self._reduce = weight, pos_weight, reduction_of(reduction)

    def build(self, loss_input_name: str, target_name: str = "target") -> str:
        """Append the loss of logits, and its target unless there is one of that name."""
        target, one = target_of(loss_input_name, target_name), blocks.Constant(1.0)
        mul, sub, log = blocks.Mul(), blocks.Sub(), blocks.Log()
        probability = blocks.Sigmoid()(loss_input_name)
        positive = mul(log(probability), target)
        if self._pos_weight is not None:
            positive = mul(positive, append_constant(np.asarray(self._pos_weight, np.float32), "bceloss.pos_weight"))
        negative = mul(log(sub(one(), probability)), sub(one(), target))
        each = blocks.Neg()(blocks.Add()(positive, negative))
        if self._weight is not None:
            each = mul(append_constant(np.asarray(self._weight, np.float32), "bceloss.weight"), each)
        return self._reduce(each)
