"""NegativeLogLikelihoodLoss: reductions, weights and ignored labels, over logarithms that need not be normalized."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.oracle import Case, check_case, examples, make_model, node, seeds, values


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@examples(10)
@given(
    batch=st.integers(1, 3),
    classes=st.integers(1, 4),
    spatial=st.lists(st.integers(1, 3), max_size=2),
    weighted=st.booleans(),
    ignored=st.sampled_from([None, 0, -7]),
    dtype=st.sampled_from([np.int64, np.int32]),
    seed=seeds,
)
def test_loss(reduction, batch, classes, spatial, weighted, ignored, dtype, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, (batch, *spatial)).astype(dtype)
    if ignored is not None:
        labels[rng.random(labels.shape) < 0.3] = ignored
        labels.flat[0] = classes - 1 or ignored  # one label counts, unless the ignored class is the only one
    weights = {"x": values(seed, batch, classes, *spatial), "labels": labels}
    constants = {"weight": np.abs(values(seed, classes))} if weighted else {}
    attributes = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})
    loss = node("NegativeLogLikelihoodLoss", " ".join([*weights, *constants]), "y", **attributes)
    if (labels == ignored).all() and reduction == "mean":
        return  # ONNX divides 0 by 0 there
    check_case(Case(make_model([loss], weights | constants), train=["x"], seed=seed, reference=False))


def test_after_log_softmax_it_is_cross_entropy():
    nodes = [
        node("LogSoftmax", "w", "p", axis=1),
        node("NegativeLogLikelihoodLoss", "p labels", "a", reduction="none"),
        node("SoftmaxCrossEntropyLoss", "w labels", "b", reduction="none"),
        node("Mul", "a b", "y"),
    ]
    weights = {"w": values(1, 4, 3), "labels": np.array([0, 2, 1, 2])}
    check_case(Case(make_model(nodes, weights)))
