"""An ONNX backend (onnx.backend.base) that runs models with the C runtime on this computer.

The results are bitwise equal to a board's.

    from gradmote import onnx_backend
    probabilities, = onnx_backend.run_model(onnx.load("model.onnx"), [pixels])

A model is compiled for the shapes of the given arrays. Values that the compiler must know in advance
(the shape of a Reshape, the limits of a Slice, the bounds of a Clip: `Operator.constants`) may be
inputs here, although no device could take them as inputs: such an array becomes part of the image.
All other arrays are data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.backend.base
from onnx import helper, numpy_helper

from gradmote_runtime import Session
from gradmote_runtime.library import cpu_has_fma

from .artifacts.build import build_artifacts
from .compiler.compile import compile_image
from .compiler.options import Options
from .errors import DataError, ModelError
from .frontend.registry import TABLE

#: Types of arrays that are float32 in the runtime.
AS_FLOAT32 = (np.float32, np.bool_)


class GradmoteRep(onnx.backend.base.BackendRep):
    """A model ready to run, each time on arrays of any shapes that fit it."""

    def __init__(self, model: onnx.ModelProto, profile: str) -> None:
        """Keep the model, and the numerics profile to run it with, "fused" or "strict"."""
        self.model = model
        self.profile = profile
        weights = {t.name for t in model.graph.initializer}
        self.inputs = [v.name for v in model.graph.input if v.name not in weights]

    def run(self, inputs: Any, **_: Any) -> tuple[np.ndarray, ...]:
        """Return the outputs in the model's order and types.

        inputs: an array for each input that is not an initializer, in order, or by name. Raises
        UnsupportedOperator or ModelError if the model cannot be compiled, DataError if arrays do not fit
        it, RuntimeFault if the runtime refuses their values.
        """
        given = self.by_name(inputs)
        known = {name: given[name] for name in constant_inputs(self.model) if name in given}
        data = {name: array for name, array in given.items() if name not in known}
        image = compile_image(build_artifacts(bound(self.model, known, data)), Options(batch=None)).image
        with Session(image, self.profile) as session:
            outputs = session.infer(*(runtime_array(data[str(t["name"])]) for t in session.inputs()))
            return tuple(onnx_array(o, v) for o, v in zip(outputs, self.model.graph.output, strict=True))

    def by_name(self, inputs: Any) -> dict[str, np.ndarray]:
        """Return the arrays by input name.

        Raises DataError unless there is one for each input.
        """
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        if isinstance(inputs, Sequence) and len(inputs) == len(self.inputs):
            inputs = dict(zip(self.inputs, inputs, strict=True))
        if not isinstance(inputs, Mapping) or set(inputs) != set(self.inputs):
            raise DataError(f"the model takes {', '.join(self.inputs)}", "give an array for each, in order or by name")
        return {name: np.asarray(array) for name, array in inputs.items()}


class GradmoteBackend(onnx.backend.base.Backend):
    """The backend, which compiles a model for inference and runs it on the board's twin."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether the device is "CPU"."""
        return device == "CPU"

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", profile: str | None = None, **_: Any) -> GradmoteRep:
        """Return the model, ready to run.

        profile: the board's, "fused" or "strict"; by default the one that this CPU supports, fused if it
        can. Raises ModelError for a device other than "CPU".
        """
        if not cls.supports_device(device):
            raise ModelError(f"there is no device {device}", "use CPU")
        onnx.checker.check_model(model)
        return GradmoteRep(model, profile or ("fused" if cpu_has_fma() else "strict"))

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **options: Any
    ) -> tuple[np.ndarray, ...]:
        """Return the outputs of one node.

        outputs_info: (dtype, shape) of each; float32 by default. options: opset_version, the newest by
        default, and the options of prepare().
        """
        version = options.pop("opset_version", onnx.defs.onnx_opset_version())
        arrays = [np.asarray(array) for array in inputs]
        names = list(dict.fromkeys(name for name in node.input if name))
        types = [dtype for dtype, _ in outputs_info] if outputs_info else [np.float32] * len(node.output)
        graph = helper.make_graph(
            [node],
            node.name or node.op_type,
            [value_info(name, array.dtype, array.shape) for name, array in zip(names, arrays, strict=True)],
            [value_info(name, dtype, None) for name, dtype in zip(node.output, types, strict=True) if name],
        )
        model = helper.make_model_gen_version(graph, opset_imports=[helper.make_opsetid("", version)])
        return cls.prepare(onnx.shape_inference.infer_shapes(model), device, **options).run(arrays)


def value_info(name: str, dtype: Any, shape: Sequence[int] | None) -> onnx.ValueInfoProto:
    """Return the description of an input or output."""
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def constant_inputs(model: onnx.ModelProto) -> Iterator[str]:
    """Yield the inputs of the model that an operator needs to know at compile time."""
    types = {v.name: v.type.tensor_type.elem_type for v in model.graph.input}
    for node in model.graph.node:
        operator = TABLE.get((node.domain, node.op_type))
        for index, name in enumerate(node.input):
            is_exponent = node.op_type == "Pow" and index == 1 and types.get(name) != onnx.TensorProto.FLOAT
            if name in types and operator is not None and (index in operator.constants or is_exponent):
                yield name


def bound(model: onnx.ModelProto, known: Mapping[str, np.ndarray], data: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return a copy with the known arrays as initializers, and with the shapes of the data."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    inputs = [v for v in copy.graph.input if v.name not in known]
    del copy.graph.input[:], copy.graph.value_info[:]
    for value in inputs:
        if value.name in data:
            value.CopyFrom(value_info(value.name, data[value.name].dtype, data[value.name].shape))
    copy.graph.input.extend(inputs)
    copy.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in known.items())
    return copy


def runtime_array(array: np.ndarray) -> np.ndarray:
    """Return the array in the runtime's type, with booleans as 1 and 0."""
    return array.astype(np.float32) if array.dtype in AS_FLOAT32 else array


def onnx_array(output: memoryview, value: onnx.ValueInfoProto) -> np.ndarray:
    """Return a copy of an output, in the type given by the model."""
    return np.array(output).astype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))


is_compatible = GradmoteBackend.is_compatible
prepare = GradmoteBackend.prepare
run_model = GradmoteBackend.run_model
run_node = GradmoteBackend.run_node
supports_device = GradmoteBackend.supports_device
