"""half.c and formats/narrow_floats.py against numpy: every half under every scale, float32 densely, ties, extremes."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.formats import narrow_floats
from runtime_sources import RUNTIME, WARNING_FLAGS

HERE = Path(__file__).resolve().parent
ONE = 125  #: The scale under which a half stands for itself.
EVERY_HALF = np.arange(65536, dtype=np.uint16)
SCALES = [0, 1, 13, 24, 100, ONE, 150, 236, 237]
FLAGS = ["-O2", "-std=c99", *WARNING_FLAGS, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]


class Library:
    """half.c over arrays; undefined behaviour ends the process."""

    def __init__(self, path: Path) -> None:
        self.c = ctypes.CDLL(str(path))

    def halves(self, bits: np.ndarray, scale: int) -> np.ndarray:
        out = np.zeros(bits.size, np.uint16)
        self.c.halves_of(pointer(bits), ctypes.c_size_t(bits.size), scale, pointer(out))
        return out

    def values(self, halves: np.ndarray, scale: int) -> np.ndarray:
        out = np.zeros(halves.size, np.uint32)
        self.c.values_of(pointer(halves), ctypes.c_size_t(halves.size), scale, pointer(out))
        return out

    def scale(self, bits: np.ndarray) -> int:
        return int(self.c.gm_half_scale(pointer(bits), bits.size))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Library:
    path = tmp_path_factory.mktemp("half") / "half.so"
    sources = [HERE / "half_arrays.c", RUNTIME / "src" / "half.c"]
    included = [f"-I{RUNTIME / folder}" for folder in ("src", "include")]
    command = ["gcc", *FLAGS, "-shared", "-fPIC", *included, *map(str, sources), "-o", str(path)]
    subprocess.run(command, check=True, timeout=120)
    return Library(path)


def is_nan(halves: np.ndarray) -> np.ndarray:
    return (halves & 0x7FFF) > 0x7C00


def dense() -> np.ndarray:
    """Return every 2003rd float32; the neighbours of every half and of every middle of two; the edges of the range."""
    middles = EVERY_HALF[:0x7C00].view(np.float16).astype(np.float32)
    middles = np.concatenate([middles, (middles[:-1] + middles[1:]) / 2]).view(np.uint32)
    around = np.concatenate([middles + np.uint32(step) for step in (0, 1, 0xFFFFFFFF)])
    edges = np.array(
        [0, 1, 2, 0x7FFFFF, 0x800000, 0x7F7FEFFF, 0x7F7FF000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000]
    )
    bits = np.concatenate([around, edges.astype(np.uint32)])
    return np.concatenate([np.arange(0, 2**32, 2003, dtype=np.uint64).astype(np.uint32), bits, bits | 0x80000000])


def rounded(bits: np.ndarray, scale: int) -> np.ndarray:
    """Round by numpy, which rounds float64 to float16 once; and as half.h says of 0 and infinity."""
    values = bits.view(np.float32)
    with np.errstate(all="ignore"):
        halves = np.ldexp(values.astype(np.float64), ONE - scale).astype(np.float16)
        halves = np.where(np.isinf(halves) & np.isfinite(values), np.copysign(np.float16(65504), values), halves)
        halves = np.where((halves == 0) & (values != 0), np.copysign(np.float16(2**-24), values), halves)
    halves = halves.astype(np.float16).view(np.uint16)
    return np.where(np.isnan(values), np.where(np.signbit(values), 0xFE00, 0x7E00), halves)


def test_every_half_stands_for_numpys_number(library):
    found = library.values(EVERY_HALF, ONE).view(np.float32)
    expected = EVERY_HALF.view(np.float16).astype(np.float32)
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("first", range(0, 256, 64))
def test_every_half_under_every_scale(library, first):
    numbers = EVERY_HALF[~is_nan(EVERY_HALF)]
    for scale in range(first, first + 64):
        found = library.values(EVERY_HALF, scale)
        assert np.array_equal(found, narrow_floats.from_half(scale, EVERY_HALF).view(np.uint32))
        exact = np.ldexp(numbers.view(np.float16).astype(np.float64), scale - ONE)
        values = library.values(numbers, scale).view(np.float32)
        fits = np.abs(exact) < 2.0**128
        assert np.array_equal(values[fits].astype(np.float64), exact[fits]) and np.isinf(values[~fits]).all()
        if scale <= 237:
            assert np.isfinite(values).sum() == np.isfinite(exact).sum()
            assert np.array_equal(library.halves(values.view(np.uint32), scale), numbers)


@pytest.mark.parametrize("scale", SCALES)
def test_floats_are_rounded_as_numpy_does(library, scale):
    bits = dense()
    assert np.array_equal(library.halves(bits, scale), rounded(bits, scale))


def test_numpys_own_conversion(library):
    """Compare under scale ONE, within the range of float16: without help from float64."""
    bits = dense()
    values = bits.view(np.float32)
    has = (np.abs(values) < 65520) & ((np.abs(values) > 2**-25) | (values == 0))
    assert np.array_equal(library.halves(bits[has], ONE), values[has].astype(np.float16).view(np.uint16))


ANY_FLOATS = st.lists(st.integers(0, 2**32 - 1) | st.sampled_from(list(dense()[-60:])), min_size=1, max_size=40)


@given(ANY_FLOATS)
def test_the_largest_gets_as_high_as_it_can(library, drawn):
    bits = np.array(drawn, np.uint32)
    values = bits.view(np.float32)
    scale, halves = narrow_floats.to_half(values)
    assert library.scale(bits) == scale
    assert np.array_equal(library.halves(bits, scale), halves)
    again = library.values(halves, scale).view(np.float32)
    finite = np.isfinite(values)
    assert np.array_equal(np.isfinite(again), finite) and np.array_equal(np.isnan(again), np.isnan(values))
    assert np.array_equal(again == 0, values == 0) and np.array_equal(np.signbit(again), np.signbit(values))
    largest = np.abs(values[finite]).astype(np.float64).max(initial=0)
    if scale > 0:
        assert np.ldexp(largest, ONE - (scale - 1)) >= 65520  # one less is not enough
    with np.errstate(over="ignore"):
        error = np.abs(again[finite].astype(np.float64) - values[finite])
    smallest = np.ldexp(1.0, scale - 149)
    assert (error <= np.maximum(np.abs(values[finite]).astype(np.float64) / 2048, smallest)).all()


def test_zeros_have_scale_0(library):
    zeros = np.array([0, 0x80000000, 0], np.uint32)
    assert library.scale(zeros) == 0 and library.scale(zeros[:0]) == 0
    assert np.array_equal(library.halves(zeros, 0), [0, 0x8000, 0])
