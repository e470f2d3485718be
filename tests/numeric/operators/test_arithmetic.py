"""Add, Sub, Mul, Div with broadcasting on either side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.errors import UnsupportedOperator
from support.oracle import Case, broadcast_pairs, check_case, examples, make_model, node, seeds, values

BINARY = ["Add", "Sub", "Mul", "Div"]


@pytest.mark.parametrize("op_type", BINARY)
@examples(14)
@given(pair=broadcast_pairs(), train=st.sampled_from([None, ["a"], ["b"]]), seed=seeds)
def test_broadcasting(op_type, pair, train, seed):
    weights = {"a": values(seed, *pair[0]), "b": values(seed + 1, *pair[1])}
    check_case(Case(make_model([node(op_type, "a b", "y")], weights), train=train, seed=seed))


@pytest.mark.parametrize("op_type", BINARY)
@pytest.mark.parametrize("order", ["w s", "s w"])
def test_scalar_constant_on_either_side(op_type, order):
    model = make_model([node(op_type, order, "y")], {"w": values(1, 2, 3), "s": np.array(0.7, np.float32)})
    check_case(Case(model))


@pytest.mark.parametrize("op_type", BINARY)
def test_one_operand_twice(op_type):
    nodes = [node(op_type, "w w", "z"), node("Add", "z w", "y")]
    check_case(Case(make_model(nodes, {"w": values(2, 3)})))


@pytest.mark.parametrize("op_type", BINARY)
@examples(5)
@given(batch=st.integers(1, 3), seed=seeds)
def test_weights_broadcast_over_the_batch(op_type, batch, seed):
    """A symbolic batch dimension is never taken for one that was broadcast, 1 or not."""
    weights = {"row": values(seed, 3), "column": values(seed, 2, 1)}
    nodes = [node(op_type, "x row", "z"), node(op_type, "z column", "y")]
    model = make_model(nodes, weights, {"x": ("N", 2, 3)})
    check_case(Case(model, {"x": values(seed, batch, 2, 3)}, seed=seed, batch=batch))


def test_more_than_four_independent_dimensions_are_refused_by_name():
    weights = {"a": values(0, 2, 1, 2, 1, 2), "b": values(0, 1, 2, 1, 2, 1)}
    case = Case(make_model([node("Add", "a b", "y")], weights))
    with pytest.raises(UnsupportedOperator, match="5 independent dimensions"):
        check_case(case)
