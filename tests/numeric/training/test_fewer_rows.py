"""Programs on fewer samples than the batch, bit for bit those of an image compiled for that many."""

import struct
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric.models.test_batch_statistics import Net, exported
from onnx import TensorProto

from gradmote import losses, optimizers
from gradmote.compiler import compile_model
from gradmote.errors import DataError, RuntimeFault
from gradmote_runtime import Session
from support.drawn_graphs import drawn, drawn_convolutional, drawn_quantized
from support.drawn_losses import LOSSES
from support.oracle import host_profiles, make_model, node
from support.sampling import at_most

BATCH, STEPS = 5, 3
OPTIMIZERS = (
    optimizers.sgd(0.05),
    optimizers.adamw(0.01),
    optimizers.sgd(0.02, momentum=0.9),
    optimizers.adam(0.01),
    optimizers.adamw_ort(0.01),
)


def compare(model, loss, labels, optimizer, rows, profile="strict", **settings):
    """Train an image of a batch on `rows` samples, and one compiled for these alone, and compare all bits."""
    whole, part = (compile_model(model, loss, optimizer, batch=n, **settings).image for n in (BATCH, rows))
    random = np.random.default_rng(rows)
    with Session(whole, profile) as session, Session(part, profile) as expected:
        session.poison()
        for _ in range(STEPS):
            data = [inputs_of(random, tensor) for tensor in session.inputs()]
            given = [array[:rows] for array in (*data, *labels(random, BATCH))]
            assert session.step(*given) == expected.step(*given)
            assert session.state_sha256() == expected.state_sha256()
            assert session.eval_step(*given) == expected.eval_step(*given)
            same_outputs(session.infer(*given[: len(data)]), expected.infer(*given[: len(data)]))


def inputs_of(random, tensor):
    """Return drawn data of a tensor: multiples of a half, or whole numbers."""
    whole = random.integers(-3, 4, tensor["shape"])
    return whole.astype(tensor["dtype"]) if tensor["dtype"] != "float32" else (whole / 2).astype(np.float32)


def same_outputs(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()


def embedder(outputs, features=4):
    """Return a network with one input and one output for each member of a pair or triple; weights are shared."""
    weights = {"w": np.random.default_rng(1).standard_normal((6, features)).astype(np.float32)}
    nodes = [node("MatMul", f"x{i} w", f"y{i}") for i in range(outputs)]
    return make_model(
        nodes, weights, {f"x{i}": ("N", 6) for i in range(outputs)}, outputs=[f"y{i}" for i in range(outputs)]
    )


ROWS = st.integers(1, BATCH - 1)


@settings(max_examples=at_most(4))
@given(seed=st.integers(0, 10**6), rows=ROWS)
@pytest.mark.parametrize("draw", [drawn, drawn_convolutional, drawn_quantized])
def test_drawn_networks_with_every_loss_and_optimizer(draw, seed, rows):
    network, loss = draw(seed), LOSSES[seed % len(LOSSES)]
    profile = host_profiles()[seed % len(host_profiles())]
    compare(
        network.model,
        loss.make(network.classes),
        lambda random, n: loss.labels(random, n, network.classes),
        OPTIMIZERS[seed % len(OPTIMIZERS)],
        rows,
        profile,
        freeze=list(network.frozen) or None,
        outputs=["y"] if any(o.name == "y" for o in network.model.graph.output) else None,
    )


@pytest.mark.parametrize("name", ["contrastive", "triplet"])
@settings(max_examples=at_most(3))
@given(rows=ROWS, reduction=st.sampled_from(["mean", "sum"]))
def test_losses_of_embeddings(name, rows, reduction):
    def labels(random, n):
        return [random.integers(0, 2, n).astype(np.float32)] if name == "contrastive" else []

    loss = losses.named_loss(name, reduction=reduction)
    compare(embedder(2 if name == "contrastive" else 3), loss, labels, optimizers.sgd(0.1), rows)


def masked_loss(builder, y):
    """Return a loss of nodes with two means, whose quotient is a weighted mean."""
    target = losses.label(builder, "target", like=y)
    error = builder.op("Abs", builder.op("Sub", y, target, name="error"), name="size")
    weight = builder.op("Sigmoid", target, name="weight")
    top = builder.op("ReduceMean", builder.op("Mul", error, weight, name="weighted"), name="top", keepdims=0)
    return builder.op("Div", top, builder.op("ReduceMean", weight, name="bottom", keepdims=0), name="loss")


@pytest.mark.parametrize("loss", [masked_loss, losses.mse(mask=True), losses.l1(mask=True, reduction="sum")])
@settings(max_examples=at_most(2))
@given(rows=ROWS)
def test_losses_made_of_nodes(loss, rows):
    def labels(random, n):
        target = random.integers(-2, 3, (n, 4)).astype(np.float32)
        return [target] if loss is masked_loss else [target, random.integers(1, 3, (n, 4)).astype(np.float32)]

    compare(embedder(1), loss, labels, optimizers.adamw(0.01), rows)


@pytest.mark.parametrize("mode", ["frozen", "fold", "batch"])
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_modes_of_batch_norm(mode, rows):
    model = exported(Net().eval(), torch.onnx.TrainingMode.PRESERVE)

    def labels(random, n):
        return [random.integers(0, 6, n)]

    compare(model, losses.cross_entropy(), labels, optimizers.sgd(0.05), max(rows, 2), batch_norm=mode)


class Recurrent(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(1)
        self.layer = getattr(torch.nn, kind)(3, 4, batch_first=True, bidirectional=True)
        self.head = torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.layer(x)[0][:, -1])


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_layers(kind, tmp_path):
    path = tmp_path / "model.onnx"
    settings = {"input_names": ["x"], "output_names": ["y"], "dynamo": False, "dynamic_axes": {"x": {0: "N"}}}
    torch.onnx.export(Recurrent(kind).eval(), (torch.zeros(2, 5, 3),), str(path), **settings)

    def labels(random, n):
        return [random.integers(0, 3, n)]

    compare(str(path), losses.cross_entropy(), labels, optimizers.adamw(0.01), 3)


def dropping(perm):
    """Return a network that drops numbers of x (N, 3, 4), with its axes in this order, and scores them."""
    weights = {"w": np.random.default_rng(3).standard_normal((4, 2)).astype(np.float32), "ratio": np.float32(0.5)}
    nodes = [
        node("Transpose", "x", "t", perm=perm),
        node("Dropout", "t ratio", "d"),
        node("Transpose", "d", "back", perm=[perm.index(i) for i in range(3)]),
        node("MatMul", "back w", "y"),
    ]
    return make_model(nodes, weights, {"x": ("N", 3, 4)})


@pytest.mark.parametrize("rows", [1, 3])
def test_dropout_draws_the_same_numbers(rows):
    def labels(random, n):
        return [random.standard_normal((n, 3, 2)).astype(np.float32)]

    compare(dropping([0, 2, 1]), losses.mse(), labels, optimizers.sgd(0.1), rows)


def test_dropout_of_steps_before_samples_takes_whole_batches():
    """There the numbers of a sample depend on how many samples there are."""
    made = compile_model(dropping([1, 0, 2]), losses.mse(), optimizers.sgd(0.1), batch=BATCH)
    with Session(made.image) as session:
        assert session.inputs()[0]["rows_in"] == ["infer", "eval"]


def test_values_computed_from_equal_rows_are_followed_in_linear_time():
    """Each value is read twice by the next one: paths to the first are 2^60."""
    weights = {"zeros": np.zeros((1, 6), np.float32), "w": np.eye(6, dtype=np.float32)}
    nodes = [node("Shape", "x", "shape"), node("Expand", "zeros shape", "state"), node("MatMul", "state w", "v0")]
    nodes += [node("Add", f"v{i} v{i}", f"v{i + 1}") for i in range(60)]
    nodes += [node("Add", "x v60", "sum"), node("MatMul", "sum w", "y")]
    model = make_model(nodes, weights, {"x": ("N", 6)})
    made = compile_model(model, losses.mse(), optimizers.sgd(0.1), batch=BATCH, train=["w"])
    with Session(made.image) as session:
        assert "step" in session.inputs()[0]["rows_in"]


def test_a_partial_micro_batch_counts_as_one():
    network = embedder(1)
    images = [
        compile_model(network, losses.mse(), optimizers.sgd(0.1), batch=n, accumulate=True).image for n in (BATCH, 2)
    ]
    x, target = (np.random.default_rng(2).standard_normal((BATCH, n)).astype(np.float32) for n in (6, 4))
    with Session(images[0]) as session, Session(images[1]) as expected:
        for s in (session, expected):
            s.train_step(x[:2], target[:2])
            s.train_step(x[2:4], target[2:4])
            s.optimizer_step()
        assert session.state_sha256() == expected.state_sha256()


def test_images_are_no_larger_and_whole_batches_are_as_before():
    """The runtime shortens instructions itself; the image has only bits more."""
    made = compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH)
    fixed = embedder(1)
    for value in fixed.graph.input:
        value.type.tensor_type.shape.dim[0].dim_value = BATCH
    assert len(made.image) == len(compile_model(fixed, losses.mse(), optimizers.sgd(0.1), batch=BATCH).image)


# ---- Refusals


def whitened(builder, y):
    """Return a loss whose samples meet: it subtracts the mean over the batch from each."""
    axis = builder.constant([0], "axis")
    mean = builder.op("ReduceMean", y, axis, name="mean", keepdims=1)
    return builder.op(
        "ReduceMean", builder.op("Abs", builder.op("Sub", y, mean, name="d"), name="a"), name="loss", keepdims=0
    )


def by_size(builder, y):
    """Return a sum divided by the number of elements, which depends on the batch."""
    size = builder.op("Cast", builder.op("Size", y, name="size"), name="count", to=TensorProto.FLOAT)
    total = builder.op("ReduceSum", builder.op("Abs", y, name="a"), name="total", keepdims=0)
    return builder.op("Div", total, size, name="loss")


@pytest.mark.parametrize("loss", [whitened, by_size])
def test_samples_that_depend_on_each_other_take_whole_batches(loss):
    image = compile_model(embedder(1), loss, optimizers.sgd(0.1), batch=BATCH).image
    x = np.ones((BATCH, 6), np.float32)
    with Session(image) as session:
        assert session.inputs()[0]["rows_in"] == ["infer"]
        assert session.infer(x[:2])[0].shape == (2, 4)
        before = session.state_sha256()
        with pytest.raises(DataError, match=r"2 of 5 samples were given.*step takes whole batches"):
            session.step(x[:2])
        session.set_input(0, x)
        with pytest.raises(RuntimeFault, match="takes whole batches"):
            session.run_program("step", rows=2)
        assert session.state_sha256() == before


def test_a_model_that_joins_samples_infers_whole_batches():
    model = make_model([node("Softmax", "x", "y", axis=0)], {}, {"x": ("N", 3)}, outputs=["y"])
    infers = Session(compile_model(model, batch=BATCH).image)
    with infers, pytest.raises(DataError, match="infer takes whole batches"):
        infers.infer(np.ones((2, 3), np.float32))


def test_the_variance_of_a_sample_takes_whole_batches():
    model = exported(Net().eval(), torch.onnx.TrainingMode.PRESERVE)
    made = compile_model(
        model, losses.cross_entropy(), optimizers.sgd(0.1), batch=4, batch_norm="batch", running_variance="sample"
    )
    with Session(made.image) as session:
        assert "step" not in session.inputs()[0]["rows_in"]


def test_numbers_of_rows_that_do_not_fit():
    image = compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH).image
    x, target = np.ones((BATCH, 6), np.float32), np.ones((BATCH, 4), np.float32)
    with Session(image) as session:
        with pytest.raises(DataError, match="'x0' has 2 samples, label 'target' 3"):
            session.step(x[:2], target[:3])
        with pytest.raises(DataError, match="'target' has 5 samples, input 'x0' 2"):
            session.step(x[:2], target)
        with pytest.raises(DataError, match="30 elements; 36 were given"):
            session.infer(np.ones((6, 6), np.float32))
        session.set_input(0, x[:2])
        with pytest.raises(DataError, match="'target' has 5 samples, input 'x0' 2"):
            session.run_program("step")
        session.set_input(0, x)
        for rows in (0, 6, 2**31):
            with pytest.raises(RuntimeFault, match="INVALID_ARGUMENT"):
                session.run_program("step", rows=rows)


def test_programs_without_data_count_the_samples_given_last():
    image = compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH).image
    x, target = np.random.default_rng(1).standard_normal((BATCH, 6)).astype("f"), np.ones((BATCH, 4), np.float32)
    with Session(image) as session, Session(image) as expected:
        session.infer(x[:2])
        with pytest.raises(DataError, match="label 'target' has 5 samples, input 'x0' 2"):
            session.step()
        session.eval_step(x[:2], target[:2])
        assert session.step() == expected.step(x[:2], target[:2])
        assert session.run_program("eval") == expected.eval_step(x[:2], target[:2])
        session.set_input(0, x)
        session.set_label(0, target)
        assert session.step() == expected.step(x, target)
        assert session.state_sha256() == expected.state_sha256()
        session.run_program("eval", rows=3)  # the samples after these are lost
        assert session.run_program("eval") == expected.eval_step(x[:3], target[:3])


def test_flat_data_has_whole_rows():
    image = compile_model(embedder(1), batch=BATCH).image
    x = np.arange(12, dtype=np.float32)
    with Session(image) as session:
        expected = session.infer(x.reshape(2, 6))[0]
        assert session.infer(x)[0].tobytes() == expected.tobytes()
        assert session.infer(x.tobytes())[0].tobytes() == expected.tobytes()
        with pytest.raises(DataError, match="were given"):
            session.infer(x[:11])


def test_a_row_that_is_not_finite_refuses_the_step():
    image = compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH).image
    x, target = np.ones((2, 6), np.float32), np.ones((2, 4), np.float32)
    with Session(image) as session:
        before = session.parameters().tobytes()
        x[1, 3] = np.nan
        with pytest.raises(RuntimeFault, match="NOT_FINITE"):
            session.step(x, target)
        assert session.parameters().tobytes() == before


def test_slices_of_a_partial_step_are_the_step():
    image = compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH).image
    x, target = np.ones((BATCH, 6), np.float32), np.zeros((BATCH, 4), np.float32)
    with Session(image) as session, Session(image) as sliced:
        session.step(x[:3], target[:3])
        sliced.set_input(0, x)
        sliced.set_label(0, target)
        sliced.begin("step", rows=3)
        while not sliced.run(1):
            pass
        assert session.state_sha256() == sliced.state_sha256()
        sliced.begin("step", rows=3)
        sliced.abort()
        sliced.load(session.save())
        assert session.step(x, target) == sliced.step(x, target)


def test_a_forged_batch_repeats_no_row():
    """A batch of more samples than the input has bytes is not from the compiler. It once took seconds."""
    image = bytearray(compile_model(embedder(1), losses.mse(), optimizers.sgd(0.1), batch=BATCH).image)
    struct.pack_into("<I", image, 68, 2**31 - 1)
    struct.pack_into("<I", image, 12, zlib.crc32(image[16:]))
    with Session(bytes(image)) as session:
        x = session.input_view(0).tobytes()
        session.run_program("eval", rows=1)
        assert session.input_view(0).tobytes() == x


def test_tables_of_joining_opcodes_are_the_same():
    """The compiler and the runtime name the same opcodes."""
    from pathlib import Path

    from gradmote.compiler.sample_axis import JOINING

    source = (Path(__file__).parents[3] / "runtime_c/src/rows.c").read_text()
    assert {f"GM_OP_{name}" for name in JOINING} == {
        word.rstrip(":") for word in source.split() if word.startswith("GM_OP_")
    }
