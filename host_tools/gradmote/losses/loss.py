"""The parts that losses share: inputs for labels, and reductions."""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import Builder, constant_array, describe, rank
from ..ir.metadata import mark_label

Loss = Callable[..., ir.Value]
REDUCTIONS = ("none", "sum", "mean")


def label(builder: Builder, name: str, like: ir.Value) -> ir.Value:
    """Add a float32 graph input of the shape of `like`, which the caller fills with targets.

    Raises ModelError if that shape is unknown, or has a row for each number of a sample.
    """
    if like.shape is None:
        raise ModelError(f"the shape of output '{like.name}' is unknown", "run onnx shape inference on the model")
    check_rows(like)
    return mark_label(builder.input(name, ir.DataType.FLOAT, like.shape))


def check_rows(output: ir.Value) -> None:
    """Raise ModelError for (samples, targets) reshaped to (-1, 1), as skl2onnx ends a regressor of several targets."""
    node = output.producer()
    if node is None or node.op_type != "Reshape" or node.domain:
        return
    x, sizes = node.inputs[0], constant_array(node.inputs[1])
    shape = list(x.shape) if x is not None and x.shape is not None else []
    if sizes is None or sizes.tolist() != [-1, 1] or len(shape) != 2 or not isinstance(shape[1], int) or shape[1] == 1:
        return
    raise ModelError(
        f"output '{output.name}' puts the {shape[1]} numbers of a sample into {shape[1]} rows, so no label fits it",
        f"this Reshape to (-1, 1) is a fault of the exporter, skl2onnx for instance: give its constant "
        f"'{node.inputs[1].name}' the value [-1, {shape[1]}] ('Regressors of several targets' in the export guide)",  # type: ignore[union-attr]
        describe(node),
    )


def class_label(builder: Builder, name: str, scores: ir.Value) -> ir.Value:
    """Add an int64 graph input of class indices for `scores`.

    scores: (N, C, d1, ...); the input: (N, d1, ...). Raises ModelError for scores of rank below 2.
    """
    if rank(scores) < 2:
        raise ModelError(
            f"output '{scores.name}' has shape {scores.shape}; cross-entropy needs (N, classes, ...)",
            "give the model a batch dimension and one score per class",
        )
    dims = list(scores.shape)  # type: ignore[arg-type]
    return mark_label(builder.input(name, ir.DataType.INT64, ir.Shape([dims[0], *dims[2:]])))


def mask_label(builder: Builder, name: str, shape: ir.Shape | None) -> ir.Value:
    """Add a float32 graph input that the caller fills with a weight for each position."""
    assert shape is not None
    return mark_label(builder.input(name, ir.DataType.FLOAT, shape))


def reduced(builder: Builder, each: ir.Value, reduction: str) -> ir.Value:
    """Return the sum, the mean, or all of many losses, as the reduction says."""
    if reduction == "none":
        return each
    return builder.op(f"Reduce{reduction.title()}", each, name="loss", keepdims=0)


def check_reduction(reduction: str) -> None:
    """Raise ModelError for another reduction than "none", "sum" or "mean"."""
    if reduction not in REDUCTIONS:
        raise ModelError(f"reduction '{reduction}'", f"use one of {', '.join(REDUCTIONS)}")


def require_numbers(name: str, value: object) -> None:
    """Raise ModelError for the word "balanced" as a weight, which only samples turn into numbers."""
    if isinstance(value, str):
        raise ModelError(
            f"{name}={value}: a loss has numbers", "gradmote compile counts them, with the samples as --data"
        )


def made_by(value: ir.Value, *op_types: str) -> ir.Node | None:
    """Return the node of one of these operators that made `value`, through any Identity; else None."""
    node = value.producer()
    while node is not None and node.op_type == "Identity":
        node = node.inputs[0].producer()  # type: ignore[union-attr]
    return node if node is not None and node.op_type in op_types else None
