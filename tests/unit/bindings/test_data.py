"""The data that set_input and set_label take, and the data that they refuse."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import Session
from gradmote.errors import DataError, RuntimeFault
from gradmote_runtime.arrays import F32, I32, tensor_bytes
from support.classifier_image import LABELS, PIXELS, classifier_image

SHAPE = (2, 3)


class Tensor:
    """A tensor of a framework: no buffer, but it has the way to an array."""

    def numpy(self) -> np.ndarray:
        return np.zeros(SHAPE, np.float32)


class Table:
    """A table of a library: no buffer, but it has the way to an array."""

    def to_numpy(self) -> np.ndarray:
        return np.zeros(SHAPE, np.float32)


@pytest.mark.parametrize(
    "data",
    [
        PIXELS,
        PIXELS.tobytes(),
        bytearray(PIXELS.tobytes()),
        memoryview(PIXELS),
        np.array(PIXELS, np.float32),
        np.array(PIXELS, np.float32).reshape(SHAPE),
        np.asfortranarray(np.array(PIXELS, np.float32).reshape(SHAPE)),
        np.repeat(np.array(PIXELS, np.float32), 2)[::2],
    ],
    ids=["array", "bytes", "bytearray", "memoryview", "flat", "shaped", "fortran", "strided"],
)
def test_input_takes_float32_of_any_buffer(session: Session, data: object) -> None:
    session.input_view(0).cast("B")[:] = bytes(24)
    session.set_input(0, data)
    assert session.input_view(0).tolist() == np.array(PIXELS).reshape(SHAPE).tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(SHAPE), r"input 'x' takes float32, not float64 - convert it.*astype\('float32'\)"),
        (np.zeros(SHAPE, np.float16), "takes float32, not float16"),
        (np.zeros(SHAPE, np.int32), "takes float32, not int32"),
        (np.zeros(SHAPE, np.int64), "takes float32, not int64"),
        (np.zeros(SHAPE, np.uint16), "takes float32, not uint16"),
        (np.full(SHAPE, "oak"), "takes float32, not text - give numbers: for a class its index"),
        (np.full(SHAPE, b"oak"), "takes float32, not text"),
        (np.zeros(SHAPE, ">f4"), "takes float32, not items of format '>f'"),
        (np.zeros(5, np.float32), r"input 'x' has shape \[2, 3\], 6 elements; 5 were given"),
        (np.zeros((3, 2), np.float32), r"has shape \[2, 3\]; \[3, 2\] was given - transpose or reshape it"),
        (bytes(23), "takes float32, not uint8"),
        ([0.0] * 6, "takes an object with the buffer protocol, not list"),
        (None, "takes an object with the buffer protocol, not NoneType"),
        ("x.npy", r"the buffer protocol, not str - pass the file's bytes: open\(path, 'rb'\).read\(\)"),
        (Tensor(), r"the buffer protocol, not Tensor - pass it as a numpy array: tensor.numpy\(\)"),
        (Table(), r"the buffer protocol, not Table - pass it as a numpy array: its to_numpy\(\)"),
    ],
    ids=[
        "float64",
        "float16",
        "int32",
        "int64",
        "uint16",
        "text",
        "bytes of text",
        "big-endian",
        "short",
        "transposed",
        "odd bytes",
        "list",
        "none",
        "path",
        "tensor",
        "table",
    ],
)
def test_input_refuses_what_does_not_fit(session: Session, data: object, message: str) -> None:
    before = session.input_view(0).tolist()
    with pytest.raises(DataError, match=message):
        session.set_input(0, data)
    assert session.input_view(0).tolist() == before


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_label_takes_any_integer_type(session: Session, dtype: str) -> None:
    session.set_label(0, np.array([3, 1], dtype))
    assert session.label_view(0).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.array([2**31, 0]), "label 'labels' takes int32; a value is out of range"),
        (np.array([0, -(2**31) - 1]), "a value is out of range"),
        (np.array([2**31, 0], np.uint32), "a value is out of range"),
        (np.array([0.0, 1.0], np.float32), "takes int32, not float32"),
        (np.array([True, False]), "takes int32, not bool"),
        (np.array([0, 1, 2]), r"has shape \[2\], 2 elements; 3 were given"),
    ],
    ids=["above", "below", "uint32", "float32", "bool", "long"],
)
def test_label_refuses_what_does_not_fit(session: Session, data: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        session.set_label(0, data)
    assert session.label_view(0).tolist() == LABELS.tolist()


# ---- What a place has taken before is checked again


@pytest.fixture
def used(session: Session) -> Session:
    """A session that has taken arrays of numpy, and knows their dtypes."""
    session.step(np.array(PIXELS, np.float32).reshape(SHAPE), np.array(LABELS, np.int64))
    return session


@pytest.mark.parametrize(
    "data",
    [
        np.arange(6, dtype=np.float32).reshape(SHAPE),
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(SHAPE)),
        np.repeat(np.arange(6, dtype=np.float32), 2).reshape(2, 6)[:, ::2],
        np.arange(6, dtype=np.float32),
        array("f", range(6)),
        np.arange(6, dtype=np.float32).reshape(SHAPE).view(np.matrix),
    ],
    ids=["contiguous", "fortran", "strided", "flat", "array", "subclass"],
)
def test_a_used_place_takes_the_same_values(used: Session, data: object) -> None:
    used.set_input(0, data)
    assert used.input_view(0).tolist() == np.array(data).reshape(SHAPE).tolist()


def test_a_used_place_refuses_what_a_new_one_refuses(used: Session) -> None:
    before = used.input_view(0).tolist()
    array = np.zeros(SHAPE, np.float32)
    array.shape = (3, 2)  # the same object, of the same type, is something else now
    for data in (array, np.zeros((2, 4), np.float32), np.zeros(SHAPE), np.zeros(SHAPE, ">f4"), np.zeros(SHAPE, "i4")):
        with pytest.raises(DataError, match="input 'x'"):
            used.set_input(0, data)
    assert used.input_view(0).tolist() == before


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**40])
def test_a_used_label_refuses_what_no_int32_holds(used: Session, value: int) -> None:
    with pytest.raises(DataError, match="label 'labels' takes int32; a value is out of range"):
        used.set_label(0, np.array([1, value]))
    assert used.label_view(0).tolist() == LABELS.tolist()


@given(st.lists(st.integers(-(2**33), 2**33), min_size=2, max_size=2))
def test_int64_labels_arrive_whole_or_not_at_all(values: list[int]) -> None:
    fits = all(-(2**31) <= value < 2**31 for value in values)
    with Session(classifier_image()) as session:
        session.set_label(0, np.array(LABELS, np.int64))
        try:
            session.set_label(0, np.array(values))
        except DataError:
            assert not fits and session.label_view(0).tolist() == LABELS.tolist()
        else:
            assert fits and session.label_view(0).tolist() == values


def test_a_program_under_way_keeps_data_out(used: Session) -> None:
    used.begin("eval")
    for give in (
        lambda: used.set_input(0, PIXELS),
        lambda: used.set_label(0, LABELS),
        lambda: used.step(PIXELS, LABELS),
    ):
        with pytest.raises(RuntimeFault, match="BUSY"):
            give()
    used.abort()
    used.set_input(0, PIXELS)


def test_no_such_place(session: Session) -> None:
    with pytest.raises(DataError, match="there is no input 1 - there are 1, counted from 0"):
        session.set_input(1, PIXELS)
    with pytest.raises(DataError, match="there is no label -1"):
        session.label_view(-1)
    with pytest.raises(DataError, match="there is no output of infer 7"):
        session.output(7)


def test_number_of_arrays_is_checked(session: Session) -> None:
    with pytest.raises(DataError, match="1 arrays were given - pass 2: input 'x', label 'labels'; or none"):
        session.step(PIXELS)
    with pytest.raises(DataError, match="2 arrays were given - pass 1: input 'x'; or none"):
        session.infer(PIXELS, LABELS)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=8))
def test_int64_labels_become_int32(values: list[int]) -> None:
    n = len(values)
    assert tensor_bytes(array("q", values), I32, (n,), 4 * n, "label").cast("i").tolist() == values


@given(st.binary(max_size=64), st.sampled_from("bBhHiIlLqQfd"), st.sampled_from([F32, I32]), st.integers(1, 8))
def test_any_buffer_is_taken_whole_or_refused(data: bytes, code: str, dtype: int, count: int) -> None:
    items = array(code, data[: len(data) - len(data) % array(code).itemsize])
    try:
        taken = tensor_bytes(items, dtype, (count,), 4 * count, "tensor")
    except DataError:
        return
    assert len(taken) == 4 * count and taken.format == "B"
