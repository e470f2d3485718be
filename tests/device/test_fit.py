"""The training loop and its command, on the twin."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradmote.cli import main
from gradmote.device import TwinTarget
from gradmote.device.dataset import Dataset
from gradmote.device.evaluation import evaluate, predict
from gradmote.device.fitting import fit
from gradmote.device.types import PROGRAMS
from gradmote.errors import DataError
from gradmote.generated.records import PROGRAM
from support.classifier_image import BATCH, CLASSES, FEATURES

CENTRES = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3], [-3, -3, -3]], np.float32)


def samples(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points around one centre a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, count)
    return (CENTRES[y] + rng.normal(size=(count, FEATURES))).astype(np.float32), y


@pytest.fixture
def data() -> Dataset:
    return Dataset(*samples(61), *samples(31, seed=1))


@pytest.fixture
def twin(image: bytes) -> TwinTarget:
    target = TwinTarget("strict")
    target.load_image(image)
    return target


@pytest.fixture
def files(tmp_path: Path, image: bytes, data: Dataset) -> Path:
    (tmp_path / "model.mote").write_bytes(image)
    np.savez(tmp_path / "data.npz", x=data.x, y=data.y, x_test=data.x_test, y_test=data.y_test)
    return tmp_path


def test_it_learns(twin: TwinTarget, data: Dataset) -> None:
    twin.set_learning_rate(0.1)
    result = fit(twin, data, epochs=5)
    assert result.dropped == 61 % BATCH
    assert result.epochs[-1].loss < result.epochs[0].loss / 2
    assert result.epochs[-1].test is not None and result.epochs[-1].test.accuracy > 0.9
    assert twin.session.control()["train_steps"] == 5 * (61 // BATCH)


def test_the_same_seed_gives_the_same_bits_and_another_does_not(image: bytes, data: Dataset) -> None:
    def state(seed: int) -> bytes:
        with TwinTarget("strict") as target:
            target.load_image(image)
            fit(target, data, 2, seed)
            return target.state()

    assert state(3) == state(3) != state(4)


def test_accuracy_and_loss_are_those_of_the_parameters(twin: TwinTarget, data: Dataset) -> None:
    assert data.x_test is not None and data.y_test is not None
    weights = np.frombuffer(twin.parameters(), np.float32).reshape(FEATURES, CLASSES).astype(np.float64)
    scores = data.x_test @ weights
    found = evaluate(twin, data, data.x_test, data.y_test)
    assert found.accuracy == np.mean(scores.argmax(axis=1) == data.y_test)
    full = len(scores) - len(scores) % BATCH
    log_prob = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    expected = -log_prob[np.arange(full), data.y_test[:full]].mean()
    assert found.loss == pytest.approx(expected, rel=1e-6)


def test_a_test_says_how_far_it_is(twin: TwinTarget, data: Dataset) -> None:
    assert data.x_test is not None
    steps = [(min(done, 31), 31) for done in range(BATCH, 31 + BATCH, BATCH)]
    seen: list[tuple[int, int]] = []
    evaluate(twin, data, progress=lambda done, total: seen.append((done, total)))
    predict(twin, data, data.x_test, lambda done, total: seen.append((done, total)))
    assert seen == steps + steps


def test_without_a_test_set_fit_only_trains(twin: TwinTarget, data: Dataset) -> None:
    result = fit(twin, data.without_test(), epochs=1)
    assert result.epochs[0].test is None and result.epochs[0].samples == 61 // BATCH * BATCH


def test_bytes_and_floats_train_alike(image: bytes) -> None:
    x, y = samples(20)
    q = np.clip(x * 10 + 128, 0, 255).astype(np.uint8)
    states = []
    real = (q.astype(np.float32) - np.float32(128)) * np.float32(0.1)
    for stored in (Dataset(q, y, scale=0.1, zero=128), Dataset(real, y)):
        with TwinTarget("strict") as target:
            target.load_image(image)
            fit(target, stored, 1)
            states.append(target.state())
    assert states[0] == states[1]


def test_stopping_ends_after_the_current_step(twin: TwinTarget, data: Dataset) -> None:
    steps: list[int] = []
    result = fit(twin, data, 3, on_step=lambda step: steps.append(step.step), should_stop=lambda: len(steps) == 4)
    assert result.stopped and steps == [1, 2, 3, 4] and len(result.epochs) == 1
    assert twin.session.control()["train_steps"] == 4


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.zeros((4, 5), np.float32), np.zeros(4, int), "has 5 values"),
        (np.zeros((4, 3), np.float64), np.zeros(4, int), "float64"),
        (np.zeros((4, 3), np.float32), np.zeros(3, int), "4 samples and y 3"),
        (np.zeros((1, 3), np.float32), np.zeros(1, int), "do not fill a batch"),
        (np.zeros((4, 3), np.float32), np.zeros(4, bool), "bool"),
    ],
)
def test_data_that_does_not_fit_is_refused(twin: TwinTarget, x: np.ndarray, y: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit(twin, Dataset(x, y), 1)


# ---- The command ----------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    status = main(["train", *map(str, arguments), "--json"])
    report = json.loads(capsys.readouterr().out)
    return report | {"status": status}


def test_train_writes_a_checkpoint_that_another_run_resumes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = (files / "model.mote", "--data", files / "data.npz", "--on", "twin:strict", "--lr", 0.1)
    first = run(capsys, *base, "--epochs", 2, "--checkpoint", files / "a.gmck")
    assert first["status"] == 0 and first["metrics"]["train_steps"] == 60
    tested = run(capsys, *base, "--epochs", 0, "--resume", files / "a.gmck")
    assert tested["epochs"][0]["test"] == first["epochs"][-1]["test"]
    again = run(capsys, *base, "--epochs", 1, "--resume", files / "a.gmck")
    assert again["metrics"]["train_steps"] == 90


def test_train_prints_a_table_for_people(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", str(files / "model.mote"), "--data", str(files / "data.npz"), "--on", "twin:strict"]) == 0
    out = capsys.readouterr().out
    assert "accuracy" in out and "1 samples an epoch did not fill a batch" in out


def test_train_names_missing_arrays(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(files / "bad.npz", images=np.zeros(3))
    report = run(capsys, files / "model.mote", "--data", files / "bad.npz", "--on", "twin:strict")
    assert report["status"] == 1 and "no array ['x', 'y']" in report["message"] and report["hint"]


def test_every_program_has_a_name() -> None:
    assert {name: i for i, name in enumerate(PROGRAMS)} == PROGRAM


def test_predictions_are_the_outputs_of_every_sample(twin: TwinTarget, data: Dataset) -> None:
    """31 samples do not fill their last batch."""
    assert data.x_test is not None
    scores = predict(twin, data, data.x_test)
    right = (scores.argmax(axis=1) == data.y_test).mean()
    assert scores.shape == (31, CLASSES)
    assert right == evaluate(twin, data).accuracy


def test_evaluation_without_a_test_set_is_refused(twin: TwinTarget, data: Dataset) -> None:
    with pytest.raises(DataError, match="no test set.*x_test"):
        evaluate(twin, Dataset(data.x, data.y))
