"""The training loop on dense labels, masks, pairs, and losses without labels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.dataset import Dataset
from gradmote.device.evaluation import evaluate
from gradmote.device.fitting import fit
from gradmote.errors import DataError
from support.oracle import make_model, node, values

BATCH = 2


def image(model, loss) -> bytes:
    return compile_image(build_artifacts(model, None, loss, optimizers.sgd(0.2)), Options(batch=BATCH)).image


def segmenter():
    """A 1x1 convolution: scores (N, 3, 2, 2) of pixels with 4 channels."""
    return make_model([node("Conv", "x w", "y")], {"w": values(1, 3, 4, 1, 1)}, {"x": ("N", 4, 2, 2)})


def pixels(count: int, seed: int = 0):
    """x has its label's channel lit; two labels are ignored, and masked positions have a wrong one."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, (count, 2, 2))
    x = np.moveaxis(np.eye(4, dtype=np.float32)[y], -1, 1) + rng.normal(0, 0.1, (count, 4, 2, 2)).astype(np.float32)
    mask = (rng.uniform(size=y.shape) < 0.7).astype(np.float32)
    y[mask == 0] = (y[mask == 0] + 1) % 3
    y[0, 0] = -100
    return x, y, mask


@pytest.fixture
def segmentation() -> Dataset:
    (x, y, mask), (x_test, y_test, mask_test) = pixels(21), pixels(9, 1)
    return Dataset(x, y, x_test, y_test, more={"mask": mask}, more_test={"mask": mask_test})


def test_segmentation_learns_and_counts_what_the_mask_keeps(segmentation: Dataset) -> None:
    with TwinTarget() as twin:
        twin.load_image(image(segmenter(), losses.cross_entropy(mask=True, label_smoothing=0.1)))
        result = fit(twin, segmentation, epochs=20)
        assert result.epochs[-1].test is not None and result.epochs[-1].test.accuracy == 1.0
        unmasked = Dataset(segmentation.x, segmentation.y)
        ones = {"mask": np.ones(segmentation.y.shape, np.float32)}
        share = segmentation.more["mask"][segmentation.y >= 0].mean()
        assert evaluate(twin, unmasked, segmentation.x, segmentation.y, ones).accuracy == pytest.approx(share)


@pytest.mark.device
def test_board_and_twin_learn_the_same_from_dense_labels(emulator, segmentation: Dataset) -> None:
    compiled = image(segmenter(), losses.cross_entropy(mask=True))
    states = []
    with TwinTarget("strict") as twin, BoardTarget(emulator.connect()) as board:
        for target in (twin, board):
            target.load_image(compiled)
            fit(target, segmentation, 1)
            states.append(target.state())
    assert states[0] == states[1]


def test_sequences_with_padding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line from a model to a trained one: scores (N, C, T), labels and mask (N, T)."""
    import onnx

    model = make_model([node("Conv", "x w", "y")], {"w": values(1, 3, 3, 1)}, {"x": ("N", 3, 5)})
    onnx.save(model, tmp_path / "m.onnx")
    y = np.random.default_rng(0).integers(0, 3, (10, 5))
    x = np.moveaxis(np.eye(3, dtype=np.float32)[y], -1, 1)
    mask = np.broadcast_to(np.arange(5) < 3, (10, 5)).astype(np.float32)
    y[:, 3:] = -1
    np.savez(tmp_path / "d.npz", x=x, y=y, mask=mask, x_test=x, y_test=y, mask_test=mask)
    options = ["--loss", "cross_entropy", "--label-smoothing", "0.1", "--ignore-index", "-1", "--mask"]
    files = [str(tmp_path / name) for name in ("m.onnx", "m.mote", "d.npz")]
    assert main(["compile", files[0], "-o", files[1], *options, "--batch", "5", "--lr", "1.0"]) == 0
    capsys.readouterr()
    assert main(["train", files[1], "--data", files[2], "--on", "twin", "--epochs", "30", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["epochs"][-1]["test"]["accuracy"] == 1.0


def towers(count: int):
    nodes = [node("MatMul", f"x{i} w", f"y{i}") for i in range(count)]
    inputs = {f"x{i}": ("N", 3) for i in range(count)}
    return make_model(nodes, {"w": values(1, 3, 2)}, inputs, [f"y{i}" for i in range(count)])


def test_triplets_need_no_labels() -> None:
    a, n = values(2, 20, 3), values(3, 20, 3)
    p = a + np.float32([0, 0, 0.5])
    data = Dataset(a, None, a, None, more={"x1": p, "x2": n}, more_test={"x1": p, "x2": n})
    with TwinTarget() as twin:
        twin.load_image(image(towers(3), losses.triplet()))
        result = fit(twin, data, 3)
    assert result.epochs[-1].test is not None and result.epochs[-1].test.loss < result.epochs[0].loss
    assert np.isnan(result.epochs[-1].test.accuracy)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "the model also takes the input 'x1', which is missing"),
        ({"x1": np.zeros((3, 3), np.float32)}, "'x1', which has 3 samples, x 4"),
        ({"x1": np.zeros((4, 2), np.float32)}, "a sample of x1 has 2 values"),
    ],
)
def test_second_inputs_that_do_not_fit_are_refused(more: dict, message: str) -> None:
    with TwinTarget() as twin:
        twin.load_image(image(towers(2), losses.contrastive()))
        with pytest.raises(DataError, match=message):
            fit(twin, Dataset(np.zeros((4, 3), np.float32), np.zeros(4, np.float32), more=more), 1)


def test_labels_that_the_loss_needs_are_asked_for() -> None:
    with TwinTarget() as twin:
        twin.load_image(image(towers(1), losses.mse()))
        with pytest.raises(DataError, match="takes labels 'target', and the data has none"):
            fit(twin, Dataset(np.zeros((4, 3), np.float32), None), 1)
