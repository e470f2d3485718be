"""Relu, LeakyRelu, Sigmoid, Tanh on tensors of any rank, after nothing, a bias, and a matrix product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.oracle import Case, check_case, examples, make_model, node, seeds, shapes, values

ACTIVATIONS = {
    "relu": ("Relu", {}),
    "leaky": ("LeakyRelu", {}),
    "leaky 0.3": ("LeakyRelu", {"alpha": 0.3}),
    "sigmoid": ("Sigmoid", {}),
    "tanh": ("Tanh", {}),
}
each_activation = pytest.mark.parametrize("op_type, attributes", ACTIVATIONS.values(), ids=ACTIVATIONS)


@each_activation
@examples(8)
@given(shape=shapes(1, 4), seed=seeds)
def test_alone(op_type, attributes, shape, seed):
    model = make_model([node(op_type, "w", "y", **attributes)], {"w": values(seed, *shape)})
    check_case(Case(model, seed=seed))


@each_activation
@examples(4)
@given(seed=seeds, reused=st.booleans())
def test_between_layers(op_type, attributes, seed, reused):
    """The activation follows a product, which fusions look for; `reused`: the sum before it has a second reader."""
    weights = {"w": values(seed, 3, 4), "b": values(seed + 1, 4), "v": values(seed, 4, 4)}
    nodes = [
        node("Gemm", "x w b", "h"),
        node(op_type, "h", "a", **attributes),
        node("MatMul", "a v", "z"),
        node("Add", "z h" if reused else "z b", "y"),
    ]
    case = Case(make_model(nodes, weights, {"x": ("N", 3)}), {"x": values(seed, 2, 3)}, seed=seed, batch=2)
    check_case(case)
