"""Conv and pools from their definitions in the ONNX specification, tap by tap, for onnx.reference: its own are wrong
for some paddings, groups and ceil_mode, and nothing else here runs a graph in float64."""

from __future__ import annotations

import itertools

import numpy as np
from onnx.reference.op_run import OpRun


def geometry(sizes, kernel, strides, pads, dilations, auto_pad, ceil_mode=0):
    """Return (outputs, pads before, pads after, strides, dilations) by spatial dimension."""
    dims = len(sizes)
    strides, dilations = strides or [1] * dims, dilations or [1] * dims
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        outputs = [-(-i // s) for i, s in zip(sizes, strides)]
        total = [max((o - 1) * s + r - i, 0) for o, s, r, i in zip(outputs, strides, reach, sizes)]
        small = [t // 2 for t in total]
        large = [t - t // 2 for t in total]
        before, after = (small, large) if auto_pad == "SAME_UPPER" else (large, small)
        return outputs, before, after, strides, dilations
    given = pads if pads and auto_pad != "VALID" else [0] * 2 * dims
    before, after = given[:dims], given[dims:]
    free = [i + b + a - r for i, b, a, r in zip(sizes, before, after, reach)]
    outputs = [(-(-f // s) if ceil_mode else f // s) + 1 for f, s in zip(free, strides)]
    if ceil_mode:  # a window must not start in the padding at the end
        outputs = [o - ((o - 1) * s >= i + b) for o, s, i, b in zip(outputs, strides, sizes, before)]
    return outputs, before, after, strides, dilations


def windows(shape, kernel, strides, pads, dilations, auto_pad, ceil_mode=0):
    """Yield for each output its index and a list of (kernel index, input index, inside input, inside padding)."""
    sizes = shape[2:]
    outputs, before, after, strides, dilations = geometry(sizes, kernel, strides, pads, dilations, auto_pad, ceil_mode)
    for at in itertools.product(*map(range, outputs)):
        taps = []
        for k in itertools.product(*map(range, kernel)):
            place = [o * s + c * d - b for o, s, c, d, b in zip(at, strides, k, dilations, before)]
            inside = all(0 <= p < i for p, i in zip(place, sizes))
            padded = all(-b <= p < i + a for p, i, b, a in zip(place, sizes, before, after))
            taps.append((k, tuple(place), inside, padded))
        yield at, taps, outputs


class Conv(OpRun):
    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=None, kernel_shape=None, pads=None, strides=None):
        out_channels, channels = w.shape[0] // group, w.shape[1]
        y = None
        for at, taps, outputs in windows(x.shape, w.shape[2:], strides, pads, dilations, auto_pad):
            y = np.zeros((x.shape[0], w.shape[0], *outputs), x.dtype) if y is None else y
            for k, place, inside, _ in taps:
                for g in range(group if inside else 0):
                    seen = x[(slice(None), slice(g * channels, (g + 1) * channels), *place)]
                    kernel = w[(slice(g * out_channels, (g + 1) * out_channels), slice(None), *k)]
                    y[(slice(None), slice(g * out_channels, (g + 1) * out_channels), *at)] += seen @ kernel.T
        return (y if b is None else y + b.reshape(-1, *[1] * (x.ndim - 2)),)


class MaxPool(OpRun):
    def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None, kernel_shape=None, pads=None, storage_order=None,
             strides=None):  # fmt: skip
        y = None
        for at, taps, outputs in windows(x.shape, kernel_shape, strides, pads, dilations, auto_pad, ceil_mode):
            y = np.zeros((*x.shape[:2], *outputs), x.dtype) if y is None else y
            seen = [x[(slice(None), slice(None), *place)] for _, place, inside, _ in taps if inside]
            y[(slice(None), slice(None), *at)] = np.max(seen, axis=0)
        return (y,)


class AveragePool(OpRun):
    def _run(self, x, auto_pad=None, ceil_mode=None, count_include_pad=None, dilations=None, kernel_shape=None,
             pads=None, strides=None):  # fmt: skip
        y = None
        for at, taps, outputs in windows(x.shape, kernel_shape, strides, pads, dilations, auto_pad, ceil_mode):
            y = np.zeros((*x.shape[:2], *outputs), x.dtype) if y is None else y
            seen = [x[(slice(None), slice(None), *place)] for _, place, inside, _ in taps if inside]
            count = sum(padded if count_include_pad else inside for _, _, inside, padded in taps)
            y[(slice(None), slice(None), *at)] = np.sum(seen, axis=0) / count
        return (y,)


class GlobalMaxPool(OpRun):
    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


NAIVE = [Conv, MaxPool, AveragePool, GlobalMaxPool]
