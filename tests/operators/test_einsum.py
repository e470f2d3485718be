"""Einsum: products, outer products, batches, sums and transposes, against onnxruntime and finite differences."""

import pytest
from oracle import Case, check_case, make_model, node, values

from gradmote.errors import UnsupportedOperator

SIZES = {"i": 2, "j": 3, "k": 4, "b": 2, "c": 3}


def einsum_case(equation):
    given = equation.replace(" ", "").split("->")[0].split(",")
    weights = {f"w{n}": values(n, *(SIZES[label] for label in labels)) for n, labels in enumerate(given)}
    nodes = [node("Einsum", " ".join(weights), "z", equation=equation), node("Mul", "z z", "y")]
    return Case(make_model(nodes, weights))


@pytest.mark.parametrize(
    "equation",
    [
        "ij,jk->ik",
        "ij,kj->ki",
        "ij,jk",
        "bij,bjk->bik",
        "bij,bkj->bki",
        "bcij,bckj->bcik",
        "bicj,bjck->bick",
        "bi,bj->bij",
        "i,j->ji",
        "i,i->",
        "i,i->i",
        "ij,ij->i",
        "ijk,jk->i",
        "ijk,bk->jb",
        "ijk->kij",
        "ijk->ki",
        "ijk->",
        "ij -> ji",
        "ij->ij",
        "ij,j->i",
    ],
)
def test_equation(equation):
    check_case(einsum_case(equation))


def test_data_with_a_symbolic_batch():
    nodes = [node("Einsum", "x w", "z", equation="nij,jk->nik"), node("Mul", "z z", "y")]
    model = make_model(nodes, {"w": values(1, 3, 2)}, {"x": ("N", 2, 3)})
    check_case(Case(model, {"x": values(2, 2, 2, 3)}, batch=2))


@pytest.mark.parametrize("equation", ["ii->i", "i...->...i", "ij,jk,kb->ib"])
def test_forms_that_are_refused_by_name(equation):
    sizes = {"ii->i": [(2, 2)], "i...->...i": [(2, 3)], "ij,jk,kb->ib": [(2, 3), (3, 4), (4, 2)]}[equation]
    weights = {f"w{n}": values(n, *shape) for n, shape in enumerate(sizes)}
    model = make_model([node("Einsum", " ".join(weights), "y", equation=equation)], weights)
    with pytest.raises(UnsupportedOperator, match="each label once"):
        check_case(Case(model))
