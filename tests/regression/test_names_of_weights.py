"""Weights whose names the optimizer model gives to something else were updated with the wrong tensors."""

import pytest

from gradmote import losses, optimizers
from support.oracle import compiled, make_model, node, train, values


def trained(first, second, accumulate):
    weights = {first: values(1, 3, 2), second: values(2, 3, 2)}
    nodes = [node("Mul", f"x {first}", "p"), node("Mul", f"p {second}", "h"), node("Tanh", "h", "y")]
    model = make_model(nodes, weights, {"x": (3, 2)})
    optimizer = optimizers.adamw(0.1, clip_norm=0.5)
    data = [(values(i, 3, 2), values(i + 9, 3, 2)) for i in range(3)]
    found, session = train(
        compiled(model, losses.mse(), optimizer, batch=3, accumulate=accumulate), data, "strict", accumulate
    )
    return found, bytes(session.parameters())


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(
    "first, second",
    [
        ("w", "w_grad"),
        ("w_grad", "w"),
        ("learning_rate", "gradient_scale"),
        ("w", "w_moment1"),
        ("w_moment2", "w"),
        ("bias_correction", "w_new"),
        ("w", "loss"),
        ("w", "target"),
    ],
)
def test_names_do_not_matter(first, second, accumulate):
    assert trained(first, second, accumulate) == trained("a", "b", accumulate)
