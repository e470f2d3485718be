"""Places by several indices, of GatherElements, GatherND and what scatters, as places by one: element
((first size + index) inner + n) of a block, which GATHER, SCATTER and SCATTER_ADD take.

Constant indices become constant places; those that are data are checked on the device, each time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..compiler.program import Ref
from ..compiler.strides import contiguous
from ..errors import ModelError
from ..model.graph import constant_array, describe, static_shape

if TYPE_CHECKING:
    from ..compiler.lowering import Lowering, View


@dataclass(frozen=True)
class Places:
    """count places among `size` rows of `inner` elements each."""

    indices: Ref
    count: int
    size: int
    inner: int

    def params(self) -> dict[str, int]:
        """Of GATHER, SCATTER and SCATTER_ADD."""
        return {"outer": 1, "size": self.size, "count": self.count, "inner": self.inner}


def along_axis(low: Lowering, node: ir.Node, indices: ir.Value, size: int, axis: int) -> Places:
    """Places in a tensor of the shape of `indices`, `size` along `axis`: each element's own, but along that axis."""
    shape = static_shape(indices, node)
    outer, count, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    known = known_indices(node, indices, [size])
    if known is not None:
        o, _, n = np.ogrid[:outer, :count, :inner]
        flat = low.constant(as_bytes((o * size + known.reshape(outer, count, inner)) * inner + n))
    else:
        walk = {"i_outer": count * inner, "i_count": inner, "i_inner": 1, "accumulate": 0}
        sizes = {"outer": outer, "size": size, "count": count, "inner": inner}
        flat = new_places(low, node, math.prod(shape)).ref
        low.emit("FLAT_INDEX", node, {"indices": low.ref(indices), "y": flat}, sizes | walk)
    return Places(flat, math.prod(shape), outer * size * inner, 1)


def by_tuples(low: Lowering, node: ir.Node, indices: ir.Value, shape: Sequence[int], batch_dims: int = 0) -> Places:
    """Places in a tensor of `shape`: the last axis of `indices` has an index for each axis behind the batch's."""
    given = static_shape(indices, node)
    sizes = shape[batch_dims : batch_dims + given[-1]]
    batch, points = math.prod(shape[:batch_dims]), math.prod(given[batch_dims:-1])
    known = known_indices(node, indices, sizes)
    if known is not None:
        flat = low.constant(as_bytes(horner(known.reshape(batch, points, given[-1]), sizes)))
    else:
        flat = flat_tuples(low, node, indices, (batch, points, given[-1]), sizes)
    taken = batch_dims + given[-1]
    return Places(flat, batch * points, math.prod(shape[:taken]), math.prod(shape[taken:]))


def horner(tuples: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Places of tuples (batch, points, one index an axis), each sample in rows of its own."""
    places = np.arange(len(tuples))[:, None]
    for axis, size in enumerate(sizes):
        places = places * size + tuples[..., axis]
    return places


def flat_tuples(
    low: Lowering, node: ir.Node, indices: ir.Value, shape: tuple[int, int, int], sizes: Sequence[int]
) -> Ref:
    """horner() on the device, an instruction for each axis; shape: (batch, points, indices in a tuple)."""
    batch, points, depth = shape
    flat, source = new_places(low, node, batch * points), low.ref(indices)
    for axis, size in enumerate(sizes):
        params = {"outer": batch, "size": size, "count": points, "inner": 1, "accumulate": int(axis > 0)}
        walk = {"i_outer": points * depth, "i_count": depth, "i_inner": 1}
        operands = {"indices": Ref(source.buffer, source.offset + 4 * axis), "y": flat.ref}
        low.emit("FLAT_INDEX", node, operands, params | walk)
    return flat.ref


def new_places(low: Lowering, node: ir.Node, count: int) -> View:
    return low.scratch(f"{node.outputs[0].name}.places", [count], [1])


def known_indices(node: ir.Node, indices: ir.Value, sizes: Sequence[int]) -> np.ndarray | None:
    """Constant indices counted from the front; None where they are data. sizes: of the axes that the last axis of
    `indices` is about, or of all. Raises ModelError for one out of range."""
    array = constant_array(indices)
    if array is None:
        return None
    if (array < -np.array(sizes)).any() or (array >= np.array(sizes)).any():
        raise ModelError(f"indices {array.tolist()} leave axes of sizes {list(sizes)}", "", describe(node))
    return array % np.array(sizes)


def as_bytes(places: np.ndarray) -> bytes:
    return np.ascontiguousarray(places, np.int32).tobytes()


def gather(low: Lowering, node: ir.Node, x: Ref, places: Places) -> None:
    """The node's output is what lies at the places."""
    operands = {"x": x, "indices": places.indices, "y": low.output(node.outputs[0])}
    low.emit("GATHER", node, operands, places.params())


def scatter_add(low: Lowering, node: ir.Node, dy: ir.Value, target: Ref, places: Places) -> None:
    low.emit("SCATTER_ADD", node, {"dy": low.ref(dy), "indices": places.indices, "dx": target}, places.params())


def part_of(low: Lowering, x: View, shape: Sequence[int], part: Sequence[int], node: ir.Node) -> View:
    """The first elements of x along each axis, row-major, copied where they do not lie so."""
    if list(shape) == list(part) and x.strides == contiguous(shape):
        return x
    copy = low.scratch(f"{node.outputs[0].name}.part", part, contiguous(part))
    low.move(node, part, x, copy)
    return copy


def put_back_body(op_type: str, attribute: str) -> str:
    """Return the body of <op_type>Grad in standard ONNX: a tensor like X of 0, and each dY added where it came from.

    That place is found by taking the numbers of X's elements in place of the elements.
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
