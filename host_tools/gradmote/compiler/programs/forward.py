"""The programs infer and eval, and the lowering steps that they share with training."""

from __future__ import annotations

from collections.abc import Hashable, Set
from weakref import WeakKeyDictionary

import onnx_ir as ir

from ...frontend import infer_shapes, set_batch
from ...frontend.registry import attach_functions
from ...frontend.shapes import require_shapes, settle_shapes
from ...ir.copies import flat_copy
from ...ir.instruction import Buffer, Ref
from ...ir.lowering import Lowering, Shared, word_type
from ...ir.program import Binding, Program
from ...rewrite import pipeline
from ...rewrite.quantized.in_float import in_float
from ..options import Options
from ..sample_axis import Samples, find_samples

#: Model -> the batch, dimensions and state of its last concrete copy, and that copy.
_CONCRETE: WeakKeyDictionary[ir.Model, tuple[Hashable, ir.Model]] = WeakKeyDictionary()


def concrete(model: ir.Model, options: Options, keep: Set[str]) -> ir.Model:
    """Return a copy of the model with all shapes fixed and constant subgraphs folded.

    The values named in `keep` are state: nothing that depends on their data is folded. The copy is cached per
    model, since a search, or a check, compiles it with many options that change no shape; so callers must not
    modify it.
    Raises a GradmoteError if a shape stays unknown.
    """
    key = options.batch, tuple(sorted((options.dims or {}).items())), frozenset(keep)
    if _CONCRETE.get(model, (None,))[0] != key:
        _CONCRETE[model] = key, with_shapes(model, options, keep)
    return _CONCRETE[model][1]


def with_shapes(model: ir.Model, options: Options, keep: Set[str]) -> ir.Model:
    """Return what concrete() does, for a model that is not cached."""
    model = set_batch(model.clone(), options.batch, options.dims)
    model = settle_shapes(model, keep)
    if pipeline.decompose(model.graph, keep):
        model = settle_shapes(infer_shapes(attach_functions(model)), keep)
    require_shapes(model.graph)
    pipeline.fuse_quantized(model.graph, keep)
    return model


def lower_forward(model: ir.Model, kind: str, shared: Shared, options: Options) -> Program:
    """Return the program infer or eval, depending on `kind`."""
    program = Program(kind)
    graph = concrete(model, options, set(shared.state)).graph
    program.in_float = in_float(graph)
    samples = find_samples(model, graph, options.batch, options.dims or {})
    lowering = Lowering(program, shared, samples=samples)
    lowering.run(graph)
    for index, value in enumerate(graph.outputs):
        bind_output(lowering, value, "loss" if kind == "eval" and index == 0 else "output")
    note_rows(lowering, samples, graph)
    return program


def note_rows(lowering: Lowering, samples: Samples | None, graph: ir.Graph) -> None:
    """Note the inputs and outputs with a row for each sample, if lowering has kept the samples apart."""
    if samples is not None and lowering.samples is not None:
        lowering.program.rows_of = samples.rows([*graph.inputs, *graph.outputs])


def bind_output(lowering: Lowering, value: ir.Value, role: str) -> None:
    """Bind an output to a scratch buffer of its own.

    An output that is itself an input, a parameter or a constant is first copied into scratch.
    A loss of several elements (reduction none) is bound as an output.
    """
    ref, view = lowering.ref(value), lowering.view(value)
    given = [b.ref.buffer for b in lowering.shared.inputs.values()]
    if ref.buffer.region != "scratch" or ref.buffer in given:
        source, ref = ref, Ref(Buffer(f"{value.name}.output", view.element * lowering.elements(value), "scratch"))
        copy(lowering, value, source, ref)
    if role == "loss" and lowering.elements(value) != 1:
        role = "output"  # with reduction none there is one loss per sample
    shape = tuple(int(d) for d in value.shape)  # type: ignore[union-attr, arg-type]
    dtype = view.dtype if view.is_narrow else word_type(value)
    lowering.program.bindings.append(Binding(str(value.name), role, dtype, shape, ref))


def copy(lowering: Lowering, value: ir.Value, source: Ref, target: Ref) -> None:
    """Append a COPY of the contiguous elements of `value` from `source` to `target`."""
    made = flat_copy(source, target, lowering.elements(value), lowering.view(value).dtype)
    made.origin, made.reason = str(value.name), "a buffer for the API"
    lowering.program.instructions.append(made)
