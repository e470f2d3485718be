"""Exporters write normalizations step by step: each form becomes one Standardize, computes the same and trains."""

import numpy as np
import pytest

from gradmote.frontend import load_model
from support.oracle import Case, check_case, make_model, node, values

EPSILON = {"epsilon": np.array(0.05, np.float32), "two": np.array(2, np.float32)}
CENTRED = [node("ReduceMean", "x", "m", axes=[-1]), node("Sub", "x m", "d")]
SQUARES = {"Pow": node("Pow", "d two", "s"), "Mul": node("Mul", "d d", "s")}
QUOTIENTS = {
    "Div": [node("Div", "d r", "n")],
    "Mul": [node("Reciprocal", "r", "i"), node("Mul", "d i", "n")],
    "swapped": [node("Reciprocal", "r", "i"), node("Mul", "i d", "n")],
}
#: A scale, so that y is not an output of the pass itself.
LAST = node("Mul", "n scale", "y")


def decomposed(before, square, quotient, var="v epsilon", axes=(-1,), **weights):
    nodes = [*before, square, node("ReduceMean", "s", "v", axes=list(axes)), node("Add", var, "e")]
    nodes += [node("Sqrt", "e", "r"), *quotient, LAST]
    weights = {"x" if before else "d": values(1, 2, 3, 8), "scale": values(2, 8), **EPSILON, **weights}
    return make_model(nodes, weights, opset=13)


def ops(model):
    return [n.op_type for n in load_model(model).graph]


@pytest.mark.parametrize("var", ["v epsilon", "epsilon v"])
@pytest.mark.parametrize("quotient", QUOTIENTS)
@pytest.mark.parametrize("square", SQUARES)
@pytest.mark.parametrize("before", [CENTRED, []], ids=["layer", "rms"])
def test_every_form_becomes_one_operator(before, square, quotient, var):
    model = decomposed(before, SQUARES[square], QUOTIENTS[quotient], var)
    assert ops(model) == ["Standardize", "Mul"]


@pytest.mark.parametrize("before", [CENTRED, []], ids=["layer", "rms"])
def test_gradients(before):
    data = "x" if before else "d"
    check_case(Case(decomposed(before, SQUARES["Pow"], QUOTIENTS["Div"]), train=[data, "scale"]))


def test_a_mean_over_other_axes_stays_apart():
    """Then the quotient divides by the root of the mean square of what the difference is."""
    before = [node("ReduceMean", "x", "m", axes=[1]), node("Sub", "x m", "d")]
    model = decomposed(before, SQUARES["Mul"], QUOTIENTS["Div"])
    assert ops(model) == ["ReduceMean", "Sub", "Standardize", "Mul"]
    check_case(Case(model, train=["x", "scale"]))


@pytest.mark.parametrize(
    "why, model",
    [
        ("a cube", decomposed(CENTRED, node("Pow", "d two", "s"), QUOTIENTS["Div"], two=np.array(3, np.float32))),
        ("the square of another value", decomposed(CENTRED, node("Mul", "x x", "s"), QUOTIENTS["Div"])),
        ("the product of two values", decomposed(CENTRED, node("Mul", "d x", "s"), QUOTIENTS["Div"])),
        ("an epsilon that trains", decomposed(CENTRED, SQUARES["Mul"], QUOTIENTS["Div"], epsilon=values(3, 1))),
        ("one epsilon a column", decomposed(CENTRED, SQUARES["Mul"], QUOTIENTS["Div"], epsilon=values(3, 8))),
        ("the inverse quotient", decomposed(CENTRED, SQUARES["Mul"], [node("Div", "r d", "n")])),
    ],
)
def test_other_steps_stay_as_they_are(why, model):
    assert "Standardize" not in ops(model), why


def grouped(scale=1.0, back=(0, 4, 3, 3)):
    nodes = [
        node("Reshape", "x groups", "g"),
        node("InstanceNormalization", "g one zero", "i", epsilon=0.05),
        node("Reshape", "i back", "j"),
        node("Mul", "j scale", "y"),
    ]
    weights = {"x": values(1, 2, 4, 3, 3), "scale": values(2, back[1], 1, 1)}
    weights |= {"one": np.full(2, scale, np.float32), "zero": np.zeros(2, np.float32)}
    weights |= {"groups": np.array([0, 2, -1]), "back": np.array(back)}
    return make_model(nodes, weights)


def test_a_group_norm_of_exporters():
    """Its scale 1 and bias 0 do not count as weights."""
    case = Case(grouped())
    assert ops(case.model) == ["Reshape", "Standardize", "Reshape", "Mul"]
    assert list(case.artifacts.parameters) == ["x", "scale"]
    check_case(case)


@pytest.mark.parametrize("model", [grouped(scale=0.5), grouped(back=(0, 2, 6, 3))], ids=["scale", "shape"])
def test_an_instance_norm_between_reshapes(model):
    case = Case(model)
    assert {"one", "zero"} <= set(case.artifacts.parameters)
    check_case(case)
