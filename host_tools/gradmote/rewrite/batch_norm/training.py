"""BatchNormalization of a training graph, with the batch's statistics and new running ones.

    y = (x - mean) inv_std scale + bias           mean and variance over all axes except the channels
    running' = momentum running + (1 - momentum) batch

The variance that updates the running one divides by n, the values per channel, or by n - 1 if
`variance` is "sample".

Source: ONNX BatchNormalization-15; Ioffe and Szegedy 2015.
"""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from ...errors import ModelError
from ...ir.graph import Builder, attribute, describe, sort_nodes, static_shape, take_over
from ...ir.metadata import BATCH_STATISTICS, NO_GRADIENT
from ...operators.normalize import moments, normalize
from .shared import MOMENTUM, batch_norms, epsilon

#: The divisor of the variance that updates the running one: n, as in ONNX, or n - 1, as in PyTorch.
VARIANCES = ("population", "sample")


def run(graph: ir.Graph, variance: str) -> list[ir.Value]:
    """Rewrite every node, and return the new statistics.

    Each new statistic is named after the old one, with `_new` appended. `variance` is one of
    VARIANCES; raises ModelError for any other.
    """
    if variance not in VARIANCES:
        raise ModelError(f"running_variance is '{variance}'", f"choose {' or '.join(VARIANCES)}")
    updates = [value for node in batch_norms(graph) for value in rewrite(graph, node, variance)]
    sort_nodes(graph)
    return updates


def rewrite(graph: ir.Graph, node: ir.Node, variance: str) -> list[ir.Value]:
    """Rewrite one node, and return its new running mean and variance."""
    builder, y, (x, scale, bias) = Builder(graph), node.outputs[0], node.inputs[:3]
    mean, inv_std, var = moments(builder, node, epsilon(node))
    BATCH_STATISTICS.write(mean.producer(), variance)
    NO_GRADIENT.write(mean.producer(), "Normalize's goes through it")
    momentum = attribute(node, "momentum", MOMENTUM)
    scaled_var = builder.op("Mul", var, bessel(builder, x), name=f"{y.name}.sample") if variance == "sample" else var
    updates = [
        blend(builder, old, new, momentum) for old, new in zip(node.inputs[3:5], (mean, scaled_var), strict=True)
    ]
    take_over(graph, y, normalize(builder, node, (mean, inv_std), scale, bias, batch=True))
    return updates


def blend(builder: Builder, running: ir.Value, batch: ir.Value, momentum: float) -> ir.Value:
    """Append momentum running + (1 - momentum) batch; both have shape (C)."""
    kept, added = (builder.constant(f, f"{running.name}.{n}") for f, n in ((momentum, "kept"), (1 - momentum, "added")))
    old = builder.op("Mul", running, kept, name=f"{running.name}.old")
    new = builder.op("Mul", batch, added, name=f"{running.name}.part")
    result = builder.op("Add", old, new, name=f"{running.name}_new")
    result.shape, result.type = running.shape, running.type
    return result


def bessel(builder: Builder, x: ir.Value) -> ir.Value:
    """Append n / (n - 1); n is the number of values per channel, known once the batch is."""
    name = f"{x.name}.bessel"
    shape = builder.op("Shape", x, name=f"{name}.shape")
    channels = builder.op("Gather", shape, builder.constant([1], f"{name}.axis"), name=f"{name}.channels")
    size = builder.op("Size", x, name=f"{name}.size")
    count = builder.op("Div", size, channels, name=f"{name}.count")
    n = builder.op("Cast", count, name=f"{name}.n", to=ir.DataType.FLOAT.value)
    one = builder.constant(np.float32([1]), f"{name}.one")
    return builder.op("Div", n, builder.op("Sub", n, one, name=f"{name}.degrees"), name=name)


def check(graph: ir.Graph) -> None:
    """Raise ModelError if a channel has only one value, so that its variance is 0."""
    for node in graph:
        if BATCH_STATISTICS.stands_in(node):
            shape = static_shape(node.inputs[0], node)
            if math.prod(shape) == shape[1]:
                raise ModelError(
                    "BatchNormalization with statistics of the batch over one value per channel",
                    "use a larger batch, or --batch-norm frozen",
                    describe(node),
                )
