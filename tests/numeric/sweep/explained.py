"""Differences that remain between us, onnxruntime and onnx's reference, with reasons; docs/OPERATORS.md lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numeric.sweep.draws import Draw
from numeric.sweep.outcomes import Outcome


@dataclass(frozen=True)
class Explained:
    """kinds: the outcomes that it explains. holds: whether it is about a draw."""

    op_types: tuple[str, ...]
    kinds: tuple[str, ...]
    holds: Callable[[Draw], bool]
    reason: str


def is_same(draw: Draw) -> bool:
    return draw.attributes.get("auto_pad", "").startswith("SAME")


def ignores_all(draw: Draw) -> bool:
    return bool((draw.others["i"] == draw.attributes.get("ignore_index")).all())


def has_one_output(draw: Draw) -> bool:
    return draw.result is not None and 1 in draw.result[2:]


def normalizes_two(draw: Draw) -> bool:
    x = draw.floats["x"]
    if draw.op_type == "LayerNormalization":
        return bool(np.prod(x.shape[draw.attributes.get("axis", -1) :]) <= 2)
    return bool(np.prod(x.shape[1:]) // draw.attributes.get("num_groups", x.shape[1]) <= 2)


EXPLAINED = (
    Explained(
        ("LRN",), ("definition",), lambda d: d.attributes["size"] % 2 == 0,
        "an even size has the channels that ONNX's text names; onnxruntime refuses it, and onnx's reference squares "
        "others",
    ),
    Explained(
        ("MaxPool", "AveragePool"), ("definition", "different"), is_same,
        "auto_pad SAME counts dilations, and never crops the input; onnxruntime leaves dilations out, and crops when "
        "strides are longer than the kernel",
    ),
    Explained(
        ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), ("different", "definition"), ignores_all,
        "the mean over no label at all is 0; onnxruntime divides 0 by 0",
    ),
    Explained(
        ("Resize",), ("different", "definition"),
        lambda d: d.attributes.get("coordinate_transformation_mode") == "align_corners",
        "corners are aligned with the whole number of outputs, as in PyTorch and onnxruntime; onnx's reference takes "
        "size times scale",
    ),
    Explained(
        ("Resize",), ("different", "alone"),
        lambda d: d.attributes.get("exclude_outside") == 1 and d.attributes.get("mode", "nearest") != "cubic",
        "exclude_outside is about the weights of cubic interpolation alone, as in ONNX's text; onnxruntime refuses it "
        "elsewhere, and onnx's reference makes zeros",
    ),
    Explained(
        ("Resize",), ("different",),
        lambda d: d.attributes.get("coordinate_transformation_mode") == "pytorch_half_pixel" and has_one_output(d),
        "the only output of pytorch_half_pixel is at element 0, as in ONNX's text; onnx's reference interpolates",
    ),
    Explained(
        ("MaxPool",), ("definition",), lambda d: d.attributes.get("ceil_mode") == 1,
        "the last window of ceil_mode is dropped if it begins in the padding, as in ONNX's text and PyTorch; onnx's "
        "reference counts others",
    ),
    Explained(
        ("GroupNormalization",), ("definition",), lambda d: True,
        "onnxruntime's variance of nearly equal elements cancels in float32",
    ),
    Explained(
        ("LayerNormalization", "GroupNormalization", "InstanceNormalization"), ("gradient",), normalizes_two,
        "two elements become -1 and 1, whatever they are: the gradient is what epsilon leaves, and float32 cancels",
    ),
    Explained(
        ("Resize",), ("alone",), lambda d: d.attributes.get("antialias") == 1,
        "antialias has no effect on the nearest element; onnxruntime refuses the two together",
    ),
)  # fmt: skip


def explanation(draw: Draw, found: Outcome) -> str | None:
    """Return why a draw's outcome is as it is; None if that is unknown."""
    for known in EXPLAINED:
        if draw.op_type in known.op_types and found.kind in known.kinds and known.holds(draw):
            return known.reason
    return None


def rows() -> list[tuple[str, str]]:
    """Return operators and reasons, for the page."""
    return [(", ".join(known.op_types), known.reason) for known in EXPLAINED]
