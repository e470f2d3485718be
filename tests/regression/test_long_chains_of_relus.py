"""20,000 Relus in a row took minutes to compile: for each of them a pass looked through all instructions."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, values

#: How much the lines that Python executes may grow if the nodes double.
GROWTH = 2.2


def chain(operator: str, length: int) -> bytes:
    """Return a model for inference: an operator many times in a row. If it takes two inputs, the second is a weight."""
    names = ["x", *(f"h{i}" for i in range(length)), "y"]
    second = "" if operator in ("Relu", "Sigmoid", "Softmax", "Transpose") else " w"
    nodes = [node(operator, before + second, after) for before, after in pairwise(names)]
    return make_model(nodes, {"w": values(1, 3, 3)}, {"x": (3, 3)}).SerializeToString()


def lines_executed(model: bytes) -> int:
    """Lines of this package that run while the model is compiled, turns of loops included: exact, unlike seconds."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if "gradmote" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        compile_image(build_artifacts(model), Options(batch=3))
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("operator", ["Relu", "Softmax", "Transpose", "MatMul", "Add"])
def test_the_work_of_an_inference_grows_with_its_nodes(operator):
    lines_executed(chain(operator, 10))  # imports
    few, twice = lines_executed(chain(operator, 60)), lines_executed(chain(operator, 120))
    assert twice < GROWTH * few
