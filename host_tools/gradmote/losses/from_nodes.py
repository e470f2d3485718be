"""A loss given as nodes of an ONNX file, as in eval models of onnxruntime and onnxblock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from onnx import numpy_helper

from ..errors import ModelError
from ..ir.graph import Builder
from ..ir.metadata import mark_label
from .loss import Loss


@dataclass
class LossNodes:
    """Nodes that compute a loss, in the order in which they run.

    result: the value that is the loss. outputs: names of the values that the loss is called with. labels: inputs
    that only the loss reads. constants: initializers of the loss alone. is_scalar: whether the result is known to
    have no dimensions.
    """

    nodes: Sequence[onnx.NodeProto]
    result: str
    outputs: Sequence[str]
    labels: Sequence[onnx.ValueInfoProto] = ()
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    is_scalar: bool = True


def loss_from_nodes(given: LossNodes) -> Loss:
    """Return the loss that appends these nodes.

    It finds values other than its arguments in the graph by name. If the result has several elements, their
    sum is differentiated, as in onnxruntime. Raises ModelError for a value that does not exist.
    """

    def loss(builder: Builder, *outputs: ir.Value) -> ir.Value:
        values = values_of(builder.graph) | dict(zip(given.outputs, outputs, strict=True))
        values |= {value.name: label_input(builder, value) for value in given.labels}
        values |= {name: builder.constant(array, name) for name, array in given.constants.items()}
        for node in given.nodes:
            append(builder, node, values)
        result = found(values, given.result)
        return result if given.is_scalar else builder.op("ReduceSum", result, name="loss", keepdims=0)

    return loss


def values_of(graph: ir.Graph) -> dict[str, ir.Value]:
    """Return all values of the graph by name."""
    values = (*graph.inputs, *graph.initializers.values(), *(o for node in graph for o in node.outputs))
    return {str(value.name): value for value in values if value.name}


def label_input(builder: Builder, value: onnx.ValueInfoProto) -> ir.Value:
    """Add the label as an input of the graph."""
    tensor = value.type.tensor_type
    dims: list[int | str | None] = [
        d.dim_param or (d.dim_value if d.HasField("dim_value") else None) for d in tensor.shape.dim
    ]
    return mark_label(builder.input(value.name, ir.DataType(tensor.elem_type), dims))


def append(builder: Builder, node: onnx.NodeProto, values: dict[str, ir.Value]) -> None:
    """Append a copy of the node, and add its outputs to the values by name."""
    if node.op_type == "Constant":
        values[node.output[0]] = builder.constant(constant_of(node), node.output[0])
        return
    inputs = [found(values, name) if name else None for name in node.input]
    attributes = {a.name: attribute_of(a) for a in node.attribute}
    names = [name or f"{node.output[0]}.unused" for name in node.output]
    made = builder.ops(node.op_type, *inputs, names=names, domain=node.domain, **attributes)
    values.update(zip(node.output, made, strict=True))


def found(values: dict[str, ir.Value], name: str) -> ir.Value:
    """Return the value of that name.

    Raises ModelError if there is none.
    """
    if name not in values:
        raise ModelError(
            f"the loss reads '{name}', which the model does not have",
            "let the loss read outputs, inputs or weights of the model",
        )
    return values[name]


def constant_of(node: onnx.NodeProto) -> np.ndarray:
    """Return the data of a Constant node.

    Raises ModelError if it does not hold numbers.
    """
    attribute = node.attribute[0] if node.attribute else None
    if attribute is None or attribute.name in ("sparse_value", "value_string", "value_strings"):
        raise ModelError("the loss has a Constant without numbers", "use numbers", node.name)
    if attribute.name == "value":
        return numpy_helper.to_array(attribute.t)
    value = np.asarray(onnx.helper.get_attribute_value(attribute))
    return value.astype(np.float32) if value.dtype.kind == "f" else value


def attribute_of(attribute: onnx.AttributeProto) -> Any:
    """Return the attribute's value as Builder takes it."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return ir.from_proto(value)
    return [v.decode() if isinstance(v, bytes) else v for v in value] if isinstance(value, list) else value
