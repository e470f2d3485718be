"""Normalizations from their definitions in the ONNX specification, in the precision of x, for onnx.reference: its own
round the statistics of groups to float32, and use the sum instead of the sum of magnitudes."""

from __future__ import annotations

import numpy as np
from onnx.reference.op_run import OpRun


class GroupNormalization(OpRun):
    """Scale and bias by group or by channel."""

    def _run(self, x, scale, bias, epsilon=None, num_groups=None, stash_type=None):
        grouped = x.reshape(x.shape[0], num_groups, -1)
        mean, var = grouped.mean(2, keepdims=True), grouped.var(2, keepdims=True)
        y = ((grouped - mean) / np.sqrt(var + epsilon)).reshape(x.shape)
        scale, bias = (np.repeat(v, x.shape[1] // len(v)).reshape(-1, *[1] * (x.ndim - 2)) for v in (scale, bias))
        return (y * scale + bias,)


class LpNormalization(OpRun):
    def _run(self, x, axis=None, p=None):
        norm = np.linalg.norm(x, p, axis, keepdims=True)
        return (np.where(norm == 0, 0, x / np.where(norm == 0, 1, norm)),)


def lrn(x: np.ndarray, size: int, alpha: float, beta: float, bias: float) -> np.ndarray:
    """Return LRN over the channels c - (size - 1) // 2 to c + size // 2."""
    squares, first, after = x**2, (size - 1) // 2, size // 2 + 1
    total = np.stack([squares[:, max(0, c - first) : c + after].sum(1) for c in range(x.shape[1])], 1)
    return np.asarray(x / (bias + alpha / size * total) ** beta)


class LRN(OpRun):
    def _run(self, x, alpha=None, beta=None, bias=None, size=None):
        return (lrn(x, size, alpha, beta, bias),)


NAIVE = [GroupNormalization, LpNormalization, LRN]
