"""Einsum: products, outer products, batches, sums and transposes, against onnxruntime and finite differences."""

import pytest
from onnx import numpy_helper

from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError
from support.oracle import Case, check_case, make_model, node, values

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
        "ij,jk,kb->ib",
        "ij,jk,kc",
        "bij,bjk,bik->bk",
        "i,j,k->",
        "ij,jk,ki->i",
        "i,i,i->i",
    ],
)
def test_equation(equation):
    check_case(einsum_case(equation))


def test_data_with_a_symbolic_batch():
    nodes = [node("Einsum", "x w", "z", equation="nij,jk->nik"), node("Mul", "z z", "y")]
    model = make_model(nodes, {"w": values(1, 3, 2)}, {"x": ("N", 2, 3)})
    check_case(Case(model, {"x": values(2, 2, 2, 3)}, batch=2))


@pytest.mark.parametrize(
    "equation, sizes",
    [
        ("i...->...i", [(2, 3, 4)]),
        ("...ij->...ji", [(2, 3, 4)]),
        ("...i->...", [(2, 3)]),
        ("...i", [(2, 3)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 2)]),
        ("...ij,...jk", [(2, 3, 4), (1, 4, 2)]),
        ("...ij,jk->...ik", [(2, 3, 4), (4, 2)]),
        ("...i,...i->...", [(2, 1, 3), (1, 4, 3)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("bij,bii->bj", [(2, 3, 4), (2, 3, 3)]),
        ("iji->ij", [(3, 2, 3)]),
        ("iii->i", [(2, 2, 2)]),
    ],
)
def test_ellipsis_and_diagonals(equation, sizes):
    weights = {f"w{n}": values(n, *shape) for n, shape in enumerate(sizes)}
    nodes = [node("Einsum", " ".join(weights), "z", equation=equation), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, weights)))


def test_label_of_two_sizes_is_refused_by_name():
    model = make_model([node("MatMul", "a b", "y")], {"a": values(1, 2, 3), "b": values(2, 3, 2)})
    model.graph.node[0].CopyFrom(node("Einsum", "a b", "y", equation="ij,jk->ik"))
    model.graph.initializer[1].CopyFrom(numpy_helper.from_array(values(2, 4, 2), "b"))
    with pytest.raises(ModelError, match="sizes \\[3, 4\\] for j"):
        build_artifacts(model)
