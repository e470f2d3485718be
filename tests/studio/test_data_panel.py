"""The data panel in Chromium: files of every form are given by clicks, and what is wrong leaves the data of before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.data.digits_in_every_form import write_forms

from gradmote import optimizers
from studio import page
from support import digits
from support.oracle import values
from support.sample_files import picture, recording, table, write

X = values(1, 12, 3).round(2)
WORDS = ["red", "green", "blue"] * 4

#: What is given, one after another.
GIVEN: list[dict[str, Any]] = [
    {"name": "bytes", "files": ["bytes.npz"]},
    {"name": "pairs", "files": ["x.npy", "y.npy"]},
    {"name": "named", "files": ["names.csv"], "model": True, "dropped": True, "shots": True},
    {"name": "standard", "files": ["names.csv"], "scale": "standard"},
    {"name": "words", "files": ["words.csv"]},
    {"name": "another column", "files": ["words.csv"], "label": "a"},
    {"name": "ragged", "files": ["ragged.csv"]},
    {"name": "no file of samples", "files": ["picture.png"]},
    {"name": "other sizes", "files": ["sizes"], "folder": True},
    {"name": "stretched sizes", "resize": True},
    {"name": "sounds", "files": ["sounds"], "folder": True},
    {"name": "damaged", "files": ["damaged"], "folder": True},
]


def write_files(folder: Path) -> None:
    """Write files of every format, and others, including some that the panel must refuse."""
    write_forms(folder)
    words = table(X, WORDS, [*"abc", "word"])
    half = picture(np.arange(64, dtype=np.uint8).reshape(8, 8))
    write(folder, {
        "model.mote": digits.image(optimizers.adamw(0.003), 8),
        "words.csv": words,
        "ragged.csv": words + "1,2\n",
        "picture.png": half,
        "sizes/a/0.png": half, "sizes/b/0.png": picture(np.full((16, 12), 9, np.uint8)),
        "sounds/a/0.wav": recording(range(64)), "sounds/b/0.wav": recording(range(0, 128, 2)),
        "damaged/a/0.png": half, "damaged/b/0.png": half[:-30],
    })  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("data")
    write_files(folder)
    reported = page.click("data.mjs", folder, folder / "model.mote", json.dumps(GIVEN))
    assert reported["problems"] == []
    assert reported["step"] == "Model"  # after a model was dropped on the place for data
    return dict(reported["found"])


def test_figures_of_what_was_read(found: dict[str, Any]) -> None:
    arrays = {row[0]: row[1:] for row in found["bytes"]["arrays"]}
    assert arrays["x"][:4] == ["1,347", "64", "0", "1"] and arrays["x_test"][:2] == ["450", "64"]
    assert found["bytes"]["classes"][0][:2] == ["0", "139 + 39 to test"]
    assert any("y int64 taken as int32" in note for note in found["bytes"]["notes"])
    assert found["bytes"]["thumbnails"] == 24 and found["bytes"]["verdict"] == []
    assert [row[:3] for row in found["pairs"]["arrays"]] == [["x", "1,347", "64"], ["y", "1,347", "one number"]]
    assert [row[0] for row in found["named"]["classes"]][:3] == ["eight", "five", "four"]


def test_the_verdict_of_the_model(found: dict[str, Any]) -> None:
    assert found["named"]["verdict"] == ["The data fits model.mote: 168 updates in an epoch."]
    assert found["words"]["verdict"][0].startswith("a sample of x has 3 values, 'x' takes 64")
    assert found["words"]["notice"] == []


def test_choices(found: dict[str, Any]) -> None:
    least, largest, mean = (float(text) for text in found["standard"]["arrays"][0][3:6])
    assert abs(mean) < 1e-4 and least < 0 < largest
    assert "a, b, c, word" not in str(found["words"]) and len(found["words"]["classes"]) == 3
    refused = found["another column"]  # another column than the label has words
    assert "column word: 'red' is not a finite" in refused["notice"][0] and refused["title"] == ["words.csv"]
    assert found["stretched sizes"]["arrays"][0][1:3] == ["2", "1x8x8"]
    assert any("1 of 2 pictures are resized (1x8x8)" in note for note in found["stretched sizes"]["notes"])
    assert found["sounds"]["arrays"][0][1:3] == ["2", "64"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ragged", "ragged.csv, line 14 has 2 cells, the first one 4 make all rows alike"),
        ("no file of samples", "picture.png is one sample alone"),
        ("other sizes", "sizes/b/0.png is 12 x 16 pixels, the model takes 8 x 8"),
        ("damaged", "cannot read damaged/b/0.png (it is cut off)"),
    ],
)
def test_what_is_wrong_is_told_and_the_data_stay(found: dict[str, Any], name: str, words: str) -> None:
    before = list(found)[list(found).index(name) - 1]
    assert words in found[name]["notice"][0]
    assert found[name]["title"] == found[before]["title"] and found[name]["arrays"] == found[before]["arrays"]
