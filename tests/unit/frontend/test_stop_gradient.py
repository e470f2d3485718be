"""An Identity with the metadata stop_gradient lets no gradient through, and passes keep it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from gradmote import Session, compile_model, losses, optimizers
from gradmote.errors import ModelError
from support.oracle import make_model, node, values


def model(op_type: str = "Identity") -> onnx.ModelProto:
    nodes = [node("Gemm", "x w", "h"), node(op_type, "h", "s"), node("Mul", "h s", "m"), node("Gemm", "m v", "y")]
    made = make_model(nodes, {"w": values(1, 4, 5), "v": values(2, 5, 3)}, {"x": ("N", 4)})
    made.graph.node[1].metadata_props.append(onnx.StringStringEntryProto(key="stop_gradient", value="1"))
    return made


def test_no_gradient_goes_through_it() -> None:
    """y = (h * stop(h)) v: dw has half of what it has without the stop."""
    x, y = values(3, 2, 4), np.array([0, 2], np.int32)
    found: list[Any] = []
    for stops in (True, False):
        proto = model()
        if not stops:
            del proto.graph.node[1].metadata_props[:]
        image = compile_model(proto, losses.cross_entropy(), optimizers.sgd(0.1), batch=2, accumulate=True).image
        with Session(image) as session:
            session.train_step(x, y)
            found.append({name: np.array(session.gradient(name)) for name in ("w", "v")})
    np.testing.assert_allclose(found[0]["w"], found[1]["w"] / 2, rtol=1e-5)
    np.testing.assert_array_equal(found[0]["v"], found[1]["v"])


def test_it_is_for_an_identity() -> None:
    with pytest.raises(ModelError, match="Relu, has stop_gradient - put it on an Identity"):
        compile_model(model("Relu"), losses.cross_entropy(), optimizers.sgd(0.1), batch=2)
