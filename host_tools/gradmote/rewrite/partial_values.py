"""Integer tensors of shape computations that are partly known although the batch is not.

The shape of x (N, 6, 8) is (?, 6, 8); its last element, and everything computed from that alone,
is constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ..ir.graph import attribute, constant_array

#: Larger tensors are not tracked: shapes and computations on them are short.
LIMIT = 64

#: Operators that move elements of their first input; further inputs determine the positions.
MOVING = {"Gather", "Slice", "Unsqueeze", "Squeeze", "Reshape", "Expand", "Transpose", "Split", "Flatten"}
#: Operators whose output elements each depend on the input elements at the same index.
ELEMENTWISE = {"Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Min", "Max", "Pow", "Sqrt", "Ceil", "Floor"} | {
    "Cast", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Not", "Where", "Identity"
}  # fmt: skip

#: Operators whose last input is the shape of their output.
SHAPED = {"Expand", "ConstantOfShape", "Reshape"}

#: A dimension: its size, its symbol, or None if unknown.
Dim = int | str | None

#: A function that runs a node on arrays; returns None if onnx cannot run the node.
Run = Callable[[ir.Node, dict[str, np.ndarray]], "list[np.ndarray] | None"]


#: Marks of elements. A mark above 0 is the number of a symbolic dimension that the element equals.
KNOWN, UNKNOWN = 0, -1


@dataclass(frozen=True)
class Partial:
    """An array with a mark for each element; unknown elements hold 1."""

    array: np.ndarray
    marks: np.ndarray

    @property
    def complete(self) -> bool:
        """Return whether every element is known."""
        return not self.marks.any()


class PartialValues:
    """The partly known values of a graph, which visit() propagates from node to node.

    `run` evaluates one node; values named in `keep` are unknown.
    """

    def __init__(self, run: Run, keep: Set[str]) -> None:
        """Start with no known values."""
        self.run = run
        self.keep = keep
        self.values: dict[ir.Value, Partial] = {}
        self.symbols: dict[str, int] = {}

    def visit(self, node: ir.Node) -> list[np.ndarray] | None:
        """Record the known elements of the node's outputs; return the outputs if all are known."""
        if node.op_type in SHAPED and not node.domain:
            self.note_shape(node)
        parts = self.outputs(node)
        if parts is None:
            return None
        self.values.update(zip(node.outputs, parts, strict=True))
        return [p.array for p in parts] if all(p.complete for p in parts) else None

    def note_shape(self, node: ir.Node) -> None:
        """Set the shape of an output if a partly known input states it.

        This helps if onnx could not infer that input.
        """
        x, y = node.inputs[0], node.outputs[0]
        stated = self.look_up(node.inputs[-1]) if node.inputs[-1] is not None else None
        if stated is None or x is None or x.shape is None or (y.shape is not None and y.shape.is_static()):
            return
        dims = self.dims_of(stated)
        if node.op_type == "Expand":
            dims = broadcast_dims(list(x.shape), dims)
        elif node.op_type == "Reshape":
            dims = reshaped_dims(list(x.shape), dims)
        if y.shape is None or len(y.shape) == len(dims):
            old = list(y.shape) if y.shape is not None else dims
            y.shape = ir.Shape([o if d is None or isinstance(o, int) else d for d, o in zip(dims, old, strict=True)])

    def dims_of(self, stated: Partial) -> list[Dim]:
        """Return a list of sizes: integers, symbols, and None for each unknown size."""
        names = {number: name for name, number in self.symbols.items()}
        pairs = zip(stated.array.reshape(-1), stated.marks.reshape(-1), strict=True)
        return [int(d) if mark == KNOWN else names.get(int(mark)) for d, mark in pairs]

    def shape_of(self, node: ir.Node) -> list[Partial] | None:
        """Return the partly known output of a Shape node."""
        x = node.inputs[0]
        if x is None or x.shape is None:
            return None
        dims = list(x.shape)[attribute(node, "start", 0) : attribute(node, "end", len(x.shape))]
        array = np.array([d if isinstance(d, int) else 1 for d in dims], np.int64)
        return [Partial(array, np.array([self.mark(d) for d in dims], np.int64))]

    def mark(self, dim: int | ir.SymbolicDim) -> int:
        """Return the mark of a dimension: KNOWN, UNKNOWN, or the number of its symbol."""
        if isinstance(dim, int):
            return KNOWN
        return UNKNOWN if dim.value is None else self.symbols.setdefault(dim.value, len(self.symbols) + 1)

    def outputs(self, node: ir.Node) -> list[Partial] | None:
        """Return the partly known outputs of a node, or None if it cannot be evaluated."""
        if node.op_type == "Shape" and not node.domain:
            return self.shape_of(node)
        inputs = [self.look_up(v) for v in node.inputs if v is not None]
        if node.domain or any(p is None for p in inputs):
            return None
        given = [p for p in inputs if p is not None]
        if node.op_type in ELEMENTWISE:
            return self.elementwise(node, given)
        moved = len(given) if node.op_type == "Concat" else 1
        if (node.op_type in MOVING or node.op_type == "Concat") and all(p.complete for p in given[moved:]):
            return self.moving(node, given, moved)
        return None

    def look_up(self, value: ir.Value) -> Partial | None:
        """Return the known elements of a value, or None if there are none."""
        array = constant_array(value)
        if array is not None and array.size <= LIMIT and value.name not in self.keep:
            return Partial(array, np.zeros(array.shape, np.int64))
        return self.values.get(value)

    def elementwise(self, node: ir.Node, inputs: Sequence[Partial]) -> list[Partial] | None:
        """Return the outputs of an elementwise node: an element is known if it is known in all operands.

        A known condition selects elements and marks alike.
        """
        result = self.evaluate(node, [p.array for p in inputs])
        if result is None:
            return None
        if node.op_type in ("Identity", "Cast"):
            return [Partial(result[0], inputs[0].marks)]
        if node.op_type == "Where" and inputs[0].complete:
            return [Partial(result[0], np.where(inputs[0].array, inputs[1].marks, inputs[2].marks))]
        known = np.logical_and.reduce(np.broadcast_arrays(*(p.marks == KNOWN for p in inputs)))
        if node.op_type == "Equal":
            known = known | is_below_dims(*inputs) | is_below_dims(*reversed(inputs))
        marks = np.where(known, KNOWN, UNKNOWN)
        return [Partial(np.where(known, a, np.ones_like(a)).astype(a.dtype), marks) for a in result]

    def moving(self, node: ir.Node, inputs: Sequence[Partial], moved: int) -> list[Partial] | None:
        """Return the outputs of a node that moves elements, applied to elements and marks alike."""
        settings = [p.array for p in inputs[moved:]]
        arrays = self.evaluate(node, [*(p.array for p in inputs[:moved]), *settings])
        marks = self.evaluate(node, [*(p.marks for p in inputs[:moved]), *settings])
        if arrays is None or marks is None:
            return None
        return [Partial(a, m) for a, m in zip(arrays, marks, strict=True)]

    def evaluate(self, node: ir.Node, arrays: Sequence[np.ndarray]) -> list[np.ndarray] | None:
        """Run the node on arrays; return None if that fails or a result is too long."""
        names = [str(v.name) for v in node.inputs if v is not None]
        result = self.run(node, dict(zip(names, arrays, strict=True)))
        return None if result is None or any(np.size(a) > LIMIT for a in result) else [np.asarray(a) for a in result]


def is_below_dims(a: Partial, b: Partial) -> np.ndarray:
    """Return for each element whether a is a known number below 0 and b a dimension, which is never equal."""
    return (a.marks == KNOWN) & (a.array < 0) & (b.marks > KNOWN)


def broadcast_dims(a: Sequence[int | ir.SymbolicDim], b: Sequence[Dim]) -> list[Dim]:
    """Return the dimensions of two shapes broadcast together; None for each unknown one."""
    rank = max(len(a), len(b))
    pairs = zip([1] * (rank - len(a)) + list(a), [1] * (rank - len(b)) + list(b), strict=True)
    return [broadcast_dim(p if isinstance(p, int) else p.value, q) for p, q in pairs]


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """Return one broadcast dimension: 1 yields to the other, and a known size above 1 stays."""
    if a == 1 or b == 1:
        return b if a == 1 else a
    return a if isinstance(a, int) or a == b else b if isinstance(b, int) else None


def reshaped_dims(source: Sequence[int | ir.SymbolicDim], stated: Sequence[Dim]) -> list[Dim]:
    """Return the dimensions that a Reshape states.

    -1 is resolved if both sides have the same symbols.
    """
    dims: list[Dim] = [copied(source[i]) if d == 0 else d for i, d in enumerate(stated)]
    left, right = [copied(d) for d in source], [d for d in dims if d != -1]
    for symbol in [d for d in left if not isinstance(d, int)]:
        if symbol is None or symbol not in right:
            return [None if d == -1 else d for d in dims]
        left.remove(symbol)
        right.remove(symbol)
    if not all(isinstance(d, int) for d in right):
        return [None if d == -1 else d for d in dims]
    return [math.prod(left) // math.prod(right) if d == -1 else d for d in dims]


def copied(dim: int | ir.SymbolicDim) -> Dim:
    """Return a dimension of onnx_ir as an integer, a symbol or None."""
    return dim if isinstance(dim, int) else dim.value
