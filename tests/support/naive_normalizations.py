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


NAIVE = [GroupNormalization, LpNormalization]
