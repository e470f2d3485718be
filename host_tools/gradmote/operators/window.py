"""Windows that slide over one or two spatial dimensions, shared by convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import attribute, describe


class WindowParams(TypedDict):
    """The parameters of an instruction that position its windows."""

    in_h: int
    in_w: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_h: int
    pad_w: int


class XStrides(TypedDict):
    """The strides of an image x."""

    x_batch: int
    x_h: int
    x_w: int
    x_channel: int


class YStrides(TypedDict):
    """The strides of an image y."""

    y_batch: int
    y_h: int
    y_w: int
    y_channel: int


@dataclass(frozen=True)
class Window:
    """Sizes of a sliding window, a number for each spatial dimension.

    Attributes:
        inputs: Elements of the input.
        outputs: Elements of the output.
        kernel: Taps of the window.
        strides: The distance of adjacent windows.
        dilations: The distance of adjacent taps.
        pads: Padding before the input.
        ends: Padding after the input.
    """

    inputs: list[int]
    outputs: list[int]
    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[int]
    ends: list[int]

    @property
    def explicit_pads(self) -> list[int]:
        """Return the padding in the order of ONNX's attribute pads."""
        return [*self.pads, *self.ends]

    @property
    def uncovered(self) -> list[int]:
        """Return how many elements of the padded input come after the last window.

        The number is negative if ceil_mode lets the window extend past the end.
        """
        sizes = zip(
            self.inputs, self.outputs, self.kernel, self.strides, self.dilations, self.pads, self.ends, strict=True
        )
        return [i - ((o - 1) * s + (k - 1) * d + 1 - p - e) for i, o, k, s, d, p, e in sizes]

    def params(self) -> WindowParams:
        """Return the instruction's parameters; a 1-D window has height 1."""
        missing = [1] * (2 - len(self.inputs))
        in_h, in_w = [*missing, *self.inputs]
        out_h, out_w = [*missing, *self.outputs]
        kernel_h, kernel_w = [*missing, *self.kernel]
        stride_h, stride_w = [*missing, *self.strides]
        dilation_h, dilation_w = [*missing, *self.dilations]
        pad_h, pad_w = [0] * len(missing) + self.pads
        return {
            "in_h": in_h, "in_w": in_w, "out_h": out_h, "out_w": out_w,
            "kernel_h": kernel_h, "kernel_w": kernel_w, "stride_h": stride_h, "stride_w": stride_w,
            "dilation_h": dilation_h, "dilation_w": dilation_w, "pad_h": pad_h, "pad_w": pad_w,
        }  # fmt: skip


def spatial(value: ir.Value) -> list[int]:
    """Return the spatial sizes of (N, C, d1, ...), which must be known; the batch need not be."""
    return [int(d) for d in list(value.shape)[2:]]


def window_of(
    node: ir.Node, inputs: Sequence[int], outputs: Sequence[int], kernel: Sequence[int], most: int = 2
) -> Window:
    """Return the window of a node whose spatial input and output sizes are known.

    Passes rewrite three dimensions as two if the model fixes them.

    Raises:
        UnsupportedOperator: There are more than `most` dimensions.
    """
    dims = len(inputs)
    if not 1 <= dims <= most:
        raise UnsupportedOperator(
            f"{node.op_type} over {dims} spatial dimensions",
            "1-D and 2-D are supported, and 3-D if the model fixes the sizes",
            describe(node),
        )
    strides = list(attribute(node, "strides", [1] * dims))
    dilations = list(attribute(node, "dilations", [1] * dims))
    pads, ends = paddings(node, list(inputs), list(outputs), list(kernel), strides, dilations)
    return Window(list(inputs), list(outputs), list(kernel), strides, dilations, pads, ends)


def require_fit(node: ir.Node, window: Window) -> Window:
    """Return the window of a Conv or a pool, after a check that its padded input is as large.

    ONNX's inference of shapes rounds towards zero there, to an output that is not. With ceil_mode, a window may extend
    past the end.

    Raises:
        UnsupportedOperator: The window is larger.
    """
    sizes = zip(window.inputs, window.kernel, window.dilations, window.pads, window.ends, strict=True)
    for size, taps, dilation, pad, end in sizes:
        reach = (taps - 1) * dilation + 1
        if reach > size + pad + end and not attribute(node, "ceil_mode", 0):
            raise UnsupportedOperator(
                f"{node.op_type} with a window of {reach} elements over {size + pad + end}, padding included",
                "pad the input, or use a smaller kernel or dilation",
                describe(node),
            )
    return window


def paddings(
    node: ir.Node, inputs: list[int], outputs: list[int], kernel: list[int], strides: list[int], dilations: list[int]
) -> tuple[list[int], list[int]]:
    """Return the padding before and after each dimension, with auto_pad resolved."""
    mode, dims = attribute(node, "auto_pad", "NOTSET"), len(inputs)
    if mode in ("NOTSET", ""):
        pads = list(attribute(node, "pads", [0] * 2 * dims))
        return non_negative(node, pads[:dims]), non_negative(node, pads[dims:])
    if mode == "VALID":
        return [0] * dims, [0] * dims
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise UnsupportedOperator(f"auto_pad {mode}", "use explicit pads", describe(node))
    reach = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(outputs, strides, kernel, dilations, strict=True)]
    total = [max(r - i, 0) for r, i in zip(reach, inputs, strict=True)]
    small, large = [t // 2 for t in total], [t - t // 2 for t in total]
    return (small, large) if mode == "SAME_UPPER" else (large, small)


def non_negative(node: ir.Node, pads: list[int]) -> list[int]:
    """Return the pads, after a check that none is negative.

    Raises:
        UnsupportedOperator: A pad is negative.
    """
    if any(p < 0 for p in pads):
        raise UnsupportedOperator(f"negative padding {pads}", "crop with Slice instead", describe(node))
    return pads


def channels_last(shape: Sequence[int]) -> list[int]:
    """Return the strides of a tensor (N, C, d1, ...) that is stored as (N, d1, ..., C)."""
    strides, step = [0] * len(shape), shape[1]
    strides[1] = 1
    for axis in reversed(range(2, len(shape))):
        strides[axis] = step
        step *= shape[axis]
    strides[0] = step
    return strides


def image_strides(strides: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the strides of batch, rows, columns and channels of (N, C, d1, ...)."""
    h, w = [0] * (4 - len(strides)) + list(strides[2:])
    return strides[0], h, w, strides[1]


def x_strides(strides: Sequence[int]) -> XStrides:
    """Return the strides of an instruction's operand x."""
    batch, h, w, channel = image_strides(strides)
    return {"x_batch": batch, "x_h": h, "x_w": w, "x_channel": channel}


def y_strides(strides: Sequence[int]) -> YStrides:
    """Return the strides of an instruction's operand y."""
    batch, h, w, channel = image_strides(strides)
    return {"y_batch": batch, "y_h": h, "y_w": w, "y_channel": channel}
