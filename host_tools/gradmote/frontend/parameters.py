"""The initializers that could train: weights, and what is not one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..ir.affine import QUANTIZED, dequantizers_of
from ..ir.metadata import BUFFERS, WEIGHTS
from ..ir.settings import is_setting
from .buffers import is_factor, roles_of

#: Names that exporters and simplifiers give to numbers of the model's code. PyTorch's exporter writes val_<n>.
_NUMBER = re.compile(r"val_\d+|scalar_tensor.*|onnx::.*|.*const.*|.*\beps(ilon)?\b.*|.*/[xy](:\d+)?", re.IGNORECASE)
_COMPUTED = re.compile(r"val_\d+")

#: An array with an element at or below -MASK is a mask: no weight is that far below zero.
MASK = 1e9


def trainable(graph: ir.Graph) -> list[str]:
    """Return the initializers that could be trained.

    They are float32 or quantized, have at least one element, and are not settings of an operator.
    """
    return [str(name) for name, v in graph.initializers.items() if is_trainable(v)]


def is_trainable(value: ir.Value) -> bool:
    """Return whether an initializer could be trained."""
    data = value.const_value
    if data is None or data.size == 0 or is_setting(value):
        return False
    return data.dtype == ir.DataType.FLOAT or (data.dtype in QUANTIZED and dequantizers_of(value) is not None)


def is_mask(array: np.ndarray) -> bool:
    """Return whether the array drops scores before a Softmax, by -1e9 or less, or infinity."""
    return array.size > 0 and float(array.min()) <= -MASK


def is_zero_state(value: ir.Value) -> bool:
    """Return whether the value is only the zero initial state of a recurrent layer.

    Exporters write such a state in the same way as a weight.
    """
    uses = list(value.uses())
    starts = all(use.node.op_type in ("LSTM", "GRU", "RNN") and use.idx in (5, 6) for use in uses)
    return bool(uses) and starts and not value.const_value.numpy().any()  # type: ignore[union-attr]


def weights(graph: ir.Graph) -> list[str]:
    """Return the names of the model's own weights.

    These are all quantized initializers, and the float32 ones except masks, zero states, numbers of its
    code and other buffers.
    """
    return sort_constants([graph]).weights


@dataclass(frozen=True)
class Constants:
    """The names of a model's constants, sorted by the rule of buffers.py."""

    weights: list[str]
    buffers: list[str]
    unsure: list[str]


def sort_constants(graphs: Iterable[ir.Graph]) -> Constants:
    """Return the weights of a graph and its branches, what else could train, and the doubtful weights.

    If no constant is a weight by its role or form, all of them may be, because something is meant to train.
    """
    found = Constants([], [], [])
    for graph in graphs:
        names = trainable(graph)
        own = [n for n in names if graph.initializers[n].dtype == ir.DataType.FLOAT]
        roles = roles_of(graph, [n for n in own if is_float_weight(graph.initializers[n])])
        none = {n for n in own if not is_float_weight(graph.initializers[n])} | roles.buffers
        found.weights.extend(n for n in names if n not in none)
        found.buffers.extend(n for n in names if n in roles.buffers)
        found.unsure.extend(roles.unsure)
    return found if found.weights else Constants(found.buffers, [], found.buffers)


def is_float_weight(value: ir.Value) -> bool:
    """Return whether a float32 initializer is neither a mask nor a zero state nor a number of the model's code."""
    array = value.const_value.numpy()  # type: ignore[union-attr]
    masks = is_mask(array) and (np.isfinite(array).all() or not is_factor(value))  # an infinite weight is refused later
    return not is_zero_state(value) and not masks and not is_number(value)


def candidates(graph: ir.Graph) -> list[str]:
    """Return the model's own weights that still exist, or all that could be trained if none were recorded."""
    noted = WEIGHTS.read(graph)
    return [n for n in trainable(graph) if (noted is None or n in noted) and not is_number(graph.initializers[n])]


def is_number(value: ir.Value) -> bool:
    """Return whether the value is a number of the model's code, not a learnable scale.

    Examples are the scale of attention, an epsilon, or an exponent. Only the name distinguishes the
    first two from a learnable scale. A tensor with more than one element may be a weight that PyTorch's
    exporter transposed, and so is never such a number.
    """
    shape = np.shape(value.const_value.numpy()) if value.const_value is not None else None
    pattern = {(): _NUMBER, (1,): _COMPUTED}.get(shape) if shape is not None else None
    by_name = pattern is not None and pattern.fullmatch(str(value.name)) is not None
    return by_name or (shape == () and all(use.node.op_type == "Pow" and use.idx == 1 for use in value.uses()))


def left_out(graph: ir.Graph) -> list[str]:
    """Return the model's buffers, and the numbers that only their names distinguish from weights.

    They are trained only if they are named in full.
    """
    buffers = BUFFERS.read(graph, [])
    others = set(trainable(graph)).difference(candidates(graph), buffers)
    return buffers + [n for n in graph.initializers if n in others and is_scalar(graph.initializers[n])]


def is_scalar(value: ir.Value) -> bool:
    """Return whether the value is a constant without dimensions."""
    return value.const_value is not None and len(value.const_value.shape) == 0


def some(names: Sequence[str], limit: int = 20) -> str:
    """Return the first names as text, for messages."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(names[:limit]) or "none") + more
