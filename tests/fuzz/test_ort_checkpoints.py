"""Checkpoints of onnxruntime-training with false contents: read, or refused in one line, with bounded work."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.errors import CheckpointError
from gradmote.formats.any_checkpoint import load_any
from gradmote.formats.onnxruntime import read_ort_checkpoint
from support.ort_checkpoint import Forged, written
from support.sampling import at_most

FIXTURE = Path(__file__).parents[1] / "numeric" / "training" / "ort_artifacts" / "mlp_clipped.zip"
REAL = zipfile.ZipFile(FIXTURE).read("trained")
FORGED = written(Forged({"w": np.ones((2, 3), np.float32)}, steps=2, rate=0.1, moments={"w": [np.ones(6, np.float32)]}))
#: Bytes that could be kept of a file, with room for Python's objects.
MEMORY = 4_000_000


def read(data: bytes) -> bool:
    """Whether the bytes are read; any other error than a CheckpointError ends the test."""
    tracemalloc.start()
    try:
        read_ort_checkpoint("checkpoint", data)
        return True
    except CheckpointError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
        return False
    finally:
        assert tracemalloc.get_traced_memory()[1] < MEMORY
        tracemalloc.stop()


def test_what_is_right_is_read():
    assert read(REAL) and read(FORGED)


WORDS = st.sampled_from([0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC]) | st.integers(0, 2**32 - 1)


@settings(max_examples=at_most(400), deadline=None)
@given(
    st.sampled_from([REAL, FORGED]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), WORDS), min_size=1, max_size=5),
)
def test_words_that_were_overwritten(data, changes):
    changed = bytearray(data)
    for where, word in changes:
        struct.pack_into("<I", changed, int(where * (len(data) // 4)) * 4, word)
    read(bytes(changed))


@settings(max_examples=at_most(200), deadline=None)
@given(st.integers(0, len(FORGED) - 1), st.integers(0, 255))
def test_single_bytes(position, value):
    read(FORGED[:position] + bytes([value]) + FORGED[position + 1 :])


@settings(max_examples=at_most(100), deadline=None)
@given(st.integers(0, len(REAL)))
def test_files_that_end_early(size):
    assert size == len(REAL) or not read(REAL[:size]) or size > len(REAL) - 8


@settings(max_examples=at_most(200), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_behind_the_identifier(data):
    read(b"\x10\0\0\0ODTC" + data)


# ---- Files that were made to cost much


def test_references_to_one_tensor_again_and_again():
    moment = np.ones(1000, np.float32)
    data = written(Forged({"w": moment}, steps=1, rate=0.1, moments={"w": [moment]}, repeated=5000))
    assert not read(data)


def test_a_shape_of_terabytes():
    data = written(Forged({"w": np.ones((2, 3), np.float32)}))
    at = data.index(struct.pack("<qq", 2, 3))
    assert not read(data[:at] + struct.pack("<qq", 2**40, 2**40) + data[at + 16 :])


@pytest.mark.parametrize("rate, steps", [(float("nan"), 1), (float("inf"), 1), (-1.0, 1), (0.1, -1), (0.1, 2**32)])
def test_rates_and_counters_without_a_meaning(rate, steps):
    assert not read(written(Forged({"w": np.ones(3, np.float32)}, steps=steps, rate=rate)))


def test_two_parameters_of_one_name():
    assert not read(written(Forged({"w": np.ones(3, np.float32)}, {"w": np.ones(3, np.float32)})))


def test_a_trained_parameter_that_is_not_float32(tmp_path):
    (tmp_path / "checkpoint").write_bytes(written(Forged({"w": np.ones(3)})))
    with pytest.raises(CheckpointError, match="'w' of the checkpoint is float64"):
        load_any(tmp_path / "checkpoint")


def test_frozen_integers_are_constants(tmp_path):
    (tmp_path / "checkpoint").write_bytes(
        written(Forged({"w": np.ones(3, np.float32)}, {"shape": np.array([1, -1])}, numbers={"epoch": 7}))
    )
    state = load_any(tmp_path / "checkpoint")
    assert state.constants["shape"].tolist() == [1, -1] and not state.frozen and state.properties == {"epoch": 7}


# ---- Large tensors in a file beside the checkpoint


def with_external(folder: Path, offset: int, size: int) -> Path:
    forged = Forged({"w": np.arange(6, dtype=np.float32).reshape(2, 3)}, external={"w": offset})
    (folder / "checkpoint").write_bytes(written(forged))
    (folder / "checkpoint.data").write_bytes(bytes(8) + np.arange(6, dtype="<f4").tobytes()[:size])
    return folder / "checkpoint"


def test_data_in_a_file_beside_the_checkpoint(tmp_path):
    state = load_any(with_external(tmp_path, 8, 24))
    assert np.array_equal(state.tensors["w"], np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("offset, size", [(8, 20), (1 << 40, 24), ((1 << 63) - 1, 24)])
def test_data_that_ends_early(tmp_path, offset, size):
    with pytest.raises(CheckpointError, match="ends before|cannot read"):
        load_any(with_external(tmp_path, offset, size))


def test_data_that_is_not_there(tmp_path):
    path = with_external(tmp_path, 8, 24)
    (tmp_path / "checkpoint.data").unlink()
    with pytest.raises(CheckpointError, match="cannot read .*checkpoint.data"):
        load_any(path)
