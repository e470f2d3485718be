"""The outline of a model: what onnx's shape inference reads, written in a fraction of the time that a file takes.

Comments, notes and large weights are omitted. Values of one type and shape share its description.
"""

from __future__ import annotations

import onnx
import onnx_ir as ir

from ..ir.affine import EIGHT_BITS

#: Larger initializers are weights. Resize and Range read floats for shapes, but few of them.
MOST_SIZES = 64


def outline(model: ir.Model) -> onnx.ModelProto:
    """Return the model with large initializers of float32 or 8 bits as inputs.

    No shape depends on their data, so onnx does not need it.
    """
    graph = model.graph
    empty = ir.GraphView([], [], nodes=[], opset_imports=graph.opset_imports, name=graph.name)
    functions = list(model.functions.values())
    proto = ir.to_proto(ir.Model(empty, ir_version=model.ir_version, functions=functions))  # type: ignore[arg-type]
    GraphWriter(proto.graph).write(graph)
    return proto


def is_large(value: ir.Value) -> bool:
    """Return whether an initializer holds more numbers than a size or a scale has."""
    return (
        value.dtype in (ir.DataType.FLOAT, *EIGHT_BITS)
        and value.const_value is not None
        and value.const_value.size > MOST_SIZES
    )


class GraphWriter:
    """Writes the parts of a graph to a GraphProto."""

    def __init__(self, proto: onnx.GraphProto) -> None:
        """Append to this graph."""
        self.proto = proto
        self.types: dict[tuple[object, ...], onnx.TypeProto] = {}

    def write(self, graph: ir.Graph) -> None:
        """Append the whole graph."""
        for value in graph.inputs:
            self.info(self.proto.input.add(), value)
        for value in graph.initializers.values():
            self.initializer(value)
        for node in graph:
            self.node(node)
        for value in graph.outputs:
            self.info(self.proto.output.add(), value)

    def initializer(self, value: ir.Value) -> None:
        """Append a small initializer, or an input instead of a large one."""
        if is_large(value):
            if not value.is_graph_input():
                self.info(self.proto.input.add(), value)
            return
        if not value.is_graph_input():
            self.info(self.proto.value_info.add(), value)
        if value.const_value is not None:
            tensor = ir.serde.serialize_tensor(value.const_value)
            tensor.name = str(value.name)
            self.proto.initializer.append(tensor)

    def node(self, node: ir.Node) -> None:
        """Append a node and the known facts about its outputs."""
        made = self.proto.node.add(op_type=node.op_type, domain=node.domain, name=node.name, overload=node.overload)
        made.input.extend(["" if value is None else value.name for value in node.inputs])
        named = [value.name or "" for value in node.outputs]
        made.output.extend(named[: max((k for k, name in enumerate(named, 1) if name), default=0)])
        made.attribute.extend([ir.serde.serialize_attribute(a) for a in node.attributes.values()])
        for value in node.outputs:
            if value.name and value.type is not None and not value.is_graph_output():
                self.info(self.proto.value_info.add(), value)

    def info(self, made: onnx.ValueInfoProto, value: ir.Value) -> None:
        """Write the name of a value, and its type and shape as far as they are known."""
        made.name = str(value.name)
        if value.type is not None:
            made.type.CopyFrom(self.type_of(value))

    def type_of(self, value: ir.Value) -> onnx.TypeProto:
        """Return the type of a value with its shape."""
        key = type(value.type), value.dtype, None if value.shape is None else tuple(value.shape)
        if not isinstance(value.type, ir.TensorType):
            return ir.serde.serialize_value(value).type
        if key not in self.types:
            self.types[key] = ir.serde.serialize_value(value).type
        return self.types[key]
