"""A square matrix added to a product was taken for a bias: only its first row was added."""

from support.oracle import Case, check_case, make_model, node, values


def test_matrix_as_wide_as_high_added_to_a_product():
    nodes = [node("MatMul", "x w", "p"), node("Add", "p c", "y")]
    model = make_model(nodes, {"w": values(1, 2, 3), "c": values(2, 3, 3)}, {"x": (3, 2)})
    check_case(Case(model, {"x": values(3, 3, 2)}, batch=3))
