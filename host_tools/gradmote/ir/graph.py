"""Small helpers over onnx_ir: names, constants, shapes, and a builder that appends nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from ..errors import ModelError, UnsupportedOperator

#: The domain of the operators that ONNX lacks; each has a function body in standard ONNX.
DOMAIN = "gradmote"
DOMAIN_VERSION = 1

#: ONNX's types -> the runtime's.
DTYPES = {
    ir.DataType.FLOAT: "f32", ir.DataType.BOOL: "f32", ir.DataType.INT64: "i32", ir.DataType.INT32: "i32",
    ir.DataType.INT8: "i8", ir.DataType.UINT8: "u8",
}  # fmt: skip


def describe(node: ir.Node) -> str:
    """Return how error messages name a node: by its name, or else by its type and first output."""
    return node.name or f"{node.op_type} -> {node.outputs[0].name}"


def attribute(node: ir.Node, name: str, default: Any = None) -> Any:
    """Return the value of an attribute, or `default` if the node does not have it."""
    attr = node.attributes.get(name)
    return default if attr is None else attr.value


def constant_array(value: ir.Value | None) -> np.ndarray | None:
    """Return the value's data if it is known at compile time, else None.

    It is known for an initializer that is not also an input.
    """
    if value is None or value.const_value is None or value.is_graph_input():
        return None
    return value.const_value.numpy()


def as_array(data: np.ndarray | float | Sequence[int]) -> np.ndarray:
    """Return the data in a type that ONNX accepts: float32 instead of float64, int64 for Python's integers.

    NumPy itself uses 32-bit integers if addresses have 32 bits, as in a browser.
    """
    array = np.asarray(data)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    is_plain = not isinstance(data, (np.ndarray, np.generic))
    return array.astype(np.int64) if is_plain and array.dtype.kind == "i" else array


def origin(value: ir.Value | None, views: Collection[str]) -> ir.Value | None:
    """Return the value that a value is a view of. views: operators that pass their first input through."""
    while value is not None and (node := value.producer()) is not None and node.op_type in views:
        value = node.inputs[0]
    return value


def producer(value: ir.Value | None, *op_types: str) -> ir.Node | None:
    """Return the node that makes the value if it is one of these ONNX operators, else None."""
    node = value.producer() if value is not None else None
    return node if node is not None and node.op_type in op_types and not node.domain else None


def data_of(graph: ir.Graph, names: Collection[str]) -> dict[str, np.ndarray]:
    """Return copies of the data of initializers, by name. Raises ModelError for a missing one."""
    missing = [n for n in names if n not in graph.initializers]
    if missing:
        raise ModelError(f"the model has no weight called {', '.join(missing)}", "pass the model that it belongs to")
    return {n: graph.initializers[n].const_value.numpy().copy() for n in names}  # type: ignore[union-attr]


def static_shape(value: ir.Value, node: ir.Node | None = None) -> tuple[int, ...]:
    """Return the value's shape as integers.

    Raises ModelError if a dimension is unknown.
    """
    if value.shape is None or not value.shape.is_static():
        raise ModelError(
            f"the shape of '{value.name}' is {value.shape}, but it must be known",
            "export the model with fixed dimensions; only the batch may be symbolic",
            describe(node) if node else "",
        )
    return tuple(int(d) for d in value.shape)  # type: ignore[arg-type]


def rank(value: ir.Value, node: ir.Node | None = None) -> int:
    """Return the value's number of dimensions.

    Raises ModelError if even that is unknown, and UnsupportedOperator if that is because of another domain's operator.
    """
    if value.shape is None:
        foreign = foreign_source(value)
        if foreign is not None:
            raise without_kernel(foreign)
        raise ModelError(
            f"the rank of '{value.name}' is unknown",
            "run onnx shape inference on the model",
            describe(node) if node else "",
        )
    return len(value.shape)


def foreign_source(value: ir.Value) -> ir.Node | None:
    """Return the node of a domain other than ONNX's and ours that leaves the value's shape unknown, or None."""
    queue, seen = [value], {value}
    while queue:
        node = queue.pop().producer()
        if node is not None and node.domain not in ("", DOMAIN):
            return node
        unknown = [v for v in (node.inputs if node is not None else ()) if v is not None and v.shape is None]
        queue += [v for v in unknown if v not in seen]
        seen.update(unknown)
    return None


def without_kernel(node: ir.Node) -> UnsupportedOperator:
    """Return the refusal of a node whose operator has no kernel."""
    message = f"{node.domain or 'ONNX'} operator {node.op_type} has no kernel"
    return UnsupportedOperator(message, "`gradmote ops` lists what is supported", describe(node))


def normalize_axis(axis: int, value: ir.Value, node: ir.Node) -> int:
    """Return `axis` counted from the front.

    Raises ModelError if it is outside the value's rank.
    """
    n = rank(value, node)
    if not -n <= axis < n:
        raise ModelError(f"axis {axis} does not exist in '{value.name}' of rank {n}", "", describe(node))
    return axis % n


def runtime_type(value: ir.Value) -> str:
    """Return how the runtime stores an input's elements: "f32", "i32", "i8" or "u8".

    Raises UnsupportedOperator for a type that inputs cannot have.
    """
    found = DTYPES.get(value.dtype)  # type: ignore[arg-type]
    if found is None:
        raise UnsupportedOperator(
            f"input '{value.name}' has type {value.dtype}", "use float32, int8 or uint8 data and integer labels"
        )
    return found


def with_branches(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Yield the graph and the graphs in its nodes."""
    yield graph
    for node in graph:
        for inner in graphs_in(node):
            yield from with_branches(inner)


def graphs_in(node: ir.Node) -> list[ir.Graph]:
    """Return the branches of an If, the body of a Loop: the graphs that a node has as attributes."""
    return [a.as_graph() for a in node.attributes.values() if a.type == ir.AttributeType.GRAPH]


def unique_name(graph: ir.Graph, stem: str) -> str:
    """Return `stem`, or `stem_2`, `stem_3`, ... if the graph already uses it."""
    taken = graph.meta.setdefault("gradmote.names", None) or taken_names(graph)
    graph.meta["gradmote.names"] = taken
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    taken.add(name)
    return name


def forget_names(graph: ir.Graph) -> None:
    """Let unique_name() reuse the names of removed nodes and values."""
    graph.meta.pop("gradmote.names", None)


def taken_names(graph: ir.Graph) -> set[str]:
    """Return all names of values and nodes in the graph."""
    values: Iterable[ir.Value] = (*graph.inputs, *graph.initializers.values(), *(o for n in graph for o in n.outputs))
    return {v.name for v in values if v.name} | {n.name for n in graph if n.name}


def as_stored(value: Any) -> Any:
    """Return an attribute's value as a file stores it: non-integer numbers are float32."""
    if isinstance(value, float):
        return float(np.float32(value))
    return [as_stored(v) for v in value] if isinstance(value, (list, tuple)) else value


class Builder:
    """A builder that appends nodes and inputs to a graph.

    All names are derived from the given stems, never from a global counter, so that the same model
    gives the same bytes.
    """

    def __init__(self, graph: ir.Graph) -> None:
        """Append to the end of this graph."""
        self.graph = graph

    def op(self, op_type: str, *inputs: ir.Value | None, name: str, domain: str = "", **attributes: Any) -> ir.Value:
        """Append a node with one output called `name` (made unique), and return the output."""
        return self.ops(op_type, *inputs, names=[name], domain=domain, **attributes)[0]

    def ops(
        self, op_type: str, *inputs: ir.Value | None, names: Sequence[str], domain: str = "", **attributes: Any
    ) -> Sequence[ir.Value]:
        """Append a node with several outputs, and return them."""
        outputs = [ir.val(unique_name(self.graph, n)) for n in names]
        node_name = unique_name(self.graph, f"{outputs[0].name}.{op_type}")
        values = {name: as_stored(value) for name, value in attributes.items()}
        self.graph.append(ir.node(op_type, inputs, values, domain=domain, outputs=outputs, name=node_name))
        if domain:
            self.graph.opset_imports.setdefault(domain, DOMAIN_VERSION)
        return outputs

    def constant(self, data: np.ndarray | float | Sequence[int], name: str) -> ir.Value:
        """Add an initializer and return it.

        Python floats become float32, integers int64.
        """
        array = as_array(data)
        name = unique_name(self.graph, name)
        value = ir.val(name, const_value=ir.tensor(array, name=name))
        value.shape, value.type = ir.Shape(array.shape), ir.TensorType(ir.DataType.from_numpy(array.dtype))
        self.graph.register_initializer(value)
        return value

    def input(self, name: str, dtype: ir.DataType, shape: ir.Shape | Sequence[int | str | None]) -> ir.Value:
        """Add a graph input and return it."""
        value = ir.val(unique_name(self.graph, name), dtype=dtype, shape=ir.Shape(list(shape)))
        self.graph.inputs.append(value)
        return value


def prune(graph: ir.Graph) -> None:
    """Remove nodes and initializers that no output needs; graph inputs stay."""
    for node in reversed(list(graph)):
        if all(not o.uses() and not o.is_graph_output() for o in node.outputs):
            graph.remove(node, safe=True)
    for name, value in list(graph.initializers.items()):
        if not value.uses() and not value.is_graph_output() and not value.is_graph_input():
            del graph.initializers[name]


def sort_nodes(graph: ir.Graph) -> None:
    """Put each node after the makers of its inputs; a sorted graph stays as it is."""
    if not is_sorted(graph):
        graph.sort()


def is_sorted(graph: ir.Graph) -> bool:
    """Return whether each node follows the makers of its inputs; False if nodes contain graphs."""
    made: set[ir.Node] = set()
    for node in graph:
        for value in node.inputs:
            if value is not None and (maker := value.producer()) is not None and maker not in made:
                return False
        for attribute in node.attributes.values():
            if attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
                return False
        made.add(node)
    return True


def take_over(graph: ir.Graph, old: ir.Value, new: ir.Value) -> None:
    """Replace `old` with `new`, which gets its name, its uses and its position in the outputs.

    The node that computed `old` is removed.
    """
    take_over_all(graph, old.producer(), [new])  # type: ignore[arg-type]


def take_over_all(graph: ir.Graph, node: ir.Node, made: Sequence[ir.Value]) -> None:
    """Replace all used outputs of a node and remove it.

    made: one value for each output, in their order.
    """
    pairs = [(old, new, old.name) for old, new in zip(node.outputs, made, strict=False) if old.name]
    for old, new, _ in pairs:
        new.shape, new.type = old.shape, old.type
        old.replace_all_uses_with(new, replace_graph_outputs=True)
    graph.remove(node, safe=True)
    for _, new, name in pairs:
        new.name = name
