"""The layout of int8 weights: frozen ones are stored as kernels read them, trained ones as in ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.graph import constant_array
from ..ir.lowering import View
from ..ir.strides import packed

if TYPE_CHECKING:
    from ..ir.lowering import Lowering


def weight_view(low: Lowering, w: ir.Value, order: Sequence[int]) -> View:
    """Return the view of weights; frozen ones have their axes in `order`, the longest stride first."""
    array = constant_array(w)
    if array is None or w.name in low.shared.state:
        return low.view(w)
    data = np.ascontiguousarray(array.transpose(order))
    return View(low.constant(data.tobytes()), packed(array.shape, order), "i8")


def convolution_order(shape: Sequence[int]) -> list[int]:
    """Return the order for weights (out_channels, in_channels, kernel...) of a convolution.

    In_channels are contiguous; if a group has only one, out_channels are.
    """
    kernel = list(range(2, len(shape)))
    return [*kernel, 1, 0] if shape[1] == 1 else [0, *kernel, 1]
