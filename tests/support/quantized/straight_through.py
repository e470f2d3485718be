"""The straight-through estimator in float64: a QDQ network as a function of its dequantized weights.

At a point, each Quantize is replaced by y0 + mask (x - x0): the real number of its result, and the slope of its
gradient. A training model has to return the gradient of this function.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper

from gradmote.ir.affine import Affine
from support.oracle import DoubleModel, run_ort_plainly

Arrays = dict[str, np.ndarray]


#: The largest error, relative to the sum of magnitudes.
TOLERANCE = 2e-4
#: Half the distance of a central difference. It is smaller than the differences between MaxPool's operands.
STEP = 1e-8
#: The total slope subtracted from MaxPool's operands, in scales: among equal ones, the first has to win.
TILT = 1e-3


def check_gradients(training: onnx.ModelProto, feeds: Arrays, found: Arrays, parameters: Arrays, seed: int) -> None:
    """Compare gradients with finite differences of the loss, along a random direction for each parameter."""
    forward = up_to_loss(training)
    surrogate, real = straight_through(forward, values_at(forward, feeds))
    double, rng = DoubleModel(surrogate), np.random.default_rng(seed)
    point = {name: np.asarray(real.get(name, array), np.float64) for name, array in parameters.items()}
    for name, centre in point.items():
        direction = rng.normal(0, 1, centre.shape)
        above, below = (double({**feeds, **point, name: centre + h * direction})[0] for h in (STEP, -STEP))
        slope = (float(above) - float(below)) / (2 * STEP)
        size = max(float(np.abs(found[name] * direction).sum()), 1e-2)
        assert found[name].dtype == np.float32 and found[name].shape == centre.shape
        assert abs(slope - float((found[name] * direction).sum())) <= TOLERANCE * size, name


def up_to_loss(training: onnx.ModelProto) -> onnx.ModelProto:
    """Return the part of a training model that computes its loss."""
    model = onnx.ModelProto()
    model.CopyFrom(training)
    del model.graph.output[1:]
    needed, nodes = {model.graph.output[0].name}, []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            nodes.insert(0, node)
            needed.update(node.input)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def values_at(forward: onnx.ModelProto, feeds: Arrays) -> Arrays:
    """Return the operand and the result of each Quantize for these inputs."""
    model = onnx.ModelProto()
    model.CopyFrom(forward)
    quantizers = [n for n in model.graph.node if n.op_type == "Quantize"]
    for name in {name for n in quantizers for name in (n.input[0], n.output[0])}:
        model.graph.output.append(onnx.ValueInfoProto(name=name))
    return run_ort_plainly(model, feeds)


def straight_through(forward: onnx.ModelProto, values: Arrays) -> tuple[onnx.ModelProto, Arrays]:
    """Return the model with each Quantize as a line, and the real numbers of its quantized constants."""
    model = onnx.ModelProto()
    model.CopyFrom(forward)
    graph, tensors = model.graph, {t.name: numpy_helper.to_array(t) for t in forward.graph.initializer}
    nodes, real = [], {}
    for node in graph.node:
        if node.op_type == "DequantizeLinear":
            source = constant_of(node, graph)
            if source in tensors:
                real[source] = affine_of(node, graph, tensors).dequantize(tensors[source])
            nodes.append(helper.make_node("Identity", node.input[:1], node.output))
        elif node.op_type == "Quantize":
            nodes += line(node, values, tensors, is_compared(node, graph))
        else:
            nodes.append(node)
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    keep = {**tensors, **real}
    del graph.initializer[:]
    graph.initializer.extend(numpy_helper.from_array(np.asarray(a), n) for n, a in keep.items())
    for value in graph.input:
        if value.name in real:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    return model, real


def constant_of(node: onnx.NodeProto, graph: onnx.GraphProto) -> str:
    """Return the name of a node's operand, looking through a Transpose."""
    above = [n for n in graph.node if node.input[0] in n.output and n.op_type == "Transpose"]
    return above[0].input[0] if above else node.input[0]


def affine_of(node: onnx.NodeProto, graph: onnx.GraphProto, tensors: Arrays) -> Affine:
    """Return the quantization of a node's constant. For a transposed matrix, the axis is the other one."""
    scale, source = tensors[node.input[1]], constant_of(node, graph)
    zero = tensors[node.input[2]] if len(node.input) > 2 else np.zeros(scale.shape, tensors[source].dtype)
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    axis = axis if source == node.input[0] else 1 - axis
    return Affine(scale, zero, axis if scale.size > 1 else None)


def is_compared(node: onnx.NodeProto, graph: onnx.GraphProto) -> bool:
    """Return whether a MaxPool reads the result of a Quantize, or something that contains it."""
    made = set(node.output)
    for n in graph.node:
        if n.op_type in ("Concat", "DequantizeLinear") and made & set(n.input):
            made |= set(n.output)
    return any(n.op_type == "MaxPool" and n.input[0] in made for n in graph.node)


def line(node: onnx.NodeProto, values: Arrays, tensors: Arrays, is_tilted: bool) -> list[onnx.NodeProto]:
    """Return the nodes of y0 + mask (x - x0)."""
    x, y = node.input[0], node.output[0]
    low, high = ({a.name: a.i for a in node.attribute}[k] for k in ("low", "high"))
    affine = Affine(tensors[node.input[1]], tensors[node.input[2]])
    made = affine.dequantize(values[y]).astype(np.float64)
    if is_tilted:
        made -= TILT * float(affine.scale) * np.linspace(0, 1, made.size).reshape(made.shape)
    tensors |= {f"{y}.x0": values[x].astype(np.float64), f"{y}.y0": made,
                f"{y}.mask": ((low < values[y]) & (values[y] < high)).astype(np.float64)}  # fmt: skip
    return [
        helper.make_node("Sub", [x, f"{y}.x0"], [f"{y}.moved"]),
        helper.make_node("Mul", [f"{y}.moved", f"{y}.mask"], [f"{y}.kept"]),
        helper.make_node("Add", [f"{y}.kept", f"{y}.y0"], [y]),
    ]
