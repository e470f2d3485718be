"""A refusal of an operator without a kernel names that operator, wherever it is and whatever trains."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gradmote import compile_model, losses, optimizers
from gradmote.errors import UnsupportedOperator
from support.oracle import node, values

ML, MICROSOFT = "ai.onnx.ml", "com.microsoft"
#: (domain, operator, inputs, attributes); h is what comes before, g four numbers.
OPERATORS: list[tuple[str, str, str, dict[str, Any]]] = [
    (ML, "Binarizer", "h", {}),
    (MICROSOFT, "BiasGelu", "h g", {}),
    (MICROSOFT, "SkipLayerNormalization", "h h g", {}),
    ("my.own", "Thing", "h", {}),
    ("", "SimplifiedLayerNormalization", "h g", {"axis": -1}),
    ("", "Hardmax", "h", {}),
    ("", "Shrink", "h", {}),
    ("", "MeanVarianceNormalization", "h", {"axes": [1]}),
    ("", "Bernoulli", "h", {}),
    ("", "EyeLike", "h", {}),
    ("", "ReverseSequence", "h lengths", {"batch_axis": 0, "time_axis": 1}),
]
#: What follows the operator's y0.
AFTER = {
    "nothing": [("Identity", "y0", "y")],
    "a layer": [("MatMul", "y0 w2", "y")],
    "a layer after an activation": [("Relu", "y0", "r"), ("MatMul", "r w2", "y")],
}
#: What trains: nothing, the layer before, the layer after.
TRAINED = (None, ["w"], ["w2"])


def model(domain: str, op_type: str, inputs: str, attributes: dict[str, Any], after: str) -> onnx.ModelProto:
    unknown = helper.make_node(op_type, inputs.split(), ["y0"], domain=domain, **attributes)
    nodes = [node("MatMul", "x w", "h"), unknown, *(node(*part) for part in AFTER[after])]
    weights = {"w": values(1, 4, 4), "w2": values(2, 4, 4), "g": values(3, 4), "lengths": np.array([2, 4])}
    read = {name for each in nodes for name in each.input}
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in "xy")
    constants = [numpy_helper.from_array(array, name) for name, array in weights.items() if name in read]
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 3 if domain == ML else 1)] if domain else [])]
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize(("domain", "op_type", "inputs", "attributes"), OPERATORS, ids=[o[1] for o in OPERATORS])
def test_a_refusal_names_the_operator(domain: str, op_type: str, inputs: str, attributes: dict[str, Any]) -> None:
    for after, train in itertools.product(AFTER, TRAINED):
        if train == ["w2"] and after == "nothing":
            continue
        given = (losses.mse(), optimizers.sgd(0.1)) if train else (None, None)
        with pytest.raises(UnsupportedOperator) as refused:
            compile_model(model(domain, op_type, inputs, attributes, after), *given, batch=2, train=train)
        assert f"{domain or 'ONNX'} operator {op_type} has no kernel" in str(refused.value), (after, train)
