"""Selu that names its alpha: the instruction's alpha, which is alpha times gamma, was taken from the node."""

from support.oracle import Case, check_case, make_model, node, values


def test_selu_with_both_attributes():
    nodes = [node("Selu", "w", "z", alpha=2.0, gamma=3.0), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, {"w": values(1, 3, 4)})))
