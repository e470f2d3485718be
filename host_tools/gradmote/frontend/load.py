"""Reads an ONNX model and brings it into the form that the passes and rules expect."""

from __future__ import annotations

import os
from collections.abc import Sequence

import onnx
import onnx_ir as ir

from ..errors import ModelError
from ..graph import prune
from ..passes import pipeline
from .shapes import infer_shapes

OLDEST_OPSET = 13


def load_model(
    source: str | os.PathLike[str] | bytes | onnx.ModelProto, outputs: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
) -> ir.Model:
    """An inference graph in normal form: functions inlined, constants folded, Gemm plain, ranks known.

    outputs: graph outputs to keep; all by default. parameters: initializers that must survive folding; by default all
    float32 initializers with at least one dimension. Raises ModelError for what is no valid ONNX model.
    """
    proto = read_model(source)
    model = ir.from_proto(proto)
    if outputs is not None:
        keep_outputs(model.graph, outputs)
    keep = set(parameters) if parameters is not None else set(candidates(model.graph))
    unknown = keep - set(model.graph.initializers)
    if unknown:
        raise ModelError(f"no initializer is called {', '.join(sorted(unknown))}",
                         f"the model has {', '.join(list(model.graph.initializers)[:20])}")
    model = pipeline.normalize(infer_shapes(model), keep)
    return infer_shapes(model)


def read_model(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """A valid ModelProto. Raises ModelError."""
    proto = read(source)
    check(proto)
    return proto


def candidates(graph: ir.Graph) -> list[str]:
    """Initializers that look like weights: float32 with at least one dimension."""
    return [
        name for name, v in graph.initializers.items()
        if v.const_value is not None and v.const_value.dtype == ir.DataType.FLOAT and len(v.const_value.shape) > 0
    ]


def read(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """A ModelProto from a path, bytes, or itself (copied)."""
    if isinstance(source, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(source)
        return copy
    try:
        return onnx.load_model_from_string(source) if isinstance(source, bytes) else onnx.load(os.fspath(source))
    except FileNotFoundError:
        raise ModelError(f"there is no file {source!r}", "check the path") from None
    except Exception as error:  # protobuf's DecodeError has no public home
        raise ModelError(f"this is not an ONNX model: {error}", "export the model again") from error


def check(proto: onnx.ModelProto) -> None:
    """Refuses what the ONNX specification refuses, and opsets older than 13."""
    versions = {o.domain: o.version for o in proto.opset_import}
    if versions.get("", OLDEST_OPSET) < OLDEST_OPSET:
        raise ModelError(f"the model uses opset {versions['']}", f"export it with opset {OLDEST_OPSET} or newer")
    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        raise ModelError(f"the model is malformed: {str(error).strip()}", "export the model again") from error


def keep_outputs(graph: ir.Graph, names: Sequence[str]) -> None:
    """Cuts the graph down to some of its outputs."""
    found = {o.name: o for o in graph.outputs}
    missing = [n for n in names if n not in found]
    if missing:
        raise ModelError(f"the model has no output {', '.join(missing)}", f"its outputs are {', '.join(map(str, found))}")
    graph.outputs[:] = [found[n] for n in names]
    prune(graph)
