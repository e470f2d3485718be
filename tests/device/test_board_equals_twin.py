"""The board and its twin on this computer reach the same state, bit for bit."""

import hashlib

import numpy as np
import onnx
import onnx.parser
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import open_target
from gradmote.errors import DeviceError

STEPS = 200
OPTIMIZERS = {"sgd": optimizers.sgd(0.1), "adamw": optimizers.adamw(0.003)}


@pytest.fixture(scope="module")
def emulated(firmware):
    with open_target("qemu:mps2-an386") as target:
        yield target


def digits():
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    return pixels.astype(np.uint8), labels.astype(np.uint8)


def mlp_with_every_activation():
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        mlp (float[N,64] x) => (float[N,10] y) {
          h1 = Gemm <transB = 1> (x, w1, b1)
          a1 = Relu (h1)
          h2 = Gemm <transB = 1> (a1, w2, b2)
          a2 = Tanh (h2)
          h3 = MatMul (a2, w3)
          a3 = Sigmoid (h3)
          y = Gemm (a3, w4, b4)
        }""")
    rng = np.random.default_rng(0)
    shapes = {"w1": (32, 64), "b1": (32,), "w2": (16, 32), "b2": (16,), "w3": (16, 12), "w4": (12, 10), "b4": (10,)}
    for name, shape in shapes.items():
        array = rng.normal(0, 0.3, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def cnn_with_batch_norm():
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        cnn (float[N,1,8,8] x) => (float[N,10] y) {
          c1 = Conv <pads = [1, 1, 1, 1]> (x, w1)
          n1 = BatchNormalization (c1, scale, bias, mean, var)
          a1 = Relu (n1)
          p1 = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a1)
          c2 = Conv <group = 8, pads = [1, 1, 1, 1]> (p1, w2)
          a2 = HardSwish (c2)
          p2 = GlobalAveragePool (a2)
          f = Flatten (p2)
          y = Gemm (f, w3, b3)
        }""")
    rng = np.random.default_rng(0)
    shapes = {
        "w1": (8, 1, 3, 3),
        "scale": (8,),
        "bias": (8,),
        "mean": (8,),
        "w2": (8, 1, 3, 3),
        "w3": (8, 10),
        "b3": (10,),
    }
    arrays = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["var"] = np.full(8, 0.5, np.float32)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    return model


def recurrent_network():
    """The rows of a digit as a sequence through an LSTM in both directions, a GRU, and an RNN backwards."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        recurrent (float[N,64] x) => (float[N,10] y)
        <int64[3] rows = {-1, 8, 8}, int64[3] joined = {-1, 8, 12}, int64[3] single = {-1, 8, 6}> {
          s = Reshape (x, rows)
          h1 = LSTM <hidden_size = 6, layout = 1, direction = "bidirectional"> (s, w1, r1, b1)
          s1 = Reshape (h1, joined)
          h2 = GRU <hidden_size = 6, layout = 1, linear_before_reset = 1> (s1, w2, r2, b2)
          s2 = Reshape (h2, single)
          h3, last = RNN <hidden_size = 6, layout = 1, direction = "reverse"> (s2, w3, r3)
          f = Flatten (last)
          y = Gemm (f, w4, b4)
        }""")
    rng = np.random.default_rng(0)
    shapes = {
        "w1": (2, 24, 8),
        "r1": (2, 24, 6),
        "b1": (2, 48),
        "w2": (1, 18, 12),
        "r2": (1, 18, 6),
        "b2": (1, 36),
        "w3": (1, 6, 6),
        "r3": (1, 6, 6),
        "w4": (6, 10),
        "b4": (10,),
    }
    for name, shape in shapes.items():
        array = rng.normal(0, 0.3, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def transformer():
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["": 20]>
        transformer (float[N,8,8] x) => (float[N,10] y)
        <int64[4] heads = {0, 8, 2, 4}, int64[3] joined = {0, 8, 8}, float scale = {0.5}, int64[1] tokens = {1}> {
          placed = Add (x, positions)
          n1 = LayerNormalization <axis = -1> (placed, gamma1, beta1)
          q = MatMul (n1, wq)
          k = MatMul (n1, wk)
          v = MatMul (n1, wv)
          q_split = Reshape (q, heads)
          k_split = Reshape (k, heads)
          v_split = Reshape (v, heads)
          q_heads = Transpose <perm = [0, 2, 1, 3]> (q_split)
          k_heads = Transpose <perm = [0, 2, 3, 1]> (k_split)
          v_heads = Transpose <perm = [0, 2, 1, 3]> (v_split)
          product = MatMul (q_heads, k_heads)
          scaled = Mul (product, scale)
          masked = Add (scaled, mask)
          attention = Softmax <axis = -1> (masked)
          mixed = MatMul (attention, v_heads)
          mixed_tokens = Transpose <perm = [0, 2, 1, 3]> (mixed)
          merged = Reshape (mixed_tokens, joined)
          out = MatMul (merged, wo)
          r1 = Add (placed, out)
          n2 = LayerNormalization <axis = -1> (r1, gamma2, beta2)
          h1 = MatMul (n2, w1)
          a1 = Gelu (h1)
          h2 = MatMul (a1, w2)
          r2 = Add (r1, h2)
          pooled = ReduceMean <keepdims = 0> (r2, tokens)
          y = Gemm (pooled, w3, b3)
        }""")
    rng = np.random.default_rng(0)
    shapes = {"positions": (8, 8), "wq": (8, 8), "wk": (8, 8), "wv": (8, 8), "wo": (8, 8), "w1": (8, 16), "w2": (16, 8)}
    shapes |= {"w3": (8, 10), "b3": (10,), "gamma1": (8,), "beta1": (8,), "gamma2": (8,), "beta2": (8,)}
    arrays = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["mask"] = np.triu(np.full((8, 8), -np.inf, np.float32), 1)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    return model


def train(target, image, batch, steps=STEPS):
    """SHA-256 of the state, and the last loss, after some updates."""
    target.load_image(image)
    pixels, labels = digits()
    order = np.random.default_rng(7).permutation(len(pixels))
    for step in range(steps):
        rows = order.take(range(step * batch, (step + 1) * batch), mode="wrap")
        target.write_u8("input", 0, pixels[rows], 1 / 16)
        target.write_u8("label", 0, labels[rows])
        metrics = target.run("step")
    return hashlib.sha256(target.state()).hexdigest(), metrics.loss


@pytest.mark.device
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_state_after_200_steps(emulated, name, batch):
    made = build_artifacts(mlp_with_every_activation(), None, losses.cross_entropy(), OPTIMIZERS[name])
    image = compile_image(made, Options(batch=batch)).image
    with open_target("twin:strict") as twin:
        expected = train(twin, image, batch)
    assert train(emulated, image, batch) == expected
    with open_target("twin:fused") as other_profile:
        assert train(other_profile, image, batch)[0] != expected[0], "the profiles should differ, or this shows nothing"


@pytest.mark.device
@pytest.mark.parametrize("batch_norm", ["frozen", "fold", "batch"])
def test_state_of_a_cnn_after_20_steps(emulated, batch_norm):
    """If batch norms use the statistics of the batch, the running ones are in the state too."""
    update = optimizers.adamw(0.003)
    made = build_artifacts(cnn_with_batch_norm(), None, losses.cross_entropy(), update, batch_norm=batch_norm)
    image = compile_image(made, Options(batch=4)).image
    with open_target("twin:strict") as twin:
        expected = train(twin, image, 4, steps=20)
    assert train(emulated, image, 4, steps=20) == expected


def frozen_front():
    """Return an inverted residual between two strides, whose head learns."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        front (float[N,1,8,8] x) => (float[N,10] y) {
          c1 = Conv <pads = [1, 1, 1, 1]> (x, w1)
          a1 = Relu (c1)
          c2 = Conv (a1, w2, b2)
          c3 = Conv <group = 24, pads = [1, 1, 1, 1]> (c2, w3)
          a3 = HardSwish (c3)
          c4 = Conv (a3, w4)
          r = Add (a1, c4)
          c5 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (r, w5)
          p = GlobalAveragePool (c5)
          f = Flatten (p)
          y = Gemm (f, w6, b6)
        }""")
    shapes = {"w1": (8, 1, 3, 3), "w2": (24, 8, 1, 1), "b2": (24,), "w3": (24, 1, 3, 3), "w4": (8, 24, 1, 1)}
    shapes |= {"w5": (12, 8, 3, 3), "w6": (12, 10), "b6": (10,)}
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    return model


@pytest.mark.device
def test_layers_that_run_row_by_row(emulated):
    """They have the bits of the board's twin, and of the layers that run at once."""
    made = build_artifacts(frozen_front(), None, losses.cross_entropy(), optimizers.sgd(0.1), scheme="head")
    whole, rows = (compile_image(made, Options(batch=2, stream_rows=streams)) for streams in (False, True))
    assert rows.layout.arena_size < 0.7 * whole.layout.arena_size
    with open_target("twin:strict") as twin:
        expected = train(twin, whole.image, 2, steps=20)
        assert train(twin, rows.image, 2, steps=20) == expected
    assert train(emulated, rows.image, 2, steps=20) == expected


@pytest.mark.device
def test_state_of_a_cnn_with_a_loss_scale(emulated):
    """The bits are those of the training without it."""
    states = []
    for scale in (1.0, 1024.0):
        update = optimizers.adamw(0.003)
        made = build_artifacts(cnn_with_batch_norm(), None, losses.cross_entropy(), update, loss_scale=scale)
        image = compile_image(made, Options(batch=4)).image
        with open_target("twin:strict") as twin:
            states.append(train(twin, image, 4, steps=20))
    assert train(emulated, image, 4, steps=20) == states[0] == states[1]


@pytest.mark.device
def test_state_of_a_cnn_whose_biases_are_trained(emulated):
    """A byte for each winner of the pool, a bit for each element of ReLU and ReLU6."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        cnn (float[N,1,8,8] x) => (float[N,10] y) <float zero = {0}, float six = {6}> {
          c1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
          a1 = Relu (c1)
          p1 = MaxPool <kernel_shape = [3, 3], strides = [1, 1]> (a1)
          c2 = Conv <pads = [1, 1, 1, 1]> (p1, w2, b2)
          a2 = Clip (c2, zero, six)
          c3 = Conv <pads = [1, 1, 1, 1]> (a2, w3, b3)
          a3 = Relu (c3)
          p3 = GlobalAveragePool (a3)
          f = Flatten (p3)
          y = Gemm (f, w4, b4)
        }""")
    rng = np.random.default_rng(0)
    shapes = {"w1": (6, 1, 3, 3), "w2": (6, 6, 3, 3), "w3": (6, 6, 3, 3), "w4": (6, 10)}
    shapes |= {"b1": (6,), "b2": (6,), "b3": (6,), "b4": (10,)}
    arrays = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    made = build_artifacts(model, ["b*"], losses.cross_entropy(), optimizers.adamw(0.003))
    result = compile_image(made, Options(batch=2))
    used = {i.opcode for p in result.compiled.programs for i in p.instructions}
    assert {"MASK", "MASK_GRAD", "MAX_POOL_INDEX_GRAD"} <= used
    with open_target("twin:strict") as twin:
        expected = train(twin, result.image, 2, steps=20)
    assert train(emulated, result.image, 2, steps=20) == expected


@pytest.mark.device
def test_state_of_recurrent_layers_after_20_steps(emulated):
    made = build_artifacts(recurrent_network(), None, losses.cross_entropy(), optimizers.adamw(0.003))
    image = compile_image(made, Options(batch=4)).image
    with open_target("twin:strict") as twin:
        expected = train(twin, image, 4, steps=20)
    assert train(emulated, image, 4, steps=20) == expected


@pytest.mark.device
@pytest.mark.parametrize("attention", ["whole", "blocks"])
def test_state_of_a_transformer_after_20_steps(emulated, attention):
    """Pixels as 8 tokens of 8 numbers; two heads, a causal mask, AdamW. The scale of scores does not train."""
    trained = ["positions", "w*", "b*", "gamma*"]
    made = build_artifacts(transformer(), trained, losses.cross_entropy(), optimizers.adamw(0.003))
    result = compile_image(made, Options(batch=4, attention=attention))
    used = {i.opcode for p in result.compiled.programs for i in p.instructions}
    assert ("ATTENTION_GRAD" in used) == (attention == "blocks")
    with open_target("twin:strict") as twin:
        expected = train(twin, result.image, 4, steps=20)
    assert train(emulated, result.image, 4, steps=20) == expected


def test_inputs_that_a_run_writes_over(emulated):
    """Both learn the same, and neither runs twice on overwritten inputs."""
    artifacts = build_artifacts(mlp_with_every_activation(), None, losses.cross_entropy(), OPTIMIZERS["sgd"])
    made = compile_image(artifacts, Options(batch=8, overwrite_inputs=True))
    x, y = digits()
    states = []
    for target in (emulated, open_target(f"twin:{emulated.info().profile}")):
        target.load_image(made.image)
        assert not target.describe("step", "input", 0).lasts
        for start in range(0, 80, 8):
            target.write_u8("input", 0, x[start : start + 8], 1 / 16)
            target.write_u8("label", 0, y[start : start + 8])
            target.run("step")
        with pytest.raises(DeviceError, match="there are no samples"):
            target.run("step")
        states.append(hashlib.sha256(target.state()).hexdigest())
    assert states[0] == states[1]
