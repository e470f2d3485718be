"""Differences that remain between us, onnxruntime and onnx's reference, with reasons; docs/OPERATORS.md lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
        ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), ("different",), ignores_all,
        "the mean over no label at all is 0; onnxruntime divides 0 by 0",
    ),
    Explained(
        ("Resize",), ("different", "definition"),
        lambda d: d.attributes.get("coordinate_transformation_mode") == "align_corners",
        "corners are aligned with the whole number of outputs, as in PyTorch and onnxruntime; onnx's reference takes "
        "size times scale",
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
