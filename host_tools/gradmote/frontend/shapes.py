"""Shape inference by onnx, extended to Gradmote's operators through their function bodies."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Set

import onnx
import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import constant_array, describe, foreign_source, forget_names, with_branches, without_kernel
from ..rewrite import fold_constants
from .branch_weights import graphs_of
from .limits import check_size, propagates_little
from .outline import outline


def infer_shapes(model: ir.Model) -> ir.Model:
    """Give the model's values every shape that onnx can infer, and return the model.

    Data is propagated through computations of shapes.
    """
    infer_once(model)
    while carry_over_group_norms(model.graph):
        infer_once(model)
    return model


def carry_over_group_norms(graph: ir.Graph) -> bool:
    """Copy the shape of x to outputs of GroupNormalization, which onnx does not infer.

    Returns whether any shape was added.
    """
    found = False
    for node in graph:
        if node.op_type == "GroupNormalization" and node.outputs[0].shape is None:
            x, y = node.inputs[0], node.outputs[0]
            if x is not None and x.shape is not None:
                y.shape, y.type, found = x.shape, x.type, True
    return found


def infer_once(model: ir.Model) -> None:
    """Run one pass of onnx's shape inference.

    Raises ModelError if shapes contradict each other; the model stays as it was.
    """
    proto = outline(model)
    try:
        inferred = inferred_by_onnx(proto)
    except Exception as error:  # InferenceError, and whatever else hostile models provoke in onnx
        raise ModelError(
            f"shapes do not fit: {str(error).strip()}",
            "if a batch size was fixed on export, export with a dynamic batch axis",
        ) from error
    for graph, (_, found) in zip(with_branches(model.graph), graphs_of(inferred.graph), strict=True):
        take_shapes(found, graph)
    forget_names(model.graph)


def inferred_by_onnx(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model with the shapes that onnx infers, propagating the values of short shape vectors."""
    infer = functools.partial(onnx.shape_inference.infer_shapes, proto, check_type=True, strict_mode=True)
    if any(node.op_type == "Concat" for _, graph in graphs_of(proto.graph) for node in graph.node):
        plain = infer()
        if not all(propagates_little(graph) for _, graph in graphs_of(plain.graph)):
            return plain
    return infer(data_prop=True)


def take_shapes(found: onnx.GraphProto, graph: ir.Graph) -> None:
    """Give the values of a graph the types and shapes inferred for their names."""
    values = {value.name: value for value in values_of(graph)}
    known: dict[bytes, tuple[ir.TypeProtocol | None, ir.Shape | None]] = {}
    for info in (*found.input, *found.output, *found.value_info):
        value = values.get(info.name)
        if value is not None:
            key = info.type.SerializeToString()
            if key not in known:
                known[key] = type_and_shape(info.type)
            kind, shape = known[key]
            value.type = kind or value.type
            value.shape = value.shape if shape is None else shape
            if value.shape is not None:
                check_size(info.name, [d for d in value.shape if isinstance(d, int)])


def type_and_shape(proto: onnx.TypeProto) -> tuple[ir.TypeProtocol | None, ir.Shape | None]:
    """Return the type and the shape, which must not be modified: values share them."""
    return ir.serde.deserialize_type_proto_for_type(proto), ir.serde.deserialize_type_proto_for_shape(proto)


def values_of(graph: ir.Graph) -> Iterator[ir.Value]:
    """Yield the inputs of a graph, and the outputs of its nodes."""
    yield from graph.inputs
    for node in graph:
        yield from node.outputs


def settle_shapes(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Infer shapes and fold constants in turns for as long as more dimensions become known.

    The repetition is needed if a shape is computed from another computed shape.
    """
    before = -1
    while folds(model.graph, keep) and (unknown := count_unknown(model.graph)) not in (0, before):
        model, before = infer_shapes(model), unknown
    return model


def folds(graph: ir.Graph, keep: Set[str]) -> bool:
    """Fold constants, and return whether there were any."""
    before = list(graph)
    fold_constants.run(graph, keep)
    return list(graph) != before


def count_unknown(graph: ir.Graph) -> int:
    """Return the number of unknown dimensions; a value of unknown rank counts as 8."""
    return sum(unknown_dims(o) for node in graph for o in node.outputs)


def unknown_dims(value: ir.Value) -> int:
    """Return the number of unknown dimensions of one value."""
    return 8 if value.shape is None else sum(not isinstance(d, int) for d in value.shape)


def set_batch(model: ir.Model, batch: int | None, dims: Mapping[str, int] | None = None) -> ir.Model:
    """Return the model with its batch dimension and other named dimensions fixed, and new shapes.

    The batch dimension is the first one of each input: symbolic ones become `batch`; one that the model
    fixes must equal it. With batch None, the inputs need not have a batch in common, and each keeps its
    dimensions. Raises ModelError for a dimension that stays open, or contradicts the batch.
    """
    if batch is not None and batch < 1:
        raise ModelError(f"batch {batch}", "use at least 1")
    known = dict(dims or {})
    for value in model.graph.inputs:
        if value.is_initializer() or value.shape is None:
            continue
        value.shape = ir.Shape([fix(value, axis, d, batch, known) for axis, d in enumerate(value.shape)])
    for node in model.graph:
        for output in node.outputs:
            output.shape = None
    for output in model.graph.outputs:
        output.shape = None
    return infer_shapes(model)


def fix(value: ir.Value, axis: int, dim: int | ir.SymbolicDim, batch: int | None, known: Mapping[str, int]) -> int:
    """Return the size of one dimension.

    Raises ModelError if it stays open, or contradicts the batch.
    """
    if isinstance(dim, int):
        if axis == 0 and batch not in (None, dim) and len(value.shape or ()) > 0 and not value.is_initializer():
            raise other_batch(value, dim, int(batch or 0), known)
        return dim
    if str(dim.value) in known:
        return known[str(dim.value)]
    if axis == 0 and batch is not None:
        return batch
    raise ModelError(f"dimension {axis} of input '{value.name}' ({dim}) is not fixed", f"give --dim {dim}=N")


def other_batch(value: ir.Value, size: int, batch: int, known: Mapping[str, int]) -> ModelError:
    """Return the error for an input whose first dimension is not the batch."""
    names = [str(d.value) for d in value.shape or () if not isinstance(d, int) and str(d.value) not in known]
    if names:
        return ModelError(
            f"input '{value.name}' begins with {size} for a batch of {batch}, and its open dimension is {names[0]}",
            f"if that counts samples, compile the .onnx file itself; if not, give --dim {names[0]}=N",
        )
    return ModelError(
        f"input '{value.name}' has a fixed batch of {size}, asked for {batch}",
        f"use --batch {size}, or export the model with a dynamic batch axis",
    )


def require_shapes(graph: ir.Graph) -> None:
    """Raise ModelError for the first node whose shapes are not static and positive.

    It is the first with an output of unknown shape or without elements, or with a non-constant input
    without elements. Raises UnsupportedOperator if an operator of another domain leaves the shape unknown.
    """
    for node in graph:
        for output in node.outputs:
            if output.name and (output.shape is None or not output.shape.is_static()):
                if (foreign := foreign_source(output)) is not None:
                    raise without_kernel(foreign)
                raise ModelError(
                    f"the shape of '{output.name}' cannot be known before running ({output.shape})",
                    "export the model with fixed dimensions; only the batch may be symbolic",
                    describe(node),
                )
            if output.name and not all(int(d) > 0 for d in output.shape):  # type: ignore[union-attr, arg-type]
                raise ModelError(f"'{output.name}' has shape {output.shape}", "give each at least 1", describe(node))
        for value in node.inputs:
            if value is not None and value.shape is not None and 0 in value.shape and constant_array(value) is None:
                raise ModelError(f"'{value.name}' has shape {value.shape}", "give each at least 1", describe(node))
