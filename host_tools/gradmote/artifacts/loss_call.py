"""The call of a loss, which may be a user's function, and the messages about its errors."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import onnx
import onnx_ir as ir

from ..errors import GradmoteError, ModelError
from ..frontend.registry import TABLE
from ..ir.graph import DOMAIN, Builder, describe
from ..losses import LOSSES

_GUIDE = "a loss is one of gradmote.losses, such as losses.mse(), or a function of yours: docs/CUSTOM_LOSSES.md"


def call_loss(loss: Any, graph: ir.Graph, outputs: Sequence[ir.Value]) -> ir.Value:
    """Return the value that the loss builds on these outputs, at the end of the graph.

    Raises ModelError if the loss fails, or does not return a value of the graph.
    """
    check_function(loss)
    check_arity(loss, outputs)
    before = {id(node) for node in graph}
    try:
        value = loss(Builder(graph), *outputs)
    except GradmoteError:
        raise
    except Exception as error:
        raise ModelError(f"the loss raised {type(error).__name__}: {error}", _GUIDE) from error
    if not isinstance(value, ir.Value):
        raise ModelError(
            f"the loss returned {named(value)}, not a value of the graph",
            "return what builder.op(...) gave last: docs/CUSTOM_LOSSES.md",
        )
    check_operators([node for node in graph if id(node) not in before])
    return value


def check_function(loss: Any) -> None:
    """Raise ModelError for an object that is not a function over a graph."""
    known = (name for name, made in LOSSES.items() if loss is made or (isinstance(loss, str) and loss == name))
    factory = next(known, None)
    if factory is not None:
        raise ModelError(f"the loss is {named(loss)}", f"call what makes it: losses.{factory}()")
    if not callable(loss) or inspect.isclass(loss):
        raise ModelError(f"the loss is {named(loss)}, not a function", _GUIDE)
    if type(loss).__module__.split(".")[0] in ("torch", "tensorflow", "keras", "sklearn"):
        raise ModelError(f"the loss is {named(loss)}, which computes with tensors and builds no graph", _GUIDE)


def named(thing: Any) -> str:
    """Return the name of an object for messages."""
    if inspect.isclass(thing):
        return f"the class {thing.__name__}"
    if inspect.isfunction(thing):
        return f"the function {thing.__name__}"
    return "None" if thing is None else f"{thing!r}"[:60] + f", of type {type(thing).__name__}"


def check_arity(loss: Any, outputs: Sequence[ir.Value]) -> None:
    """Raise ModelError if the loss does not take this number of outputs."""
    try:
        inspect.signature(loss).bind(None, *outputs)
    except ValueError:  # functions written in C have no signature
        return
    except TypeError:
        names = ", ".join(str(o.name) for o in outputs)
        raise ModelError(
            f"the loss does not take {len(outputs)} outputs ({names})", "choose with --output (outputs=)"
        ) from None


def check_operators(nodes: Sequence[ir.Node]) -> None:
    """Raise ModelError for an operator that neither ONNX nor Gradmote's domain has."""
    for node in nodes:
        known = (node.domain, node.op_type) in TABLE if node.domain == DOMAIN else onnx.defs.has(node.op_type)
        if not known:
            raise ModelError(
                f"the loss has the operator '{node.op_type}', which does not exist",
                "use ONNX's operators: `gradmote ops` lists those with gradients",
                describe(node),
            )
