"""MaxPoolGrad with 16-bit gradients, by the index that the pool of the integers keeps.

dx = the sum of dy over the windows in which this element of x was the largest
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import MaxPoolGradS16, MaxPoolS8
from ...ir.graph import attribute
from ...ir.instruction import Ref
from ..max_pool import MOST_TAPS, lower_grad, new_index, sizes
from ..window import Window, spatial, window_of, x_strides, y_strides
from .values import MOST, is_int16, like, make, read

if TYPE_CHECKING:
    from ...ir.lowering import Lowering


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one MAX_POOL_GRAD_S16 if dy has 16 bits and int8 values were pooled, else lower as for float32."""
    dy, x, y = node.inputs
    window = window_of(node, spatial(x), spatial(y), attribute(node, "kernel_shape"))
    pool = pool_of(low, node, window) if is_int16(low, dy) else None
    if pool is None:
        low.any_exponent = False
        lower_grad(low, node)
        return
    layout, source = like(low, x), read(low, node, dy)
    made = make(low, node.outputs[0], layout)
    gradient = MaxPoolGradS16(
        index=index_of(pool), dy=source.ref, dy_exponent=source.exponent,
        dx=made.ref, exponent=made.exponent,
        **sizes(node, x), **window.params(), **x_strides(layout), **y_strides(source.strides), limit=MOST,
    )  # fmt: skip
    low.emit(node, gradient)


def pool_of(low: Lowering, node: ir.Node, window: Window) -> MaxPoolS8 | None:
    """Return the instruction that pools the integers of the real numbers x, over the same windows."""
    x = node.inputs[1]
    maker = x.producer()
    if maker is None or maker.op_type != "DequantizeLinear" or maker.inputs[0] not in low.views:
        return None
    if math.prod(window.kernel) > MOST_TAPS:
        return None
    integers, expected = low.stored(maker.inputs[0]).ref, {**sizes(node, x), **window.params()}
    pools = (i for i in low.program.instructions if isinstance(i, MaxPoolS8) and i.x == integers)
    return next((i for i in pools if all(i.number(name) == n for name, n in expected.items())), None)


def index_of(pool: MaxPoolS8) -> Ref:
    """Return the memory in which the pool, from now on, stores the winning tap of each window."""
    if pool.index is None:
        pool.index = new_index(pool)
    return pool.index
