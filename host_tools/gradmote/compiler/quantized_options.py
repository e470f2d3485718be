"""The check of options that only apply to quantized models, or only to float models."""

from __future__ import annotations

from ..artifacts.artifacts import Artifacts
from ..errors import ModelError
from .options import Options

#: Nodes of models with quantized values, or only with quantized constants.
_QUANTIZED = ("Quantize", "QuantizeLinear", "DequantizeLinear")


def check_quantized_options(artifacts: Artifacts, options: Options) -> None:
    """Raise ModelError if int16 gradients, or bfloat16 moments or saved values, are requested but cannot apply.

    with_masters() checks int16 weights, optimizer_slots() checks for moments.
    """
    training = artifacts.models.training
    is_quantized = training is not None and any(node.op_type in _QUANTIZED for node in training.graph)
    if options.moments == "bf16" and training is None:
        raise ModelError("moments of bf16, but nothing trains", "leave --moments (moments=) out")
    if options.gradients == "int16" and not is_quantized:
        what = "nothing trains" if training is None else "the model is not quantized"
        raise ModelError(f"gradients of int16, but {what}", "leave --gradients (gradients=) out")
    if options.saved == "bf16" and (training is None or is_quantized):
        what = "nothing trains" if training is None else "a quantized model keeps one byte per element anyway"
        raise ModelError(f"saved values of bf16, but {what}", "leave --saved (saved=) out")
