"""The pattern Quantize(f(DequantizeLinear(x))), which becomes QLookup, for any function f of one number.

f may be several elementwise operators on one quantized value and on constants of one element, such
as x * HardSigmoid(x), or none: then the table changes the quantization. The float nodes stay if
others read them, as gradients do.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import affine_of
from ...ir.graph import DOMAIN, Builder, attribute, constant_array, take_over
from ...ir.metadata import BACKWARD, LAYER
from .elementary import evaluate
from .matching import Quantized, Result, activation

#: Elementwise operators, on one number or on several.
ELEMENTWISE = frozenset((
    "Abs", "Add", "Ceil", "Celu", "Clip", "Cos", "Div", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid",
    "HardSwish", "Identity", "LeakyRelu", "Log", "Max", "Min", "Mish", "Mul", "Neg", "PRelu", "Pow", "Reciprocal",
    "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Sub", "Swish", "Tanh",
    "ThresholdedRelu",
))  # fmt: skip
#: All 8-bit numbers.
EVERY = np.arange(-128, 128).astype(np.int8)
#: The most operators in a function.
MOST_NODES = 16


def fuse(graph: ir.Graph, node: ir.Node, keep: Set[str]) -> bool:
    """Replace one Quantize and the functions in front of it with a table; return whether it was possible.

    A function of a parameter named in `keep` has no table: it changes with the parameter.
    """
    affine = affine_of(node) if node.op_type == "Quantize" and node.domain == DOMAIN else None
    if affine is None or affine.axis is not None:
        return False
    assert node.inputs[0] is not None
    nodes: list[ir.Node] = []
    source = source_of(node.inputs[0], nodes, None, keep)
    results = results_of(graph, source, nodes, node.inputs[0]) if source is not None else None
    if source is None or results is None or source.value.shape != node.outputs[0].shape:
        return False
    table = np.clip(affine.quantize(results), attribute(node, "low"), attribute(node, "high")).astype(np.int8)
    builder, y = Builder(graph), node.outputs[0]
    if np.array_equal(table, EVERY) and not y.is_graph_output():
        y.replace_all_uses_with(source.value)
        graph.remove(node, safe=True)
        return True
    made = builder.op("QLookup", source.value, builder.constant(table, f"{y.name}.table"), name=f"{y.name}.found",
                      domain=DOMAIN)  # fmt: skip
    for note in (LAYER, BACKWARD):
        note.copy(nodes[-1] if nodes else node, made.producer())
    take_over(graph, y, made)
    return True


def source_of(value: ir.Value, nodes: list[ir.Node], source: Quantized | None, keep: Set[str]) -> Quantized | None:
    """Return the one quantized value on which a value depends element by element, or None.

    Appends the nodes between them to `nodes`, each after its inputs.
    """
    found = activation(value)
    if found is not None:
        return found if source is None or found.value is source.value else None
    node = value.producer()
    if node in nodes:
        return source
    if node is None or node.domain or node.op_type not in ELEMENTWISE or len(nodes) >= MOST_NODES:
        return None
    for operand in node.inputs:
        if operand is None or (is_number(operand) and operand.name not in keep):
            continue
        source = source_of(operand, nodes, source, keep)
        if source is None:
            return None
    nodes.append(node)
    return source


def is_number(value: ir.Value) -> bool:
    """Return whether a value is a constant of one element."""
    array = constant_array(value)
    return array is not None and array.size == 1


def results_of(graph: ir.Graph, source: Quantized, nodes: list[ir.Node], value: ir.Value) -> np.ndarray | None:
    """Return the value for each 8-bit number, or None if a function cannot be computed."""
    known: dict[ir.Value, np.ndarray] = {}
    ones = [1] * (len(source.value.shape) - 1) if source.value.shape else []  # the rank that the nodes expect
    every = source.affine.dequantize(EVERY).reshape(-1, *ones)
    for node in nodes:
        inputs = [operand_of(v, known, every) for v in node.inputs]
        made = evaluate(graph, node, inputs)
        if made is None or made.shape != every.shape:
            return None
        known[node.outputs[0]] = made
    return known.get(value, every).ravel()


def operand_of(value: ir.Value | None, known: dict[ir.Value, np.ndarray], every: np.ndarray) -> np.ndarray | None:
    """Return an operand: a computed value, a constant, or the 8-bit numbers themselves."""
    if value is None:
        return None
    array = constant_array(value)
    return known.get(value, every) if array is None else array


def table_of(real: Callable[[np.ndarray], np.ndarray], result: Result) -> np.ndarray:
    """Return the quantized results of a function for all 8-bit numbers."""
    return np.clip(result.affine.quantize(real(EVERY)), result.low, result.high).astype(np.int8)


def is_identity(table: np.ndarray) -> bool:
    """Return whether a table maps every number to itself."""
    return np.array_equal(table, EVERY)
