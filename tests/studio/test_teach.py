"""Teaching by hand in Chromium: drawn, from files and by the camera; kept on the device; and what a camera refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.compiler.sample_store import StoreOptions
from studio import page
from support.sample_files import picture, write

from shared.networks import Network

GRADIENT = np.arange(64, dtype=np.uint8).reshape(8, 8)
SHAPES = ("line", "bar", "cross")


def image(store: StoreOptions | None) -> bytes:
    """Return a network of 8 by 8 pixels, with a sample store or without one."""
    network = Network((1, 8, 8)).flatten().linear(24).relu().linear(5).model()
    batch = 1 if store else 4
    return compile_model(
        network, losses.cross_entropy(), optimizers.adamw(0.01), Options(batch=batch, store=store)
    ).image


def taught(folder: Path, store: StoreOptions | None, part: str) -> dict[str, Any]:
    """Return what the page shows while a network is taught."""
    one = picture(GRADIENT)
    write(folder, {"m.mote": image(store), "a.png": one, "b.png": picture(GRADIENT.T), "broken.png": one[:-20]})
    reported = page.click("teach.mjs", folder / "m.mote", folder, part)
    assert reported["problems"] == []
    return reported


def assert_told_apart(found: dict[str, Any]) -> None:
    """The network recognizes all samples, and new drawings too."""
    assert found["recorded"] == ["5 samples"] * 3
    assert found["known"] == ["5 samples, 5 known"] * 3
    for number, shape in enumerate(SHAPES):
        said = found["said"][shape]
        assert said["name"] == shape and said["bars"].index(max(said["bars"])) == number, found["said"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return taught(tmp_path_factory.mktemp("teach"), None, "all")


def test_three_drawn_classes_are_told_apart(found: dict[str, Any]) -> None:
    assert_told_apart(found)


def test_an_image_with_a_sample_store_learns_by_it(tmp_path: Path) -> None:
    assert_told_apart(taught(tmp_path, StoreOptions(24), "drawn"))


def test_classes_have_the_names_of_the_data(found: dict[str, Any]) -> None:
    """The example's digits name ten classes; another model of five outputs begins with three of its own."""
    assert found["named"] == [str(digit) for digit in range(10)]
    assert found["kinds"] == ["Class 1", "Class 2", "Class 3"]


def test_what_was_taught_is_kept(found: dict[str, Any]) -> None:
    assert found["dropped"] == found["kept"] == ["4 samples", "5 samples", "0 samples"]
    assert found["used"] == "9 samples"


def test_pictures_of_files(found: dict[str, Any]) -> None:
    assert found["withFiles"][2] == "2 samples"
    assert "cannot read broken.png (it is cut off)" in found["broken"]


def test_the_camera(found: dict[str, Any]) -> None:
    """The script recorded by holding the button and by a key, let go, and waited for the result."""
    assert found["live"] is True and found["held"] == 0
    for name, words in {
        "unplugged": "the camera was unplugged",
        "denied": "the camera was not allowed",
        "missing": "there is no camera",
    }.items():
        assert words in found[name]
