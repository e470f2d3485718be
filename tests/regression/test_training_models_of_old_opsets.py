"""The gradient of MaxPool, and of GatherElements, has a ScatterElements that adds, which exists from opset 16 on.
The training models of opsets 13 to 15 did not run in onnxruntime. No other body may use what is missing in its opset.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.frontend.registry import TABLE
from gradmote.losses import mse
from gradmote.operators import Operator
from support.oracle import make_model, node, run_ort, values

#: Operators of our own domain that occur only in models of some opsets, with the first and the last of theirs.
#: QReduceMean occurs in lowered graphs alone, which no other runtime reads.
LIMITED = {"ReduceProdGrad": (18, 99), "ReduceProdGrad13": (0, 17), "QReduceMean": (18, 99)}
OPSETS = (16, 17, 18, 19, 20, 21, 22, 23)
BODIES = {op_type: operator for (_, op_type), operator in TABLE.items() if operator.function}


@pytest.mark.parametrize("opset", [9, 11, 13, 14, 15, 17])
def test_a_pool_trains_in_onnxruntime(opset: int) -> None:
    nodes = [node("Conv", "x w", "c"), node("MaxPool", "c", "y", kernel_shape=[2, 2], strides=[2, 2])]
    model = make_model(nodes, {"w": values(0, 2, 2, 3, 3)}, {"x": ("N", 2, 6, 6)}, opset=opset)
    made = build_artifacts(model, None, mse(), optimizers.sgd(0.1))
    x, target = values(1, 2, 2, 6, 6), np.zeros((2, 2, 2, 2), np.float32)
    outputs = run_ort(made.training, {"x": x, made.training.graph.input[1].name: target})
    assert np.abs(outputs["w_grad"]).max() > 0


def unknown(operator: Operator, opset: int) -> Iterator[str]:
    """Yield what the body of an operator uses that is missing in ONNX of this opset."""
    nodes = list(operator.function_proto(opset).node)
    while nodes:
        made = nodes.pop()
        nodes += [inner for a in made.attribute for inner in a.g.node]
        if made.domain:
            continue
        schema = onnx.defs.get_schema(made.op_type, opset)
        yield from (f"{made.op_type}.{a.name}" for a in made.attribute if a.name not in schema.attributes)
        if not schema.min_input <= len(made.input) <= schema.max_input:
            yield f"{made.op_type} of {len(made.input)} inputs"


@pytest.mark.parametrize("op_type", BODIES)
def test_bodies_are_of_their_opset(op_type: str) -> None:
    first, last = LIMITED.get(op_type, (0, 99))
    opsets = [opset for opset in OPSETS if first <= opset <= last]
    assert opsets and {opset: list(unknown(BODIES[op_type], opset)) for opset in opsets} == {o: [] for o in opsets}
