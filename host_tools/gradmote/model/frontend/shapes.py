"""Shapes: onnx's own inference does the work, through our operators' function bodies too."""

from __future__ import annotations

from collections.abc import Mapping, Set

import onnx
import onnx_ir as ir

from ...compiler.passes import fold_constants
from ...errors import ModelError
from ..graph import constant_array, describe


def infer_shapes(model: ir.Model) -> ir.Model:
    """The model with every shape that onnx can infer, data propagated through shape computations."""
    result = infer_once(model)
    while carry_over_group_norms(result.graph):
        result = infer_once(result)
    return result


def carry_over_group_norms(graph: ir.Graph) -> bool:
    """GroupNormalization's outputs, which onnx does not infer, get the shape of x; False where all have one."""
    found = False
    for node in graph:
        if node.op_type == "GroupNormalization" and node.outputs[0].shape is None:
            x, y = node.inputs[0], node.outputs[0]
            if x is not None and x.shape is not None:
                y.shape, y.type, found = x.shape, x.type, True
    return found


def infer_once(model: ir.Model) -> ir.Model:
    proto = ir.to_proto(model)
    try:
        inferred = onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:  # InferenceError, and what else hostile models provoke in onnx
        raise ModelError(
            f"shapes do not fit: {str(error).strip()}",
            "if a batch size was fixed on export, export with a dynamic batch axis",
        ) from error
    result = ir.from_proto(inferred)
    for before, after in zip(model.graph.inputs, result.graph.inputs, strict=True):
        after.meta.update(before.meta)
    return result


def settle_shapes(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Shapes inferred and what is constant folded, in turns, as long as more shapes become known: a shape may be
    computed from a shape that is computed from ..."""
    fold_constants.run(model.graph, keep)
    unknown, before = count_unknown(model.graph), -1
    while unknown not in (0, before):
        model = infer_shapes(model)
        fold_constants.run(model.graph, keep)
        unknown, before = count_unknown(model.graph), unknown
    return model


def count_unknown(graph: ir.Graph) -> int:
    """Dimensions that are not known, 8 for a value of which not even the rank is."""
    return sum(unknown_dims(o) for node in graph for o in node.outputs)


def unknown_dims(value: ir.Value) -> int:
    return 8 if value.shape is None else sum(not isinstance(d, int) for d in value.shape)


def set_batch(model: ir.Model, batch: int | None, dims: Mapping[str, int] | None = None) -> ir.Model:
    """The model with its batch dimension and other named dimensions fixed, shapes inferred anew.

    The batch dimension is the first one of each input: symbolic ones take `batch`; one that the model fixes must
    equal it. Without a batch the model's inputs are independent of one another, and each keeps its dimensions.
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
    if isinstance(dim, int):
        if axis == 0 and batch not in (None, dim) and len(value.shape or ()) > 0 and not value.is_initializer():
            raise ModelError(
                f"input '{value.name}' has a fixed batch of {dim}, asked for {batch}",
                f"use --batch {dim}, or export the model with a dynamic batch axis",
            )
        return dim
    if str(dim.value) in known:
        return known[str(dim.value)]
    if axis == 0 and batch is not None:
        return batch
    raise ModelError(f"dimension {axis} of input '{value.name}' ({dim}) is not fixed", f"give --dim {dim}=N")


def require_shapes(graph: ir.Graph) -> None:
    """Raises ModelError naming the first node whose output has no static shape of positive dimensions, or that reads
    data without elements."""
    for node in graph:
        for output in node.outputs:
            if output.name and (output.shape is None or not output.shape.is_static()):
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
