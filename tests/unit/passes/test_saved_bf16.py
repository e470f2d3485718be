"""Values that wait for the backward pass as bfloat16: a smaller arena, and gradients of the rounded numbers."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner
from unit.passes.test_random_networks import BATCH, OPTIMIZERS, batches, networks
from unit.passes.test_recompute import BATCHES
from unit.passes.test_recompute import artifacts as blocks
from unit.plan.test_arena import assert_sound

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.budget.recompute import Wish, compile_within
from gradmote.cli import app
from gradmote.compiler import Options, compile_image, compile_model
from gradmote.errors import ModelError
from gradmote.formats import narrow_floats
from gradmote_runtime import Session
from support.oracle import examples, host_profiles, make_model, node, read_gradients, train, values

WIDTH, LAYERS, OUTPUTS = 24, 4, 3


def rounded(x):
    """Return the nearest bfloat16 numbers."""
    return narrow_floats.from_bfloat16(narrow_floats.to_bfloat16(x))


def kept(result):
    """The nodes of the model whose results wait as bfloat16."""
    return [i.origin for p in result.compiled.programs for i in p.instructions if i.opcode == "FLOAT_TO_BF16"]


# ---- Networks at random


@examples(24)
@given(
    model=networks(),
    optimizer=st.sampled_from(list(OPTIMIZERS)),
    trained=st.sampled_from([None, None, ["b*"], ["w*"]]),
    accumulate=st.booleans(),
    overwrite_inputs=st.booleans(),
)
def test_no_arena_is_larger_and_states_are_finite(model, optimizer, trained, accumulate, overwrite_inputs):
    made = build_artifacts(model, trained, losses.cross_entropy(), OPTIMIZERS[optimizer]())
    whole = compile_image(made, Options(BATCH, accumulate, overwrite_inputs=overwrite_inputs))
    short = compile_image(made, Options(BATCH, accumulate, overwrite_inputs=overwrite_inputs, saved="bf16"))
    for placement in short.layout.placements.values():
        assert_sound(placement)
    assert short.layout.arena_size <= whole.layout.arena_size
    assert short.layout.arena_size < whole.layout.arena_size or not kept(short)
    for profile in host_profiles():
        run, session = train(short.image, batches(model), profile, accumulate)
        first, _ = train(whole.image, batches(model)[:1], profile, accumulate)
        assert run[0] == first[0]  # the forward pass has the numbers as they were
        assert np.isfinite(np.frombuffer(session.parameters(), np.float32)).all()


@examples(12)
@given(model=networks(), accumulate=st.booleans())
def test_threads_and_batches_change_no_bit(model, accumulate):
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    image = compile_image(made, Options(BATCH, accumulate, saved="bf16")).image
    states = []
    for threads in (1, 3):
        session = Session(image, threads=threads)
        for batch in batches(model):
            (session.train_step if accumulate else session.step)(*batch)
        states.append(session.state_sha256() if not accumulate else read_gradients(session))
    np.testing.assert_equal(states[0], states[1])


# ---- Gradients


def chain(outputs=("y",)):
    """Gemm and Tanh, four times, and a Gemm."""
    nodes, weights, x = [], {}, "x"
    for k in range(LAYERS):
        weights |= {f"w{k}": values(k, WIDTH, WIDTH) / 4, f"b{k}": values(50 + k, WIDTH) / 4}
        nodes += [node("Gemm", f"{x} w{k} b{k}", f"g{k}"), node("Tanh", f"g{k}", f"a{k}")]
        x = f"a{k}"
    weights |= {"v": values(99, WIDTH, OUTPUTS), "c": values(98, OUTPUTS)}
    return make_model([*nodes, node("Gemm", f"{x} v c", "y")], weights, {"x": ("N", WIDTH)}, outputs)


def product(row, matrix):
    """The sum of row[k] matrix[k] over ascending k, each product and each sum rounded to float32."""
    total = np.zeros(matrix.shape[1], np.float32)
    for k, factor in enumerate(row):
        total = total + factor * matrix[k]
    return total


def emulated(weights, x, activations, y, target, short):
    """The gradients of the squared error of one sample, with the activations `short` rounded to bfloat16."""
    inputs = [x, *(rounded(a) if f"a{k}" in short else a for k, a in enumerate(activations))]
    delta = np.float32(2 * np.float32(1 / OUTPUTS)) * (y - target)
    gradients = {"v": np.outer(inputs[-1], delta), "c": delta}
    delta = product(delta, weights["v"].T)
    for k in reversed(range(LAYERS)):
        a = inputs[k + 1]
        delta = delta * (np.float32(1) + -a * a)
        gradients |= {f"w{k}": np.outer(inputs[k], delta), f"b{k}": delta}
        delta = product(delta, weights[f"w{k}"].T)
    return gradients


def test_gradients_are_those_of_rounded_activations():
    """An emulation in NumPy that knows nothing of programs, to the bit."""
    model, x, target = chain(), values(7, 1, WIDTH), values(8, 1, OUTPUTS)
    made = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.1))
    result = compile_image(made, Options(1, accumulate=True, saved="bf16"))
    session = Session(result.image, "strict")
    session.train_step(x, target)
    names = [f"a{k}" for k in range(LAYERS)]
    short = {origin.removeprefix("Tanh -> ") for origin in kept(result)}
    assert short and short <= {*names}
    inner = Session(compile_model(chain([*names, "y"])).image, "strict")
    *activations, y = (np.array(v, np.float32).reshape(-1) for v in inner.infer(x))
    expected = emulated(made.parameters, x[0], activations, y, target[0], short)
    for name, gradient in read_gradients(session).items():
        np.testing.assert_array_equal(gradient.reshape(expected[name].shape), expected[name], name)


def test_gradients_are_close_to_those_of_pytorch():
    import torch

    torch.manual_seed(0)
    layers = [(3, 6), (6, 6), (6, 6), (6, 6)]
    convolutions = [torch.nn.Conv2d(a, b, 3, padding=1) for a, b in layers]
    head = torch.nn.Linear(6, 4)
    x, labels = values(1, 4, 3, 8, 8), np.array([0, 1, 2, 3])
    hidden = torch.from_numpy(x)
    for convolution in convolutions:
        hidden = torch.tanh(convolution(hidden))
    torch.nn.functional.cross_entropy(head(hidden.mean((2, 3))), torch.from_numpy(labels)).backward()
    parameters = {
        f"{kind}{k}": p for k, c in enumerate([*convolutions, head]) for kind, p in (("w", c.weight), ("b", c.bias))
    }
    nodes, name = [], "x"
    for k in range(len(layers)):
        nodes += [node("Conv", f"{name} w{k} b{k}", f"c{k}", pads=[1] * 4), node("Tanh", f"c{k}", f"a{k}")]
        name = f"a{k}"
    nodes += [node("GlobalAveragePool", name, "p"), node("Flatten", "p", "f"), node("Gemm", "f w4 b4", "y", transB=1)]
    weights = {n: p.detach().numpy() for n, p in parameters.items()}
    made = build_artifacts(
        make_model(nodes, weights, {"x": ("N", 3, 8, 8)}), None, losses.cross_entropy(), optimizers.sgd(0.1)
    )
    result = compile_image(made, Options(4, accumulate=True, saved="bf16"))
    assert len(kept(result)) >= 3
    for profile in host_profiles():
        session = Session(result.image, profile)
        session.train_step(x, labels.astype(np.int32))
        for name, gradient in read_gradients(session).items():
            expected = parameters[name].grad.numpy().reshape(gradient.shape)
            assert np.abs(gradient - expected).max() <= 2**-6 * np.abs(expected).max(), name


# ---- What is left alone


def test_a_maximum_is_held_against_the_numbers_as_they_were():
    """The gradient of ReduceMax looks for elements that equal the maximum: rounded, there may be none."""
    nodes = [node("Tanh", "x", "t"), node("Mul", "t w", "a"), node("ReduceMax", "a axes", "m", keepdims=1)]
    nodes += [node("Tanh", f"{'am'[k > 0]}{'' if k == 0 else k - 1}".replace("m0", "m"), f"m{k}") for k in range(1, 5)]
    nodes += [node("Mul", "m4 v", "y")]
    weights = {"w": values(1, 1, 40), "v": values(2, 1, 1), "axes": np.array([1])}
    model = make_model(nodes, weights, {"x": ("N", 40)})
    made = build_artifacts(model, ["w", "v"], losses.mse(), optimizers.sgd(0.1))
    result = compile_image(made, Options(8, accumulate=True, saved="bf16"))
    session = Session(result.image)
    session.train_step(values(3, 8, 40), values(4, 8, 1))
    whole = Session(compile_image(made, Options(8, accumulate=True)).image)
    whole.train_step(values(3, 8, 40), values(4, 8, 1))
    close = read_gradients(whole)
    for name, gradient in read_gradients(session).items():
        np.testing.assert_allclose(gradient, close[name], rtol=0.02, atol=0.02 * np.abs(close[name]).max())


@pytest.mark.parametrize("saved", ["half", "int8"])
def test_types_that_there_are_not(saved):
    with pytest.raises(ModelError, match=f"saved of {saved} cannot be compiled"):
        Options(saved=saved)


def test_an_image_that_only_infers_saves_nothing():
    with pytest.raises(ModelError, match="saved values of bf16, but nothing trains"):
        compile_model(chain(), options=Options(saved="bf16"))


# ---- With other options


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("shape", [{}, {"residual": True}])
def test_values_wait_in_fewer_bytes_beside_recomputation(shape, accumulate):
    made = blocks("batch", **shape)
    for more in (0.02, 0.3):
        whole = compile_within(made, Options(2, accumulate), Wish(more=more))
        short = compile_within(made, Options(2, accumulate, saved="bf16"), Wish(more=more))
        assert short.layout.arena_size <= whole.layout.arena_size
        found, session = train(short.image, BATCHES, accumulate=accumulate)
        assert found[0] == train(whole.image, BATCHES[:1], accumulate=accumulate)[0][0]
        assert np.isfinite(np.frombuffer(session.parameters(), np.float32)).all()


# ---- The command


def compiled(tmp_path, *options, model=None):
    """The run of `gradmote compile` with a model, which is broken unless one is given."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"no model" if model is None else model.SerializeToString())
    return CliRunner().invoke(app, ["compile", str(path), "--saved", "bf16", *options])


def test_the_command_says_what_waits(tmp_path):
    options = ["--loss", "mse", "--accumulate"]
    done = compiled(tmp_path, *options, model=chain())
    assert done.exit_code == 0 and "3 values wait as bfloat16, 144 B instead of 288 B" in done.output
    reported = json.loads(compiled(tmp_path, *options, "--json", model=chain()).output)
    assert reported["saved"] == [{"program": "train", "values": 3, "bytes": 144}]


def test_a_budget_compiles_with_it(tmp_path):
    done = compiled(tmp_path, "--loss", "mse", "--ram", "9K", "--json", model=chain())
    assert done.exit_code == 0 and json.loads(done.output)["arena_bytes"] <= 9 << 10


@pytest.mark.parametrize(
    "options, reason",
    [([], "--saved bf16 without --loss"), (["--loss", "mse", "--quantize"], "--saved bf16 with --quantize")],
)
def test_what_cannot_be_is_refused_before_the_model_is_read(tmp_path, options, reason):
    refused = compiled(tmp_path, *options)
    assert isinstance(refused.exception, ModelError) and reason in str(refused.exception)
