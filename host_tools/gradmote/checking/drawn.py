"""Random samples for a model: numbers that its inputs and labels accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from .engine import Arrays

#: Operators that pass indices on unchanged.
_VIEWS = ("Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


def draw(inputs: list[dict[str, Any]], labels: list[dict[str, Any]], model: onnx.ModelProto, classes: int) -> Arrays:
    """Return a batch of inputs and labels by name.

    Floats are normal for inputs and 0 .. 1 for labels; integers are valid indices for a Gather of the model, and
    classes for labels. inputs, labels: those of a session. The same model gets the same samples each time.
    """
    rng, bounds = np.random.default_rng(0), index_bounds(model.graph)
    drawn = {t["name"]: drawn_input(rng, t, bounds.get(t["name"], 2)) for t in inputs}
    return {**drawn, **{t["name"]: drawn_label(rng, t, classes) for t in labels}}


def drawn_input(rng: np.random.Generator, tensor: Mapping[str, Any], bound: int) -> np.ndarray[Any, Any]:
    """Return the numbers of an input. bound: the exclusive upper limit of integers."""
    dtype = np.dtype(tensor["dtype"])
    if dtype == np.float32:
        return rng.normal(size=tensor["shape"]).astype(dtype)
    least, most = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.itemsize == 1 else (0, bound - 1)
    return rng.integers(least, most, tensor["shape"], endpoint=True).astype(dtype)


def drawn_label(rng: np.random.Generator, tensor: Mapping[str, Any], classes: int) -> np.ndarray[Any, Any]:
    """Return the numbers of a label."""
    dtype = np.dtype(tensor["dtype"])
    if dtype == np.float32:
        return rng.uniform(size=tensor["shape"]).astype(dtype)
    return rng.integers(0, classes, tensor["shape"]).astype(dtype)


def index_bounds(graph: onnx.GraphProto) -> dict[str, int]:
    """Return the size of the axis from which each input selects; the smallest, if there are several."""
    tensors = {t.name: tuple(t.dims) for t in graph.initializer}
    producers = {output: node for node in graph.node for output in node.output}
    found: dict[str, int] = {}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tensors:
            axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
            name, size = origin(producers, node.input[1]), tensors[node.input[0]][axis]
            found[name] = min(found.get(name, size), size)
    return found


def origin(producers: Mapping[str, onnx.NodeProto], name: str) -> str:
    """Return the value that another value is a view of."""
    while (node := producers.get(name)) is not None and node.op_type in _VIEWS:
        name = node.input[0]
    return name
