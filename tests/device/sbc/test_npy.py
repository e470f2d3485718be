"""Arrays from files: what numpy writes is read, what is not understood is refused by name, and nothing crashes it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.classifier_image import BATCH, CLASSES, FEATURES, classifier_image
from support.sampling import at_most

ROWS = 2 * BATCH
IGNORED = -100  # the image's ignore_index


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "model.mote").write_bytes(classifier_image())
    np.save(tmp_path / "x.npy", samples())
    np.save(tmp_path / "y.npy", labels())
    return tmp_path


def samples() -> np.ndarray:
    return np.arange(ROWS * FEATURES, dtype=np.float32).reshape(ROWS, FEATURES) / 8


def labels() -> np.ndarray:
    return np.arange(ROWS, dtype=np.int32) % CLASSES


def evaluate(program, files: Path, x: str = "x.npy", y: str = "y.npy") -> str:
    return program.check("eval", "model.mote", "--input", x, "--label", y, cwd=files)


def refusal(program, files: Path, x: str = "x.npy", y: str = "y.npy") -> str:
    return program.refused("eval", "model.mote", "--input", x, "--label", y, cwd=files)


def test_integers_of_each_kind_mean_the_same(sanitized, files: Path) -> None:
    expected = evaluate(sanitized, files)
    for dtype in ("<i4", "<i8", "u1"):
        np.save(files / "other.npy", labels().astype(dtype))
        assert evaluate(sanitized, files, y="other.npy") == expected
        np.save(files / "other_x.npy", (samples() * 8).astype(dtype))
        np.save(files / "float_x.npy", samples() * 8)
        assert evaluate(sanitized, files, x="other_x.npy") == evaluate(sanitized, files, x="float_x.npy")


def test_bytes_are_scaled(sanitized, files: Path) -> None:
    np.save(files / "bytes.npy", (samples() * 8 + 3).astype(np.uint8))
    scaled = ["eval", "model.mote", "--input", "bytes.npy", "--label", "y.npy", "--scale", 0.125, "--zero", 3]
    assert sanitized.check(*scaled, cwd=files) == evaluate(sanitized, files)


def test_format_version_2(sanitized, files: Path) -> None:
    with (files / "v2.npy").open("wb") as file:
        np.lib.format.write_array(file, samples(), version=(2, 0))
    assert evaluate(sanitized, files, x="v2.npy") == evaluate(sanitized, files)


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (samples().astype("<f8"), "elements of type '<f8'"),
        (samples().astype(">f4"), "elements of type '>f4'"),
        (samples().astype("<f2"), "elements of type '<f2'"),
        (samples() > 1, "elements of type '|b1'"),
        (np.zeros(ROWS, "<f4, <i4"), "elements of type [('f0', '<f4'), ('f1', '<i4')]"),
        (np.asfortranarray(samples()), "Fortran order"),
        (samples()[:, :2], "has 2 values"),
        (np.float32(1.0), "has no samples"),
        (samples()[:0], "has no samples"),
        (np.zeros((1,) * 9, np.float32), "more than 8 axes"),
    ],
)
def test_what_is_refused_by_name(sanitized, files: Path, array: np.ndarray, reason: str) -> None:
    np.save(files / "x.npy", array)
    said = refusal(sanitized, files)
    assert reason in said and "x.npy" in said and " hint: " in said


def test_labels_that_do_not_fit(sanitized, files: Path) -> None:
    np.save(files / "wide.npy", labels().astype(np.int64) + 2**40)
    assert f"{2**40} does not fit 32 bits" in refusal(sanitized, files, y="wide.npy")
    np.save(files / "real.npy", labels().astype(np.float32))
    assert "takes int32" in refusal(sanitized, files, y="real.npy")
    np.save(files / "short.npy", labels()[1:])
    assert f"short.npy has {ROWS - 1} samples, x.npy has {ROWS}" in refusal(sanitized, files, y="short.npy")
    np.save(files / "classes.npy", labels() + CLASSES)
    said = refusal(sanitized, files, y="classes.npy")
    assert f"classes.npy: the label of sample 0 is {CLASSES}, but labels must be in 0 .. {CLASSES - 1}" in said


@pytest.mark.parametrize("place", [1, ROWS - 1])
def test_a_label_that_counts_nothing_is_not_taken_for_the_wrong_one(sanitized, files: Path, place: int) -> None:
    some = labels()
    some[0] = some[place - 1] = IGNORED
    np.save(files / "classes.npy", some)
    evaluate(sanitized, files, y="classes.npy")
    some[place] = CLASSES
    np.save(files / "classes.npy", some)
    said = refusal(sanitized, files, y="classes.npy")
    assert f"classes.npy: the label of sample {place} is {CLASSES}, but labels must be in 0 .. {CLASSES - 1}" in said


def test_pickled_objects_are_not_loaded(sanitized, files: Path) -> None:
    np.save(files / "x.npy", np.array([{"a": 1}], object), allow_pickle=True)
    assert "elements of type '|O'" in refusal(sanitized, files)


def header(text: str, version: int = 1, length: int | None = None) -> bytes:
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + size.to_bytes(2 if version == 1 else 4, "little") + text.encode()


DICTIONARY = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00\xff\xff",
        header(DICTIONARY),  # without data
        header(DICTIONARY, length=60000) + bytes(48),
        header(DICTIONARY, version=2, length=2**32 - 1) + bytes(48),
        header(DICTIONARY, version=3) + bytes(48),
        header(DICTIONARY, version=9) + bytes(48),
        header(DICTIONARY.replace("4, 3", "4294967296, 4294967296, 4294967296")) + bytes(48),
        header(DICTIONARY.replace("4, 3", "4, 99999999999999999999999")) + bytes(48),
        header(DICTIONARY.replace("4, 3", "0, 4294967295, 4294967295")) + bytes(48),
        header(DICTIONARY.replace("4, 3", "-4, -3")) + bytes(48),
        header(DICTIONARY.replace("4, 3", "4,, 3")) + bytes(48),
        header(DICTIONARY.replace(", 'shape': (4, 3)", "")) + bytes(48),
        header(DICTIONARY.replace("'shape'", "'descr'")) + bytes(48),
        header(DICTIONARY.replace("'shape'", "'strides'")) + bytes(48),
        header(DICTIONARY + " x") + bytes(48),
        header("{" * 5000) + bytes(48),
        header("'<f4'" * 1000) + bytes(48),
        b"PK\x03\x04" + bytes(100),  # an .npz
    ],
)
def test_hostile_headers(sanitized, files: Path, data: bytes) -> None:
    (files / "x.npy").write_bytes(data)
    assert "x.npy" in refusal(sanitized, files)


@settings(max_examples=at_most(60))
@given(data=st.data())
def test_damaged_files_do_not_crash_it(sanitized, tmp_path_factory, data) -> None:
    """Replace, remove or insert bytes of the header."""
    folder = tmp_path_factory.mktemp("npy")
    (folder / "model.mote").write_bytes(classifier_image())
    np.save(folder / "y.npy", labels())
    buffer = io.BytesIO()
    np.save(buffer, samples())
    file = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 80))
        file[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    (folder / "x.npy").write_bytes(file)
    done = sanitized.run("eval", "model.mote", "--input", "x.npy", "--label", "y.npy", cwd=folder)
    assert done.returncode in (0, 1)


@given(rows=st.integers(1, 70))
@settings(max_examples=10)
def test_what_it_writes_is_what_numpy_writes(sanitized, tmp_path_factory, rows) -> None:
    folder = tmp_path_factory.mktemp("npy")
    (folder / "model.mote").write_bytes(classifier_image())
    np.save(folder / "x.npy", np.ones((rows, FEATURES), np.float32))
    sanitized.check("infer", "model.mote", "--input", "x.npy", "--output", "out.npy", cwd=folder)
    scores = np.load(folder / "out.npy")
    assert scores.shape == (rows, CLASSES)
    np.save(folder / "again.npy", scores)
    assert (folder / "again.npy").read_bytes() == (folder / "out.npy").read_bytes()
