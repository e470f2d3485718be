"""The model that blocks append to: the one of the innermost `with base(model)`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import onnx

from ..errors import ModelError

#: The opset of an empty model: onnxruntime 1.18 and all newer ones read it.
DEFAULT_OPSET = 21
#: The lowest IR version with all that a model may have apart from newer operators and types: functions, metadata.
FEATURES_IR_VERSION = 10


class ModelAccessor:
    """The model that blocks append to, from `with base(model) as accessor`."""

    def __init__(self, model: onnx.ModelProto) -> None:
        """Hold the model."""
        self.model = model


_open: list[ModelAccessor] = []


def current() -> onnx.ModelProto:
    """Return the model that blocks currently append to.

    Raises ModelError outside of base() and empty_base().
    """
    if not _open:
        raise ModelError("there is no model to append blocks to", "call them inside: with onnxblock.base(model):")
    return _open[-1].model


@contextmanager
def opened(model: onnx.ModelProto) -> Iterator[ModelAccessor]:
    """Let blocks append to this model itself until the context ends."""
    _open.append(ModelAccessor(model))
    try:
        yield _open[-1]
    finally:
        _open.pop()


@contextmanager
def base(model: onnx.ModelProto, model_path: str | None = None) -> Iterator[ModelAccessor]:
    """Let blocks append to a copy of the model until the context ends.

    The copy has the lowest IR version that its opsets need, because runtimes refuse one that is newer than they are.
    model_path: accepted for compatibility with onnxruntime, without effect. Raises ModelError inside of
    another such context.
    """
    if _open:
        raise ModelError("there is a base model already", "end the other `with onnxblock.base(...)` first")
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = min(
        copy.ir_version,
        max(FEATURES_IR_VERSION, onnx.helper.find_min_ir_version_for(copy.opset_import, ignore_unknown=True)),
    )
    with opened(copy) as accessor:
        yield accessor


@contextmanager
def empty_base(opset_version: int | None = None) -> Iterator[ModelAccessor]:
    """Let blocks append to an empty model until the context ends.

    opset_version: DEFAULT_OPSET by default, and not the newest of the onnx package, which runtimes may not know yet.
    """
    opset = onnx.helper.make_opsetid("", opset_version or DEFAULT_OPSET)
    graph = onnx.helper.make_graph([], "graph", [], [])
    with base(onnx.helper.make_model(graph, opset_imports=[opset], producer_name="gradmote")) as accessor:
        yield accessor


@contextmanager
def custom_op_library(custom_op_library_path: str | os.PathLike[str]) -> Iterator[None]:
    """Refuse a library of custom operators, which no board could run.

    Raises ModelError.
    """
    raise ModelError(
        f"custom operators ({os.fspath(custom_op_library_path)}) cannot be compiled",
        "write the loss with ONNX's operators",
    )
    yield


# ---- Helpers of blocks


def new_name(token: str) -> str:
    """Return an unused name for a value or node of the current model: the token, token_2, ..."""
    graph = current().graph
    taken = {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        taken.update((node.name, *node.input, *node.output))
    name, count = token, 1
    while name in taken:
        count += 1
        name = f"{token}_{count}"
    return name


def exists(name: str) -> bool:
    """Return whether the current model has a value of that name."""
    graph = current().graph
    values = {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    return name in values or any(name in (*node.input, *node.output) for node in graph.node)


def described(name: str) -> onnx.ValueInfoProto:
    """Return a copy of the current model's description of an input or output.

    Raises LookupError, like onnxruntime, if there is none of that name.
    """
    graph = current().graph
    found = next((value for value in (*graph.input, *graph.output) if value.name == name), None)
    if found is None:
        raise LookupError(f"the model has no input or output called {name}")
    copy = onnx.ValueInfoProto()
    copy.CopyFrom(found)
    return copy
