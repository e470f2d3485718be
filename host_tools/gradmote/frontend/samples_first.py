"""Models whose samples are not on the first axis, as PyTorch's recurrent layers have them by default.

The image of such a model takes and gives samples on the first axis, as any other: a Transpose follows
each input, and comes before each output. Which axis has the samples, the model shows: the batch axis
of its recurrent layers, the name of an open dimension, or the first dimension of an output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import onnx
import onnx_ir as ir
from onnx import inliner

from ..errors import ModelError
from ..ir.graph import Builder, sort_nodes
from ..ir.metadata import SAMPLE_AXES
from ..ir.write import to_proto
from .free_batch import PROBE, RECURRENT, batch_of, data_inputs, probe_of
from .read import to_ir

#: The axis of samples by the name of an input or output.
Axes = dict[str, int]


def samples_first(proto: onnx.ModelProto, axes: Mapping[str, int]) -> onnx.ModelProto:
    """Return the model with the samples of inputs and outputs moved from these axes to the first one."""
    if not axes:
        return proto
    model = to_ir(proto)
    for value in [v for v in model.graph.inputs if v.name in axes]:
        move_input(model.graph, value, axes[str(value.name)])
    for index, value in enumerate(model.graph.outputs):
        if value.name in axes and value.producer() is not None:
            model.graph.outputs[index] = moved_output(model.graph, value, axes[str(value.name)])
    sort_nodes(model.graph)
    SAMPLE_AXES.write(model, dict(axes))
    return to_proto(model)


def move_input(graph: ir.Graph, value: ir.Value, axis: int) -> None:
    """Let an input take its samples first; its users read it through a Transpose."""
    shape = list(value.shape or ())
    order = [0 if i == axis else i + (i < axis) for i in range(len(shape))]
    users = list(value.uses())
    inner = Builder(graph).op("Transpose", value, name=f"{value.name}.samples_on_axis_{axis}", perm=order)
    inner.shape, inner.type = ir.Shape(shape), value.type
    for node, index in users:
        node.replace_input_with(index, inner)
    value.shape = ir.Shape([shape[axis], *shape[:axis], *shape[axis + 1 :]])


def moved_output(graph: ir.Graph, value: ir.Value, axis: int) -> ir.Value:
    """Return the output that gives its samples first, under the name of the model's own."""
    name, shape = str(value.name), None if value.shape is None else list(value.shape)
    value.name = f"{name}.samples_on_axis_{axis}"
    rank = len(shape) if shape is not None else axis + 1
    made = Builder(graph).op("Transpose", value, name=name, perm=[axis, *(i for i in range(rank) if i != axis)])
    made.type = value.type
    made.shape = None if shape is None else ir.Shape([shape[axis], *shape[:axis], *shape[axis + 1 :]])
    return made


# ---- Which axis has the samples


def sample_axes(
    proto: onnx.ModelProto,
    batch: int | None = None,
    dims: Mapping[str, int] | None = None,
    outputs: Sequence[str] | None = None,
) -> Axes:
    """Return the axis of samples of each input and output that does not have them on its first.

    batch: the number of samples, if it is known. dims: the sizes of named dimensions. outputs: those that
    count; all by default. Raises ModelError if the model does not show the axis, if `dims` fix another
    number of samples, or if an output joins samples with another axis.
    """
    if not is_doubtful(proto, batch):
        return {}
    inlined = inliner.inline_local_functions(proto) if proto.functions else proto
    found = Search(inlined, batch, dims or {})
    axes = found.axes()
    if not any(axes.values()):
        return {}
    found.check_dims(axes)
    wanted = [v for v in inlined.graph.output if outputs is None or v.name in outputs]
    axes = {**axes, **output_axes(shapes(inlined, axes), wanted)}
    return {name: axis for name, axis in axes.items() if axis}


def is_doubtful(proto: onnx.ModelProto, batch: int | None) -> bool:
    """Return whether samples may be on another axis than the first: most models show at once that they are not."""
    given = [list(value.type.tensor_type.shape.dim) for value in data_inputs(proto.graph)]
    nodes = (*proto.graph.node, *(node for function in proto.functions for node in function.node))
    return (
        any(dim.dim_value <= 0 for dims in given for dim in dims[1:])
        or any(dims and dims[0].dim_value not in (0, batch) for dims in given)
        or any(node.op_type in RECURRENT and not node.domain for node in nodes)
    )


class Search:
    """The search for the axes of samples in a model without functions."""

    def __init__(self, proto: onnx.ModelProto, batch: int | None, dims: Mapping[str, int]) -> None:
        """Read the dimensions of the model's inputs."""
        self.proto, self.batch, self.dims = proto, batch, dims
        self.inputs = {v.name: list(v.type.tensor_type.shape.dim) for v in data_inputs(proto.graph)}
        self.named: dict[str, Axes] = {}
        for name, axis, dim in self.all_dims():
            if dim.dim_value <= 0:
                self.named.setdefault(dim.dim_param, {}).setdefault(name, axis)

    def all_dims(self) -> Iterator[tuple[str, int, onnx.TensorShapeProto.Dimension]]:
        """Yield input, axis and dimension."""
        yield from ((name, axis, dim) for name, dims in self.inputs.items() for axis, dim in enumerate(dims))

    def axes(self) -> Axes:
        """Return the axis of samples of each input that has any. Raises ModelError."""
        names = {d.dim_param for _, axis, d in self.all_dims() if axis == 0 and self.is_open(d)}
        first = {name: 0 for name, axis, d in self.all_dims() if axis == 0 and self.is_open(d)}
        first = {**{k: v for name in names if name for k, v in self.named[name].items()}, **first}
        if any(is_batch(name) for name in names):
            return first
        shown = next((axes for axes in self.candidates(first) if axes and self.is_shown(axes)), None)
        if shown is not None:
            return shown
        likely = self.likely({name: axes for name, axes in self.named.items() if name not in (*names, *self.dims)})
        if first:
            return likely[0] if len(likely) == 1 and any(map(is_batch, self.names_of(likely[0]))) else first
        return likely[0] if likely else self.single()

    def is_open(self, dim: onnx.TensorShapeProto.Dimension) -> bool:
        """Return whether neither the model nor the caller fixes a dimension."""
        return dim.dim_value <= 0 and dim.dim_param not in self.dims

    # ---- recurrent layers

    def candidates(self, first: Axes) -> Iterator[Axes]:
        """Yield axes that recurrent layers may show to be those of samples."""
        if any(node.op_type in RECURRENT and not node.domain for node in self.proto.graph.node):
            yield from (first, *self.named.values())
            if self.batch != 1 or not self.is_first(1):
                yield from (self.of_size(name, axis) for name, axis, dim in self.all_dims() if dim.dim_value > 0)

    def is_first(self, size: int) -> bool:
        """Return whether every input has this first dimension."""
        return all(dims and dims[0].dim_value == size for dims in self.inputs.values())

    def is_shown(self, axes: Axes) -> bool:
        """Return whether these axes arrive at the batch axis of the recurrent layers."""
        found = shapes(self.proto, axes)
        for node in self.proto.graph.node:
            if node.op_type in RECURRENT and not node.domain:
                by_batch = any(a.name == "layout" and a.i for a in node.attribute)
                at = batch_of(found.get(node.input[0], []))
                if at is not None:
                    return at == (0 if by_batch else 1)
        return False

    def of_size(self, name: str, axis: int) -> Axes:
        """Return an axis of fixed size, with the axes of the same size in other inputs."""
        size, axes = self.inputs[name][axis].dim_value, {name: axis}
        for other, dims in self.inputs.items():
            equal = [i for i, dim in enumerate(dims) if dim.dim_value == size]
            if other != name and equal and (len(equal) == 1 or equal[0] == 0):
                axes[other] = equal[0]
        return axes

    # ---- names and outputs

    def likely(self, named: Mapping[str, Axes]) -> list[Axes]:
        """Return the axes of open dimensions that are called batch, or lead an output.

        Raises ModelError if there are several.
        """
        found = [n for n in named if is_batch(n)] or [n for n, axes in named.items() if self.leads(axes)]
        if len(found) > 1:
            raise ModelError(
                f"the inputs have the open dimensions {', '.join(found)}, and any of them may count samples",
                f"fix those that do not: --dim {found[0]}=N",
            )
        return [named[name] for name in found]

    def leads(self, axes: Axes) -> bool:
        """Return whether the size of these axes is the first dimension of an output."""
        found = shapes(self.proto, axes)
        return any(found.get(output.name, [])[:1] == [PROBE] for output in self.proto.graph.output)

    def names_of(self, axes: Axes) -> list[str]:
        """Return the names of the dimensions at these axes."""
        return [self.inputs[name][axis].dim_param for name, axis in axes.items()]

    def single(self) -> Axes:
        """Return the only axes of size 1, if the outputs begin with a 1 and inputs do not; else none."""
        firsts = {(*(d.dim_value for d in o.type.tensor_type.shape.dim), 0)[0] for o in self.proto.graph.output}
        ones = {name: [i for i, d in enumerate(dims) if d.dim_value == 1] for name, dims in self.inputs.items()}
        if firsts != {1} or self.is_first(1) or any(len(axes) != 1 for axes in ones.values()):
            return {}
        return {name: axes[0] for name, axes in ones.items()}

    def check_dims(self, axes: Axes) -> None:
        """Raise ModelError if the caller's sizes of dimensions fix another number of samples than the batch."""
        for name in self.names_of(axes):
            if self.batch is not None and self.dims.get(name, self.batch) != self.batch:
                raise ModelError(
                    f"the dimension '{name}' counts samples, and is {self.dims[name]} for a batch of {self.batch}",
                    f"give --batch {self.dims[name]} instead of --dim {name}={self.dims[name]}",
                )


def is_batch(name: str) -> bool:
    """Return whether a dimension is called a batch."""
    return "batch" in name.lower()


def output_axes(found: Mapping[str, list[int]], outputs: Sequence[onnx.ValueInfoProto]) -> Axes:
    """Return the axis of samples of each output. Raises ModelError for one that joins them with another axis."""
    axes = {}
    for output in outputs:
        shape = found.get(output.name, [])
        axis = batch_of(shape)
        if axis is None and any(dim and dim % PROBE == 0 for dim in shape):
            raise ModelError(
                f"output '{output.name}' joins samples with other axes, so nobody can tell its samples apart",
                "leave them apart in the model's output, as (time, batch, features)",
            )
        if axis is not None:
            axes[output.name] = axis
    return axes


def shapes(proto: onnx.ModelProto, axes: Mapping[str, int]) -> dict[str, list[int]]:
    """Return all shapes of a model for PROBE samples on these axes; 0 is an unknown dimension.

    Values are missing if the model cannot have that many samples there.
    """
    free = onnx.ModelProto()
    free.CopyFrom(proto)
    for output in free.graph.output:
        output.type.tensor_type.ClearField("shape")
    try:
        graph = onnx.shape_inference.infer_shapes(probe_of(free, axes), data_prop=True).graph
    except Exception:  # onnx has no common base for the errors of inference
        return {}
    found = (*graph.value_info, *graph.input, *graph.output)
    return {v.name: [dim.dim_value for dim in v.type.tensor_type.shape.dim] for v in found}
