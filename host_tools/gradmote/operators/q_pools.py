"""Pools of int8 values.

QMaxPool is the largest value in each window. x and y share one quantization, since it preserves the order
of numbers.

QAveragePool, QGlobalAveragePool and QReduceMean are the means over windows or all positions.

    y = clamp(rne((sum (x - x_zero) x_scale / count) / y_scale) + y_zero, low, high)

The sum is over float32 numbers, in onnxruntime's order: near the middle between two integers the
order decides which one is nearest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import onnx_ir as ir

from ..ir.generated.instructions import AveragePoolS8, MaxPoolS8
from ..ir.graph import DOMAIN, attribute, static_shape
from ..ir.lowering import View
from ..ir.strides import contiguous
from .average_pool import Counting, counting
from .max_pool import pool_window, sizes
from .operator import LoweringRule, Operator
from .quantized import CLAMP_WHOLE, bounds, scale, zero
from .window import Window, channels_last, spatial, x_strides, y_strides

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def lower_max(low: Lowering, node: ir.Node) -> None:
    """Emit one MAX_POOL_S8; the output is channels-last."""
    x, y = node.inputs[0], node.outputs[0]
    assert x is not None
    layout, view = channels_last(static_shape(y, node)), low.view(x)
    made = MaxPoolS8(
        x=view.ref,
        y=low.output(y, layout, "i8"),
        **sizes(node, x),
        **pool_window(node, x, y).params(),
        **x_strides(view.strides),
        **y_strides(layout),
    )
    low.emit(node, made)


MAX = """
QMaxPool <kernel_shape: ints, strides: ints, dilations: ints, pads: ints, ceil_mode: int> (X) => (Y) {
  Y = MaxPool <kernel_shape: ints = @kernel_shape, strides: ints = @strides, dilations: ints = @dilations,
    pads: ints = @pads, ceil_mode: int = @ceil_mode> (X)
}"""


#: The inputs of a node.
X, X_SCALE, X_ZERO, Y_SCALE, Y_ZERO = range(5)
Order = Literal["rows", "columns", "lanes", "pairs"]
#: A window of the whole input counts all of its taps.
EVERY_TAP: Counting = {"count_pad": False, "padded_h": 1, "padded_w": 1}
#: From this opset on, onnxruntime sums every AveragePool row by row.
ROWS_OPSET = 19
#: Longer rows of the input, including their padding, are summed row by row too.
LONGEST_ROW = 2045


def lower_pool(low: Lowering, node: ir.Node) -> None:
    """Emit one AVERAGE_POOL_S8; the output is channels-last."""
    x, y = node.inputs[X], node.outputs[0]
    assert x is not None
    window, layout = pool_window(node, x, y), channels_last(static_shape(y, node))
    opset = node.graph.opset_imports[""] if node.graph is not None else ROWS_OPSET
    target = View(low.output(y, layout, "i8"), layout)
    emit(low, node, window, counting(node, window), order_of(node, window, opset), target)


def order_of(node: ir.Node, window: Window, opset: int) -> Order:
    """Return the order in which onnxruntime sums the windows of an AveragePool of this opset."""
    if opset >= ROWS_OPSET:
        return "rows"
    is_whole = window.kernel == window.inputs and not any(window.explicit_pads)
    if is_whole and set(window.strides) == {1}:
        return "lanes"
    hangs_over = attribute(node, "ceil_mode", 0) and attribute(node, "count_include_pad", 0)
    row = window.inputs[-1] + window.pads[-1] + window.ends[-1]
    is_narrow = window.strides[-1] <= 2 and row <= LONGEST_ROW
    return "columns" if len(window.inputs) == 2 and is_narrow and not hangs_over else "rows"


def lower_all(order: Order) -> LoweringRule:
    """Return the lowering of a mean over all positions, summed in this order."""

    def lower(low: Lowering, node: ir.Node) -> None:
        x, y = node.inputs[X], node.outputs[0]
        assert x is not None
        whole, ones, none = spatial(x), [1] * len(spatial(x)), [0] * len(spatial(x))
        window = Window(whole, ones, whole, ones, ones, none, none)
        layout = contiguous([*static_shape(x, node)[:2], *ones])
        emit(low, node, window, EVERY_TAP, order, View(low.output(y, dtype="i8"), layout))

    return lower


def emit(low: Lowering, node: ir.Node, window: Window, count: Counting, order: Order, y: View) -> None:
    """Emit one AVERAGE_POOL_S8; y is the view of the output (batch, channels, outputs...)."""
    x = node.inputs[X]
    assert x is not None
    made = AveragePoolS8(
        x=low.view(x).ref,
        y=y.ref,
        **sizes(node, x),
        **window.params(),
        **count,
        **x_strides(low.view(x).strides),
        **y_strides(y.strides),
        order=order,
        x_scale=scale(node, X_SCALE),
        x_zero=zero(node, X_ZERO),
        y_scale=scale(node, Y_SCALE),
        **bounds(node, Y_ZERO),
    )
    low.emit(node, made)


def body(name: str, op_type: str, attributes: str, inputs: str = "x") -> str:
    """Return the function of an operator that computes with `op_type`; `attributes` are name: type pairs."""
    declared = "".join(f"{text}, " for text in attributes.split("; ") if text)
    given = ", ".join(f"{text} = @{text.split(':')[0]}" for text in attributes.split("; ") if text)
    extra = ", axes" if "axes" in inputs else ""
    return f"""
{name} <{declared}low: int, high: int> (X, x_scale, x_zero, y_scale, y_zero{extra}) => (Y) {{
  x = DequantizeLinear (X, x_scale, x_zero)
  y = {op_type} {f"<{given}>" if given else ""} ({inputs})
  whole = QuantizeLinear (y, y_scale, y_zero)
{CLAMP_WHOLE}}}"""


POOL = body(
    "QAveragePool",
    "AveragePool",
    "kernel_shape: ints; strides: ints; pads: ints; ceil_mode: int; count_include_pad: int",
)
GLOBAL_POOL = body("QGlobalAveragePool", "GlobalAveragePool", "")
MEAN = body("QReduceMean", "ReduceMean", "keepdims: int", "x, axes")


OPERATORS = [
    Operator("QMaxPool", None, lower_max, DOMAIN, MAX, any_width=True),
    Operator("QAveragePool", None, lower_pool, DOMAIN, POOL, any_width=True),
    Operator("QGlobalAveragePool", None, lower_all("lanes"), DOMAIN, GLOBAL_POOL, any_width=True),
    Operator("QReduceMean", None, lower_all("pairs"), DOMAIN, MEAN, any_width=True),
]
