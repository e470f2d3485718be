"""The class Block, the base of all blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from onnx import numpy_helper

from ..errors import ModelError
from ..ir.graph import Builder
from ..losses.from_nodes import LossNodes
from ..losses.recognize import recognized
from .base_model import current, opened


class Block(ABC):
    """A piece of graph that build() appends to the current model.

    Called with names of values, it appends to the model of `with onnxblock.base(model)`, and returns the
    result of build(): names of values. Called with a Builder and values of its graph, it is a loss of
    Gradmote. A subclass need not call __init__() of this class.
    """

    #: The model that build() appends to.
    base: onnx.ModelProto = onnx.ModelProto()

    def __init__(self, temp_file_name: str = "temp.onnx") -> None:
        """Begin without a model; temp_file_name is accepted for onnxruntime, and no file is written."""
        self.base = onnx.ModelProto()

    @abstractmethod
    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Append to `self.base`, and return the name of the result, or several names.

        The loss comes first.
        """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Append to the current model, or to the graph of a Builder."""
        if args and isinstance(args[0], Builder):
            return loss_value(self, args[0], args[1:])
        self.base = current()
        return self.build(*args, **kwargs)

    def infer_shapes_on_base(self) -> onnx.ModelProto:
        """Return the current model with the shapes that can be inferred."""
        return onnx.shape_inference.infer_shapes(current())


def loss_value(block: Block, builder: Builder, outputs: Sequence[ir.Value]) -> ir.Value:
    """Return the value that a block computes on outputs of the builder's graph.

    The block appends to a model with the graph's inputs, its weights and these outputs, but without
    nodes. The appended nodes are then appended to the graph.
    """
    model = stand_in(builder.graph, outputs)
    given_inputs, given_weights = len(model.graph.input), len(model.graph.initializer)
    names = [str(value.name) for value in outputs]
    with opened(model):
        result = first_name(block(*names))
    graph = model.graph
    nodes = LossNodes(
        list(graph.node),
        result,
        names,
        list(graph.input)[given_inputs:],
        {tensor.name: numpy_helper.to_array(tensor) for tensor in list(graph.initializer)[given_weights:]},
        is_scalar(model, result),
    )
    return recognized(nodes)(builder, *outputs)


def first_name(result: Any) -> str:
    """Return the first name in a block's result.

    Raises ModelError if it is not a name.
    """
    name = result[0] if isinstance(result, (tuple, list)) and result else result
    if not isinstance(name, str):
        raise ModelError(f"the block returned {result!r}", "return the name of the loss: what the last block returned")
    return name


def stand_in(graph: ir.Graph, outputs: Sequence[ir.Value]) -> onnx.ModelProto:
    """Return a model with the inputs, the weights and the outputs of a graph, and without nodes."""
    inputs = [info(value) for value in graph.inputs if not value.is_initializer()]
    weights = [
        numpy_helper.from_array(np.asarray(value.const_value.numpy()), str(name))
        for name, value in graph.initializers.items()
        if value.const_value is not None
    ]
    there = list(dict.fromkeys([*outputs, *graph.outputs]))
    made = onnx.helper.make_graph([], "base", inputs, [info(value) for value in there], weights)
    opsets = [onnx.helper.make_opsetid(domain, version) for domain, version in graph.opset_imports.items()]
    return onnx.helper.make_model(made, opset_imports=opsets)


def info(value: ir.Value) -> onnx.ValueInfoProto:
    """Return the name, type and shape of a value as a model's description."""
    dims = None if value.shape is None else [d if isinstance(d, int) else d.value for d in value.shape]
    return onnx.helper.make_tensor_value_info(str(value.name), int(value.dtype or ir.DataType.FLOAT), dims)


def is_scalar(model: onnx.ModelProto, name: str) -> bool:
    """Return whether a value is known to have no dimensions."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    shapes = [v.type.tensor_type for v in (*graph.value_info, *graph.output) if v.name == name]
    return bool(shapes) and shapes[0].HasField("shape") and not shapes[0].shape.dim
