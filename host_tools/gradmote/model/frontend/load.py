"""Reads an ONNX model and brings it into the form that the passes and rules expect."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager

import onnx
import onnx_ir as ir

from ...compiler.passes import inline_branches, pipeline
from ...errors import ModelError
from ..graph import note_weights, noted_weights, prune, runtime_type
from ..registry import attach_functions
from .inputs import Inputs
from .limits import check_limits
from .parameters import weights
from .prepare import (
    expand_scalers,
    forget_default_inputs,
    forget_negative_dims,
    name_split_outputs,
    name_weights,
    raise_opset,
)
from .shapes import infer_shapes, settle_shapes
from .untie import untie as untie_weights

OLDEST_OPSET = 6  # what onnx converts from
_EXPORT_AGAIN = "export the model again"
_DEPRECATED = "gradmote.deprecated"


def load_model(
    source: str | os.PathLike[str] | bytes | onnx.ModelProto,
    outputs: Sequence[str] | None = None,
    batch_norm: str = "frozen",
    untie: bool = False,
    inputs: Inputs | None = None,
    named: Iterable[str] = (),
) -> ir.Model:
    """An inference graph in normal form: functions and branches inlined, constants folded, Gemm plain, ranks known.

    outputs: graph outputs to keep; all by default. Weights survive folding. batch_norm: a mode of passes.batch_norm.
    untie: a copy of a weight for each node that uses it. inputs: what is known of the model's inputs.
    named: constants that survive folding too, since somebody trains them. Raises ModelError
    for what is no valid ONNX model.
    """
    model = read_weights(source, untie, inputs)
    if outputs is not None:
        keep_outputs(model.graph, outputs)
    name_split_outputs(model.graph)
    expand_scalers(model.graph)
    keep = {*(noted_weights(model.graph) or ()), *named}
    model = pipeline.normalize(flat(model, keep), keep, batch_norm)
    return infer_shapes(attach_functions(model))


def fold_batch_norm(source: str | os.PathLike[str] | bytes | onnx.ModelProto, untie: bool = False) -> onnx.ModelProto:
    """A model in standard ONNX without BatchNormalization, whose weights have it in them under names of their own."""
    model = read_weights(source, untie)
    keep = set(noted_weights(model.graph) or ())
    return ir.to_proto(pipeline.prepare(flat(model, keep), keep, "fold"))


def flat(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Without functions and branches, every shape known that can be; values named in `keep` are not folded."""
    model = settle_shapes(pipeline.flatten(infer_shapes(model)), keep)
    while inline_branches.run(model.graph):
        model = settle_shapes(infer_shapes(model), keep)
    inline_branches.refuse_what_stays(model.graph)
    return model


def read_weights(
    source: str | os.PathLike[str] | bytes | onnx.ModelProto, untie: bool = False, inputs: Inputs | None = None
) -> ir.Model:
    """The model in memory, its own weights noted. Raises ModelError for inputs of a type that the runtime lacks."""
    proto = raise_opset(read_model(source))
    forget_default_inputs(proto)
    forget_negative_dims(proto)
    name_weights(proto.graph)
    (inputs or Inputs()).fix(proto)
    if untie:
        untie_weights(proto.graph, weights(to_ir(proto).graph))
    model = to_ir(proto)
    for value in model.graph.inputs:
        runtime_type(value)
    note_weights(model.graph, [name for graph in with_branches(model.graph) for name in weights(graph)])
    return model


def with_branches(graph: ir.Graph) -> Iterator[ir.Graph]:
    """The graph, and the graphs in its nodes."""
    yield graph
    for node in graph:
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                yield from with_branches(attribute.as_graph())


def read_untied(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """A valid model with a copy of a weight for each node that uses it."""
    proto = read_model(source)
    forget_default_inputs(proto)
    name_weights(proto.graph)
    untie_weights(proto.graph, weights(to_ir(proto).graph))
    return proto


def read_model(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """A valid ModelProto. Raises ModelError."""
    proto = read(source)
    check(proto)
    check_limits(proto)
    return proto


def to_ir(proto: onnx.ModelProto) -> ir.Model:
    """The model in memory. Raises ModelError for what the checker let through and cannot be written again, such as
    names that
    are not UTF-8."""
    try:
        model = ir.from_proto(proto)
        ir.to_proto(model)
    except Exception as error:  # onnx_ir has no common base for its errors
        raise ModelError(f"the model is malformed: {error.__cause__ or error}", _EXPORT_AGAIN) from error
    return model


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
        raise ModelError(f"this is not an ONNX model: {error}", _EXPORT_AGAIN) from error


def check(proto: onnx.ModelProto) -> None:
    """Refuses what the ONNX specification refuses, opsets outside of what is supported, and values that are no
    tensors."""
    check_opset({o.domain: o.version for o in proto.opset_import}.get("", 13))
    try:
        with deprecated_hidden(proto):
            onnx.checker.check_model(proto)
    except Exception as error:  # ValidationError, and what else hostile bytes provoke in the checker
        raise ModelError(f"the model is malformed: {str(error).strip()}", _EXPORT_AGAIN) from error
    for value in (*proto.graph.input, *proto.graph.output):
        if value.type.WhichOneof("value") not in (None, "tensor_type"):
            raise ModelError(f"'{value.name}' is no tensor", "with skl2onnx, export with options={'zipmap': False}")


@contextmanager
def deprecated_hidden(proto: onnx.ModelProto) -> Iterator[None]:
    """onnx's checker refuses the GroupNormalization of opsets 18 to 20, which exporters write and we understand; it
    lets nodes of a foreign domain through."""
    nodes = [n for n in proto.graph.node if n.op_type == "GroupNormalization" and not n.domain]
    domain = proto.opset_import.add(domain=_DEPRECATED, version=1)
    for node in nodes:
        node.domain = _DEPRECATED
    try:
        yield
    finally:
        proto.opset_import.remove(domain)
        for node in nodes:
            node.domain = ""


def check_opset(version: int) -> None:
    newest = onnx.defs.onnx_opset_version()
    if version < OLDEST_OPSET:
        raise ModelError(f"the model uses opset {version}", "export it with opset 13 or newer")
    if version > newest:
        raise ModelError(
            f"the model uses opset {version}, the onnx package here knows {newest}",
            "install a newer onnx, or export with an older opset",
        )


def keep_outputs(graph: ir.Graph, names: Sequence[str]) -> None:
    """Cuts the graph down to some of its outputs."""
    found = {o.name: o for o in graph.outputs}
    missing = [n for n in names if n not in found]
    if missing:
        raise ModelError(
            f"the model has no output {', '.join(missing)}", f"its outputs are {', '.join(map(str, found))}"
        )
    graph.outputs[:] = [found[n] for n in names]
    prune(graph)
