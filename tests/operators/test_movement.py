"""Operators that take, place and repeat elements: Concat, Split, Slice, Pad, Tile, DepthToSpace, SpaceToDepth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Case, check_case, examples, make_model, node, seeds, shapes, sizes, values

from gradmote.errors import UnsupportedOperator


def i64(*numbers):
    return np.array(numbers, np.int64)


def between_products(middle, seed, shape, constants=None):
    """`middle` (from h to z) between two products, so that views meet kernels on both sides."""
    first = {"u": values(seed, *shape), "v": values(seed + 1, *shape)}
    return Case(
        make_model([node("Mul", "u v", "h"), *middle, node("Mul", "z z", "y")], first | (constants or {})), seed=seed
    )


def permuted(middle, seed, shape, perm, constants=None):
    """`middle` (from h to z) on a value whose axes lie in another order in memory."""
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
    """Into parts of any sizes, of which only some are used."""
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
    """Since opset 18 with num_outputs, the last part smaller where they do not fit; only one part reaches the loss."""
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
    check_case(slice_case(between_products, shape, data.draw(slices(shape, [1])), seed))


@examples(8)
@given(data=st.data(), seed=seeds)
def test_slice_of_a_permuted_value(data, seed):
    drawn = data.draw(slices((2, 4, 3), [1]))
    check_case(slice_case(permuted, (2, 4, 3), drawn, seed, data.draw(st.permutations(range(3)))))


def test_slice_without_axes_and_steps():
    constants = {"starts": i64(0, 1), "ends": i64(2, 3)}
    check_case(between_products([node("Slice", "h starts ends", "z")], 1, (3, 4, 2), constants))


def test_slices_of_a_batch_of_sequences():
    """The last step of each sequence, and all but the last: overlapping parts of one value."""
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


# ---- Tile


@examples(15)
@given(data=st.data(), shape=shapes(1, 3), seed=seeds)
def test_tile(data, shape, seed):
    repeats = [data.draw(st.integers(1, 3)) for _ in shape]
    check_case(between_products([node("Tile", "h repeats", "z")], seed, shape, {"repeats": i64(*repeats)}))


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
