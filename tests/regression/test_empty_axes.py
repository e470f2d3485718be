"""Axes of a gradient that happened to be none became a float tensor, which no Unsqueeze takes."""

import numpy as np

from support.oracle import Case, check_case, make_model, node, values


def test_sum_to_a_scalar_and_sum_of_a_scalar():
    nodes = [node("ReduceSum", "w", "total", keepdims=0), node("ReduceSum", "total", "y", keepdims=0)]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3)})))


def test_reduction_over_no_axes():
    nodes = [node("ReduceSum", "w axes", "y", keepdims=0, noop_with_empty_axes=1)]
    check_case(Case(make_model(nodes, {"w": values(1, 2, 3), "axes": np.array([], np.int64)})))
