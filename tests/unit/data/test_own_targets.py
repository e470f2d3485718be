"""Samples without labels for a model that rebuilds its input: they are the targets, and need be named once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli, compile_model, losses, optimizers
from gradmote.data.dataset import Dataset
from gradmote.data.expected import expected_of, expected_of_image
from gradmote.data.reading import Reading
from gradmote.errors import DataError
from support.oracle import make_model, node, values

X, TEST = values(1, 12, 4), values(2, 6, 4)
NOTE = "no labels are given: the targets are the samples themselves"


def image_of(outputs: int, loss=losses.mse) -> bytes:
    nodes = [node("Gemm", "x a", "h"), node("Tanh", "h", "t"), node("Gemm", "t b", "y")]
    model = make_model(nodes, {"a": values(3, 4, 2), "b": values(4, 2, outputs)}, {"x": ("N", 4)})
    return compile_model(model, loss(), optimizers.sgd(0.05), batch=2).image


def table(path: Path, array: np.ndarray, names: str = "a,b,c,d") -> Path:
    path.write_text("\n".join([names, *(",".join(f"{v:.9g}" for v in row) for row in array)]) + "\n")
    return path


def npz(path: Path, **arrays: np.ndarray) -> Path:
    np.savez(path, **arrays)
    return path


def npy(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
    return path


FORMS: dict[str, Callable[[Path], Path]] = {
    "csv": lambda folder: table(folder / "x.csv", X),
    "npz": lambda folder: npz(folder / "x.npz", x=X, x_test=TEST),
    "npy": lambda folder: npy(folder / "x.npy", X),
}


def read(path: Path, image: bytes, **more) -> Dataset:
    return Dataset.read(path, reading=Reading(expected=expected_of_image(image), **more))


@pytest.mark.parametrize("form", FORMS)
def test_the_samples_are_the_targets(form: str, tmp_path: Path) -> None:
    data = read(FORMS[form](tmp_path), image_of(4))
    np.testing.assert_array_equal(data.y, data.x)
    np.testing.assert_array_equal(data.x, X)
    assert (data.y_test is None) == (form != "npz") and any(NOTE in note for note in data.notes)


def test_a_test_set_is_its_own_target_too(tmp_path: Path) -> None:
    data = read(table(tmp_path / "x.csv", X), image_of(4), test=table(tmp_path / "test.csv", TEST))
    np.testing.assert_array_equal(data.x_test, TEST)
    np.testing.assert_array_equal(data.y_test, TEST)


def test_targets_that_are_given_stay(tmp_path: Path) -> None:
    both = np.hstack([X, X + 1])
    data = read(table(tmp_path / "x.csv", both, "a,b,c,d,e,f,g,h"), image_of(4), label="e,f,g,h")
    np.testing.assert_array_equal(data.y, X + np.float32(1))
    assert not any(NOTE in note for note in data.notes)
    data = read(table(tmp_path / "x.csv", X), image_of(4), labels=npy(tmp_path / "y.npy", X + 1))
    np.testing.assert_array_equal(data.y, X + np.float32(1))


@pytest.mark.parametrize(("outputs", "loss"), [(3, losses.mse), (4, losses.cross_entropy), (1, losses.mse)])
def test_other_models_take_the_last_column_as_their_label(outputs: int, loss, tmp_path: Path) -> None:
    data = read(table(tmp_path / "x.csv", X), image_of(outputs, loss))
    assert data.x.shape == (12, 3) and data.y.shape == (12,) and not data.notes


def test_a_table_for_a_model_without_labels_has_none(tmp_path: Path) -> None:
    """An ONNX model, as for --calibrate, or an image that only infers."""
    nodes = [node("Gemm", "x a", "y")]
    model = make_model(nodes, {"a": values(3, 4, 2)}, {"x": ("N", 4)})
    onnx.save(model, tmp_path / "model.onnx")
    (tmp_path / "model.mote").write_bytes(compile_model(model).image)
    for name in ("model.onnx", "model.mote"):
        reading = Reading(expected=expected_of(tmp_path / name))
        data = Dataset.read(table(tmp_path / "x.csv", X), reading=reading)
        assert data.y is None and np.array_equal(data.x, X)
        labelled = np.hstack([X, X[:, :1]])
        data = Dataset.read(table(tmp_path / "both.csv", labelled, "a,b,c,d,e"), reading=reading)
        assert data.x.shape == (12, 4) and data.y.shape == (12,)


def test_a_table_with_a_column_more_has_a_label(tmp_path: Path) -> None:
    data = read(table(tmp_path / "x.csv", np.hstack([X, X[:, :1]]), "a,b,c,d,e"), image_of(4))
    assert data.x.shape == (12, 4) and data.y.shape == (12,)


def test_training_says_so_and_is_that_of_named_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, results = tmp_path / "model.mote", []
    image.write_bytes(image_of(4))
    for number, path in enumerate((table(tmp_path / "x.csv", X), npz(tmp_path / "both.npz", x=X, y=X))):
        kept = tmp_path / f"{number}.gmck"
        assert cli.main(["train", str(image), "--data", str(path), "--epochs", "2", "--checkpoint", str(kept)]) == 0
        said = capsys.readouterr()
        assert (NOTE in said.err) == (number == 0)
        results.append(kept.read_bytes())
    assert results[0] == results[1]


def test_samples_without_labels_are_refused_elsewhere(tmp_path: Path) -> None:
    path = npz(tmp_path / "x.npz", x=X)
    assert read(path, image_of(3)).y is None
    image = tmp_path / "model.mote"
    image.write_bytes(image_of(3))
    assert cli.main(["train", str(image), "--data", str(path)]) == 1
    with pytest.raises(DataError, match="one.csv has one column"):
        read(table(tmp_path / "one.csv", X[:, :1], "a"), image_of(4))
    with pytest.raises(DataError, match="x.csv has 4 columns, and all of them are labels"):
        read(table(tmp_path / "x.csv", X), image_of(4), label="a,b,c,d")
