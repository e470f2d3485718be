"""RandomUniform and RandomNormal, and both with Like, which take the shape of another value.

The numbers come from the generator of Dropout, with a stream for each node. Each training step draws
new ones; inference draws those of the step that training has reached. A normal number is
sqrt(-2 log u) cos(2 pi v) (Box and Muller 1958); u and v are uniform and u is above 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Add, Cos, Log, Mul, RandomUniform, Sqrt
from ..ir.graph import attribute, describe
from .operator import Operator, no_gradient
from .steps import Steps

if TYPE_CHECKING:
    from ..ir.instruction import Ref
    from ..ir.lowering import Lowering


def uniform(low: Lowering, node: ir.Node, lowest: float, span: float, part: str = "") -> Ref:
    """Return numbers drawn uniformly from `lowest` to `lowest` + `span`, which is excluded.

    `part` distinguishes the streams of one node.
    """
    n = low.elements(node.outputs[0])
    y = low.scratch(f"{node.outputs[0].name}.random{part}", [n], [1]).ref
    made = RandomUniform(
        counter=low.control("train_steps"), y=y, n=n, stream=low.random_stream(node, part), low=lowest, range=span
    )
    low.emit(node, made)
    return y


def lower_uniform(low: Lowering, node: ir.Node) -> None:
    """Emit one RANDOM_UNIFORM."""
    check_type(node)
    lowest, highest = attribute(node, "low", 0.0), attribute(node, "high", 1.0)
    low.place(node.outputs[0], uniform(low, node, lowest, highest - lowest))


def lower_normal(low: Lowering, node: ir.Node) -> None:
    """Emit Box and Muller's formula, scaled by `scale` and shifted by `mean`."""
    check_type(node)
    do = Steps(low, node, low.elements(node.outputs[0]))
    radius = do(Sqrt, do(Mul, do(Log, uniform(low, node, 1.0, -1.0)), -2.0))
    normal = do(Mul, radius, do(Cos, uniform(low, node, 0.0, 2 * math.pi, ".angle")))
    scaled = do(Mul, normal, float(attribute(node, "scale", 1.0)))
    low.place(node.outputs[0], do(Add, scaled, float(attribute(node, "mean", 0.0))))


def check_type(node: ir.Node) -> None:
    """Check that the node draws float32.

    Raises:
        UnsupportedOperator: It draws another type.
    """
    dtype = node.outputs[0].dtype
    if dtype not in (None, ir.DataType.FLOAT):
        raise UnsupportedOperator(f"{node.op_type} of {dtype}", "draw float32", describe(node))


LIMITS = (
    "numbers come from the generator of Dropout, whose seed the image has; inference draws the same ones each time."
)

OPERATORS = [
    Operator("RandomUniform", no_gradient, lower_uniform, limits=LIMITS),
    Operator("RandomUniformLike", no_gradient, lower_uniform, limits=LIMITS),
    Operator("RandomNormal", no_gradient, lower_normal, limits=LIMITS),
    Operator("RandomNormalLike", no_gradient, lower_normal, limits=LIMITS),
]
