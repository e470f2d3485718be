"""Augmentation: what each change does, by independent means; the same samples in any batch; what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gradmote.data import Dataset
from gradmote.data.augment import Augmentation, Augmenter
from gradmote.errors import DataError

RANDOM = np.random.default_rng(3)
PICTURES = RANDOM.random((40, 3, 6, 8)).astype(np.float32)
LABELS = np.zeros(40, np.int32)
ROWS = np.arange(40)


def augmenter(x: np.ndarray, wanted: Augmentation, dtype: str = "float32", seed: int = 0, **more: Any) -> Augmenter:
    shape = more.pop("shape", (4, *x.shape[1:]))
    return Augmenter(wanted, Dataset(x, np.zeros(len(x), np.int32), **more), shape, dtype, seed)


# ---- What each does -------------------------------------------------------------------------------------------------


def test_noise_is_normal() -> None:
    added = augmenter(PICTURES, Augmentation(noise=0.2))(1, ROWS) - PICTURES
    assert stats.kstest(added.ravel() / 0.2, "norm").pvalue > 0.01
    assert abs(np.corrcoef(added[0].ravel(), added[1].ravel())[0, 1]) < 0.3


def test_scale_is_one_factor_a_sample() -> None:
    x = RANDOM.random((300, 5)).astype(np.float32) + 1
    factors = augmenter(x, Augmentation(scale=0.3))(1, np.arange(300)) / x
    np.testing.assert_allclose(factors, np.broadcast_to(factors[:, :1], factors.shape), rtol=1e-6)
    assert stats.kstest((factors[:, 0] - 0.7) / 0.6, "uniform").pvalue > 0.01


def test_flip_mirrors_every_other_picture() -> None:
    made = augmenter(PICTURES, Augmentation(flip=True))
    found = np.concatenate([made(epoch, ROWS) for epoch in range(5)])
    mirrored = [np.array_equal(a, b[..., ::-1]) for a, b in zip(found, np.tile(PICTURES, (5, 1, 1, 1)))]
    kept = [np.array_equal(a, b) for a, b in zip(found, np.tile(PICTURES, (5, 1, 1, 1)))]
    assert all(a != b for a, b in zip(mirrored, kept)) and 70 < sum(mirrored) < 130


@pytest.mark.parametrize("layout, axes", [("NCHW", (2, 3)), ("NHWC", (1, 2))])
def test_shift_moves_height_and_width(layout: str, axes: tuple[int, int]) -> None:
    """Each sample is one of the 5 * 5 windows of the picture with its edge repeated; all of them come up."""
    x = RANDOM.random((200, 6, 8, 7)).astype(np.float32)
    found = augmenter(x, Augmentation(shift=2, layout=layout))(1, np.arange(200))
    padded = np.pad(x, [(2, 2) if axis in axes else (0, 0) for axis in range(4)], mode="edge")
    drawn = set()
    for sample, own in zip(found, padded):
        windows = {
            (i, j): own.take(range(i, i + x.shape[axes[0]]), axes[0] - 1).take(
                range(j, j + x.shape[axes[1]]), axes[1] - 1
            )
            for i in range(5)
            for j in range(5)
        }  # fmt: skip
        drawn |= {place for place, window in windows.items() if np.array_equal(window, sample)}
    assert len(drawn) == 25


@pytest.mark.parametrize("layout, axis", [("NCT", 2), ("NTC", 1)])
def test_shift_moves_a_series_in_time(layout: str, axis: int) -> None:
    x = RANDOM.random((20, 6, 9)).astype(np.float32)
    found = augmenter(x, Augmentation(shift=1, layout=layout))(1, np.arange(20))
    padded = np.pad(x, [(1, 1) if k == axis else (0, 0) for k in range(3)], mode="edge")
    for sample, own in zip(found, padded):
        windows = [own.take(range(k, k + x.shape[axis]), axis - 1) for k in range(3)]
        assert any(np.array_equal(window, sample) for window in windows)


def test_crop_is_a_window_as_pytorch_stretches_it() -> None:
    found = augmenter(PICTURES, Augmentation(crop=2))(1, ROWS)
    seen = set()
    for sample, own in zip(found, PICTURES):
        near = []
        for less in range(3):
            for i in range(less + 1):
                for j in range(less + 1):
                    window = torch.tensor(own[None, :, i : 6 - less + i, j : 8 - less + j]).double()
                    stretched = torch.nn.functional.interpolate(window, (6, 8), mode="bilinear", align_corners=True)
                    near += [less] if np.abs(stretched[0].numpy() - sample).max() < 1e-6 else []
        assert near
        seen |= set(near)
    assert seen == {0, 1, 2}


# ---- Bytes and quantized numbers ------------------------------------------------------------------------------------


def test_bytes_stay_bytes_and_noise_is_in_the_unit_of_the_input() -> None:
    x = np.full((50, 1, 8, 8), 100, np.uint8)
    found = augmenter(x, Augmentation(noise=0.1), scale=1 / 50, zero=100)(1, np.arange(50))
    assert found.dtype == np.uint8 and abs(found.astype(float).std() - 5) < 0.3 and abs(found.mean() - 100) < 0.5
    edges = augmenter(np.full((50, 4), 255, np.uint8), Augmentation(noise=2.0), scale=1 / 50)(1, np.arange(50))
    assert edges.max() == 255 and edges.min() < 200  # they do not wrap
    louder = augmenter(x, Augmentation(scale=0.5), scale=1 / 50, zero=100)(1, np.arange(50))
    assert (louder == 100).all()  # which stands for 0


def test_quantized_numbers_move() -> None:
    x = RANDOM.integers(-128, 128, (30, 1, 6, 6)).astype(np.int8)
    found = augmenter(x, Augmentation(crop=2, flip=True, shift=1), "int8")(1, np.arange(30))
    assert found.dtype == np.int8 and not np.array_equal(found, x)
    assert all(a.min() >= b.min() and a.max() <= b.max() for a, b in zip(found, x))


# ---- The same samples -----------------------------------------------------------------------------------------------

ALL = Augmentation(noise=0.1, scale=0.2, shift=1, crop=2, flip=True)


def test_a_sample_depends_on_seed_epoch_and_itself_alone() -> None:
    made = augmenter(PICTURES, ALL, seed=7)
    whole = made(2, ROWS)
    order = np.random.default_rng(0).permutation(40)
    parts = np.concatenate([augmenter(PICTURES, ALL, seed=7)(2, order[k : k + 3]) for k in range(0, 40, 3)])
    assert np.array_equal(parts, whole[order])
    others = [made(3, ROWS), augmenter(PICTURES, ALL, seed=8)(2, ROWS)]
    assert not any(np.array_equal(a, b) for other in others for a, b in zip(other, whole))
    same = augmenter(np.repeat(PICTURES[:1], 40, axis=0), ALL)(1, ROWS)
    assert len({sample.tobytes() for sample in same}) == 40


def test_a_flat_file_for_a_model_of_pictures() -> None:
    flat = PICTURES.reshape(40, -1)
    found = augmenter(flat, ALL, shape=(4, 3, 6, 8))(1, ROWS)
    assert np.array_equal(found, augmenter(PICTURES, ALL)(1, ROWS).reshape(40, -1))


# ---- Texts ----------------------------------------------------------------------------------------------------------


@given(st.builds(
    Augmentation, noise=st.floats(0, 9), scale=st.floats(0, 0.99), shift=st.integers(0, 9), crop=st.integers(0, 9),
    flip=st.booleans(), layout=st.sampled_from(["", "NCHW", "NTC"]),
))  # fmt: skip
def test_a_text_reads_back(wanted: Augmentation) -> None:
    if dataclasses.replace(wanted, layout="") != Augmentation():
        assert Augmentation.parse(str(wanted)) == wanted


@pytest.mark.parametrize(
    "text", ["", "blur:2", "noise", "noise:x", "noise:-1", "noise:nan", "noise:inf", "noise:0", "scale:1", "shift:1.5",
             "shift:-1", "flip:1", "flip,flip", "layout:NCHW", "flip,layout:WHCN", "shift:2;flip"],
)  # fmt: skip
def test_texts_that_are_refused(text: str) -> None:
    with pytest.raises(DataError):
        Augmentation.parse(text)


# ---- What does not fit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape, text, dtype, said",
    [
        ((64,), "shift:1", "float32", "neither a picture"),
        ((2, 3, 4, 5), "flip", "float32", "neither a picture"),
        ((1, 8, 8), "shift:1,layout:NCT", "float32", "with the layout NCT"),
        ((28, 28, 1), "shift:1", "float32", "may be NCHW or NHWC"),
        ((100, 6), "shift:1", "float32", "may be NCT or NTC"),
        ((6, 100), "flip", "float32", "flip mirrors pictures"),
        ((1, 8, 8), "crop:5", "float32", "has 8 places"),
        ((8,), "noise:0.1", "int32", "such as tokens"),
        ((1, 8, 8), "noise:0.1", "int8", "quantized"),
        ((1, 8, 8), "scale:0.1", "uint8", "quantized"),
    ],
)
def test_what_does_not_fit_the_input(shape: tuple[int, ...], text: str, dtype: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        augmenter(np.zeros((5, *shape), dtype), Augmentation.parse(text), dtype)


@pytest.mark.parametrize("y", [(5, 8, 8), (5, 3, 8, 8), (5, 64)])
def test_labels_for_each_place_would_not_move_along(y: tuple[int, ...]) -> None:
    data = Dataset(np.zeros((5, 1, 8, 8), np.float32), np.zeros(y, np.int32))
    with pytest.raises(DataError, match="would not move along"):
        Augmenter(Augmentation(flip=True), data, (1, 1, 8, 8), "float32")
    Augmenter(Augmentation(noise=0.1), data, (1, 1, 8, 8), "float32")
    masked = Dataset(data.x, LABELS[:5], more={"mask": np.zeros((5, 8, 8), np.float32)})
    with pytest.raises(DataError, match="'mask'"):
        Augmenter(Augmentation(flip=True), masked, (1, 1, 8, 8), "float32")


def test_it_says_which_axes_it_takes() -> None:
    made = augmenter(PICTURES, Augmentation(shift=2))
    said = "augments by shift:2, and takes of the input [N, 3, 6, 8] axis 2 as height and axis 3 as width (NCHW)"
    assert made.said() == said
    assert augmenter(PICTURES, Augmentation(noise=0.5)).said() == "augments by noise:0.5"
