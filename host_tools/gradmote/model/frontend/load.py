"""The loader: from an ONNX model to the form that passes and gradient rules expect."""

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

OLDEST_OPSET = 6  # the oldest that onnx's converter takes
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
    """Return an inference graph in normal form.

    Functions and branches are inlined, constants are folded, Gemm is plain, and ranks are known.

    outputs: graph outputs to keep; all by default. batch_norm: a mode of passes.batch_norm. untie:
    make a copy of a weight for each node that uses it. inputs: what the caller fixes of the model's
    inputs. named: constants that survive folding because they are trained, as weights always do.
    Raises ModelError for a model that is no valid ONNX.
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
    """Return a model in standard ONNX whose BatchNormalizations are folded into its weights.

    The folded weights have names of their own.
    """
    model = read_weights(source, untie)
    keep = set(noted_weights(model.graph) or ())
    return ir.to_proto(pipeline.prepare(flat(model, keep), keep, "fold"))


def flat(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Return the model without functions and branches, with every shape that can be inferred.

    keep: names of values that are not folded.
    """
    model = settle_shapes(pipeline.flatten(infer_shapes(model)), keep)
    while inline_branches.run(model.graph):
        model = settle_shapes(infer_shapes(model), keep)
    inline_branches.refuse_what_stays(model.graph)
    return model


def read_weights(
    source: str | os.PathLike[str] | bytes | onnx.ModelProto, untie: bool = False, inputs: Inputs | None = None
) -> ir.Model:
    """Return the model as onnx_ir's, with the names of its own weights recorded.

    Raises ModelError for inputs of a type that the runtime lacks.
    """
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
    """Yield the graph and the graphs in its nodes."""
    yield graph
    for node in graph:
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                yield from with_branches(attribute.as_graph())


def read_untied(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """Return a valid model with a copy of a weight for each node that uses it."""
    proto = read_model(source)
    forget_default_inputs(proto)
    name_weights(proto.graph)
    untie_weights(proto.graph, weights(to_ir(proto).graph))
    return proto


def read_model(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """Return a valid ModelProto within the limits of frontend.limits.

    Raises ModelError.
    """
    proto = read(source)
    check(proto)
    check_limits(proto)
    return proto


def to_ir(proto: onnx.ModelProto) -> ir.Model:
    """Return the model as onnx_ir's.

    Raises ModelError for a model that onnx's checker accepts but that cannot be written again, such
    as one with names that are not UTF-8.
    """
    try:
        model = ir.from_proto(proto)
        ir.to_proto(model)
    except Exception as error:  # onnx_ir has no common base for its errors
        raise ModelError(f"the model is malformed: {error.__cause__ or error}", _EXPORT_AGAIN) from error
    return model


def read(source: str | os.PathLike[str] | bytes | onnx.ModelProto) -> onnx.ModelProto:
    """Return a ModelProto from a path or from bytes, or a copy of the one given."""
    if isinstance(source, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(source)
        return copy
    try:
        return onnx.load_model_from_string(source) if isinstance(source, bytes) else onnx.load(os.fspath(source))
    except FileNotFoundError:
        raise ModelError(f"there is no file {source!r}", "check the path") from None
    except Exception as error:  # protobuf's DecodeError has no public name
        raise ModelError(f"this is not an ONNX model: {error}", _EXPORT_AGAIN) from error


def check(proto: onnx.ModelProto) -> None:
    """Raise ModelError for a model that Gradmote cannot read.

    It violates the ONNX specification, has an unsupported opset, or has inputs or outputs that are
    no tensors.
    """
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
    """Move the GroupNormalizations of opsets 18 to 20 to a foreign domain during a check.

    onnx's checker refuses them as deprecated, although exporters write them and Gradmote supports
    them. It accepts any node of a foreign domain.
    """
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
    """Raise ModelError for an opset that is too old to convert, or newer than the onnx package."""
    newest = onnx.defs.onnx_opset_version()
    if version < OLDEST_OPSET:
        raise ModelError(f"the model uses opset {version}", "export it with opset 13 or newer")
    if version > newest:
        raise ModelError(
            f"the model uses opset {version}, the onnx package here knows {newest}",
            "install a newer onnx, or export with an older opset",
        )


def keep_outputs(graph: ir.Graph, names: Sequence[str]) -> None:
    """Remove all outputs but the named ones, and the nodes that only the others need."""
    found = {o.name: o for o in graph.outputs}
    missing = [n for n in names if n not in found]
    if missing:
        raise ModelError(
            f"the model has no output {', '.join(missing)}", f"its outputs are {', '.join(map(str, found))}"
        )
    graph.outputs[:] = [found[n] for n in names]
    prune(graph)
