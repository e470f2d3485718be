"""Operators that take, place and repeat elements: Concat, Split, Slice, Pad, Tile, DepthToSpace, SpaceToDepth, Gather,
Resize."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import GradmoteError, ModelError, UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import (
    SINGLE_TOLERANCE,
    Case,
    assert_all_close,
    assert_close,
    check_case,
    compile_twice,
    examples,
    gradients_of,
    host_profiles,
    make_model,
    node,
    poisoned,
    projection,
    read_gradients,
    run_ort,
    seeds,
    shapes,
    sizes,
    values,
)


def i64(*numbers):
    return np.array(numbers, np.int64)


def between_products(middle, seed, shape, constants=None):
    """`middle` (from h to z) between two products, so that views meet kernels on both sides."""
    first = {"u": values(seed, *shape), "v": values(seed + 1, *shape)}
    return Case(
        make_model([node("Mul", "u v", "h"), *middle, node("Mul", "z z", "y")], first | (constants or {})), seed=seed
    )


def permuted(middle, seed, shape, perm, constants=None):
    """Return a case of `middle` (from h to z) on a value whose axes have another order in memory."""
    stored = [shape[p] for p in perm]
    nodes = [node("Transpose", "w", "h", perm=list(np.argsort(perm))), *middle, node("Mul", "z z", "y")]
    return Case(make_model(nodes, {"w": values(seed, *stored)} | (constants or {})), seed=seed)


# ---- Concat


@examples(15)
@given(data=st.data(), shape=shapes(1, 4), parts=st.lists(sizes, min_size=1, max_size=3), seed=seeds)
def test_concat(data, shape, parts, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    weights = {}
    for i, part in enumerate(parts):
        own = list(shape)
        own[axis] = part
        weights[f"w{i}"] = values(seed + i, *own)
    nodes = [node("Concat", " ".join(weights), "z", axis=axis), node("Mul", "z z", "y")]
    check_case(Case(make_model(nodes, weights), seed=seed))


def test_concat_of_one_value_twice():
    check_case(between_products([node("Concat", "h h", "z", axis=0)], 1, (2, 3)))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat_keeps_the_order_in_memory(axis):
    check_case(permuted([node("Concat", "h h", "z", axis=axis)], 2, (2, 3, 4), (0, 2, 1)))


@examples(6)
@given(batch=sizes, seed=seeds)
def test_concat_of_data_with_a_symbolic_batch(batch, seed):
    nodes = [node("Mul", "x w", "h"), node("Concat", "x h x", "z", axis=-1), node("MatMul", "z v", "y")]
    model = make_model(nodes, {"w": values(seed, 2), "v": values(seed, 6, 2)}, {"x": ("N", 2)})
    check_case(Case(model, {"x": values(seed, batch, 2)}, seed=seed, batch=batch))


# ---- Split


@examples(15)
@given(data=st.data(), shape=shapes(1, 4), parts=st.lists(sizes, min_size=1, max_size=3), seed=seeds)
def test_split(data, shape, parts, seed):
    """Split into parts of any sizes; only some are used."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    used = data.draw(st.lists(st.integers(0, len(parts) - 1), min_size=1, max_size=len(parts), unique=True))
    shape = list(shape)
    shape[axis] = sum(parts)
    outputs = [f"p{i}" for i in range(len(parts))]
    middle = [
        node("Split", "h sizes", " ".join(outputs), axis=axis),
        node("Concat", " ".join(outputs[i] for i in used), "z", axis=axis),
    ]
    check_case(between_products(middle, seed, tuple(shape), {"sizes": i64(*parts)}))


@pytest.mark.parametrize("opset, size", [(13, 6), (18, 6), (18, 5)])
@pytest.mark.parametrize("used", ["a", "b", "c"])
def test_split_into_equal_parts(opset, size, used):
    """Since opset 18 with num_outputs; the last part is smaller if the size does not divide. One part reaches the
    loss."""
    attributes = {"num_outputs": 3} if opset == 18 else {}
    nodes = [
        node("Mul", "u v", "h"),
        node("Split", "h", "a b c", axis=1, **attributes),
        node("Mul", f"{used} {used}", "y"),
    ]
    weights = {"u": values(1, 2, size), "v": values(2, 2, size)}
    check_case(Case(make_model(nodes, weights, opset=opset)))


def test_unused_outputs_without_names():
    middle = [node("Split", "h", "first z last", axis=0, num_outputs=3)]
    middle[0].output[0] = middle[0].output[2] = ""
    check_case(between_products(middle, 4, (3, 2)))


def test_split_of_a_permuted_value():
    middle = [node("Split", "h", "a b", axis=1, num_outputs=2), node("Mul", "a b", "z")]
    check_case(permuted(middle, 2, (2, 4, 3), (0, 2, 1)))


# ---- Slice


@st.composite
def slices(draw, shape, steps):
    """(starts, ends, axes, steps) of a Slice that leaves at least one element along each axis."""
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=len(shape), unique=True))
    rows = []
    for axis in axes:
        dim, step = shape[axis], draw(st.sampled_from(steps))
        first = draw(st.integers(0, dim - 1))
        if step > 0:
            end = draw(st.sampled_from([2**31 - 1, 2**63 - 1, *range(first + 1, dim + 1)]))
        else:
            end = draw(st.sampled_from([-(2**31), -(2**63) + 1, *range(first)]))
        start = draw(st.sampled_from([first, first - dim]))
        rows.append((start, end, draw(st.sampled_from([axis, axis - len(shape)])), step))
    return [i64(*column) for column in zip(*rows, strict=True)]


SLICE_INPUTS = ("starts", "ends", "axes", "steps")


def slice_case(case, shape, given_slices, seed, *arguments):
    constants = dict(zip(SLICE_INPUTS, given_slices, strict=True))
    return case([node("Slice", "h starts ends axes steps", "z")], seed, shape, *arguments, constants=constants)


@examples(25)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_slice(data, shape, seed):
    check_case(slice_case(between_products, shape, data.draw(slices(shape, [1, 1, 2, 3, -1, -2])), seed))


@examples(8)
@given(data=st.data(), seed=seeds)
def test_slice_of_a_permuted_value(data, seed):
    drawn = data.draw(slices((2, 4, 3), [1, 2, -1]))
    check_case(slice_case(permuted, (2, 4, 3), drawn, seed, data.draw(st.permutations(range(3)))))


def test_slice_without_axes_and_steps():
    constants = {"starts": i64(0, 1), "ends": i64(2, 3)}
    check_case(between_products([node("Slice", "h starts ends", "z")], 1, (3, 4, 2), constants))


def test_slices_of_a_batch_of_sequences():
    """Take the last step of each sequence, and all except the last: overlapping parts of one value."""
    nodes = [
        node("Mul", "x w", "h"),
        node("Slice", "h last end axis", "a"),
        node("Slice", "h zero last axis", "b"),
        node("Mul", "a b", "y"),
    ]
    weights = {"w": values(1, 4, 3), "last": i64(-1), "end": i64(2**63 - 1), "zero": i64(0), "axis": i64(1)}
    check_case(Case(make_model(nodes, weights, {"x": ("N", 4, 3)}), {"x": values(2, 2, 4, 3)}, batch=2))


def test_computed_limits_are_refused_by_name():
    nodes = [node("Cast", "x", "n", to=7), node("Slice", "w n n", "z"), node("Mul", "z z", "y")]
    case = Case(make_model(nodes, {"w": values(1, 4)}, {"x": (1,)}))
    case.weights = np.ones(1, np.float32)
    with pytest.raises(UnsupportedOperator, match="make the starts constant"):
        check_case(case)


# ---- Pad


@st.composite
def pads(draw, shape, low=0):
    """(before, after) of each axis: all of it before, then all after; something is left."""
    before = [draw(st.integers(max(low, 1 - d), 2)) for d in shape]
    return before + [draw(st.integers(max(low, 1 - d - min(b, 0)), 2)) for d, b in zip(shape, before, strict=True)]


@pytest.mark.parametrize("value", [None, 0.0, -1.5])
@examples(10)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_pad_with_a_constant(value, data, shape, seed):
    constants = {"pads": i64(*data.draw(pads(shape)))}
    if value is not None:
        constants["value"] = np.array(value, np.float32)
    check_case(between_products([node("Pad", " ".join(["h", *constants]), "z")], seed, shape, constants))


@examples(6)
@given(data=st.data(), seed=seeds)
def test_pad_of_a_permuted_value(data, seed):
    constants = {"pads": i64(*data.draw(pads((2, 3, 4))))}
    perm = data.draw(st.permutations(range(3)))
    check_case(permuted([node("Pad", "h pads", "z")], seed, (2, 3, 4), perm, constants))


def test_pad_of_named_axes():
    constants = {"pads": i64(1, 0, 0, 2), "axes": i64(-1, 0)}
    check_case(between_products([node("Pad", "h pads - axes", "z")], 3, (2, 3, 2), constants))


def test_pad_of_a_symbolic_batch():
    nodes = [node("Mul", "x w", "h"), node("Pad", "h pads", "z"), node("Mul", "z z", "y")]
    model = make_model(nodes, {"w": values(1, 3), "pads": i64(0, 1, 0, 2)}, {"x": ("N", 3)})
    check_case(Case(model, {"x": values(2, 3, 3)}, batch=3))


@pytest.mark.parametrize("mode", ["edge", "reflect"])
@examples(10)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_pad_with_elements(mode, data, shape, seed):
    highest = [2 if mode == "edge" else min(2, d - 1) for d in shape]  # a reflection longer than x is not defined
    constants = {"pads": i64(*(data.draw(st.integers(0, h)) for h in [*highest, *highest]))}
    check_case(between_products([node("Pad", "h pads", "z", mode=mode)], seed, shape, constants))


def test_pad_with_elements_of_a_permuted_value():
    middle = [node("Pad", "h pads", "z", mode="reflect")]
    check_case(permuted(middle, 3, (2, 3, 4), (0, 2, 1), {"pads": i64(0, 1, 2, 0, 2, 1)}))


def test_wrapped_pad():
    nodes = [node("Mul", "u v", "h"), node("Pad", "h pads", "z", mode="wrap"), node("Mul", "z z", "y")]
    weights = {"u": values(1, 2, 3), "v": values(2, 2, 3), "pads": i64(1, 2, 0, 1)}
    check_case(Case(make_model(nodes, weights, opset=19)))


# ---- Tile


@examples(15)
@given(data=st.data(), shape=shapes(1, 3), seed=seeds)
def test_tile(data, shape, seed):
    repeats = [data.draw(st.integers(1, 3)) for _ in shape]
    check_case(between_products([node("Tile", "h repeats", "z")], seed, shape, {"repeats": i64(*repeats)}))


def test_tile_of_more_axes_than_one_copy_walks():
    check_case(between_products([node("Tile", "h repeats", "z")], 1, (2, 1, 2, 3), {"repeats": i64(2, 3, 2, 2)}))


def test_tile_of_a_permuted_value():
    check_case(permuted([node("Tile", "h repeats", "z")], 1, (2, 3, 2), (2, 0, 1), {"repeats": i64(2, 1, 3)}))


def test_tile_of_a_symbolic_batch():
    nodes = [node("Mul", "x w", "h"), node("Tile", "h repeats", "z"), node("Mul", "z z", "y")]
    model = make_model(nodes, {"w": values(1, 3), "repeats": i64(1, 3)}, {"x": ("N", 3)})
    check_case(Case(model, {"x": values(2, 4, 3)}, batch=4))


# ---- DepthToSpace, SpaceToDepth


@pytest.mark.parametrize(
    "op_type, attributes",
    [("DepthToSpace", {"mode": "DCR"}), ("DepthToSpace", {"mode": "CRD"}), ("DepthToSpace", {}), ("SpaceToDepth", {})],
)
@examples(5)
@given(batch=sizes, depth=st.integers(1, 2), height=st.integers(1, 2), width=st.integers(1, 3), seed=seeds)
def test_depth_and_space(op_type, attributes, batch, depth, height, width, seed):
    blocks = (4 * depth, height, width) if op_type == "DepthToSpace" else (depth, 2 * height, 2 * width)
    nodes = [node("Mul", "x w", "h"), node(op_type, "h", "z", blocksize=2, **attributes), node("Mul", "z z", "y")]
    model = make_model(nodes, {"w": values(seed, *blocks)}, {"x": ("N", *blocks)})
    check_case(Case(model, {"x": values(seed + 1, batch, *blocks)}, seed=seed, batch=batch))


def test_space_to_channels_side_by_side(profile):
    """SpaceToDepth with mode CRD, which is missing in onnxruntime: the inverse of DepthToSpace with it."""
    attributes = {"blocksize": 2, "mode": "CRD"}
    nodes = [node("SpaceToDepth", "w", "d", **attributes), node("DepthToSpace", "d", "y", **attributes)]
    case = Case(make_model(nodes, {"w": values(1, 1, 2, 4, 6)}, opset=28))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        poisoned(session, session.train_step, *case.feeds.values())
        np.testing.assert_array_equal(read_gradients(session)["w"], case.weights)
        np.testing.assert_array_equal(np.array(poisoned(session, session.infer)[0]), values(1, 1, 2, 4, 6))


# ---- Gather


@examples(25)
@given(data=st.data(), shape=shapes(1, 3), index_shape=st.lists(sizes, max_size=2), seed=seeds)
def test_gather_at_constant_positions(data, shape, index_shape, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    position = st.integers(-shape[axis], shape[axis] - 1)
    count = int(np.prod(index_shape))
    indices = np.reshape(i64(*(data.draw(position) for _ in range(count))), index_shape)
    middle = [node("Gather", "h indices", "z", axis=axis)]
    check_case(between_products(middle, seed, shape, {"indices": indices}))


@pytest.mark.parametrize("indices", [1, [0, 2, 1], [[1, 1], [0, 2]]])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_gather_from_a_permuted_value(indices, axis):
    middle = [node("Gather", "h indices", "z", axis=axis)]
    check_case(permuted(middle, 5, (3, 4, 3), (2, 0, 1), {"indices": np.array(indices, np.int64)}))


def test_constant_index_out_of_range_is_refused():
    model = between_products([node("Gather", "h indices", "z", axis=0)], 1, (3, 2), {"indices": i64(0, 2)}).model
    model.graph.initializer[-1].CopyFrom(numpy_helper.from_array(i64(0, 3), "indices"))
    with pytest.raises(ModelError, match="leave an axis of size 3"):
        compile_image(build_artifacts(model, None, losses.mse(), optimizers.sgd()))


def embedding_model(indices_type=TensorProto.INT64, size=5):
    """y = sum over t of table[tokens[n, t]] v."""
    nodes = [
        node("Gather", "table tokens", "e"),
        node("ReduceSum", "e axes", "s", keepdims=0),
        node("MatMul", "s v", "y"),
    ]
    weights = {"table": values(1, size, 3), "v": values(2, 3, 2), "axes": i64(1)}
    graph = helper.make_graph(
        nodes,
        "embedding",
        [helper.make_tensor_value_info("tokens", indices_type, ["N", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


TOKENS = np.array([[0, 2, 2, -1], [4, 2, 1, -5], [3, 3, 3, 3]], np.int64)


@pytest.fixture(scope="module", params=[TensorProto.INT64, TensorProto.INT32])
def embedding(request):
    return build_artifacts(embedding_model(request.param), None, losses.mse(), optimizers.sgd(0.1))


@pytest.mark.parametrize("kept", [True, False])
def test_embedding_trains_as_in_torch(embedding, kept, profile):
    """Rows that several tokens name get the sum of their gradients, others none."""
    torch = pytest.importorskip("torch")
    table, v = (torch.tensor(embedding.parameters[n].copy(), requires_grad=True) for n in ("table", "v"))
    target = values(7, 3, 2)
    with Session(compile_image(embedding, Options(batch=3, accumulate=kept)).image, profile) as session:
        for _ in range(3):
            loss = torch.nn.functional.mse_loss(table[torch.tensor(TOKENS)].sum(dim=1) @ v, torch.tensor(target))
            loss.backward()
            with torch.no_grad():
                for p in (table, v):
                    p -= 0.1 * p.grad
                    p.grad = None
            if kept:
                mine = poisoned(session, session.train_step, TOKENS, target)
                poisoned(session, session.optimizer_step)
                session.lazy_reset_grad()
            else:
                mine = poisoned(session, session.step, TOKENS, target)
            assert_close(mine, loss.item(), SINGLE_TOLERANCE, "loss")
        assert_close(session.parameter("table"), table.detach().numpy(), SINGLE_TOLERANCE, "table")
        assert_close(session.parameter("v"), v.detach().numpy(), SINGLE_TOLERANCE, "v")
        inferred = np.array(poisoned(session, session.infer, TOKENS)[0])
        assert_close(inferred, (table[torch.tensor(TOKENS)].sum(dim=1) @ v).detach().numpy(), SINGLE_TOLERANCE, "y")


def test_embedding_of_the_training_model_under_onnxruntime(embedding):
    dtype = np.int32 if embedding.training.graph.input[0].type.tensor_type.elem_type == TensorProto.INT32 else np.int64
    feeds = {embedding.training.graph.input[0].name: TOKENS.astype(dtype)}
    label = next(i.name for i in embedding.training.graph.input if i.name not in ("tokens", "table", "v"))
    feeds[label] = values(7, 3, 2)
    outputs = run_ort(embedding.training, feeds)
    with Session(compile_image(embedding, Options(batch=3, accumulate=True)).image, "strict") as session:
        poisoned(session, session.train_step, TOKENS, feeds[label])
        assert_all_close(read_gradients(session), gradients_of(outputs, ["table", "v"]), SINGLE_TOLERANCE, "embedding")


@pytest.mark.parametrize("bad", [5, -6, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("kept", [True, False])
def test_index_out_of_range_changes_nothing(embedding, bad, kept, profile):
    tokens = TOKENS.copy()
    tokens[1, 2] = bad
    with Session(compile_image(embedding, Options(batch=3, accumulate=kept)).image, profile) as session:
        step = session.train_step if kept else session.step
        before = bytes(session.parameters())
        for program, data in ((step, (tokens, values(7, 3, 2))), (session.infer, (tokens,))):
            with pytest.raises(GradmoteError, match="an index is outside its axis"):
                poisoned(session, program, *data)
        assert bytes(session.parameters()) == before
        assert np.isfinite(poisoned(session, step, TOKENS, values(7, 3, 2)))


# ---- Resize

NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
COORDINATES = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@examples(8)
@given(
    height=sizes,
    width=sizes,
    target=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    by_scale=st.booleans(),
    rounding=st.sampled_from(NEAREST),
    seed=seeds,
)
def test_resize(coordinates, mode, height, width, target, by_scale, rounding, seed):
    shape = (1, 2, height, width)
    if mode == "cubic":
        target = [max(t, 2) for t in target]  # onnx.reference takes 1 for -0.5 in pytorch_half_pixel, ONNX says 0
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = rounding
    if by_scale:
        factors = [t / 2 if t * d % 2 == 0 else float(t) for t, d in zip(target, shape[2:], strict=True)]
        middle = [node("Resize", "h - scales", "z", **attributes)]
        constants = {"scales": np.array([1, 1, *factors], np.float32)}
    else:
        middle = [node("Resize", "h - - sizes", "z", **attributes)]
        constants = {"sizes": i64(1, 2, *target)}
    check_case(between_products(middle, seed, shape, constants))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_resize_of_a_permuted_value(mode):
    """Channels last in memory."""
    middle = [node("Resize", "h - scales", "z", mode=mode)]
    constants = {"scales": np.array([1, 1, 2, 1.5], np.float32)}
    check_case(permuted(middle, 3, (1, 2, 3, 4), (0, 2, 3, 1), constants))


def test_resize_of_a_symbolic_batch_to_sizes_of_named_axes():
    nodes = [
        node("Mul", "x w", "h"),
        node("Resize", "h - - sizes", "z", mode="linear", axes=[2, 3]),
        node("Mul", "z z", "y"),
    ]
    model = make_model(nodes, {"w": values(1, 2, 3, 3), "sizes": i64(5, 2)}, {"x": ("N", 2, 3, 3)})
    check_case(Case(model, {"x": values(2, 2, 2, 3, 3)}, batch=2))


MIXING = {
    "antialiased linear": {"mode": "linear", "antialias": 1},
    "antialiased cubic": {"mode": "cubic", "antialias": 1, "cubic_coeff_a": -0.5},
    "inside alone": {"mode": "cubic", "exclude_outside": 1},
    "symmetric": {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"},
}


@pytest.mark.parametrize("form", MIXING)
@examples(5)
@given(height=st.integers(2, 5), width=st.integers(2, 5), factors=st.tuples(*[st.sampled_from([0.4, 0.7, 1.5])] * 2))
def test_resize_with_more_neighbours_or_other_positions(form, height, width, factors):
    """onnxruntime counts neighbours without weight, and rejects some forms: float64 is the reference here."""
    assume(all(int(d * f) >= 1 for d, f in zip((height, width), factors)))
    weights = {"w": values(1, 1, 1, height, width), "scales": np.array([1, 1, *factors], np.float32)}
    nodes = [node("Resize", "w - scales", "z", **MIXING[form]), node("Mul", "z z", "y")]
    check_against_float64(Case(make_model(nodes, weights, opset=19)))


def check_against_float64(case):
    for profile in host_profiles():
        with Session(compile_twice(case.artifacts)[0], profile) as session:
            poisoned(session, session.train_step, *case.feeds.values())
            assert_all_close(read_gradients(session), case.numeric_gradients(), 1e-4, "C runtime against float64")
            inferred = np.array(poisoned(session, session.infer, *case.data.values())[0])
            assert_close(inferred, case.double(case.data)[0], 1e-4, "C runtime: inference")


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("target", [(7, 8), (2, 5), (3, 1)])
def test_resize_that_keeps_the_aspect_ratio(policy, target):
    attributes = {"mode": "linear", "keep_aspect_ratio_policy": policy, "axes": [2, 3]}
    constants = {"sizes": i64(*target)}
    check_case(between_products([node("Resize", "h - - sizes", "z", **attributes)], 1, (1, 2, 3, 4), constants))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("axes, region", [(None, (0, 0, 0.4, 0.1, 1, 1, 0.9, 1)), ([2, 3], (0.2, 0, 0.7, 1))])
def test_resize_of_a_region(mode, axes, region):
    attributes = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize"}
    attributes |= {"axes": axes} if axes else {}
    constants = {"roi": np.array(region, np.float32), "sizes": i64(*([4, 5] if axes else [1, 2, 4, 5]))}
    check_case(between_products([node("Resize", "h roi - sizes", "z", **attributes)], 1, (1, 2, 5, 4), constants))


def test_resize_of_a_region_outside_is_refused_by_name():
    roi = np.array([0, 0, 1, 1.5], np.float32)
    weights = {"w": values(1, 2, 3), "scales": np.array([1, 2], np.float32), "roi": roi}
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize", "mode": "linear"}
    model = make_model([node("Resize", "w roi scales", "y", **attributes)], weights)
    with pytest.raises(UnsupportedOperator, match="leaves its input"):
        build_artifacts(model, ["w"], projection(np.ones((2, 6), np.float32)), optimizers.sgd())


def test_arithmetic_on_integers_is_refused_by_name():
    model = embedding_model()
    model.graph.node[0].input[1] = "twice"
    model.graph.node.insert(0, node("Add", "tokens tokens", "twice"))
    with pytest.raises(UnsupportedOperator, match="Add of integers"):
        compile_image(build_artifacts(model, None, losses.mse(), optimizers.sgd()))


def test_indices_that_were_moved_and_cast(profile):
    """Integers go through what moves elements."""
    model = embedding_model()
    model.graph.node[0].input[1] = "turned"
    model.graph.node.insert(0, node("Cast", "tokens", "cast", to=TensorProto.INT32))
    model.graph.node.insert(1, node("Slice", "cast last first axes steps", "turned"))
    for name, number in (("last", -1), ("first", -9), ("steps", -1)):
        model.graph.initializer.append(numpy_helper.from_array(i64(number), name))
    plain, turned = (build_artifacts(m, None, losses.mse(), optimizers.sgd()) for m in (embedding_model(), model))
    with (
        Session(compile_image(plain, Options(batch=3)).image, profile) as first,
        Session(compile_image(turned, Options(batch=3)).image, profile) as second,
    ):
        one, other = (np.array(poisoned(s, s.infer, TOKENS)[0]) for s in (first, second))
        assert_close(other, one, SINGLE_TOLERANCE, "turned")
