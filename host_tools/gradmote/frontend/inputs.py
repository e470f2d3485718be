"""The properties of a model's inputs that a caller fixes before compilation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ..errors import ModelError


@dataclass(frozen=True)
class Inputs:
    """Shapes of inputs, and inputs whose values never change.

    shapes: by input name; a dimension that stays open is a name. constants: inputs that become part of
    the model, such as a sample rate on which it branches.
    """

    shapes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    constants: Mapping[str, np.ndarray | int | float | bool] = field(default_factory=dict)

    def fix(self, proto: onnx.ModelProto) -> None:
        """Write both into the model.

        Raises ModelError for an unknown input, or one that contradicts the model's shape or type.
        """
        values = {value.name: value for value in proto.graph.input}
        for name in (*self.shapes, *self.constants):
            if name not in values:
                raise ModelError(f"the model has no input called '{name}'", f"its inputs are {', '.join(values)}")
        for name, shape in self.shapes.items():
            fix_shape(values[name], shape)
        for name, constant in self.constants.items():
            proto.graph.initializer.append(tensor_of(values[name], constant))
            proto.graph.input.remove(values[name])
        if self.shapes:
            forget_shapes(proto.graph)


def fix_shape(value: onnx.ValueInfoProto, shape: Sequence[int | str]) -> None:
    """Set the shape of an input.

    Raises ModelError if it contradicts dimensions that the model fixes.
    """
    known = [d.dim_value for d in value.type.tensor_type.shape.dim]
    has_rank = value.type.tensor_type.HasField("shape")
    if has_rank and (len(known) != len(shape) or any(k > 0 and k != d for k, d in zip(known, shape, strict=True))):
        stated = [d.dim_param or d.dim_value or "?" for d in value.type.tensor_type.shape.dim]
        raise ModelError(
            f"input '{value.name}' cannot have shape {list(shape)}: the model says {stated}",
            "give one size for each dimension, those that the model fixes among them",
        )
    value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, list(shape)))


def tensor_of(value: onnx.ValueInfoProto, constant: np.ndarray | int | float | bool) -> onnx.TensorProto:
    """Return the constant as a tensor of the input's type.

    Raises ModelError if the type cannot hold it.
    """
    dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    array = np.asarray(constant)
    if not np.array_equal(array.astype(dtype), array):
        raise ModelError(f"input '{value.name}' of type {dtype} cannot be {constant}", "give a value of its type")
    return numpy_helper.from_array(array.astype(dtype), value.name)


def forget_shapes(graph: onnx.GraphProto) -> None:
    """Delete shapes of inner values and open dimensions of outputs.

    They followed from the inputs' previous shapes.
    """
    del graph.value_info[:]
    for output in graph.output:
        for dim in output.type.tensor_type.shape.dim:
            if dim.HasField("dim_param"):
                dim.Clear()
