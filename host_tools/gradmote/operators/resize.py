"""Resize, one axis after the other.

Each output is one input element (nearest) or a weighted sum of several. Positions and weights are
constants of the image; dx adds dy, with the same weights, at the positions that it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import attribute, constant_array, describe, normalize_axis, rank, static_shape
from .constants import given, integers, known_dim
from .operator import Backward, Gradients, Operator
from .selection import Table, known_dims, put_back, take

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: The rounding of positions in mode nearest, by the attribute nearest_mode.
ROUNDING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - np.float32(0.5)),
    "round_prefer_ceil": lambda x: np.floor(x + np.float32(0.5)),
}
#: The region that is all of an axis.
WHOLE = (0.0, 1.0)


def refuse(node: ir.Node, what: str, hint: str) -> UnsupportedOperator:
    """Return the refusal of a Resize with `what`; `hint` says what to do."""
    return UnsupportedOperator(f"Resize with {what}", hint, describe(node))


def axis_scales(node: ir.Node) -> dict[int, np.float32]:
    """Return the factor of each resized axis, in float32 as in other runtimes.

    Raises:
        UnsupportedOperator: The scales are computed.
    """
    scales = given(node, 2)
    if scales is None or 0 in list(scales.shape or ()):
        return scales_of_sizes(node)
    array = constant_array(scales)
    if array is None:
        raise refuse(node, "computed scales", "make the scales constant")
    return dict(zip(resized_axes(node), np.asarray(array, np.float32), strict=True))


def resized_axes(node: ir.Node) -> list[int]:
    """Return the node's axes, counted from 0; all by default."""
    axes = attribute(node, "axes", list(range(rank(node.inputs[0], node))))
    return [normalize_axis(a, node.inputs[0], node) for a in axes]


def scales_of_sizes(node: ir.Node) -> dict[int, np.float32]:
    """Return the factors that follow from the given sizes.

    With keep_aspect_ratio_policy "stretch" each axis has its own, else all have the smallest
    ("not_larger") or the largest ("not_smaller").
    """
    x, y = known_dims(node.inputs[0]), known_dims(node.outputs[0])
    policy = attribute(node, "keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return {a: np.float32(y[a]) / np.float32(x[a]) for a in range(len(x)) if x[a] != y[a]}
    axes, wanted = resized_axes(node), integers(node, 3, "sizes") or []
    factors = [np.float32(size) / np.float32(known_dim(node.inputs[0], a, node)) for a, size in zip(axes, wanted)]
    return dict.fromkeys(axes, min(factors) if policy == "not_larger" else max(factors))


def regions(node: ir.Node) -> dict[int, tuple[float, float]]:
    """Return where each axis begins and ends in the input, as shares of its size.

    Only tf_crop_and_resize has such regions, in its input roi.

    Raises:
        UnsupportedOperator: The region is computed.
    """
    if attribute(node, "coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize":
        return {}
    array, axes = constant_array(given(node, 1)), resized_axes(node)
    if array is None:
        raise refuse(node, "a computed region", "make roi constant")
    return {a: (float(array[i]), float(array[len(axes) + i])) for i, a in enumerate(axes)}


def tables(node: ir.Node) -> dict[int, Table]:
    """Return the table of positions and weights of each axis that changes."""
    x, y, roi = known_dims(node.inputs[0]), known_dims(node.outputs[0]), regions(node)
    changed = {a: s for a, s in axis_scales(node).items() if s != 1 or roi.get(a, WHOLE) != WHOLE}
    return {a: table(node, x[a], y[a], scale, roi.get(a, WHOLE)) for a, scale in changed.items()}


def table(node: ir.Node, size: int, count: int, scale: np.float32, region: tuple[float, float]) -> Table:
    """Return the table of positions and weights of one axis.

    `size` and `count` are the elements of input and output along it.

    Raises:
        UnsupportedOperator: A size is not fixed.
    """
    if size < 1 or count < 1:
        raise refuse(node, "a change of a dimension that is not fixed", "only height and width can be resized")
    where = positions(node, size, count, scale, region)
    mode = attribute(node, "mode", "nearest")
    if mode == "nearest":
        rounding = ROUNDING[attribute(node, "nearest_mode", "round_prefer_floor")]
        return Table(np.clip(rounding(where), 0, size - 1).astype(np.int64))
    return weighted(node, where, size, min(float(scale), 1.0) if attribute(node, "antialias", 0) else 1.0)


def positions(node: ir.Node, size: int, count: int, scale: np.float32, region: tuple[float, float]) -> np.ndarray:
    """Return the position of each output in the input's coordinates.

    The corners are those of the whole output, as in PyTorch. ONNX's reference aligns the corners with
    size times scale, and the output's size is the integer part of that.
    """
    mode, half = attribute(node, "coordinate_transformation_mode", "half_pixel"), np.float32(0.5)
    i = np.arange(count, dtype=np.float32)
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return i * np.float32(size - 1) / np.float32(max(count - 1, 1))
    if mode == "tf_crop_and_resize":
        return cropped(node, i, size, region)
    if mode == "pytorch_half_pixel" and count == 1:
        return np.zeros(1, np.float32)
    centred = (i + half) / scale - half
    if mode == "half_pixel_symmetric":  # half of scale size - count is cut at each end
        return centred + np.float32(size / 2) * (1 - np.float32(count) / (scale * np.float32(size)))
    return centred


def cropped(node: ir.Node, i: np.ndarray, size: int, region: tuple[float, float]) -> np.ndarray:
    """Return positions from one end of the region to the other, its middle for a single output.

    Raises:
        UnsupportedOperator: The region leaves the input.
    """
    start, end = (np.float32(share) * np.float32(size - 1) for share in region)
    where = start + i * ((end - start) / np.float32(len(i) - 1)) if len(i) > 1 else np.array([(start + end) / 2])
    if where.min() < 0 or where.max() > size - 1:
        raise refuse(node, "a region that leaves its input (extrapolation_value)", "Pad the input, then crop")
    return where


def weighted(node: ir.Node, where: np.ndarray, size: int, shrink: float) -> Table:
    """Return the neighbours of each position, weighted by their distance.

    Neighbours outside of the input read its border, or have no weight (exclude_outside). A `shrink` below
    1 makes the kernel wide enough for all inputs between two outputs.
    """
    kernel, reach = KERNELS[attribute(node, "mode")]
    first = int(np.floor(-reach / shrink)) + 1
    below = np.floor(where)
    taps = np.arange(first, 2 - first)
    indices = below[:, None].astype(np.int64) + taps
    distances = np.abs(shrink * (taps - (where - below).astype(np.float64)[:, None]))
    weights = kernel(distances, attribute(node, "cubic_coeff_a", -0.75))
    if attribute(node, "exclude_outside", 0):
        weights = np.where((indices >= 0) & (indices < size), weights, 0.0)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return Table(np.clip(indices, 0, size - 1), weights.astype(np.float32))


def triangle(d: np.ndarray, _: float) -> np.ndarray:
    """Return the weight max(1 - d, 0) at distance d."""
    return np.maximum(1 - d, 0)


def cubic(d: np.ndarray, a: float) -> np.ndarray:
    """Return the weight at distance d of the cubic convolution kernel (Keys 1981)."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


#: For each mode that mixes neighbours, the weight by distance, and the distance at which it ends.
KERNELS: dict[str, tuple[Callable[[np.ndarray, float], np.ndarray], int]] = {
    "linear": (triangle, 1),
    "cubic": (cubic, 2),
}


def gradient(back: Backward) -> Gradients:
    """Return dx: dy with the same weights, added at the positions that each output came from."""
    node, dx = back.node, back.dy[0]
    shape, x = known_dims(node.outputs[0]), known_dims(node.inputs[0])
    for axis, chosen in reversed(tables(node).items()):
        shape[axis] = x[axis]
        dx = put_back(back, dx, shape, axis, chosen)
    return [dx, None, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    """Emit one GATHER or WEIGHTED_GATHER for each axis that changes."""
    view, shape = low.view(node.inputs[0]), list(static_shape(node.inputs[0], node))
    for axis, chosen in tables(node).items():
        view, shape = take(low, node, view, shape, axis, chosen)
    low.set_view(node.outputs[0], view)


LIMITS = "a region (roi) that leaves its input, and with it extrapolation_value, is refused."

OPERATORS = [Operator("Resize", gradient, lower, any_width=True, constants=(1, 2, 3), limits=LIMITS)]
