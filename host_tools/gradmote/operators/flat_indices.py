"""Flat indices for GatherElements, GatherND, ScatterElements and ScatterND.

These operators select elements by several indices. GATHER, SCATTER and SCATTER_ADD take one: they
select element ((first size + index) inner + n) of a block. Constant indices become constant flat
indices; the device checks those that are data, in each run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..ir.generated.instructions import FlatIndex, Gather, ScatterAdd
from ..ir.graph import constant_array, describe, static_shape
from ..ir.instruction import Ref
from ..ir.strides import contiguous

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View


class Sizes(TypedDict):
    """The sizes with which GATHER, SCATTER and SCATTER_ADD view a block of rows."""

    outer: int
    size: int
    count: int
    inner: int


@dataclass(frozen=True)
class FlatIndices:
    """Indices of rows in a block of `size` rows of `inner` elements each.

    Attributes:
        indices: The operand that holds the indices.
        count: The number of indices.
        size: The number of rows.
        inner: The number of elements of a row.
    """

    indices: Ref
    count: int
    size: int
    inner: int

    def params(self) -> Sizes:
        """Return the parameters of GATHER, SCATTER and SCATTER_ADD."""
        return {"outer": 1, "size": self.size, "count": self.count, "inner": self.inner}


def along_axis(low: Lowering, node: ir.Node, indices: ir.Value, size: int, axis: int) -> FlatIndices:
    """Return the flat indices of elements that differ from their index's position only in `axis`.

    The tensor that they select from has the shape of `indices`, but `size` elements along `axis`.
    """
    shape = static_shape(indices, node)
    outer, count, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    known = known_indices(node, indices, [size])
    if known is not None:
        o, _, n = np.ogrid[:outer, :count, :inner]
        flat = low.constant(as_bytes((o * size + known.reshape(outer, count, inner)) * inner + n))
    else:
        flat = new_indices(low, node, math.prod(shape)).ref
        made = FlatIndex(
            indices=low.ref(indices),
            y=flat,
            outer=outer,
            size=size,
            count=count,
            inner=inner,
            i_outer=count * inner,
            i_count=inner,
            i_inner=1,
            accumulate=False,
        )
        low.emit(node, made)
    return FlatIndices(flat, math.prod(shape), outer * size * inner, 1)


def by_tuples(
    low: Lowering, node: ir.Node, indices: ir.Value, shape: Sequence[int], batch_dims: int = 0
) -> FlatIndices:
    """Return the flat indices in a tensor of `shape` of tuples along the last axis of `indices`.

    A tuple has one index for each axis after the batch axes; there may be fewer indices than axes.
    """
    given = static_shape(indices, node)
    if not given:
        raise ModelError(
            "the indices have no dimensions", "give them at least one: tuples along the last", describe(node)
        )
    sizes = shape[batch_dims : batch_dims + given[-1]]
    batch, points = math.prod(shape[:batch_dims]), math.prod(given[batch_dims:-1])
    known = known_indices(node, indices, sizes)
    if known is not None:
        flat = low.constant(as_bytes(horner(known.reshape(batch, points, given[-1]), sizes)))
    else:
        flat = flat_tuples(low, node, indices, (batch, points, given[-1]), sizes)
    taken = batch_dims + given[-1]
    return FlatIndices(flat, batch * points, math.prod(shape[:taken]), math.prod(shape[taken:]))


def horner(tuples: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return the flat indices of tuples (batch, points, one index for each axis).

    Each sample of the batch has rows of its own.
    """
    flat = np.arange(len(tuples))[:, None]
    for axis, size in enumerate(sizes):
        flat = flat * size + tuples[..., axis]
    return flat


def flat_tuples(
    low: Lowering, node: ir.Node, indices: ir.Value, shape: tuple[int, int, int], sizes: Sequence[int]
) -> Ref:
    """Emit horner() as one FLAT_INDEX for each axis, and return the result.

    `shape` is (batch, points, indices in a tuple).
    """
    batch, points, depth = shape
    flat, source = new_indices(low, node, batch * points), low.ref(indices)
    for axis, size in enumerate(sizes):
        made = FlatIndex(
            indices=Ref(source.buffer, source.offset + 4 * axis),
            y=flat.ref,
            outer=batch,
            size=size,
            count=points,
            inner=1,
            i_outer=points * depth,
            i_count=depth,
            i_inner=1,
            accumulate=axis > 0,
        )
        low.emit(node, made)
    return flat.ref


def new_indices(low: Lowering, node: ir.Node, count: int) -> View:
    """Return scratch memory for the flat indices."""
    return low.scratch(f"{node.outputs[0].name}.places", [count], [1])


def known_indices(node: ir.Node, indices: ir.Value, sizes: Sequence[int]) -> np.ndarray | None:
    """Return constant indices counted from the front, or None if they are data.

    `sizes` are those of the axes that the last axis of `indices` selects from, or one size for all.

    Raises:
        ModelError: An index is out of range.
    """
    array = constant_array(indices)
    if array is None:
        return None
    if (array < -np.array(sizes)).any() or (array >= np.array(sizes)).any():
        raise ModelError(f"indices {array.tolist()} leave axes of sizes {list(sizes)}", "", describe(node))
    return array % np.array(sizes)


def as_bytes(indices: np.ndarray) -> bytes:
    """Return the indices as the bytes of int32 numbers."""
    return np.ascontiguousarray(indices, np.int32).tobytes()


def gather(low: Lowering, node: ir.Node, x: Ref, flat: FlatIndices) -> None:
    """Emit one GATHER, whose result is the node's output."""
    low.emit(node, Gather(x=x, indices=flat.indices, y=low.output(node.outputs[0]), **flat.params()))


def scatter_add(low: Lowering, node: ir.Node, dy: ir.Value, target: Ref, flat: FlatIndices) -> None:
    """Emit one SCATTER_ADD, which adds dy at the indices of `target`."""
    low.emit(node, ScatterAdd(dy=low.ref(dy), indices=flat.indices, dx=target, **flat.params()))


def part_of(low: Lowering, x: View, shape: Sequence[int], part: Sequence[int], node: ir.Node) -> View:
    """Return the first elements of x along each axis, row-major, copied if x is not."""
    if list(shape) == list(part) and x.strides == contiguous(shape):
        return x
    copy = low.scratch(f"{node.outputs[0].name}.part", part, contiguous(part))
    low.move(node, part, x, copy)
    return copy


def put_back_body(op_type: str, attribute: str) -> str:
    """Return the body of <op_type>Grad in standard ONNX: 0 like X, and each dY added at its origin.

    The origin is found by applying the operator to the numbers of X's elements.
    """
    return f"""
{op_type}Grad <{attribute}: int> (dY, indices, X) => (dX) {{
  all = Constant <value_ints = [-1]> ()
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  shape = Shape (X)
  count = Size (X)
  numbers = Range (zero, count, one)
  places = Reshape (numbers, shape)
  taken = {op_type} <{attribute}: int = @{attribute}> (places, indices)
  at = Reshape (taken, all)
  flat = Reshape (dY, all)
  length = Reshape (count, all)
  zeros = ConstantOfShape (length)
  sums = ScatterElements <axis = 0, reduction = "add"> (zeros, at, flat)
  dX = Reshape (sums, shape)
}}"""
