"""The pass that computes with integers in float32, if the results are exact.

The runtime moves integers, and computes with float32, which has every integer below 2^24. Two uses of
integers are exact there, and get a Cast before and after:

    indices   Add, Sub and Mul with a constant, if all users are Gathers of a table. An index of 2^24 or
              more may round, but stays beyond the table's rows, and the Gather's check stops the program
    counts    Add, Sub, Mul, CumSum and ReduceSum of integers that came from booleans, indices of a selection and
              constants, as far as no result reaches 2^24

Arithmetic on shapes stays: it is folded once the batch is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, sort_nodes, take_over

#: Constants below this number, at most that many operations in a row, and tables with fewer rows keep every rounded
#: index, which is above 2^24 - CHAIN * CONSTANT, beyond the rows.
CONSTANT, CHAIN, ROWS = 1 << 20, 8, 1 << 23
#: The number below which float32 has every integer.
EXACT = 1 << 24
#: Operators that compute with integers here.
COMPUTED = ("Add", "Sub", "Mul", "CumSum", "ReduceSum")
#: Operators that move integers. Concat and Gather move those of several values, or some of one.
VIEWS = ("Cast", "Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose",
         "Unsqueeze")  # fmt: skip
INTEGERS = (ir.DataType.INT32, ir.DataType.INT64)


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite the integer arithmetic that is exact in float32."""
    data, bounds = data_of(graph), bounds_of(graph)
    for node in list(graph):
        y = node.outputs[0] if node.outputs else None
        if node.domain or y is None or y.dtype not in INTEGERS or y not in data or y.is_graph_output():
            continue
        is_count = node.op_type in COMPUTED and bounds.get(y, EXACT) < EXACT
        if is_count or (is_step(node) and ends_in_tables(y, 1)):
            rewrite(graph, node)
    sort_nodes(graph)


def data_of(graph: ir.Graph) -> set[ir.Value]:
    """Return the values that depend on the numbers of an input, not only on its shape."""
    found = {value for value in graph.inputs if not value.is_initializer()}
    for node in graph:
        if node.op_type not in ("Shape", "Size") and any(v in found for v in node.inputs if v is not None):
            found.update(node.outputs)
    return found


def is_step(node: ir.Node) -> bool:
    """Return whether a node adds, subtracts or multiplies a small constant."""
    if node.op_type not in ("Add", "Sub", "Mul"):
        return False
    known = [data for v in node.inputs if (data := constant_array(v)) is not None]
    return len(known) == 1 and bool((np.abs(known[0].astype(np.float64)) < CONSTANT).all())


def ends_in_tables(value: ir.Value, length: int) -> bool:
    """Return whether all users select rows from tables with these integers. length: the operations up to here."""
    if value.is_graph_output() or length > CHAIN:
        return False
    return bool(value.uses()) and all(ends_there(use.node, use.idx, length) for use in value.uses())


def ends_there(node: ir.Node, index: int, length: int) -> bool:
    """Return whether the integers at one input of a node only select rows."""
    if node.op_type == "Gather" and index == 1:
        table = node.inputs[0]
        rows = None if table is None or table.shape is None else table.shape[attribute(node, "axis", 0)]
        return isinstance(rows, int) and rows < ROWS
    if node.op_type == "Cast" and attribute(node, "to") not in INTEGERS:
        return False
    if node.op_type in VIEWS and not node.domain and (index == 0 or node.op_type == "Concat"):
        return all(ends_in_tables(y, length) for y in node.outputs)
    return is_step(node) and ends_in_tables(node.outputs[0], length + 1)


def bounds_of(graph: ir.Graph) -> dict[ir.Value, int]:
    """Return the largest magnitude of each integer that is known to stay small, whatever the data."""
    found: dict[ir.Value, int] = {}
    for node in graph:
        bound = None if node.domain else bound_of(node, found)
        if bound is not None and node.outputs[0].dtype in INTEGERS:
            found.update(dict.fromkeys(node.outputs, bound))
    return found


def bound_of(node: ir.Node, found: Mapping[ir.Value, int]) -> int | None:
    """Return the bound of a node's results from those of its inputs, or None."""
    x = node.inputs[0] if node.inputs else None
    if x is not None and node.op_type == "Cast" and x.dtype == ir.DataType.BOOL:
        return 1
    given = [largest(v, found) for v in operands(node)]
    known = [bound for bound in given if bound is not None]
    if x is None or not known or len(known) < len(given):
        return None
    if node.op_type in ("Add", "Sub"):
        return sum(known)
    if node.op_type == "Mul":
        return math.prod(known)
    if node.op_type in ("CumSum", "ReduceSum"):
        return known[0] * summed(node, x)
    return max(known) if node.op_type in (*VIEWS, "Where") else None


def operands(node: ir.Node) -> list[ir.Value]:
    """Return the inputs of a node that its results are computed or selected from."""
    if node.op_type in ("Add", "Sub", "Mul", "Concat"):
        given = node.inputs[:]
    else:
        given = node.inputs[1:3] if node.op_type == "Where" else node.inputs[:1]
    return [v for v in given if v is not None]


def largest(value: ir.Value, found: Mapping[ir.Value, int]) -> int | None:
    """Return the largest magnitude of an integer value, or None if it is not known."""
    array = constant_array(value)
    if array is None or value.dtype not in INTEGERS:
        return found.get(value)
    return max((abs(int(n)) for n in array.reshape(-1)), default=0)


def summed(node: ir.Node, x: ir.Value) -> int:
    """Return how many elements are in a sum at most, EXACT if unknown; an open batch counts as one."""
    if x.shape is None:
        return EXACT
    axes = constant_array(node.inputs[1]) if len(node.inputs) > 1 else None
    dims = [d if isinstance(d, int) else 1 for d in x.shape]
    return math.prod(dims if axes is None else [dims[int(axis)] for axis in axes.reshape(-1)])


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Compute one node in float32, between two Casts."""
    builder, y = Builder(graph), node.outputs[0]
    count = 1 if node.op_type in ("CumSum", "ReduceSum") else 2
    given = [builder.op("Cast", v, name=f"{y.name}.float", to=ir.DataType.FLOAT) for v in node.inputs[:count]]
    for value, source in zip(given, node.inputs, strict=False):
        value.shape, value.type = source.shape, ir.TensorType(ir.DataType.FLOAT)
    options = {name: attribute(node, name) for name in node.attributes}
    made = builder.op(node.op_type, *given, *node.inputs[count:], name=f"{y.name}.computed", **options)
    made.shape, made.type = y.shape, ir.TensorType(ir.DataType.FLOAT)
    back = builder.op("Cast", made, name=f"{y.name}.whole", to=y.dtype)
    back.shape, back.type = y.shape, y.type
    take_over(graph, y, back)
