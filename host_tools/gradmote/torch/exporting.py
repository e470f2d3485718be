"""A module as an ONNX model whose initializers are the module's own parameters and buffers.

torch.export follows the module as it is: each submodule's train() or eval(), its buffers, and functions of
parameters. The exporter's optimizations are off, since they fold such functions and take ties apart.
"""

from __future__ import annotations

import inspect
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import onnx
import torch
from onnx import inliner
from onnx.reference import ReferenceEvaluator
from torch.nn.attention import SDPBackend, sdpa_kernel

from ..errors import ModelError
from .autograd_rules import detach_without_grad, mark
from .embedding_bags import open_bags

log = logging.getLogger(__name__)
#: The name of the first dimension that counts samples.
BATCH = "batch"


@dataclass(frozen=True)
class Exported:
    """A module's model.

    model: the ONNX model. inputs, outputs: names of the module's own, in order; with a loss, the model has its labels
    as further inputs, and its result is the first output. parameters: names of those that require gradients, as
    initializers. ties: other names of parameters and buffers -> their initializers' names.
    """

    model: onnx.ModelProto
    inputs: list[str]
    outputs: list[str]
    parameters: list[str]
    ties: dict[str, str]


class WithLoss(torch.nn.Module):
    """A module that returns its loss, then its outputs."""

    def __init__(self, module: torch.nn.Module, loss: Callable[..., torch.Tensor], inputs: int) -> None:
        """Take the first `inputs` arguments of forward() for the module."""
        super().__init__()
        self.module, self.loss, self.count = module, loss, inputs

    def forward(self, *data: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the loss, then the outputs. data: inputs, then labels."""
        outputs = as_outputs(self.module(*data[: self.count]))
        return (self.loss(*outputs, *data[self.count :]), *outputs)


def as_module(module: torch.nn.Module | torch.export.ExportedProgram) -> torch.nn.Module:
    """Return the module, or that of an exported program, which has the program's own parameters."""
    return module.module() if isinstance(module, torch.export.ExportedProgram) else module


def as_outputs(result: object) -> tuple[torch.Tensor, ...]:
    """Return what a module returned as a tuple of tensors. Raises ModelError for other results."""
    outputs = (result,) if isinstance(result, torch.Tensor) else result
    if not isinstance(outputs, tuple | list) or not all(isinstance(output, torch.Tensor) for output in outputs):
        raise ModelError(
            f"the module returns {type(result).__name__}, not tensors",
            "wrap it in a module that returns what the loss takes, such as result.logits",
        )
    return tuple(outputs)


def as_inputs(example: object) -> tuple[torch.Tensor, ...]:
    """Return the example as a tuple of tensors. Raises ModelError for something else, and for no samples."""
    inputs = (example,) if isinstance(example, torch.Tensor) else example
    if not isinstance(inputs, tuple | list) or not all(isinstance(each, torch.Tensor) for each in inputs) or not inputs:
        raise ModelError("example_inputs are not tensors", "pass a tensor, or a tuple with one for each input")
    if any(each.ndim == 0 or each.shape[0] == 0 for each in inputs):
        raise ModelError("an example input has no samples", "pass a batch of at least one sample")
    return tuple(inputs)


def several(tensors: Sequence[torch.Tensor], count: int) -> tuple[torch.Tensor, ...]:
    """Return the first `count` samples of each, repeated if there are fewer."""
    return tuple(t.detach()[torch.arange(count) % t.shape[0]] for t in tensors)


def exported(
    module: torch.nn.Module,
    inputs: Sequence[torch.Tensor],
    loss: Callable[..., torch.Tensor] | None = None,
    labels: Sequence[torch.Tensor] = (),
    *,
    is_open: bool,
    trains: bool,
) -> Exported:
    """Export a module with an open batch, or with that of the inputs.

    loss: a function of outputs and labels that returns a scalar, to be exported too. labels: an example of each label.
    trains: whether submodules in train() train. Raises ModelError if the module cannot be exported.
    """
    names = [*input_names(module, len(inputs)), *label_names(len(labels))]
    outputs = [f"output_{i}" if i else "output" for i in range(count_outputs(module, inputs))]
    whole = module if loss is None else WithLoss(module, loss, len(inputs))
    with keeping_buffers(module):
        program = run_exporter(whole, (*inputs, *labels), names, [*(["loss"] if loss else []), *outputs], is_open)
    model = inliner.inline_local_functions(program.model_proto)
    fold_constants(model.graph)
    if loss is not None:
        remove_prefix(model, "module.")
    if trains:
        refuse_cumulative(module)
        mark(model, program.exported_program)
    trained, ties = names_of(module, {tensor.name for tensor in model.graph.initializer})
    return Exported(model, names[: len(inputs)], outputs, trained, ties)


def input_names(module: torch.nn.Module, count: int) -> list[str]:
    """Return the names of forward()'s first arguments; those of *args are numbered."""
    parameters = inspect.signature(module.forward).parameters.values()
    found = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(found) < count and not any(p.kind == p.VAR_POSITIONAL for p in parameters):
        raise ModelError(f"{count} example inputs, and forward() takes {len(found)}", "pass one for each argument")
    return [*found, *(f"input_{i}" for i in range(len(found), count))][:count]


def label_names(count: int) -> list[str]:
    """Return the names of a loss' labels."""
    return ["labels"] if count == 1 else [f"labels_{i}" for i in range(count)]


def count_outputs(module: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> int:
    """Return how many tensors the module returns."""
    with torch.no_grad(), keeping_buffers(module):
        return len(as_outputs(module(*inputs)))


def run_exporter(
    whole: torch.nn.Module, data: Sequence[torch.Tensor], names: list[str], outputs: list[str], is_open: bool
) -> torch.onnx.ONNXProgram:
    """Export quietly, without optimizations."""
    free = tuple({0: torch.export.Dim(BATCH)} for _ in data)
    shapes = None if not is_open else {"data": free} if isinstance(whole, WithLoss) else free
    try:
        with quiet(), sdpa_kernel(SDPBackend.MATH):  # the strides of others contradict what the exporter makes of it
            followed = torch.export.export(whole, tuple(data), dynamic_shapes=shapes)
            detach_without_grad(followed)
            open_bags(followed)
            program = torch.onnx.export(
                followed, (), dynamo=True, optimize=False, verbose=False, input_names=names, output_names=outputs
            )
    except ModelError:
        raise
    except torch.onnx.errors.OnnxExporterError as error:
        raise ModelError(
            f"torch.onnx.export() cannot export the module: {first_line(error)}",
            "its report says what is in the way: torch.onnx.export(module, example, dynamo=True, report=True)",
        ) from error
    except Exception as error:  # torch.export has no common base for its errors
        if isinstance(error, ModuleNotFoundError) and error.name == "onnxscript":
            raise ModelError(
                "onnxscript, which PyTorch exports with, is not installed", "pip install onnxscript"
            ) from error
        raise ModelError(
            f"torch.export.export() cannot follow the module: {first_line(error)}",
            "its full text: torch.export.export(module, example)",
        ) from error
    assert program is not None
    return program


@contextmanager
def quiet() -> Iterator[None]:
    """Silence what the exporter says about itself."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def first_line(error: BaseException) -> str:
    """Return what an error of the exporter comes from, in one line."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return next((line.strip() for line in str(cause).splitlines() if line.strip()), type(cause).__name__)


@contextmanager
def keeping_buffers(module: torch.nn.Module) -> Iterator[None]:
    """Restore buffers afterwards: running a module in train() moves its running statistics."""
    kept = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
    try:
        yield
    finally:
        with torch.no_grad():
            for name, buffer in module.named_buffers():
                buffer.copy_(kept[name])


def remove_prefix(model: onnx.ModelProto, prefix: str) -> None:
    """Give initializers the names that they have in the module, without the prefix of WithLoss."""
    own = (tensor.name for tensor in model.graph.initializer if tensor.name.startswith(prefix))
    names = {name: name.removeprefix(prefix) for name in own}
    for tensor in model.graph.initializer:
        tensor.name = names.get(tensor.name, tensor.name)
    for node in model.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = names.get(name, name)


def fold_constants(graph: onnx.GraphProto) -> None:
    """Compute what depends on Constant nodes alone: axes, shapes, limits. Parameters and buffers are initializers."""
    types = {v.name: v.type.tensor_type.elem_type for v in (*graph.value_info, *graph.input, *graph.output)}
    known: dict[str, np.ndarray] = {}
    for node in graph.node:
        if node.op_type == "CastLike" and types.get(node.input[1]):
            cast = onnx.helper.make_node("Cast", node.input[:1], node.output, node.name, to=types[node.input[1]])
            node.CopyFrom(cast)
        depends = any(name not in known for name in node.input) or any(a.HasField("g") for a in node.attribute)
        if node.domain or node.op_type.startswith("Random") or depends:
            continue
        results = ReferenceEvaluator(node).run(None, {name: known[name] for name in node.input})
        known.update(zip(node.output, results, strict=True))
        if node.op_type != "Constant" and len(node.output) == 1:
            value = onnx.numpy_helper.from_array(np.asarray(results[0]))
            node.CopyFrom(onnx.helper.make_node("Constant", [], node.output, node.name, value=value))


def refuse_cumulative(module: torch.nn.Module) -> None:
    """Raise ModelError for a BatchNorm in train() with a cumulative average (momentum None)."""
    for name, part in module.named_modules():
        moves = isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.training and part.track_running_stats
        if moves and part.momentum is None:
            raise ModelError(f"'{name}' averages its statistics (momentum=None)", "give it a momentum, or eval()")


def names_of(module: torch.nn.Module, initializers: set[str]) -> tuple[list[str], dict[str, str]]:
    """Return the initializers of trained parameters, and the other names of tied tensors.

    A tied tensor's initializer has one of its names.
    """
    names: dict[int, list[str]] = {}
    tensors = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    for name, tensor in tensors:
        names.setdefault(id(tensor), []).append(name)
    ties, own = {}, {}
    for group in names.values():
        present = next((name for name in group if name in initializers), group[0])
        own[group[0]] = present
        ties.update({name: present for name in group if name != present})
    trained = [own[name] for name, parameter in module.named_parameters() if parameter.requires_grad]
    unused = [name for name in trained if name not in initializers]
    if unused:
        log.info("no output needs %s, which do not train", ", ".join(unused))
    return [name for name in trained if name in initializers], ties
