"""16-bit gradients as values of the lowering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir

from ...ir.generated.instructions import QuantizeGradS16
from ...ir.graph import static_shape
from ...ir.instruction import Buffer, Ref
from ...ir.lowering import View
from ...ir.strides import broadcast_walk, contiguous, fit, is_gapless, physical_order

if TYPE_CHECKING:
    from ...ir.lowering import Lowering

#: The largest limit of a gradient; the pass limit_gradients lowers it if a sum could overflow.
MOST = 2**15 - 1


@dataclass(frozen=True)
class Gradient:
    """The address of a 16-bit gradient, that of its exponent, and its strides."""

    ref: Ref
    exponent: Ref
    strides: list[int]


def read(low: Lowering, node: ir.Node, value: ir.Value) -> Gradient:
    """Return the gradient as it is stored; a float32 one is quantized first, once."""
    view = low.stored(value)
    if view.exponent is None:
        quantize(low, node, value)
        view = low.stored(value)
    assert view.exponent is not None
    return Gradient(view.ref, view.exponent, view.strides)


def is_int16(low: Lowering, value: ir.Value) -> bool:
    """Return whether a value is a 16-bit gradient."""
    return low.stored(value).exponent is not None


def make(low: Lowering, value: ir.Value, layout: Sequence[int] | None = None) -> Gradient:
    """Return new scratch for a gradient that the next instruction makes."""
    strides = list(layout) if layout is not None else contiguous(static_shape(value))
    ref, exponent = low.output(value, strides, "i16"), Ref(Buffer(f"{value.name}.exponent", 8, "scratch"))
    low.set_view(value, View(ref, strides, "i16", exponent))
    return Gradient(ref, exponent, strides)


def quantize(low: Lowering, node: ir.Node, value: ir.Value) -> None:
    """Replace a float32 gradient with a 16-bit one, row-major."""
    source, made = low.ref(value), make(low, value)
    quantized = QuantizeGradS16(
        dy=source, y=made.ref, exponent=made.exponent,
        outer=1, channels=1, inner=low.elements(value), low=-128, high=127, limit=MOST,
    )  # fmt: skip
    low.emit(node, quantized)


def like(low: Lowering, value: ir.Value) -> list[int]:
    """Return the strides of a value, or row-major ones if it has gaps."""
    strides, shape = low.stored(value).strides, static_shape(value)
    return strides if is_gapless(shape, strides) else contiguous(shape)


def walk(
    node: ir.Node, layout: Sequence[int], *operands: tuple[Sequence[int], Sequence[int]]
) -> tuple[dict[str, int], list[list[int]]]:
    """Return the dims d0 to d3 that walk a result in its layout, and the strides of broadcast operands.

    An operand is given as its shape and strides.
    """
    shape = static_shape(node.outputs[0])
    order = physical_order(shape, layout)
    strides = [broadcast_walk(strides, own, shape) for own, strides in operands]
    dims, fitted = fit(node, [shape[i] for i in order], list_of(layout, order), *(list_of(s, order) for s in strides))
    return {f"d{i}": d for i, d in enumerate(dims)}, fitted[1:]


def list_of(values: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return the values in another order."""
    return [values[i] for i in order]


def named(name: str, strides: Sequence[int]) -> dict[str, int]:
    """Return the four strides of an operand as parameters."""
    return {f"{name}{i}": s for i, s in enumerate(strides)}
