"""gradmote-run and the twin: the same checkpoints, losses and outputs, bit for bit, on each processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.parser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import TwinTarget
from gradmote.device.dataset import Dataset
from gradmote.device.evaluation import evaluate, predict
from gradmote.device.fitting import fit
from support.classifier_image import BATCH, CLASSES, FEATURES, classifier_image

SAMPLES = ("--input", "x.npy", "--scale", 1 / 16)


@pytest.mark.parametrize("model", ["mlp", "cnn", "subnormal"])
def test_trains_evaluates_and_infers(program, folder: Path, digits: Dataset, model: str) -> None:
    """Do all of it through files. The loss is printed with six decimals."""
    labels = ("--label", "y.npy")
    learned = ("--checkpoint", "learned.gmck")
    program.check("train", f"{model}.mote", *SAMPLES, *labels, "--epochs", 2, "--seed", 5, *learned, cwd=folder)
    said = program.check("eval", f"{model}.mote", *SAMPLES, *labels, *learned, cwd=folder)
    program.check("infer", f"{model}.mote", *SAMPLES, *learned, "--output", "scores.npy", cwd=folder)
    with TwinTarget(program.profile) as twin:
        twin.load_image((folder / f"{model}.mote").read_bytes())
        twin.set_seed(5)
        fit(twin, digits, epochs=2)
        assert (folder / "learned.gmck").read_bytes() == twin.save()
        expected = evaluate(twin, digits, digits.x, digits.y)
        assert f"loss      {expected.loss:.6f}\naccuracy  {expected.accuracy:.2%}".replace("%", " %") in said
        np.save(folder / "expected.npy", predict(twin, digits, digits.x))
    assert (folder / "scores.npy").read_bytes() == (folder / "expected.npy").read_bytes()


def test_the_subnormal_model_learns_subnormal_numbers(images: dict[str, bytes], digits: Dataset) -> None:
    """Otherwise, a processor that takes them for 0 would pass."""
    with TwinTarget("strict") as twin:
        twin.load_image(images["subnormal"])
        before = np.frombuffer(twin.parameters(), np.float32)
        fit(twin, digits, epochs=1)
        after = np.frombuffer(twin.parameters(), np.float32)
    learned = after[before.view(np.int32) != after.view(np.int32)]
    assert np.count_nonzero((learned != 0) & (np.abs(learned) < np.finfo(np.float32).tiny)) > 20


def test_profiles_differ(folder: Path, digits: Dataset) -> None:
    """Otherwise, the test above shows nothing."""
    states = []
    for profile in ("fused", "strict"):
        with TwinTarget(profile) as twin:
            twin.load_image((folder / "mlp.mote").read_bytes())
            fit(twin, digits, epochs=1)
            states.append(twin.save())
    assert states[0] != states[1]


@settings(max_examples=25)
@given(st.integers(2, 700), st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(1, 3))
def test_takes_samples_in_the_order_of_the_desk(sanitized, tmp_path_factory, count, seed, epochs, micro_batches):
    """The shuffle is numpy's, for any number of samples."""
    if count < BATCH * micro_batches:
        return
    folder = tmp_path_factory.mktemp("order")
    rng = np.random.default_rng(count)
    x = rng.normal(size=(count, FEATURES)).astype(np.float32)
    data = Dataset(x, rng.integers(0, CLASSES, count).astype(np.int32))
    np.save(folder / "x.npy", data.x)
    np.save(folder / "y.npy", data.y)
    (folder / "model.mote").write_bytes(classifier_image())
    options = ["--epochs", epochs, "--batch-order", seed, "--micro-batches", micro_batches, "--checkpoint", "c.gmck"]
    sanitized.check("train", "model.mote", "--input", "x.npy", "--label", "y.npy", *options, cwd=folder)
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image(classifier_image())
        fit(twin, data, epochs, seed, micro_batches=micro_batches)
        assert (folder / "c.gmck").read_bytes() == twin.save()


def test_schedule_and_resume(sanitized, folder: Path, digits: Dataset) -> None:
    common = ["train", "mlp.mote", *SAMPLES, "--label", "y.npy", "--checkpoint", "c.gmck"]
    sanitized.check(*common, "--lr", 0.01, "--warmup", 5, cwd=folder)
    sanitized.check(*common, "--lr", 0.1, "--resume", "c.gmck", "--batch-order", 3, cwd=folder)
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image((folder / "mlp.mote").read_bytes())
        twin.set_linear_schedule(0.01, 5, 25)
        fit(twin, digits, epochs=1)
        twin.set_learning_rate(0.1)
        fit(twin, digits, epochs=1, seed=3)
        assert (folder / "c.gmck").read_bytes() == twin.save()


def test_prints_what_it_infers_where_no_file_is_asked_for(sanitized, folder: Path, digits: Dataset) -> None:
    said = sanitized.check("infer", "cnn.mote", *SAMPLES, cwd=folder)
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image((folder / "cnn.mote").read_bytes())
        expected = predict(twin, digits, digits.x)
    printed = np.array([[float(word) for word in line.split()] for line in said.splitlines()])
    np.testing.assert_allclose(printed, expected, rtol=1e-5)


def test_masks_and_losses_at_each_place(sanitized, tmp_path: Path) -> None:
    """A class for each of 5 places, with a mask over them: accuracy leaves out what the mask does."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        places (float[N,2,5] x) => (float[N,3,5] y) { y = Conv (x, w) }""")
    rng = np.random.default_rng(1)
    weight = rng.normal(size=(3, 2, 1)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    loss = losses.cross_entropy(mask=True)
    made = build_artifacts(model, None, loss, optimizers.sgd(0.1))
    image = compile_image(made, Options(batch=4)).image
    x = rng.normal(size=(14, 2, 5)).astype(np.float32)
    y = rng.integers(0, 3, (14, 5)).astype(np.int64)
    mask = (rng.random((14, 5)) > 0.4).astype(np.float32)
    for name, array in (("x", x), ("y", y), ("mask", mask)):
        np.save(tmp_path / f"{name}.npy", array)
    (tmp_path / "model.mote").write_bytes(image)
    files = ["--input", "x.npy", "--label", "y.npy", "--label", "mask.npy"]
    said = sanitized.check("eval", "model.mote", *files, cwd=tmp_path)
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image(image)
        name = twin.describe("eval", "label", 1).name
        expected = evaluate(twin, Dataset(x, y, more={name: mask}), x, y, {name: mask})
    assert f"loss      {expected.loss:.6f}\naccuracy  {expected.accuracy:.2%}".replace("%", " %") in said
