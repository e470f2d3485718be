"""Runs one model in onnxruntime and in our runtime, on any number of batches, and counts the outputs that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnx_ir as ir
from onnx import TensorProto, helper

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.compiler.compile import flatten
from gradmote.compiler.programs.forward import concrete
from gradmote.frontend.registry import attach_functions
from gradmote_runtime import Session

Arrays = Mapping[str, np.ndarray]
#: The instructions that a network of int8 operators may have.
EXPECTED = ("QUANTIZE", "DEQUANTIZE", "COPY")


class InOnnxruntime:
    """A session without optimizations."""

    def __init__(self, model: onnx.ModelProto) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def __call__(self, feeds: Arrays) -> list[np.ndarray]:
        return list(self.session.run(None, dict(feeds)))


class InGradmote:
    """A session that poisons its arena before each run."""

    def __init__(self, model: onnx.ModelProto, batch: int | None = None, profile: str | None = None) -> None:
        image = compile_image(build_artifacts(model), Options(batch=batch)).image
        self.session = Session(image, profile) if profile else Session(image)

    def __call__(self, feeds: Arrays) -> list[np.ndarray]:
        self.session.poison()
        return [np.array(y) for y in self.session.infer(*feeds.values())]


def differing(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> int:
    """Return how many numbers differ in any bit."""
    pairs = zip(found, expected, strict=True)
    return sum(int((np.asarray(a).ravel() != np.asarray(b).ravel()).sum()) for a, b in pairs)


def fused(model: onnx.ModelProto, batch: int | None = None) -> onnx.ModelProto:
    """Return the lowered model: with our operators on int8, and their bodies in standard ONNX."""
    inference = build_artifacts(model).models.inference
    made = attach_functions(concrete(inference, Options(batch=batch), set()))
    return ir.serde.serialize_model(made)


def float_opcodes(model: onnx.ModelProto, batch: int | None = None) -> set[str]:
    """Return the non-int8 opcodes of the model's program, except those at its ends."""
    program = flatten(build_artifacts(model), Options(batch=batch)).programs[0]
    return {i.opcode for i in program.instructions if not i.opcode.endswith("_S8")} - set(EXPECTED)


def with_every_result(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with the result of every activation's DequantizeLinear as an additional output."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    quantized = {node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    known = {output.name for output in model.graph.output}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in quantized and node.output[0] not in known:
            made.graph.output.append(helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None))
    return onnx.shape_inference.infer_shapes(made)
