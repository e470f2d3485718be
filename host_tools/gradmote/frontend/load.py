"""The loader: from an ONNX model to the form that passes and gradient rules expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np
import onnx
import onnx_ir as ir

from ..errors import ModelError
from ..ir.affine import QUANTIZED, real_numbers
from ..ir.graph import data_of, prune, runtime_type, with_branches
from ..ir.metadata import BUFFERS, CLASSES, EQUAL, SAMPLE_AXES, TIED, UNSURE, WEIGHTS, note_stops, remove_notes
from ..rewrite import inline_branches, known_sequences, pipeline, unroll_loops
from ..rewrite.qdq import check_forms
from ..rewrite.qdq.weights import quantize_weights
from .inputs import Inputs
from .linear import expand_linear
from .model_classes import class_names
from .parameters import sort_constants, trainable, weights
from .prepare import forget_default_inputs, forget_negative_dims, name_split_outputs, name_weights, raise_opset
from .quantized_constants import name_standard, separate_quantized
from .read import Source, read_model, to_ir
from .registry import attach_functions
from .scikit_preparations import expand_preparations
from .shapes import infer_shapes, settle_shapes
from .ties import NO_TIES, Tie, Ties, arrays_of, equal_pairs, find_ties
from .ties import tie as tie_weights
from .untie import untie as untie_weights

#: Passes that replace what exporters write as control flow, for as long as more of it is known.
KNOWN_CONTROL_FLOW = (inline_branches.run, unroll_loops.run, known_sequences.run)


def load_model(
    source: Source,
    outputs: Sequence[str] | None = None,
    batch_norm: str = "frozen",
    ties: Ties = NO_TIES,
    inputs: Inputs | None = None,
    named: Iterable[str] = (),
) -> ir.Model:
    """Return an inference graph in normal form.

    Functions and branches are inlined, constants are folded, Gemm is plain, and ranks are known.

    outputs: graph outputs to keep; all by default. batch_norm: a mode of rewrite.batch_norm. ties: what
    the caller says about equal weights. inputs: what the caller fixes of the model's inputs. named:
    constants that survive folding because they are trained, as weights always do. Raises ModelError for
    an invalid ONNX model.
    """
    model = read_weights(source, ties, inputs)
    if outputs is not None:
        keep_outputs(model.graph, outputs)
    name_split_outputs(model.graph)
    expand_preparations(model.graph)
    keep = {*WEIGHTS.read(model.graph, []), *named}
    model = pipeline.normalize(flat(model, keep), keep, batch_norm)
    return infer_shapes(attach_functions(model))


def fold_batch_norm(source: Source, ties: Ties = NO_TIES) -> ir.Model:
    """Return a model in standard ONNX whose BatchNormalizations are folded into its weights.

    The folded weights have names of their own.
    """
    model = read_weights(source, ties)
    keep = set(WEIGHTS.read(model.graph, []))
    return pipeline.prepare(flat(model, keep), keep, "fold")


def flat(model: ir.Model, keep: Set[str]) -> ir.Model:
    """Return the model without functions and branches, with every shape that can be inferred.

    keep: names of values that are not folded.
    """
    model = settle_shapes(pipeline.flatten(infer_shapes(model)), keep)
    while any(run(model.graph) for run in KNOWN_CONTROL_FLOW):
        model = settle_shapes(infer_shapes(model), keep)
    inline_branches.refuse_what_stays(model.graph)
    return model


def read_weights(source: Source, ties: Ties = NO_TIES, inputs: Inputs | None = None) -> ir.Model:
    """Return the model as onnx_ir's, with the names of its own weights recorded.

    Raises ModelError for inputs of a type that the runtime lacks.
    """
    proto = raise_opset(read_model(source))
    forget_default_inputs(proto)
    forget_negative_dims(proto)
    name_standard(proto)
    name_weights(proto.graph)
    expand_linear(proto)
    separate_quantized(proto.graph)
    (inputs or Inputs()).fix(proto)
    tied, equal = settle_ties(proto, ties)
    model = to_ir(proto)
    classes, axes = class_names(model), SAMPLE_AXES.read(model, {})
    remove_notes(model)  # an artifact's notes do not apply to what is made of it now
    note_stops(model)
    CLASSES.write(model.graph, classes)
    SAMPLE_AXES.write(model.graph, axes)
    TIED.write(model.graph, {tie.copy: tie.weight for tie in tied})
    EQUAL.write(model.graph, [list(pair) for pair in equal])
    for value in model.graph.inputs:
        runtime_type(value)
    found = sort_constants(with_branches(model.graph))
    WEIGHTS.write(model.graph, found.weights)
    BUFFERS.write(model.graph, found.buffers)
    UNSURE.write(model.graph, found.unsure)
    return model


def settle_ties(proto: onnx.ModelProto, ties: Ties) -> tuple[list[Tie], list[tuple[str, str]]]:
    """Copy weights that several nodes use, or join those that an exporter took apart.

    Return what was joined, and the pairs of equal weights that stay separate.
    """
    if ties.untie:
        untie_weights(proto.graph, weights(to_ir(proto).graph))
        return [], []
    found, equal = ties_of(proto, ties.join)
    tie_weights(proto.graph, found)
    return found, equal


def ties_of(proto: onnx.ModelProto, join: Sequence[tuple[str, str]] = ()) -> tuple[list[Tie], list[tuple[str, str]]]:
    """Return the ties of a model's weights, and the pairs of equal weights that stay separate. Raises ModelError."""
    arrays = arrays_of(proto.graph, [tensor.name for tensor in proto.graph.initializer])
    if not (join or find_ties(arrays) or equal_pairs(arrays, [])):
        return [], []  # as for most models; skips finding the weights
    own = set(weights(to_ir(proto).graph))
    arrays = {name: array for name, array in arrays.items() if name in own}
    found = find_ties(arrays, join)
    return found, equal_pairs(arrays, found)


@dataclass(frozen=True)
class QuantizedConstant:
    """The integers of a quantized weight in the model's own form, and in canonical form (rewrite.qdq).

    own: for a float32 weight, the output of its QuantizeLinear. canonical: the initial integers of training. real:
    the real numbers of the integers; None if several scales give several.
    """

    own: np.ndarray
    canonical: np.ndarray
    real: np.ndarray | None


def quantized_constants(source: Source) -> dict[str, QuantizedConstant]:
    """Return the model's quantized weights by name."""
    model = read_weights(source)
    keep = set(WEIGHTS.read(model.graph, []))
    graph = flat(model, keep).graph
    check_forms.run(graph, keep)
    quantize_weights(graph, keep)
    own = data_of(graph, [n for n in trainable(graph) if graph.initializers[n].dtype in QUANTIZED])
    real = {name: real_numbers(graph.initializers[name]) for name in own}
    canonical = data_of(pipeline.quantize(model, keep).graph, list(own))
    return {name: QuantizedConstant(own[name], canonical[name], real[name]) for name in own}


def read_untied(source: Source) -> onnx.ModelProto:
    """Return a valid model with a copy of a weight for each node that uses it."""
    proto = read_model(source)
    forget_default_inputs(proto)
    name_weights(proto.graph)
    separate_quantized(proto.graph)
    untie_weights(proto.graph, weights(to_ir(proto).graph))
    return proto


def keep_outputs(graph: ir.Graph, names: Sequence[str]) -> None:
    """Remove all outputs except the named ones, and the nodes that only the others need."""
    found = {o.name: o for o in graph.outputs}
    missing = [n for n in names if n not in found]
    if missing:
        raise ModelError(
            f"the model has no output {', '.join(missing)}", f"its outputs are {', '.join(map(str, found))}"
        )
    graph.outputs[:] = [found[n] for n in names]
    prune(graph)
