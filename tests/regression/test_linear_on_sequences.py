"""A matrix product of data of rank 3 with a weight of rank 2 could not be lowered."""

import pytest

from support.oracle import Case, check_case, make_model, node, values


@pytest.mark.parametrize("inner", [1, 3])
def test_matmul_of_rank_3_by_rank_2(inner):
    model = make_model([node("MatMul", "x w", "y")], {"w": values(0, 4, 2)}, {"x": ("N", inner, 4)})
    check_case(Case(model, {"x": values(1, 2, inner, 4)}, batch=2))
