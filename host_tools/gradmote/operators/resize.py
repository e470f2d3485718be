"""Resize, one axis after the other: each output is one input element (nearest) or a weighted sum of some.

Positions and weights are constants of the image; dx adds dy, weighted alike, to where it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import attribute, constant_array, describe, normalize_axis, rank, static_shape
from .constants import given
from .operator import Backward, Gradients, Operator
from .selection import Table, known_dims, put_back, take

if TYPE_CHECKING:
    from ..lowering import Lowering

#: What the positions are rounded with in mode nearest.
ROUNDING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - np.float32(0.5)),
    "round_prefer_ceil": lambda x: np.floor(x + np.float32(0.5)),
}


def refuse(node: ir.Node, what: str, hint: str) -> UnsupportedOperator:
    return UnsupportedOperator(f"Resize with {what}", hint, describe(node))


def axis_scales(node: ir.Node) -> dict[int, np.float32]:
    """The factor of each axis that changes, in float32 as other runtimes compute."""
    x, y = known_dims(node.inputs[0]), known_dims(node.outputs[0])
    scales = given(node, 2)
    if scales is None or 0 in list(scales.shape or ()):
        if attribute(node, "keep_aspect_ratio_policy", "stretch") != "stretch":
            raise refuse(node, "an aspect ratio to keep", "export it with the sizes that result")
        return {a: np.float32(y[a]) / np.float32(x[a]) for a in range(len(x)) if x[a] != y[a]}
    array = constant_array(scales)
    if array is None:
        raise refuse(node, "scales that are computed", "make the scales constant")
    axes = attribute(node, "axes", list(range(rank(node.inputs[0], node))))
    factors = {normalize_axis(a, node.inputs[0], node): s for a, s in zip(axes, array, strict=True)}
    return {a: np.float32(s) for a, s in factors.items() if s != 1}


def tables(node: ir.Node) -> dict[int, Table]:
    """For each axis that changes, what is taken for each output."""
    x, y = known_dims(node.inputs[0]), known_dims(node.outputs[0])
    if attribute(node, "antialias", 0):
        raise refuse(node, "antialias", "export it without")
    return {axis: table(node, x[axis], y[axis], scale) for axis, scale in axis_scales(node).items()}


def table(node: ir.Node, size: int, count: int, scale: np.float32) -> Table:
    if size < 1 or count < 1:
        raise refuse(node, "a change of a dimension that is not fixed", "only height and width can be resized")
    where = positions(node, size, count, scale)
    mode = attribute(node, "mode", "nearest")
    if mode == "nearest":
        rounding = ROUNDING[attribute(node, "nearest_mode", "round_prefer_floor")]
        return Table(np.clip(rounding(where), 0, size - 1).astype(np.int64))
    first = np.floor(where)
    fraction = (where - first).astype(np.float64)
    if mode == "linear":
        return weighted(first, [1 - fraction, fraction], 0, size)
    if attribute(node, "exclude_outside", 0):
        raise refuse(node, "exclude_outside", "export it without")
    return weighted(first, cubic(fraction, attribute(node, "cubic_coeff_a", -0.75)), -1, size)


def positions(node: ir.Node, size: int, count: int, scale: np.float32) -> np.ndarray:
    """Where each output lies in the input's coordinates."""
    mode, half = attribute(node, "coordinate_transformation_mode", "half_pixel"), np.float32(0.5)
    i = np.arange(count, dtype=np.float32)
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return i * np.float32(size - 1) / np.float32(max(count - 1, 1))
    if mode == "pytorch_half_pixel" and count == 1:
        return np.zeros(1, np.float32)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (i + half) / scale - half
    raise refuse(node, f"coordinate mode {mode}", "use half_pixel, pytorch_half_pixel, asymmetric or align_corners")


def weighted(first: np.ndarray, weights: list[np.ndarray], offset: int, size: int) -> Table:
    """Taps from `first` + offset on; those outside of the input read its border."""
    indices = np.stack([first + offset + t for t in range(len(weights))], axis=1)
    return Table(np.clip(indices, 0, size - 1).astype(np.int64), np.stack(weights, axis=1).astype(np.float32))


def cubic(t: np.ndarray, a: float) -> list[np.ndarray]:
    """The four weights at fraction t (Keys 1981)."""
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1, 2 - t)]
    return [far[0], near[0], near[1], far[1]]


def gradient(back: Backward) -> Gradients:
    node, dx = back.node, back.dy[0]
    shape, x = known_dims(node.outputs[0]), known_dims(node.inputs[0])
    for axis, chosen in reversed(tables(node).items()):
        shape[axis] = x[axis]
        dx = put_back(back, dx, shape, axis, chosen)
    return [dx, None, None, None]


def lower(low: Lowering, node: ir.Node) -> None:
    view, shape = low.view(node.inputs[0]), list(static_shape(node.inputs[0], node))
    for axis, chosen in tables(node).items():
        view, shape = take(low, node, view, shape, axis, chosen)
    low.set_view(node.outputs[0], view.ref, view.strides)


OPERATORS = [Operator("Resize", gradient, lower)]
