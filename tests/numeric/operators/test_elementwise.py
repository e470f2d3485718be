"""Functions of each element by itself: against float64 finite differences, onnxruntime, the reference, and PyTorch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    Case,
    broadcast_pairs,
    check_case,
    compile_twice,
    examples,
    host_profiles,
    make_model,
    node,
    seeds,
    shapes,
    shrunk,
    values,
)

functional = torch.nn.functional

#: name -> (op_type, attributes, opset, the function in PyTorch)
FUNCTIONS = {
    "abs": ("Abs", {}, 18, torch.abs),
    "neg": ("Neg", {}, 18, torch.neg),
    "exp": ("Exp", {}, 18, torch.exp),
    "reciprocal": ("Reciprocal", {}, 18, torch.reciprocal),
    "elu": ("Elu", {}, 18, functional.elu),
    "elu 0.4": ("Elu", {"alpha": 0.4}, 18, lambda x: functional.elu(x, 0.4)),
    "selu": ("Selu", {}, 18, functional.selu),
    "celu": ("Celu", {}, 18, functional.celu),
    "celu 2.5": ("Celu", {"alpha": 2.5}, 18, lambda x: functional.celu(x, 2.5)),
    "hard sigmoid": ("HardSigmoid", {"alpha": 1 / 6}, 18, functional.hardsigmoid),
    "hard sigmoid of ONNX": ("HardSigmoid", {}, 18, lambda x: torch.clamp(0.2 * x + 0.5, 0, 1)),
    "hard swish": ("HardSwish", {}, 18, functional.hardswish),
    "softplus": ("Softplus", {}, 18, functional.softplus),
    "softsign": ("Softsign", {}, 18, functional.softsign),
    "mish": ("Mish", {}, 18, functional.mish),
    "erf": ("Erf", {}, 18, torch.erf),
    "sin": ("Sin", {}, 18, torch.sin),
    "cos": ("Cos", {}, 18, torch.cos),
    "gelu": ("Gelu", {}, 20, functional.gelu),
    "gelu tanh": ("Gelu", {"approximate": "tanh"}, 20, lambda x: functional.gelu(x, approximate="tanh")),
    "thresholded relu": ("ThresholdedRelu", {}, 18, lambda x: functional.threshold(x, 1.0, 0.0)),
    "thresholded relu 0.3": ("ThresholdedRelu", {"alpha": 0.3}, 18, lambda x: functional.threshold(x, 0.3, 0.0)),
    "swish": ("Swish", {}, 24, functional.silu),
    "swish 1.7": ("Swish", {"alpha": 1.7}, 24, lambda x: x * torch.sigmoid(1.7 * x)),
}
#: Defined for positive numbers.
POSITIVE = {"log": ("Log", {}, 18, torch.log), "sqrt": ("Sqrt", {}, 18, torch.sqrt)}

each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
each_positive = pytest.mark.parametrize("function", POSITIVE.values(), ids=POSITIVE)


def function_model(function, weight):
    op_type, attributes, opset, _ = function
    return make_model([node(op_type, "w", "y", **attributes)], {"w": weight}, opset=opset)


def power_model(weight, exponent):
    return make_model([node("Pow", "w p", "y")], {"w": weight, "p": np.asarray(exponent, np.float32)})


def inferred_and_gradient(case, profile):
    """y before training, and d loss / dw of the C runtime."""
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        y = np.array(session.infer()[0])
        session.poison()
        session.train_step()
        return y, np.array(session.gradient("w"))


def check_against_torch(function, weight, rtol=3e-6, atol=1e-7, exponent=None):
    """Values and gradients of a function of `w`, or of w and an exponent, on the points given, in every profile."""
    model = function_model(function, weight) if exponent is None else power_model(weight, exponent)
    case = Case(model, train=["w"] if exponent is None else None, seed=1)
    w = torch.tensor(weight, dtype=torch.float64, requires_grad=True)
    y = function[-1](w)
    y.backward(torch.tensor(case.weights, dtype=torch.float64))
    for profile in host_profiles():
        computed, gradient = inferred_and_gradient(case, profile)
        np.testing.assert_allclose(computed, y.detach().numpy(), rtol, atol)
        np.testing.assert_allclose(gradient, w.grad.numpy(), rtol, atol)


# ---- Functions of one operand ------------------------------------------------------------------------------------


@each_function
@examples(5)
@given(shape=shapes(1, 4), scale=st.sampled_from([1.0, 3.0]), seed=seeds)
def test_any_shape(function, shape, scale, seed):
    check_case(Case(function_model(function, values(seed, *shape) * np.float32(scale)), seed=seed))


@each_positive
@examples(5)
@given(shape=shapes(1, 4), seed=seeds)
def test_any_shape_of_positive_numbers(function, shape, seed):
    check_case(Case(function_model(function, np.abs(values(seed, *shape))), seed=seed))


@each_function
@examples(3)
@given(seed=seeds, reused=st.booleans())
def test_between_layers(function, seed, reused):
    """The function follows a product, which fusions look for; `reused`: the sum before it has a second reader."""
    op_type, attributes, opset, _ = function
    weights = {"w": values(seed, 3, 4), "b": values(seed + 1, 4), "v": values(seed, 4, 4)}
    nodes = [
        node("Gemm", "x w b", "h"),
        node(op_type, "h", "a", **attributes),
        node("MatMul", "a v", "z"),
        node("Add", "z h" if reused else "z b", "y"),
    ]
    model = make_model(nodes, weights, {"x": ("N", 3)}, opset=opset)
    check_case(Case(model, {"x": values(seed, 2, 3)}, seed=seed, batch=2))


@each_function
def test_transposed_operand(function):
    """The function keeps the layout that it finds."""
    op_type, attributes, opset, _ = function
    nodes = [
        node("Transpose", "w", "t", perm=[1, 2, 0]),
        node(op_type, "t", "a", **attributes),
        node("Mul", "a t", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": values(5, 2, 3, 4)}, opset=opset)))


@each_function
def test_against_torch(function):
    """Test far out to both sides too, for which formulas overflow."""
    points = np.array([-90, -30, -8, -4.5, -2.2, -0.7, -0.2, -1e-4, 1e-4, 0.2, 0.7, 2.2, 4.5, 8, 30, 80], np.float32)
    check_against_torch(function, points)


@pytest.mark.parametrize("name", ["abs", "elu", "selu", "hard sigmoid", "hard swish"])
def test_kinks_as_in_torch(name):
    """At a kink the gradient is PyTorch's choice."""
    check_against_torch(FUNCTIONS[name], np.array([-3, 0, 3], np.float32))


@each_positive
def test_positive_numbers_against_torch(function):
    check_against_torch(function, np.array([1e-30, 1e-4, 0.3, 0.9999, 1, 1.0001, 7, 1e4, 1e30], np.float32), atol=0)


def test_gelu_as_older_exporters_write_it():
    """Div, Erf, Add, Mul, Mul."""
    constants = {name: np.array(number, np.float32) for name, number in (("root", 2**0.5), ("one", 1), ("half", 0.5))}
    nodes = [
        node("Div", "w root", "scaled"),
        node("Erf", "scaled", "error"),
        node("Add", "error one", "twice"),
        node("Mul", "w twice", "product"),
        node("Mul", "product half", "y"),
    ]
    check_case(Case(make_model(nodes, {"w": values(3, 2, 3), **constants})))


def test_swish_as_older_exporters_write_it():
    nodes = [node("Sigmoid", "w", "s"), node("Mul", "w s", "y")]
    check_case(Case(make_model(nodes, {"w": values(3, 2, 3)})))


def test_angles_of_any_size():
    angles = np.array([1e3, -1e4, 355 / 113, 22, 1e6, -3e10, 1e25, 3e38], np.float32)
    check_against_torch(FUNCTIONS["sin"], angles)
    check_against_torch(FUNCTIONS["cos"], angles)


@each_function
def test_nan_stays_nan(function, profile):
    case = Case(function_model(function, values(1, 3)))
    case.weights  # noqa: B018  from finite values
    case.model = function_model(function, np.array([1, np.nan, 2], np.float32))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        np.testing.assert_array_equal(np.isnan(session.infer()[0]), [False, True, False])


@pytest.mark.parametrize("op_type", ["Elu", "Celu"])
def test_falling_units_are_refused_by_name(op_type):
    with pytest.raises(UnsupportedOperator, match=f"{op_type} that is not increasing"):
        check_case(Case(make_model([node(op_type, "w", "y", alpha=-1.0)], {"w": values(1, 3)})))


# ---- Clip --------------------------------------------------------------------------------------------------------


BOUNDS = {
    "both": ("w low high", -0.5, 0.8),
    "low": ("w low", 0.2, None),
    "high": ("w - high", None, -0.3),
    "none": ("w", None, None),
    "relu6": ("w low high", 0.0, 6.0),
}


def clip_model(inputs, low, high, weight):
    bounds = {"low": low, "high": high}
    scalars = {name: np.array(b, np.float32) for name, b in bounds.items() if name in inputs.split()}
    return make_model([node("Clip", inputs, "y")], {"w": weight, **scalars})


@pytest.mark.parametrize("inputs, low, high", BOUNDS.values(), ids=BOUNDS)
@examples(4)
@given(shape=shapes(1, 4), seed=seeds)
def test_clip(inputs, low, high, shape, seed):
    check_case(Case(clip_model(inputs, low, high, values(seed, *shape) * np.float32(4.9)), seed=seed))


def test_clip_lets_the_gradient_through_on_its_bounds():
    """The gradient is that of torch.clamp."""
    case = Case(clip_model("w low high", -1.0, 2.0, np.array([-1.5, -1, 0, 2, 2.5], np.float32)))
    for profile in host_profiles():
        y, gradient = inferred_and_gradient(case, profile)
        np.testing.assert_array_equal(y, [-1, -1, 0, 2, 2])
        np.testing.assert_array_equal(gradient, case.weights * [0, 1, 1, 1, 0])


def test_bounds_in_the_wrong_order_give_the_upper_one():
    case = Case(clip_model("w low high", 2.0, -1.0, values(1, 4)))
    for profile in host_profiles():
        y, gradient = inferred_and_gradient(case, profile)
        np.testing.assert_array_equal(y, np.full(4, -1))
        np.testing.assert_array_equal(gradient, np.zeros(4))


def test_computed_bounds_get_gradients():
    nodes = [node("ReduceSum", "w", "high", keepdims=0), node("Clip", "w - high", "y")]
    check_case(Case(make_model(nodes, {"w": values(1, 3)})))


# ---- Functions of two operands and more --------------------------------------------------------------------------


def positive(seed, *shape):
    return np.abs(values(seed, *shape))


@pytest.mark.parametrize("op_type", ["Max", "Min"])
@examples(10)
@given(pair=broadcast_pairs(), train=st.sampled_from([None, ["a"], ["b"]]), seed=seeds)
def test_extremum_with_broadcasting(op_type, pair, train, seed):
    weights = {"a": values(seed, *pair[0]), "b": values(seed + 1, *pair[1])}
    check_case(Case(make_model([node(op_type, "a b", "y")], weights), train=train, seed=seed))


@pytest.mark.parametrize("op_type, same", [("Max", torch.maximum), ("Min", torch.minimum)])
def test_equal_operands_share_the_gradient_as_in_torch(op_type, same):
    a, b = np.array([1, 2, 3, -1], np.float32), np.array([2, 2, 1, -1], np.float32)
    case = Case(make_model([node(op_type, "a b", "y")], {"a": a, "b": b}))
    ta, tb = (torch.tensor(v, requires_grad=True) for v in (a, b))
    same(ta, tb).backward(torch.tensor(case.weights))
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            session.train_step()
            np.testing.assert_array_equal(session.gradient("a"), ta.grad.numpy())
            np.testing.assert_array_equal(session.gradient("b"), tb.grad.numpy())


@pytest.mark.parametrize("op_type", ["Sum", "Mean", "Max", "Min"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@examples(3)
@given(full=shapes(1, 3), seed=seeds)
def test_any_number_of_operands(op_type, count, full, seed):
    weights = {
        f"w{i}": values(seed + i, *full[i % 2 :]) if len(full) > 1 else values(seed + i, *full) for i in range(count)
    }
    model = make_model([node(op_type, " ".join(weights), "z"), node("Mul", "z w0", "y")], weights)
    check_case(Case(model, seed=seed))


@examples(12)
@given(data=st.data(), shape=shapes(1, 4), train=st.sampled_from([None, ["w"], ["slope"]]), seed=seeds)
def test_prelu(data, shape, train, seed):
    slope_shape = data.draw(shrunk(shape))
    weights = {"w": values(seed, *shape), "slope": values(seed + 1, *slope_shape)}
    check_case(Case(make_model([node("PRelu", "w slope", "y")], weights), train=train, seed=seed))


def test_prelu_against_torch():
    w, slope = np.array([-2, -0.5, 0, 0.5, 3], np.float32), np.array([0.3], np.float32)
    case = Case(make_model([node("PRelu", "w slope", "y")], {"w": w, "slope": slope}))
    tw, ts = (torch.tensor(v, requires_grad=True) for v in (w, slope))
    functional.prelu(tw, ts).backward(torch.tensor(case.weights))
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            session.train_step()
            np.testing.assert_allclose(session.gradient("w"), tw.grad.numpy(), 1e-6)
            np.testing.assert_allclose(session.gradient("slope"), ts.grad.numpy(), 1e-6)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -0.5, 1.5, 2.7])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_power_with_a_constant_exponent(exponent, dtype):
    if dtype is np.int64 and exponent != int(exponent):
        pytest.skip("no integer")
    base = positive(3, 2, 3) * (1 if exponent != int(exponent) else np.float32([1, -1, 1]))
    check_case(Case(make_model([node("Pow", "w p", "y")], {"w": base, "p": np.array(exponent, dtype)})))


def test_power_of_a_transposed_operand():
    nodes = [node("Transpose", "w", "t"), node("Pow", "t p", "s"), node("Mul", "s t", "y")]
    for exponent in (2.0, 0.5, 3.0):
        check_case(Case(make_model(nodes, {"w": positive(3, 2, 3), "p": np.array(exponent, np.float32)})))


@examples(12)
@given(pair=broadcast_pairs(), train=st.sampled_from([None, ["a"], ["b"]]), seed=seeds)
def test_power_with_broadcasting(pair, train, seed):
    weights = {"a": positive(seed, *pair[0]), "b": values(seed + 1, *pair[1])}
    check_case(Case(make_model([node("Pow", "a b", "y")], weights), train=train, seed=seed))


def test_powers_against_torch():
    def cube(x):
        return x**3

    check_against_torch(("Pow", {}, 18, cube), np.array([-3, -0.5, 0, 0.5, 7], np.float32), exponent=3.0)
    check_against_torch(("Pow", {}, 18, lambda x: x**40), np.array([-1.2, 0.9, 1.1], np.float32), exponent=40.0)
    check_against_torch(("Pow", {}, 18, lambda x: x**-1.3), np.array([1e-3, 0.9, 40], np.float32), exponent=-1.3)


# ---- Comparisons and Where ---------------------------------------------------------------------------------------


COMPARISONS = ["Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"]


@pytest.mark.parametrize("op_type", COMPARISONS)
@examples(8)
@given(pair=broadcast_pairs(3), seed=seeds)
def test_where_with_a_comparison(op_type, pair, seed):
    weights = {"a": values(seed, *pair[0]), "b": values(seed + 1, *pair[1])}
    nodes = [node(op_type, "a b", "c"), node("Where", "c a b", "z"), node("Mul", "z a", "y")]
    check_case(Case(make_model(nodes, weights), seed=seed))


@pytest.mark.parametrize("op_type", COMPARISONS)
def test_comparison_of_equal_numbers(op_type, profile):
    """The result goes through Cast, as a float32 mask."""
    weights = {"w": np.array([1, 2, 3], np.float32), "two": np.array(2, np.float32)}
    nodes = [node(op_type, "w two", "c"), node("Cast", "c", "m", to=1), node("Mul", "m w", "y")]
    case = Case(make_model(nodes, weights))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        np.testing.assert_array_equal(session.infer()[0], case.double({})[0])
    check_case(Case(make_model(nodes, {"w": values(2, 3), "two": np.array(0.1, np.float32)})))


@examples(10)
@given(data=st.data(), full=shapes(1, 3), train=st.sampled_from([None, ["a"], ["b"]]), seed=seeds)
def test_where_with_a_constant_condition(data, full, train, seed):
    shape_a, shape_b, shape_c = (data.draw(shrunk(full)) for _ in range(3))
    condition = np.random.default_rng(seed).integers(0, 2, shape_c).astype(bool)
    weights = {"c": condition, "a": values(seed, *shape_a), "b": values(seed + 1, *shape_b)}
    check_case(Case(make_model([node("Where", "c a b", "y")], weights), train=train, seed=seed))


@pytest.mark.parametrize("op_type", ["And", "Or", "Not"])
def test_logic(op_type):
    nodes = [
        node("Greater", "w zero", "p"),
        node("Less", "w one", "q"),
        node(op_type, "p" if op_type == "Not" else "p q", "c"),
        node("Where", "c w v", "y"),
    ]
    constants = {"zero": np.array(0, np.float32), "one": np.array(1, np.float32)}
    check_case(Case(make_model(nodes, {"w": values(1, 3, 4), "v": values(2, 4), **constants})))
