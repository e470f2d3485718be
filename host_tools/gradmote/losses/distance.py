"""The distance of embeddings, used by contrastive and triplet loss."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder


def distance(builder: Builder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return the Euclidean distance of rows: (N, D) -> (N).

    It is |a - b + 1e-6|, as in torch.pairwise_distance, so that it is differentiable at a = b.
    """
    difference = builder.op("Sub", a, b, name="difference")
    shifted = builder.op("Add", difference, builder.constant(1e-6, "apart"), name="shifted")
    square = builder.op("Mul", shifted, shifted, name="square")
    sum_of_squares = builder.op("ReduceSum", square, builder.constant([-1], "features"), name="squares", keepdims=0)
    d = builder.op("Sqrt", sum_of_squares, name="distance")
    d.shape, d.type = ir.Shape(list(a.shape)[:-1]), a.type  # type: ignore[arg-type]
    return d
