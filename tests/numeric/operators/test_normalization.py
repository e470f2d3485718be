"""Normalizations by statistics of the data itself: forward, and the gradients of x, scale and bias."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    Case,
    assert_close,
    check_case,
    compile_twice,
    examples,
    make_model,
    node,
    poisoned,
    projection,
    read_gradients,
    run_ort,
    seeds,
    shapes,
    values,
)

#: Groups of two elements are +1 and -1 except for epsilon: if it is small, their gradient is only what cancellation
#: leaves.
epsilons = st.sampled_from([0.05, 0.5])


def check(nodes, weights, seed=0, opset=18, **options):
    """All weights are trained. y has the shape of x, which onnx's inference does not know of GroupNormalization."""
    model = make_model(nodes, weights, opset=opset)
    shape = np.shape(weights["x"])
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape))
    check_case(Case(model, seed=seed, **options))


@pytest.mark.parametrize("opset", [17, 18])
@examples(16)
@given(data=st.data(), shape=shapes(1, 4), epsilon=epsilons, with_bias=st.booleans(), seed=seeds)
def test_layer_norm(opset, data, shape, epsilon, with_bias, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    tail = shape[axis % len(shape) :]
    weights = {"x": values(seed, *shape), "scale": values(seed + 1, *tail), "bias": values(seed + 2, *tail)}
    inputs = "x scale bias" if with_bias else "x scale"
    if not with_bias:
        del weights["bias"]
    norm = node("LayerNormalization", inputs, "y", axis=axis, epsilon=epsilon)
    check([norm], weights, seed, opset)


@examples(16)
@given(shape=shapes(3, 5), epsilon=epsilons, seed=seeds)
def test_instance_norm(shape, epsilon, seed):
    weights = {"x": values(seed, *shape), "scale": values(seed, shape[1]), "bias": values(seed + 2, shape[1])}
    check([node("InstanceNormalization", "x scale bias", "y", epsilon=epsilon)], weights, seed)


@pytest.mark.parametrize("opset", [18, 21])
@examples(16)
@given(
    batch=st.integers(1, 2),
    groups=st.integers(1, 3),
    size=st.integers(1, 3),
    space=shapes(1, 3),
    epsilon=epsilons,
    seed=seeds,
)
def test_group_norm(opset, batch, groups, size, space, epsilon, seed):
    channels = groups * size
    factors = groups if opset < 21 else channels
    weights = {
        "x": values(seed, batch, channels, *space),
        "scale": values(seed + 1, factors),
        "bias": values(seed + 2, factors),
    }
    norm = node("GroupNormalization", "x scale bias", "y", epsilon=epsilon, num_groups=groups)
    check([norm], weights, seed, opset)


@examples(16)
@given(data=st.data(), shape=shapes(1, 4), epsilon=epsilons, seed=seeds)
def test_rms_norm(data, shape, epsilon, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    weights = {"x": values(seed, *shape), "scale": values(seed + 1, *shape[axis % len(shape) :])}
    check([node("RMSNormalization", "x scale", "y", axis=axis, epsilon=epsilon)], weights, seed, 23)


@pytest.mark.parametrize("axes", [(1,), (0, 2), (0, 2, 3), (1, 3)])
def test_default_epsilon_over_many_elements(axes):
    """Standardize over axes that are apart, as batch statistics do, in a model that does not have it as an operator."""
    shape = (4, 3, 5, 2)
    order = [a for a in range(4) if a not in axes] + list(axes)
    weights = {"x": values(1, *shape), "scale": values(2, *(shape[a] for a in axes))}
    nodes = [node("Transpose", "x", "t", perm=order), node("LayerNormalization", "t scale", "y", axis=4 - len(axes))]
    check_case(Case(make_model(nodes, weights)))


def inferred(model, profile, *data):
    with Session(compile_twice(Case(model).artifacts)[0], profile) as session:
        return [np.array(y) for y in poisoned(session, session.infer, *data)]


def norm_model(rows, **attributes):
    width = rows.shape[-1]
    weights = {"x": rows, "scale": np.ones(width, np.float32), "bias": np.zeros(width, np.float32)}
    return make_model([node("LayerNormalization", "x scale bias", "y", **attributes)], weights)


def test_constant_rows_give_exactly_zero(profile):
    rows = np.array([[0.1] * 10, [1e4 + 0.3] * 10, [-7e-20] * 10], np.float32)
    np.testing.assert_array_equal(inferred(norm_model(rows), profile)[0], np.zeros((3, 10)))


def test_one_element_gives_zero_and_no_gradient(profile):
    case = Case(norm_model(values(1, 3, 1)))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        poisoned(session, session.train_step)
        np.testing.assert_array_equal(read_gradients(session)["x"], np.zeros((3, 1)))
    np.testing.assert_array_equal(inferred(case.model, profile)[0], np.zeros((3, 1)))


def test_a_large_offset_costs_no_precision(profile):
    rows = (1e4 + np.random.default_rng(1).normal(0, 1, (4, 64))).astype(np.float32)
    wide = rows.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    assert_close(inferred(norm_model(rows), profile)[0], expected, 1e-6, "large offset")


@pytest.mark.parametrize("opset", [13, 18])
@examples(12)
@given(data=st.data(), shape=shapes(1, 4), p=st.sampled_from([None, 1, 2]), seed=seeds)
def test_lp_norm(opset, data, shape, p, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    given = {} if p is None else {"p": p}
    norm = node("LpNormalization", "x", "z", axis=axis, **given)
    nodes = [norm, node("Mul", "z u", "a"), node("Mul", "a a", "y")]
    check(nodes, {"x": values(seed, *shape), "u": values(seed + 1, *shape)}, seed, opset)


@pytest.mark.parametrize("p", [1, 2])
def test_vectors_of_norm_zero_give_zero_and_no_gradient(p, profile):
    rows = np.array([[0, 0], [0.5, -0.5]], np.float32)
    case = Case(make_model([node("LpNormalization", "x", "y", p=p)], {"x": rows}))
    expected = [[0, 0], rows[1] / np.linalg.norm(rows[1], p)]
    np.testing.assert_allclose(inferred(case.model, profile)[0], expected, rtol=1e-6)
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        poisoned(session, session.train_step)
        gradient = read_gradients(session)["x"]
    np.testing.assert_array_equal(gradient[0], 0)
    assert np.abs(gradient[1]).max() > 0.1


# ---- as networks have them


def between_convolutions(op_type, factors, **attributes):
    weights = {"w1": values(1, 4, 2, 3, 3), "scale": values(2, *factors), "bias": values(3, *factors)}
    weights["w2"] = values(4, 2, 4, 2, 2)
    nodes = [
        node("Conv", "x w1", "c", pads=[1, 1, 1, 1]),
        node(op_type, "c scale bias", "n", **attributes),
        node("Relu", "n", "r"),
        node("Conv", "r w2", "y"),
    ]
    model = make_model(nodes, weights, {"x": (2, 2, 5, 5)}, opset=21)
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (2, 2, 4, 4)))
    return Case(model, {"x": values(0, 2, 2, 5, 5)}, train=list(weights), batch=2, reference=False)


@pytest.mark.parametrize(
    "op_type, factors, attributes",
    [
        ("GroupNormalization", (4,), {"num_groups": 2}),
        ("InstanceNormalization", (4,), {}),
        ("LayerNormalization", (4, 5, 5), {"axis": 1}),
    ],
)
def test_between_convolutions_nothing_is_copied(op_type, factors, attributes):
    case = between_convolutions(op_type, factors, **attributes)
    check_case(case)
    programs = compile_image(case.artifacts, Options(batch=2, accumulate=True)).compiled.programs
    train = next(p for p in programs if p.kind == "train")
    assert "COPY" not in [i.opcode for i in train.instructions]


def test_statistics_of_layer_norm_as_outputs(profile):
    """In a model that trains, Mean and InvStdDev are outputs beside y."""
    x = values(1, 2, 3, 4)
    norm = node("LayerNormalization", "x scale", "y mean inv_std", axis=1, epsilon=0.5)
    model = make_model([norm], {"x": x, "scale": values(2, 3, 4)}, outputs=("y", "mean", "inv_std"))
    loss = projection(values(3, 2, 3, 4))
    made = build_artifacts(model, None, lambda builder, y, *_: loss(builder, y), optimizers.sgd())
    ours = run_ort(model, {})
    with Session(compile_image(made).image, profile) as session:
        for got, name in zip(poisoned(session, session.infer), ours, strict=True):
            assert_close(got, ours[name], 1e-6, name)
        poisoned(session, session.step)


def test_a_loss_of_the_statistics_is_refused():
    nodes = [node("LayerNormalization", "x scale", "n mean"), node("Add", "n mean", "y")]
    case = Case(make_model(nodes, {"x": values(1, 2, 3), "scale": values(2, 3)}))
    with pytest.raises(UnsupportedOperator, match="statistics of a normalization.*first output"):
        check_case(case)


# ---- refusals


@pytest.mark.parametrize(
    "op_type, attributes, shape, message",
    [
        ("LayerNormalization", {"epsilon": -1.0}, (2, 3), "epsilon -1.0.*positive"),
        ("LayerNormalization", {"stash_type": 16}, (2, 3), "stash_type 16.*set it to 1"),
        ("GroupNormalization", {"num_groups": 2}, (2, 3, 4), "3 channels in 2 groups.*divide"),
        ("InstanceNormalization", {}, (2, 3), "spatial dimensions"),
    ],
)
def test_bad_attributes_are_refused(op_type, attributes, shape, message):
    weights = {"x": values(1, *shape), "scale": values(2, 3), "bias": values(3, 3)}
    model = make_model([node(op_type, "x scale bias", "y", **attributes)], weights, opset=21)
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape))
    with pytest.raises(UnsupportedOperator, match=message):
        build_artifacts(model)


def test_p_other_than_1_and_2_is_refused():
    with pytest.raises(UnsupportedOperator, match="p = 3.*1 and 2"):
        build_artifacts(make_model([node("LpNormalization", "x", "y", p=3)], {"x": values(1, 2, 3)}))
