"""Each pass on an ONNX graph: what it does, what it must leave, and that the function stays the same."""

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from gradmote import onnx_backend
from gradmote.frontend import load_model
from gradmote.ir.verify import BrokenPass, verify_graph
from gradmote.rewrite import fold_constants, rewrite_synonyms
from gradmote.rewrite.matrix_products import fuse_gemm_bias, simplify_gemm
from gradmote.rewrite.remove_no_ops import remove_dropout, remove_identity
from support.oracle import DoubleModel, make_model, node, values


def after(run, model, keep=()):
    """The model after one pass, its shapes known beforehand, verified."""
    graph_model = ir.from_proto(onnx.shape_inference.infer_shapes(model, data_prop=True))
    run(graph_model.graph, set(keep))
    verify_graph(graph_model.graph)
    proto = ir.to_proto(graph_model)
    onnx.checker.check_model(proto)
    return proto


def ops(model):
    return [n.op_type for n in model.graph.node]


def names(model):
    return {t.name for t in model.graph.initializer}


def assert_same_function(model, other, **data):
    np.testing.assert_allclose(DoubleModel(model)(data)[0], DoubleModel(other)(data)[0], rtol=1e-12)


# ---- fold_constants


def test_folding_computes_what_is_constant():
    nodes = [node("Add", "c d", "e"), node("Mul", "e d", "f"), node("Add", "x f", "y")]
    model = make_model(nodes, {"c": values(1, 3), "d": values(2, 3)}, {"x": ("N", 3)})
    folded = after(fold_constants.run, model)
    assert ops(folded) == ["Add"]
    assert len(folded.graph.initializer) == 1  # and c, d, which nothing needs any more, are gone
    np.testing.assert_allclose(
        DoubleModel(folded)({"x": values(3, 2, 3)})[0], DoubleModel(model)({"x": values(3, 2, 3)})[0], 1e-6
    )


def test_folding_leaves_trained_parameters():
    nodes = [node("Transpose", "w", "t"), node("MatMul", "x t", "y")]
    model = make_model(nodes, {"w": values(1, 2, 3)}, {"x": ("N", 3)})
    assert ops(after(fold_constants.run, model, keep=["w"])) == ["Transpose", "MatMul"]
    assert ops(after(fold_constants.run, model)) == ["MatMul"]


def test_folding_knows_shapes_that_are_static():
    nodes = [node("Mul", "x w", "h"), node("Shape", "h", "s"), node("Reshape", "h s", "y")]
    static = make_model(nodes, {"w": values(1, 3)}, {"x": (2, 3)})
    symbolic = make_model(nodes, {"w": values(1, 3)}, {"x": ("N", 3)})
    assert ops(after(fold_constants.run, static)) == ["Mul", "Reshape"]
    assert ops(after(fold_constants.run, symbolic)) == ["Mul", "Shape", "Reshape"]


def test_part_of_a_shape():
    nodes = [node("Shape", "x", "s", start=1), node("Reshape", "w s", "h"), node("Add", "x h", "y")]
    model = make_model(nodes, {"w": values(1, 6)}, {"x": (4, 2, 3)})
    folded = after(fold_constants.run, model, keep=["w"])
    assert [t.dims[0] for t in folded.graph.initializer if t.name != "w"] == [2]
    assert_same_function(model, folded, x=values(2, 4, 2, 3))


def test_folding_leaves_random_numbers():
    nodes = [node("RandomNormal", "", "r", shape=[3]), node("Add", "x r", "y")]
    assert "RandomNormal" in ops(after(fold_constants.run, make_model(nodes, {}, {"x": ("N", 3)})))


# ---- remove_identity


def test_identities_vanish_but_for_a_graph_output():
    nodes = [
        node("Identity", "x", "a"),
        node("Cast", "a", "b", to=1),
        node("Mul", "b w", "c"),
        node("Identity", "c", "y"),
    ]
    model = make_model(nodes, {"w": values(1, 3)}, {"x": ("N", 3)})
    removed = after(remove_identity, model)
    assert ops(removed) == ["Mul", "Identity"]
    assert removed.graph.output[0].name == "y"
    assert_same_function(model, removed, x=values(2, 2, 3))


def test_a_cast_that_converts_stays():
    nodes = [node("Cast", "x", "a", to=onnx.TensorProto.INT64), node("Cast", "a", "y", to=1)]
    assert ops(after(remove_identity, make_model(nodes, {}, {"x": ("N", 3)}))) == ["Cast", "Cast"]


# ---- simplify_gemm


@pytest.mark.parametrize(
    "alpha, beta, c, expected",
    [
        (1.0, 1.0, (4,), ["Gemm"]),
        (1.0, 1.0, (1, 4), ["Gemm"]),
        (2.0, 1.0, None, ["Gemm", "Mul"]),
        (1.0, 0.5, (4,), ["Mul", "Gemm", "Add"]),
        (1.0, 0.0, (4,), ["Gemm"]),
        (1.0, 1.0, (3, 1), ["Gemm", "Add"]),
        (2.0, 3.0, (3, 4), ["Gemm", "Mul", "Mul", "Add"]),
    ],
)
def test_gemm_becomes_plain(alpha, beta, c, expected):
    weights = {"b": values(1, 4, 2)} | ({"c": values(2, *c)} if c else {})
    gemm = node("Gemm", "x b c" if c else "x b", "y", transB=1, alpha=alpha, beta=beta)
    model = make_model([gemm], weights, {"x": (3, 2)})
    plain = after(simplify_gemm, model, keep=weights)
    assert sorted(ops(plain)) == sorted(expected)
    products = [n for n in plain.graph.node if n.op_type == "Gemm"]
    assert all(a.f == 1.0 for n in products for a in n.attribute if a.name in ("alpha", "beta"))
    assert plain.graph.output[0].name == "y"
    assert_same_function(model, plain, x=values(3, 3, 2))


def test_symbolic_rows_are_not_taken_for_columns():
    """c of shape (N, 1) would be a row only if N were the columns."""
    model = make_model([node("Gemm", "x b x", "y", transB=1)], {"b": values(1, 1, 1)}, {"x": ("N", 1)})
    assert_same_function(model, after(simplify_gemm, model, keep=["b"]), x=values(2, 5, 1))


# ---- fuse_gemm_bias


@pytest.mark.parametrize("order", ["p c", "c p"])
def test_product_and_bias_become_one_gemm(order):
    nodes = [node("MatMul", "x b", "p"), node("Add", order, "y")]
    model = make_model(nodes, {"b": values(1, 2, 4), "c": values(2, 4)}, {"x": ("N", 2)})
    fused = after(fuse_gemm_bias, model)
    assert ops(fused) == ["Gemm"] and list(fused.graph.node[0].input) == ["x", "b", "c"]
    assert_same_function(model, fused, x=values(3, 3, 2))


@pytest.mark.parametrize(
    "why, nodes, weights, data",
    [
        (
            "the product is used twice",
            [node("MatMul", "x b", "p"), node("Add", "p c", "s"), node("Mul", "s p", "y")],
            {"b": (2, 4), "c": (4,)},
            ("N", 2),
        ),
        (
            "the product is of rank 3",
            [node("MatMul", "x b", "p"), node("Add", "p c", "y")],
            {"b": (2, 4), "c": (4,)},
            ("N", 3, 2),
        ),
        (
            "the addend is a column",
            [node("MatMul", "x b", "p"), node("Add", "p c", "y")],
            {"b": (2, 4), "c": (4, 1)},
            (4, 2),
        ),
        (
            "the addend is one number",
            [node("MatMul", "x b", "p"), node("Add", "p c", "y")],
            {"b": (2, 4), "c": (1,)},
            ("N", 2),
        ),
        (
            "the addend is a square",
            [node("MatMul", "x b", "p"), node("Add", "p c", "y")],
            {"b": (2, 4), "c": (4, 4)},
            (4, 2),
        ),
        (
            "the addend makes the result larger",
            [node("MatMul", "x b", "p"), node("Add", "p c", "y")],
            {"b": (2, 1), "c": (4,)},
            ("N", 2),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bias_is_not_fused(why, nodes, weights, data):
    model = make_model(nodes, {n: values(1, *shape) for n, shape in weights.items()}, {"x": data})
    assert "MatMul" in ops(after(fuse_gemm_bias, model)), why


# ---- remove_dropout


def test_dropout_vanishes_even_as_the_output():
    nodes = [node("Dropout", "x", "a"), node("Mul", "a w", "b"), node("Dropout", "b", "y")]
    model = make_model(nodes, {"w": values(1, 3)}, {"x": ("N", 3)})
    removed = after(remove_dropout, model)
    assert ops(removed) == ["Mul", "Identity"] and removed.graph.output[0].name == "y"
    assert_same_function(
        make_model([node("Mul", "x w", "y")], {"w": values(1, 3)}, {"x": ("N", 3)}), removed, x=values(1, 2, 3)
    )


def test_mask_of_what_drops_nothing_is_true():
    nodes = [node("Dropout", "x", "a m"), node("Cast", "m", "f", to=1), node("Mul", "a f", "y")]
    (y,) = onnx_backend.run_model(make_model(nodes, {}, {"x": ("N", 3)}), [values(1, 2, 3)])
    np.testing.assert_array_equal(y, values(1, 2, 3))


def test_a_sum_over_nothing_is_constant():
    model = make_model([node("ReduceSum", "x axes", "y")], {"axes": np.array([1])}, {"x": (2, 0, 3)})
    (y,) = onnx_backend.run_model(model, [np.empty((2, 0, 3), np.float32)])
    np.testing.assert_array_equal(y, np.zeros((2, 1, 3)))


# ---- the whole list, and the verifier


def test_functions_of_the_model_are_inlined():
    function = onnx.parser.parse_function(
        '<opset_import: ["": 18], domain: "local"> twice (a) => (b) { b = Add (a, a) }'
    )
    model = make_model([node("Mul", "x w", "h"), node("Relu", "h", "y")], {"w": values(1, 3)}, {"x": ("N", 3)})
    model.graph.node[1].CopyFrom(node("twice", "h", "y", domain="local"))
    model.functions.append(function)
    model.opset_import.append(onnx.helper.make_opsetid("local", 1))
    assert [n.op_type for n in load_model(model).graph] == ["Mul", "Add"]


def small_graph():
    model = make_model([node("Relu", "x", "h"), node("Mul", "h w", "y")], {"w": values(0, 3)}, {"x": ("N", 3)})
    return ir.from_proto(model).graph


def test_verifier_accepts_a_sound_graph():
    verify_graph(small_graph())


def test_verifier_finds_a_value_used_before_it_is_made():
    graph = small_graph()
    first = graph[0]
    graph.remove(first)
    graph.append(first)
    with pytest.raises(BrokenPass, match="'h' is used .* before it is made"):
        verify_graph(graph)


def test_verifier_finds_a_value_of_another_graph():
    graph, other = small_graph(), small_graph()
    graph[1].replace_input_with(0, other[0].outputs[0])
    with pytest.raises(BrokenPass, match="before it is made"):
        verify_graph(graph)


def test_verifier_finds_a_name_used_twice():
    graph = small_graph()
    graph[0].outputs[0].name = "y"
    with pytest.raises(BrokenPass, match="a name is used twice"):
        verify_graph(graph)


def test_folding_follows_the_known_part_of_a_shape():
    """The batch is not known, the number of heads is: 12 / 2 = 6."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s last", "d"),
        node("Div", "d two", "half"),
        node("Unsqueeze", "half zero", "h"),
        node("Gather", "s zero", "n"),
        node("Concat", "n two_ h", "target", axis=0),
        node("Reshape", "x target", "y"),
    ]
    weights = {"last": np.array(1), "two": np.array(2), "two_": np.array([2]), "zero": np.array([0])}
    model = make_model(nodes, weights, {"x": ("N", 12)})
    folded = after(fold_constants.run, model)
    assert ops(folded) == ["Shape", "Gather", "Concat", "Reshape"]
    assert_same_function(model, folded, x=values(1, 3, 12))
    settled = load_model(model).graph
    assert list(settled.outputs[0].shape)[1:] == [2, 6]


def test_the_shape_of_an_expand_whose_computation_onnx_does_not_follow():
    """A class token, expanded to the batch as PyTorch writes it: -1 means as it is."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Concat", "n minus minus", "asked", axis=0),
        node("Equal", "asked minus", "kept"),
        node("Where", "kept one asked", "target"),
        node("Expand", "token target", "tokens"),
        node("Concat", "tokens x", "y", axis=1),
    ]
    weights = {"zero": np.array([0]), "minus": np.array([-1]), "one": np.array([1]), "token": values(1, 1, 1, 3)}
    model = make_model(nodes, weights, {"x": ("N", 4, 3)})
    assert list(load_model(model).graph.outputs[0].shape)[1:] == [5, 3]


@pytest.mark.parametrize("target, expected", [([0, 4, -1], [4, 6]), ([0, -1], [24]), ([-1, 8], [8])])
def test_the_rest_of_a_reshape_beside_the_batch(target, expected):
    """The batch is the first of a computed shape, or 0."""
    nodes = [node("Shape", "x", "s"), node("Slice", "s begin end", "n"), node("Reshape", "x target", "y")]
    nodes.insert(2, node("Concat", "n rest", "target", axis=0)) if target[0] == 0 else None
    weights = {"begin": np.array([0]), "end": np.array([1])}
    weights |= {"rest": np.array(target[1:])} if target[0] == 0 else {"target": np.array(target)}
    model = make_model(nodes, weights, {"x": ("N", 4, 3, 2)})
    shape = load_model(model).graph.outputs[0].shape
    assert list(shape)[1:] == expected and not isinstance(shape[0], int)


# ---- rewrite_synonyms


def test_synonyms():
    nodes = [
        node("SplitToSequence", "x sizes", "parts", axis=1),
        node("SequenceAt", "parts one", "a"),
        node("SplitToSequence", "x two", "halves", axis=1),
        node("SequenceAt", "halves zero", "b"),
        node("IsNaN", "a", "bad"),
        node("CastLike", "bad a", "mask"),
        node("Add", "a b", "sum"),
        node("Add", "sum mask", "y"),
    ]
    weights = {"sizes": np.array([2, 2]), "one": np.array(1), "two": np.array(2), "zero": np.array(0)}
    model = make_model(nodes, weights, {"x": ("N", 4)})
    changed = after(rewrite_synonyms.run, model)
    assert set(ops(changed)) == {"Slice", "Equal", "Not", "Cast", "Add"}
    data = np.array([[1.0, 2.0, np.nan, 4.0]], np.float32)
    np.testing.assert_array_equal(DoubleModel(changed)({"x": data})[0], DoubleModel(model)({"x": data})[0])
