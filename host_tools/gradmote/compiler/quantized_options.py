"""The check of options that are for quantized models."""

from __future__ import annotations

from ..artifacts.made import Artifacts
from ..errors import ModelError
from .options import Options

#: What stands in a model that has quantized values, or quantized constants alone.
_QUANTIZED = ("Quantize", "QuantizeLinear", "DequantizeLinear")


def check_quantized_options(artifacts: Artifacts, options: Options) -> None:
    """Raise ModelError where gradients of int16 or moments of bfloat16 are asked for, and there are none.

    with_masters() checks int16 weights, optimizer_slots() what has moments.
    """
    training = artifacts.models.training
    if options.moments == "bf16" and training is None:
        raise ModelError("moments of bf16, but nothing trains", "leave --moments (moments=) out")
    if options.gradients == "int16":
        what = "nothing trains" if training is None else "the model is not quantized"
        if training is None or not any(node.op_type in _QUANTIZED for node in training.graph):
            raise ModelError(f"gradients of int16, but {what}", "leave --gradients (gradients=) out")
