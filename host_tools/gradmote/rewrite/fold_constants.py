"""The pass that folds nodes whose inputs are all constant.

Trained parameters never count as constant. Shape and Size of a tensor with a static shape are
constant, and so is everything that depends only on the known dimensions of other tensors; this
removes the shape subgraphs that exporters leave. A tensor without elements is constant as well: an
empty sum is 0. Quantized constants stay in front of their DequantizeLinear.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set

import numpy as np
import onnx
import onnx.reference
import onnx_ir as ir

from ..ir.affine import is_dequantizer
from ..ir.graph import DOMAIN, Builder, attribute, constant_array, prune, sort_nodes, take_over
from ..ir.settings import is_setting
from . import computed_sizes
from .partial_values import PartialValues

#: A folded value has at most this many elements: a larger one fits no image, and only a hostile model asks for it.
MAX_ELEMENTS = 1 << 24

#: Never folded, because their inputs do not determine their outputs.
RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Bernoulli",
    "Multinomial",
    "Dropout",
}


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fold every node whose outputs are constant."""
    partial = PartialValues(lambda node, inputs: run_reference(graph, node, inputs), keep)
    for node in list(graph):
        values = evaluate(graph, node, keep)
        if values is None and node.op_type not in RANDOM:
            values = partial.visit(node)
        if values is not None:
            replace(graph, node, values)
        else:
            computed_sizes.settle(graph, node, partial)
    sort_nodes(graph)
    prune(graph)


def evaluate(graph: ir.Graph, node: ir.Node, keep: Set[str]) -> list[np.ndarray] | None:
    """Return the node's outputs if they are constant, else None."""
    if node.op_type in ("Shape", "Size") and not node.domain:
        return shape_of(node)
    if node.domain == DOMAIN or node.op_type in RANDOM or has_subgraph(node) or not any(node.inputs):
        return None
    if is_dequantizer(node) and not all(is_setting(output) for output in node.outputs):
        return None  # as integers, the data takes a quarter of the bytes
    empty = [without_elements(output) for output in node.outputs]
    if all(array is not None for array in empty):
        return empty  # type: ignore[return-value]
    inputs = {v.name: known_array(v) for v in node.inputs if v is not None}
    if any(a is None for a in inputs.values()) or any(name in keep for name in inputs):
        return None
    return run_reference(graph, node, inputs) if is_small(node) else None


def is_small(node: ir.Node) -> bool:
    """Return whether the outputs are small enough, as far as shape inference knows their shapes."""
    shapes = [output.shape for output in node.outputs if output.shape is not None and output.shape.is_static()]
    return all(math.prod(shape.numpy()) <= MAX_ELEMENTS for shape in shapes)


def known_array(value: ir.Value) -> np.ndarray | None:
    """Return the value's data if it is constant or empty; else None."""
    array = constant_array(value)
    return without_elements(value) if array is None else array


def without_elements(value: ir.Value) -> np.ndarray | None:
    """Return the empty array of a value known to have no elements, else None."""
    if value.shape is None or not value.shape.is_static() or 0 not in value.shape or value.dtype is None:
        return None
    return np.empty([int(d) for d in value.shape], value.dtype.numpy())


def shape_of(node: ir.Node) -> list[np.ndarray] | None:
    """Return the output of a Shape or Size if its input has a static shape, else None."""
    x = node.inputs[0]
    if x is None or x.shape is None or not x.shape.is_static():
        return None
    dims = np.array([int(d) for d in x.shape], np.int64)
    if node.op_type == "Size":
        return [np.array(dims.prod(), np.int64)]
    return [dims[attribute(node, "start", 0) : attribute(node, "end", len(dims))]]


def has_subgraph(node: ir.Node) -> bool:
    """Return whether the node has a graph as an attribute."""
    return any(a.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS) for a in node.attributes.values())


def run_reference(graph: ir.Graph, node: ir.Node, inputs: dict[str, np.ndarray]) -> list[np.ndarray] | None:
    """Run one node in ONNX's reference implementation; return None if that fails."""
    proto = ir.serde.serialize_node(node)
    outputs = [o for o in proto.output if o]
    onnx_graph = onnx.helper.make_graph(
        [proto],
        "node",
        [
            onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in inputs.items()
        ],
        [onnx.helper.make_empty_tensor_value_info(n) for n in outputs],
    )
    opsets = [onnx.helper.make_opsetid(d, v) for d, v in graph.opset_imports.items() if d in ("", node.domain)]
    try:
        evaluator = onnx.reference.ReferenceEvaluator(onnx.helper.make_model(onnx_graph, opset_imports=opsets))
        with np.errstate(all="ignore"):
            values = evaluator.run(outputs, inputs)
    except Exception:
        # Neither the evaluator's errors nor those of the NumPy functions that it calls have a common base class. The
        # operator stays, and lowering or its rule refuses it by name.
        return None
    made = with_known_types(node, values) if all(map(is_numeric, values)) else None
    return made if made is not None and have_their_ranks(node, made) else None


def with_known_types(node: ir.Node, values: Iterable[np.ndarray]) -> list[np.ndarray]:
    """Return the values as arrays, integers with the type that shape inference knows.

    NumPy computes in 32-bit integers if addresses have 32 bits, as in a browser.
    """
    used = [output for output in node.outputs if output.name]
    arrays = [np.asarray(value) for value in values]
    return [
        array.astype(output.dtype.numpy()) if output.dtype is not None and array.dtype.kind == "i" else array
        for output, array in zip(used, arrays, strict=True)
    ]


def have_their_ranks(node: ir.Node, arrays: list[np.ndarray]) -> bool:
    """Return whether the arrays have the ranks that shape inference knows.

    NumPy returns a one-dimensional array for some scalars.
    """
    used = [output for output in node.outputs if output.name]
    known = [(o.shape, array) for o, array in zip(used, arrays, strict=False) if o.shape is not None]
    return all(len(shape) == array.ndim for shape, array in known)


def is_numeric(value: object) -> bool:
    """Return whether a result is a numeric array, not a sequence or text."""
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "OSU"


def replace(graph: ir.Graph, node: ir.Node, values: list[np.ndarray]) -> None:
    """Replace the node's outputs with constants.

    A graph output becomes an Identity of its constant. A node with several outputs stays if one of them
    is a graph output.
    """
    used = [o for o in node.outputs if o.name]
    if len(used) > 1 and any(output.is_graph_output() for output in used):
        return
    for output, array in zip(used, values, strict=True):
        name = f"{output.name}.folded"
        constant = ir.val(name, const_value=ir.tensor(np.asarray(array), name=name))
        constant.shape = ir.Shape(np.shape(array))
        constant.type = ir.TensorType(ir.DataType.from_numpy(np.asarray(array).dtype))
        if output.is_graph_output() and (node.op_type == "Identity" or 0 in constant.shape):
            return  # cannot get simpler
        graph.register_initializer(constant)
        if output.is_graph_output():
            take_over(graph, output, Builder(graph).op("Identity", constant, name=f"{output.name}.same"))
            return
        output.replace_all_uses_with(constant)
    graph.remove(node, safe=True)
