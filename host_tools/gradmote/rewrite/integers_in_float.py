"""The pass that computes with integers in float32, if the results are exact.

The runtime moves integers, and computes with float32, which has every integer below 2^24. Two uses of
integers are exact there, and get a Cast before and after:

    indices   Add, Sub and Mul with a constant, if all users are Gathers of a table. An index of 2^24 or
              more may round, but stays beyond the table's rows, and the Gather's check stops the program
    counts    ReduceSum of booleans cast to integers

Arithmetic on shapes stays: it is folded once the batch is known.
"""

from __future__ import annotations

import math
from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, sort_nodes, take_over

#: Constants below this number, at most that many operations in a row, and tables with fewer rows keep every rounded
#: index, which is above 2^24 - CHAIN * CONSTANT, beyond the rows.
CONSTANT, CHAIN, ROWS = 1 << 20, 8, 1 << 23
#: The number below which float32 has every integer.
EXACT = 1 << 24
#: Operators that move integers. Concat and Gather move those of several values, or some of one.
VIEWS = ("Cast", "Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose",
         "Unsqueeze")  # fmt: skip
INTEGERS = (ir.DataType.INT32, ir.DataType.INT64)


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite the integer arithmetic that is exact in float32."""
    data = data_of(graph)
    for node in list(graph):
        y = node.outputs[0] if node.outputs else None
        if node.domain or y is None or y.dtype not in INTEGERS or y not in data or y.is_graph_output():
            continue
        if (is_step(node) and ends_in_tables(y, 1)) or is_count(node):
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


def is_count(node: ir.Node) -> bool:
    """Return whether a node counts booleans, fewer than 2^24."""
    x = node.inputs[0] if node.op_type == "ReduceSum" else None
    made = x.producer() if x is not None else None
    if x is None or made is None or made.op_type != "Cast" or made.inputs[0] is None or x.shape is None:
        return False
    return made.inputs[0].dtype == ir.DataType.BOOL and math.prod(d for d in x.shape if isinstance(d, int)) < EXACT


def rewrite(graph: ir.Graph, node: ir.Node) -> None:
    """Compute one node in float32, between two Casts."""
    builder, y = Builder(graph), node.outputs[0]
    count = 1 if node.op_type == "ReduceSum" else 2
    given = [builder.op("Cast", v, name=f"{y.name}.float", to=ir.DataType.FLOAT) for v in node.inputs[:count]]
    for value, source in zip(given, node.inputs, strict=False):
        value.shape, value.type = source.shape, ir.TensorType(ir.DataType.FLOAT)
    options = {name: attribute(node, name) for name in node.attributes}
    made = builder.op(node.op_type, *given, *node.inputs[count:], name=f"{y.name}.computed", **options)
    made.shape, made.type = y.shape, ir.TensorType(ir.DataType.FLOAT)
    back = builder.op("Cast", made, name=f"{y.name}.whole", to=y.dtype)
    back.shape, back.type = y.shape, y.type
    take_over(graph, y, back)
