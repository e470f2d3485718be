"""BatchNormalization with frozen statistics: the gradients of data, scale and bias."""

import numpy as np
import pytest
from onnx import helper
from oracle import Case, check_case, make_model, node, values

from gradmote.artifacts import build_artifacts
from gradmote.errors import UnsupportedOperator


def batch_norm_case(shape, **attributes):
    channels = shape[1]
    weights = {
        "x": values(1, *shape),
        "scale": values(2, channels),
        "bias": values(3, channels),
        "mean": values(4, channels),
        "var": np.abs(values(5, channels)) + 0.5,
    }
    model = make_model([node("BatchNormalization", "x scale bias mean var", "y", **attributes)], weights)
    return Case(model, train=["x", "scale", "bias"])


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 5), (2, 3, 4, 2)])
@pytest.mark.parametrize("epsilon", [1e-5, 0.1])
def test_frozen_statistics(shape, epsilon):
    check_case(batch_norm_case(shape, epsilon=epsilon))


def test_statistics_are_no_weights():
    case = batch_norm_case((2, 3, 4))
    made = build_artifacts(case.model, None, lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0))
    assert list(made.parameters) == ["x", "scale", "bias"]


def test_between_convolutions():
    weights = {"w1": values(1, 4, 2, 3, 3), "scale": values(2, 4), "bias": values(3, 4), "w2": values(4, 2, 4, 2, 2)}
    frozen = {"mean": values(5, 4), "var": np.abs(values(6, 4)) + 0.5}
    nodes = [
        node("Conv", "x w1", "c", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c scale bias mean var", "n"),
        node("Relu", "n", "r"),
        node("Conv", "r w2", "y"),
    ]
    model = make_model(nodes, weights | frozen, {"x": (2, 2, 5, 5)})
    check_case(Case(model, {"x": values(0, 2, 2, 5, 5)}, train=list(weights), batch=2, reference=False))


def test_batch_statistics_are_refused():
    case = batch_norm_case((2, 3, 4))
    batch_norm = case.model.graph.node[0]
    batch_norm.output.extend(["new_mean", "new_var"])
    batch_norm.attribute.append(helper.make_attribute("training_mode", 1))
    with pytest.raises(UnsupportedOperator, match="statistics of the batch.*eval mode"):
        build_artifacts(case.model)
