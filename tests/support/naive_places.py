"""GatherElements, GatherND, ScatterElements and ScatterND from their definitions in the ONNX specification, for
onnx.reference: its own support neither fewer indices than data, nor indices that count from the end."""

from __future__ import annotations

import numpy as np
from onnx.reference.op_run import OpRun

COMBINE = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def along(axis, at, index):
    return (*at[:axis], int(index), *at[axis + 1 :])


class GatherElements(OpRun):
    def _run(self, x, indices, axis=None):
        return (np.array([x[along(axis, at, indices[at])] for at in np.ndindex(indices.shape)]).reshape(indices.shape),)


class GatherND(OpRun):
    def _run(self, x, indices, batch_dims=None):
        points = list(np.ndindex(indices.shape[:-1]))
        taken = [x[(*at[:batch_dims], *map(int, indices[at]))] for at in points]
        return (np.array(taken).reshape(*indices.shape[:-1], *x.shape[batch_dims + indices.shape[-1] :]),)


class ScatterElements(OpRun):
    def _run(self, data, indices, updates, axis=None, reduction=None):
        y = data.copy()
        for at in np.ndindex(indices.shape):
            place = along(axis, at, indices[at])
            y[place] = COMBINE[reduction or "none"](y[place], updates[at])
        return (y,)


class ScatterND(OpRun):
    def _run(self, data, indices, updates, reduction=None):
        y = data.copy()
        for at in np.ndindex(indices.shape[:-1]):
            place = tuple(map(int, indices[at]))
            y[place] = COMBINE[reduction or "none"](y[place], updates[at])
        return (y,)


NAIVE = [GatherElements, GatherND, ScatterElements, ScatterND]
