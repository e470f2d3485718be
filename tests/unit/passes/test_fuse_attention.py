"""Attention in blocks of queries: which is fused, the same bits as its instructions one by one, and a smaller arena."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import app
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import fuse_attention
from gradmote.errors import ModelError
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from support.oracle import (
    assert_all_close,
    examples,
    host_profiles,
    make_model,
    node,
    projection,
    read_gradients,
    train,
    values,
)

#: Weights that are trained; masks and scales are not.
TRAINED = ["w*"]
INPUTS = 5


def network(shape, scale="", mask="", by_columns=False, outputs=("y",)):
    """Attention of x, (samples, queries, INPUTS), to z, (samples, keys, INPUTS).

    scale: Mul, Div, or none. mask: Add, First (an Add with the mask first), Where, or none; Padding is one for each
    sample's keys. by_columns: K is scaled as a matrix (depth, keys), one key a column.
    """
    samples, heads, queries, keys, depth = shape
    width, rng = heads * depth, np.random.default_rng(7)
    weights = {f"w{name}": values(i, INPUTS, width) / 2 for i, name in enumerate("qkv")}
    nodes, order = [], {"q": [0, 2, 1, 3], "k": [0, 2, 3, 1], "v": [0, 2, 1, 3]}
    for name, source in (("q", "x"), ("k", "z"), ("v", "z")):
        weights[f"cut_{name}"] = np.array([samples, queries if name == "q" else keys, heads, depth])
        nodes += [node("MatMul", f"{source} w{name}", f"{name}1"), node("Reshape", f"{name}1 cut_{name}", f"{name}2"),
                  node("Transpose", f"{name}2", f"{name}3", perm=order[name])]  # fmt: skip
    weights |= {"root": np.float32(0.7), "third": np.float32(1 / 3), "joined": np.array([samples, queries, width])}
    if by_columns:
        weights["k_scale"] = np.float32([[1.5]] * depth)
        nodes.append(node("Mul", "k3 k_scale", "k4"))
    nodes.append(node("MatMul", f"q3 {'k4' if by_columns else 'k3'}", "scores"))
    nodes += [node(scale, "scores root", "scaled")] if scale else []
    last = "scaled" if scale else "scores"
    hidden = rng.random((queries, keys)) < 0.3
    if mask in ("Add", "First"):
        weights["mask"] = np.where(hidden, -np.inf, rng.normal(size=hidden.shape)).astype(np.float32)
        weights["mask"][:, 0] = 0
        nodes.append(node("Add", f"{last} mask" if mask == "Add" else f"mask {last}", "masked"))
    elif mask == "Padding":
        weights["mask"] = np.where(rng.random((samples, 1, 1, keys)) < 0.3, -100, 0).astype(np.float32)
        nodes.append(node("Add", f"{last} mask", "masked"))
    elif mask == "Where":
        weights |= {"hidden": hidden, "fill": np.float32(-1e9)}
        nodes.append(node("Where", f"hidden fill {last}", "masked"))
    nodes += [
        node("Softmax", "masked" if mask else last, "p", axis=-1), node("MatMul", "p v3", "mixed"),
        node("Transpose", "mixed", "beside", perm=[0, 2, 1, 3]), node("Reshape", "beside joined", "y"),
    ]  # fmt: skip
    return make_model(nodes, weights, {"x": (samples, queries, INPUTS), "z": (samples, keys, INPUTS)}, outputs=outputs)


def compiled(model, attention="blocks", trained=TRAINED, **options):
    made = build_artifacts(model, trained, losses.mse(), optimizers.adamw(0.05))
    return compile_image(made, Options(None, attention=attention, **options))


def count(result, *opcodes):
    """Return how many instructions of the programs have these opcodes."""
    return [sum(i.opcode in opcodes for i in p.instructions) for p in result.compiled.programs]


def batches(shape, steps=2):
    samples, heads, queries, keys, depth = shape
    sizes = [(samples, queries, INPUTS), (samples, keys, INPUTS), (samples, queries, heads * depth)]
    return [tuple(values(10 * k + i, *size) for i, size in enumerate(sizes)) for k in range(steps)]


@pytest.fixture
def always(monkeypatch):
    """Fuse attention even if that needs no less scratch, in blocks of few rows."""
    monkeypatch.setattr(fuse_attention, "peak", lambda program, instructions: len(instructions))
    monkeypatch.setattr(fuse_attention, "MOST_SCORES", 24)


# ---- The same bits

SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 11), st.integers(2, 9), st.integers(2, 5))


@examples(40)
@given(
    shape=SHAPES,
    scale=st.sampled_from(["", "Mul", "Div"]),
    mask=st.sampled_from(["", "Add", "First", "Padding", "Where"]),
    by_columns=st.booleans(),
    accumulate=st.booleans(),
)
def test_bits_are_those_of_separate_instructions(shape, scale, mask, by_columns, accumulate):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuse_attention, "peak", lambda program, instructions: len(instructions))
        patch.setattr(fuse_attention, "MOST_SCORES", 24)
        model = network(shape, scale, mask, by_columns)
        fused, whole = (compiled(model, way, accumulate=accumulate) for way in ("blocks", "whole"))
    assert count(fused, "SOFTMAX") == [0] * len(fused.compiled.programs)
    assert count(fused, "ATTENTION_GRAD")[2] == 1
    for profile in host_profiles():
        (found, one), (expected, other) = (train(r.image, batches(shape), profile, accumulate) for r in (fused, whole))
        assert found == expected
        assert one.save() == other.save()
        data = batches(shape)[0][:2]
        assert bytes(one.infer(*data)[0]) == bytes(other.infer(*data)[0])


def test_threads_change_no_bit(always):
    shape = (2, 3, 24, 20, 8)
    image = compiled(network(shape, "Mul", "Add")).image
    states = []
    for threads in (1, 3):
        with Session(image, "fused", threads) as session:
            for batch in batches(shape):
                session.step(*batch)
            states.append(session.save())
    assert states[0] == states[1]


@pytest.mark.parametrize("trained", [["wq"], ["wk"], ["wv"], ["wq", "wv"]])
def test_some_gradients_alone(always, trained):
    shape = (2, 2, 6, 5, 3)
    fused, whole = (compiled(network(shape, "Mul"), way, trained) for way in ("blocks", "whole"))
    assert count(fused, "ATTENTION_GRAD")[2] == 1
    assert train(fused.image, batches(shape))[1].save() == train(whole.image, batches(shape))[1].save()


# ---- PyTorch


@pytest.mark.parametrize("mask", ["", "Add"])
def test_gradients_are_pytorchs(always, mask):
    """The loss is a projection of y; the oracle computes in float64."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    heads, depth = 2, 4
    shape = (2, heads, 7, 6, depth)
    model, (x, z, into) = network(shape, "Mul", mask), batches(shape)[0]
    made = build_artifacts(model, TRAINED, projection(into), optimizers.sgd(0.1))
    result = compile_image(made, Options(None, accumulate=True, attention="blocks"))
    assert count(result, "ATTENTION_GRAD")[2] == 1
    arrays = {t.name: onnx.numpy_helper.to_array(t).copy() for t in model.graph.initializer}
    weights = {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}
    for name in ("wq", "wk", "wv"):
        weights[name].requires_grad_()

    def cut(of, weight):
        return (torch.tensor(of, dtype=torch.float64) @ weights[weight]).unflatten(-1, (heads, depth)).transpose(1, 2)

    heads_of = cut(x, "wq"), cut(z, "wk"), cut(z, "wv")
    y = scaled_dot_product_attention(*heads_of, weights.get("mask"), scale=float(weights["root"]))
    (y.transpose(1, 2).flatten(2) * torch.tensor(into, dtype=torch.float64)).sum().backward()
    with Session(result.image) as session:
        session.poison()
        session.train_step(x, z)
        expected = {name: weights[name].grad.numpy() for name in ("wq", "wk", "wv")}
        assert_all_close(read_gradients(session), expected, 1e-5, "gradient")


# ---- What is fused, and what it brings


def test_arena_is_smaller():
    """The scores of all heads are 4 x 64 x 64 numbers; the separate instructions keep some of them at a time."""
    shape = (1, 4, 64, 64, 8)
    fused, whole = (compiled(network(shape, "Mul", "Add"), way) for way in ("blocks", "whole"))
    assert count(fused, "ATTENTION", "ATTENTION_GRAD") == [1, 1, 2]
    scores = 4 * 4 * 64 * 64
    assert fused.layout.arena_size < whole.layout.arena_size - scores


def test_without_a_smaller_arena_nothing_changes():
    shape = (1, 1, 4, 4, 8)
    assert compiled(network(shape)).image == compiled(network(shape), None).image


def test_separate_instructions_are_the_default(always):
    assert count(compiled(network((1, 2, 8, 8, 4)), None), "ATTENTION") == [0, 0, 0]


def test_probabilities_that_something_else_reads_stay(always):
    model = network((1, 2, 8, 8, 4), outputs=("y", "p"))
    result = compile_image(build_artifacts(model, None, None, None), Options(None, attention="blocks"))
    assert count(result, "ATTENTION") == [0] and count(result, "SOFTMAX") == [1]


@pytest.mark.parametrize("name", ["root", "mask"])
def test_scales_and_masks_that_are_trained_stay(always, name):
    """Their gradients read all scores, or results of them."""
    result = compiled(network((1, 2, 8, 8, 4), "Mul", "Add"), trained=[*TRAINED, name])
    assert count(result, "ATTENTION_GRAD")[2] == 0 and count(result, "SOFTMAX")[2] == 1


def test_a_softmax_over_queries_stays(always):
    model = network((1, 2, 8, 8, 4))
    next(n for n in model.graph.node if n.op_type == "Softmax").attribute[0].i = -2
    assert count(compiled(model), "ATTENTION") == [0, 0, 0]


def test_blocks_are_no_larger_than_y_and_have_few_rows_at_least():
    result = compiled(network((1, 4, 64, 64, 8)))
    (step,) = [p for p in read_image(result.image).programs if p["kind"] == "step"]
    found = {i["opcode"]: i["params"] for i in step["instructions"]}
    assert found["ATTENTION"]["rows"] == found["ATTENTION_GRAD"]["rows"] == 4 * 64 * 8 // 2 // 64


# ---- Options


def test_an_unknown_way_is_refused():
    with pytest.raises(ModelError, match="attention of flash cannot be compiled"):
        Options(attention="flash")


def test_the_command_line_takes_the_way(tmp_path):
    model, made = tmp_path / "model.onnx", {}
    model.write_bytes(network((1, 4, 32, 32, 4), "Mul").SerializeToString())
    for way in ("whole", "blocks"):
        image = tmp_path / f"{way}.mote"
        command = ["compile", str(model), "-o", str(image), "--loss", "mse", "--train", "w*", "--attention", way]
        reported = CliRunner().invoke(app, command)
        assert reported.exit_code == 0, reported.output
        made[way] = {i["opcode"] for p in read_image(image.read_bytes()).programs for i in p["instructions"]}
    assert "ATTENTION" in made["blocks"] and "ATTENTION" not in made["whole"]
