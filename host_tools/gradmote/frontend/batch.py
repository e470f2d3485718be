"""Models that were exported for one sample, compiled for more.

PyTorch's exporter fixes the batch by default. Such a model gets a free batch, and is then tried: the
twin infers drawn samples together and one by one. If the results differ, the model is refused, and
the error shows the line that exports it correctly.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import numpy as np
import onnx

from ..errors import GradmoteError, ModelError
from .branch_weights import graphs_of
from .free_batch import data_inputs, first_dims, free_batch, set_first_dims
from .inputs import forget_shapes
from .trial import Trial, opened

log = logging.getLogger(__name__)

#: The largest accepted difference of a result, relative to the largest element.
TOLERANCE = 1e-4
#: The most times that samples are drawn.
TURNS = 16

#: A function that compiles a model for a batch to an image for inference.
Infer = Callable[[onnx.ModelProto, int], bytes]


def with_batch(
    proto: onnx.ModelProto, batch: int | None, infer: Infer, axes: Mapping[str, int] | None = None
) -> onnx.ModelProto:
    """Return the model unchanged if it takes this batch, else with its batch of 1 made free.

    infer: compiles a model for a batch. axes: those of samples in the user's own model, by input, if the
    model was rewritten to have them first (gradmote.frontend.samples_first). Raises ModelError if the
    model fixes another batch, or computes different results for several samples than for each of them.
    """
    fixed = {name: size for name, size in first_dims(proto).items() if size != batch}
    if batch is None or batch < 1 or not fixed:
        return with_known_loops(proto, batch) if batch else proto
    name, size = next(((n, s) for n, s in fixed.items() if s != 1), next(iter(fixed.items())))
    if size != 1:
        export = f"export the model with a dynamic batch: {export_line(proto, axes)}"
        hint = f"use --batch {size}, or {export}" if leads_outputs(proto, size) else export
        raise ModelError(f"input '{name}' has a fixed batch of {size}, asked for {batch}", hint)
    free = free_batch(proto)
    why = difference(proto, free, batch, infer)
    if why:
        raise ModelError(
            f"input '{name}' has a fixed batch of 1, asked for {batch}, and the model has the 1 built in ({why})",
            f"use --batch 1, or export the model with a dynamic batch: {export_line(proto, axes)}",
        )
    log.info("the batch of 1 that the exporter fixed is free now; %d samples infer together as one by one", batch)
    return free


def with_known_loops(proto: onnx.ModelProto, batch: int) -> onnx.ModelProto:
    """Return the model, with its open batch fixed if a Loop may run over the samples: then its length is known."""
    if not any(node.op_type == "Loop" for _, graph in graphs_of(proto.graph) for node in graph.node):
        return proto
    known = onnx.ModelProto()
    known.CopyFrom(proto)
    set_first_dims(known.graph, onnx.TensorShapeProto.Dimension(dim_value=batch))
    forget_shapes(known.graph)
    return known


def fix_dims(proto: onnx.ModelProto, dims: Mapping[str, int]) -> None:
    """Write sizes of named dimensions into the inputs, except into the first one, which set_batch() compares."""
    for value in data_inputs(proto.graph):
        for dim in list(value.type.tensor_type.shape.dim)[1:]:
            if dim.dim_param in dims:
                dim.dim_value = dims[dim.dim_param]


def leads_outputs(proto: onnx.ModelProto, size: int) -> bool:
    """Return whether no output contradicts that its first dimension, of this size, counts samples."""
    dims = [output.type.tensor_type.shape.dim for output in proto.graph.output]
    return all(not dim or dim[0].dim_value in (0, size) for dim in dims)


def export_line(proto: onnx.ModelProto, axes: Mapping[str, int] | None = None) -> str:
    """Return the call that exports the model from PyTorch with a free batch.

    The call passes two samples, because PyTorch treats a dimension of one as a fixed size. axes: those of samples in
    the user's own model; the first by default.
    """
    inputs, axes = list(data_inputs(proto.graph)), axes or {}
    samples = ", ".join(example(value, axes.get(value.name, 0)) for value in inputs)
    names = ", ".join(f'"{value.name}"' for value in inputs)
    dims = ", ".join(f'{{{axes.get(v.name, 0)}: "batch"}}' if v.type.tensor_type.shape.dim else "None" for v in inputs)
    outputs = ", ".join(f'"{value.name}"' for value in proto.graph.output)
    return (
        f'torch.onnx.export(model.eval(), ({samples},), "model.onnx", input_names=[{names}], '
        f"output_names=[{outputs}], dynamic_shapes=({dims},))"
    )


def example(value: onnx.ValueInfoProto, axis: int) -> str:
    """Return the PyTorch expression for two samples of an input, on this axis."""
    tensor = value.type.tensor_type
    sizes = [d.dim_value or 8 for d in list(tensor.shape.dim)[1:]]
    if tensor.shape.dim:
        sizes.insert(axis, 2)
    if tensor.elem_type == onnx.TensorProto.FLOAT:
        return f"torch.randn({', '.join(map(str, sizes))})" if sizes else "torch.tensor(1.0)"
    return f"torch.zeros({sizes}, dtype=torch.{onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)})"


def difference(one: onnx.ModelProto, free: onnx.ModelProto, batch: int, infer: Infer) -> str:
    """Return how the free model differs from the original, in words; "" if it does not.

    The free model runs a batch, the original each sample of it.
    """
    alone = infer(one, 1)
    try:
        together = infer(free, batch)
    except GradmoteError as error:
        return error.message
    return compared(alone, together, batch)


def compared(alone: bytes, together: bytes, batch: int) -> str:
    """Return which output differs between samples one by one and together; "" if none does.

    Results that are equal for several samples, such as the zeros of a Relu, prove little: further and
    wider samples are drawn then.
    """
    with opened(alone) as one, opened(together) as many:
        for turn in range(TURNS):
            samples = samples_of(many, turn)
            results = [np.array(output) for output in many.infer(*samples)]
            singles = one_by_one(one, samples, batch)
            for tensor, whole, single in zip(many.outputs(), results, singles, strict=True):
                if not all(is_part(whole, part, batch, index) for index, part in enumerate(single)):
                    return f"output '{tensor['name']}' of a sample depends on the others in its batch"
            if all(map(are_apart, singles)):
                return ""
    return ""


def samples_of(session: Trial, turn: int) -> list[np.ndarray]:
    """Return an array for each input, which differs from turn to turn."""
    tensors = session.inputs()
    return [drawn(t["dtype"], t["shape"], turn * len(tensors) + i, 1.0 + turn) for i, t in enumerate(tensors)]


def one_by_one(session: Trial, samples: list[np.ndarray], batch: int) -> list[list[np.ndarray]]:
    """Return, for each output, the results of one sample after the other."""
    shapes = [tensor["shape"] for tensor in session.inputs()]
    found = []
    for index in range(batch):
        parts = [a.reshape(batch, -1)[index].reshape(s) if s else a for a, s in zip(samples, shapes, strict=True)]
        found.append([np.array(output) for output in session.infer(*parts)])
    return [list(results) for results in zip(*found)]


def are_apart(results: list[np.ndarray]) -> bool:
    """Return whether no element of the results is the same for two samples."""
    ordered = np.sort(np.array(results), axis=0)
    return bool(np.all(ordered[1:] != ordered[:-1]))


def drawn(dtype: str, shape: tuple[int, ...], seed: int, deviation: float) -> np.ndarray:
    """Return random numbers around 0 with this deviation, or indices 0 and 1, which are valid for every table."""
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.normal(0, deviation, shape).astype(np.float32)
    return rng.integers(0, 2, shape, dtype=np.int32)


def is_part(whole: np.ndarray, single: np.ndarray, batch: int, index: int) -> bool:
    """Return whether `single` equals the results of one sample in `whole`, within TOLERANCE."""
    if whole.size != batch * single.size:
        return False
    part, single = whole.reshape(batch, -1)[index], single.reshape(-1)
    finite = single[np.isfinite(single)]
    scale = float(np.abs(finite).max(initial=0.0))
    return bool(np.allclose(part, single, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True))
