"""A store in the image: what it costs, what it begins with, and which models have none."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner
from unit.store.models import BATCH, CLASSES, ELEMENTS, classifier, samples, taught

from gradmote import Session, losses, optimizers
from gradmote.cli import app
from gradmote.compiler import Options, compile_model
from gradmote.compiler.sample_store import StoreOptions
from gradmote.errors import DataError, GradmoteError, ModelError, RuntimeFault, UnsupportedOperator
from gradmote.formats import checkpoint
from gradmote.formats.image import read_image
from gradmote.formats.kernel_selection import needs_of
from gradmote.report.analyze.gather import analyze_image
from support.oracle import make_model, node, values

WRONG_MODEL, NO_STORE = -17, -27


@pytest.mark.parametrize("dtype, sample", [("int8", 4 + 4 + 8), ("f32", 4 + 4 * ELEMENTS)])
def test_it_is_counted_to_the_byte(dtype, sample):
    without, made = taught(None), taught(StoreOptions(16, dtype))
    size = 4 + 12 * CLASSES + 16 * sample
    assert made.layout.state_size - without.layout.state_size == size
    assert made.layout.inputs_size - without.layout.inputs_size == 4 * ELEMENTS, "a place to put the sample aside"
    assert Session.required(made.image)["state_size"] == made.layout.state_size
    regions = {r.name: r.size for r in analyze_image(made.image, "taught").regions}
    assert regions["store"] == size
    assert sum(regions.values()) == made.layout.arena_size
    assert len(made.image) - len(without.image) < 200, "an empty store takes no flash"


def test_it_begins_with_a_balanced_choice():
    x, y = samples(200)
    y[:150] = 0  # most are of one class
    made = taught(StoreOptions(14, "int8", x, y))
    with Session(made.image) as session:
        kept = [session.store_class(label)["kept"] for label in range(CLASSES)]
        assert sorted(kept) == [3, 3, 4, 4] and session.store()["kept"] == 14
        assert [session.store_class(label)["seen"] for label in range(CLASSES)] == kept
        assert session.replay() > 0


@pytest.mark.parametrize("dtype", ["int8", "f32"])
def test_what_it_begins_with_is_what_a_device_would_have_kept(dtype):
    x, y = samples(11)
    x[3] = 0
    x[4] *= 1e-45
    order = np.argsort(y, kind="stable")
    for few in (order[:8], order):
        made = taught(StoreOptions(11, dtype, x, y) if few is order else StoreOptions(11, dtype, x[few], y[few]))
        with Session(made.image) as seeded, Session(taught(StoreOptions(11, dtype)).image) as empty:
            begun = rows(seeded, made)
            for label, sample in zip(y[few], x[few], strict=True):
                empty.learn(int(label), sample)
            assert begun == rows(empty, made)


def rows(session: Session, made) -> list[tuple[int, bytes, bytes]]:
    """(label + 1, scale, sample) of each place, sorted: a choice is not made in the order of learning."""
    store, state = made.compiled.store, bytes(session.state())
    at = made.layout.offsets[store.buffer] + 4 + 12 * store.classes
    labels = np.frombuffer(state[at:], "<u4", store.capacity)
    at += 4 * store.capacity
    scales = [b""] * store.capacity
    if store.dtype == "int8":
        scales = [state[at + 4 * n :][:4] for n in range(store.capacity)]
        at += 4 * store.capacity
    samples = [state[at + store.stride * n :][: store.stride] for n in range(store.capacity)]
    return sorted(zip(labels.tolist(), scales, samples, strict=True))


def test_a_checkpoint_carries_it():
    x, y = samples(40)
    image = taught(StoreOptions(8)).image
    with Session(image) as session, Session(image) as resumed:
        for label, sample in zip(y, x, strict=True):
            session.learn(int(label), sample)
        resumed.load(session.save())
        for each in (session, resumed):
            for label in range(CLASSES):
                each.learn(label, x[label])
            each.replay()
        assert resumed.state_sha256() == session.state_sha256()
        found = checkpoint.unpack(session.save())
    assert found.control["train_steps"] == 1 and len(found.tensors) == 7  # parameters and moments, no samples


@pytest.mark.parametrize("other", [StoreOptions(9), StoreOptions(8, "f32"), None])
def test_a_checkpoint_of_another_store_is_refused(other):
    with Session(taught(StoreOptions(8)).image) as session:
        saved = session.save()
    with Session(taught(other).image) as another, pytest.raises(RuntimeFault) as refused:
        another.load(saved)
    assert refused.value.code == WRONG_MODEL


def test_without_accumulation_and_with_it_a_replay_learns():
    x, y = samples(60)
    y = (x[:, 0] > 0).astype(np.int64)
    for accumulate in (False, True):
        with Session(taught(StoreOptions(32, "int8", x, y), accumulate=accumulate).image) as session:
            before = sum(session.score(label)[1] for label in range(CLASSES))
            for _ in range(300):
                if accumulate:
                    session.lazy_reset_grad()
                    session.begin_replay("train")
                    while not session.run(5):
                        pass
                    session.optimizer_step()
                else:
                    session.replay()
            assert sum(session.score(label)[1] for label in range(CLASSES)) > max(before, 28)


def test_the_first_sample_stays_the_callers():
    x, y = samples(20)
    with Session(taught(StoreOptions(8, "int8", x, y)).image) as session:
        session.set_input(0, x[:BATCH])
        before = np.array(session.infer()[0])[0]
        session.score(int(y[0]))
        np.testing.assert_array_equal(np.array(session.infer()[0])[0], before)
        session.replay()
        np.testing.assert_array_equal(np.array(session.input_view(0))[0], x[0])


def test_an_image_that_overwrites_inputs():
    """The store cannot put a sample aside: a run overwrites it, and learn says so."""
    x, y = samples(20)
    made = taught(StoreOptions(8), overwrite_inputs=True)
    assert read_image(made.image).store["aside"] is None
    with Session(made.image) as session:
        with pytest.raises(DataError, match="the image overwrites inputs"):
            session.learn(0)
        session.set_input(0, x[:BATCH])
        session.learn(int(y[0]))
        session.replay()
        with pytest.raises(DataError, match="the image overwrites inputs"):
            session.learn(0)
        session.learn(1, x[1])
        assert session.store()["kept"] == 2


def test_classify():
    x, _ = samples(BATCH)
    with Session(taught(None).image) as session:
        scores = np.array(session.infer(x)[0])
        for row in range(BATCH):
            assert session.classify(row) == (int(scores[row].argmax()), float(scores[row].max()))
        with pytest.raises(RuntimeFault):
            session.classify(BATCH)
        with pytest.raises(RuntimeFault) as refused:
            session.learn(0)
        assert refused.value.code == NO_STORE


def test_a_firmware_for_an_image_with_a_store_has_what_it_needs():
    assert "-DGM_WITH_STORE=1" in needs_of(taught(StoreOptions(8)).image).flags()
    assert not [flag for flag in needs_of(taught(None).image).flags() if "STORE" in flag]


# ---- Refusals


def regression() -> onnx.ModelProto:
    return make_model([node("Gemm", "x w b", "y")], {"w": values(1, 5, 4), "b": values(2, 4)}, {"x": ("N", 5)})


def two_inputs() -> onnx.ModelProto:
    nodes = [node("Add", "x z", "s"), node("Gemm", "s w", "y")]
    return make_model(nodes, {"w": values(1, 5, 4)}, {"x": ("N", 5), "z": ("N", 5)})


def label_at_each_position() -> onnx.ModelProto:
    return make_model([node("Conv", "x w", "y")], {"w": values(1, 4, 2, 1)}, {"x": ("N", 2, 6)})


@pytest.mark.parametrize(
    "model, loss, message",
    [
        (regression, losses.mse(), "label .* holds f32"),
        (two_inputs, losses.cross_entropy(), "needs one input, and the model has 2: 'x', 'z'"),
        (classifier, losses.cross_entropy(mask=True), "needs one input|needs one label"),
        (label_at_each_position, losses.cross_entropy(), "does not hold|is not the class of a sample"),
    ],
)
def test_models_without_one_class_a_sample_are_refused(model, loss, message):
    with pytest.raises(UnsupportedOperator, match=message) as refused:
        compile_model(model(), loss, optimizers.sgd(0.1), Options(batch=2, store=StoreOptions(8)))
    assert "without --store" in str(refused.value)


@pytest.mark.parametrize(
    "store, message",
    [
        (StoreOptions(3), "a store of 3 samples for 4 classes"),
        (StoreOptions(8, "int8", *samples(5)[:1], np.zeros(5, np.float32)), "y is float32"),
        (StoreOptions(8, "int8", np.zeros((5, 7), np.float32), np.zeros(5, np.int64)), "x has shape"),
        (StoreOptions(8, "int8", samples(5)[0], np.full(5, 4)), "y holds 4 .. 4"),
        (StoreOptions(8, "int8", np.full((5, 5), np.nan, np.float32), np.zeros(5, np.int64)), "NaN or infinity"),
    ],
)
def test_options_that_do_not_fit_are_refused(store, message):
    with pytest.raises(DataError, match=message):
        taught(store)


def test_a_store_without_training_is_refused():
    with pytest.raises(ModelError, match="does not train"):
        compile_model(classifier(), None, None, Options(store=StoreOptions(8)))


# ---- The command


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    if isinstance(result.exception, GradmoteError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command(tmp_path):
    x, y = samples(30)
    onnx.save(classifier(), tmp_path / "model.onnx")
    np.savez(tmp_path / "data.npz", x=((x - x.min()) * 10).astype(np.uint8), y=y, scale=0.1, zero=3)
    arguments = ["compile", str(tmp_path / "model.onnx"), "--loss", "cross_entropy", "--store", "12"]
    reported = json.loads(run(*arguments, "--json"))
    assert reported["store"] == {"capacity": 12, "classes": 4, "dtype": "int8", "bytes": 4 + 48 + 12 * 16}
    assert "store 12 samples of 4 classes, float32" in run(*arguments, "--store-as", "float")
    run(*arguments, "--store-data", str(tmp_path / "data.npz"))
    with Session((tmp_path / "model.mote").read_bytes()) as session:
        assert session.store()["kept"] == 12
    again = hashlib.sha256((tmp_path / "model.mote").read_bytes()).hexdigest()
    run(*arguments, "--store-data", str(tmp_path / "data.npz"))
    assert hashlib.sha256((tmp_path / "model.mote").read_bytes()).hexdigest() == again
    assert json.loads(run("inspect", str(tmp_path / "model.mote"), "--json"))["store"]["capacity"] == 12


def test_data_without_a_store_is_refused(tmp_path):
    onnx.save(classifier(), tmp_path / "model.onnx")
    result = CliRunner().invoke(
        app, ["compile", str(tmp_path / "model.onnx"), "--loss", "cross_entropy", "--store-data", "x.npz"]
    )
    assert result.exit_code != 0
