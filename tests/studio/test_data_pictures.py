"""The studio decodes pictures in Chromium to the bytes of the host tools, and refuses what they refuse."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.data.digits_in_every_form import write_forms
from unit.data.test_any_bytes import SEEDS
from unit.data.test_bad_data import FOLDERS

from gradmote.data.expected import Expected, ExpectedTensor
from gradmote.data.reading import Reading
from studio import page
from studio.data_cases import Case, assert_same, bundle, files_in, read_in_python
from studio.test_data_bad import MODEL, drawn, problem_of
from support.sample_files import picture, png_that_claims, write

RANDOM = np.random.default_rng(0)
GRAY = RANDOM.integers(0, 256, (9, 7), np.uint8)
COLOURS = RANDOM.integers(0, 256, (9, 7, 3), np.uint8)
SMOOTH = np.add.outer(np.arange(40) * 3, np.arange(24) * 5).astype(np.uint8)


def read_in_page(folder: Path, cases: list[Case]) -> dict[str, Any]:
    """Return what the modules find or refuse in Chromium, by the cases' names."""
    asked = folder / "cases.json"
    asked.write_text(json.dumps([case.as_json() for case in cases]))
    found = page.click("read_in_page.mjs", bundle(), asked)
    assert found["problems"] == []
    return dict(found["found"])


def expected(*shape: int) -> Expected:
    return Expected("model", 2, (ExpectedTensor("x", "input", 0, "float32", shape),), {}, ("step",))


def palette() -> bytes:
    """A picture whose pixels are numbers of colours."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(COLOURS).quantize(16).save(file, "PNG")
    return file.getvalue()


def turned() -> bytes:
    """A JPEG that says that the camera was held on its side."""
    from PIL import Image

    file, notes = io.BytesIO(), Image.Exif()
    notes[0x0112] = 6
    Image.fromarray(SMOOTH).save(file, "JPEG", exif=notes)
    return file.getvalue()


#: The pictures of two classes, and how they are read.
FORMS: dict[str, tuple[tuple[bytes, ...], dict[str, Any]]] = {
    "gray": ((picture(GRAY), picture(GRAY.T.copy().T)), {}),
    "colours": ((picture(COLOURS), picture(COLOURS[::-1])), {}),
    "both": ((picture(GRAY), picture(COLOURS)), {}),
    "a palette": ((palette(), palette()), {}),
    "one bit": ((picture(GRAY > 99), picture(GRAY > 9)), {}),
    "opaque": ((picture(np.dstack([COLOURS, np.full((9, 7), 255, np.uint8)])), picture(COLOURS)), {}),
    "gray JPEG": ((picture(SMOOTH, "JPEG"), picture(SMOOTH.T.copy(), "JPEG")), {"resize": True}),
    "held on its side": ((turned(), turned()), {}),
    "other sizes": ((picture(COLOURS), picture(SMOOTH)), {"resize": True}),
    "to gray of the model": ((picture(COLOURS), picture(GRAY)), {"shape": (1, 9, 7)}),
    "to a smaller model": ((picture(COLOURS), picture(SMOOTH)), {"shape": (3, 5, 4), "resize": True}),
    "to a larger model": ((picture(GRAY), picture(SMOOTH)), {"shape": (1, 30, 31), "resize": True}),
    "channels last": ((picture(COLOURS), picture(GRAY)), {"shape": (9, 7, 3)}),
    "a row": ((picture(GRAY), picture(GRAY)), {"shape": (63,)}),
    "a row of a square": ((picture(GRAY), picture(SMOOTH)), {"shape": (64,), "resize": True}),
    "a row of no square": ((picture(GRAY), picture(SMOOTH)), {"shape": (60,), "resize": True}),
    "no pictures": ((picture(GRAY), picture(GRAY)), {"shape": (2, 3, 4, 5)}),
}


def test_pictures_are_decoded_to_the_same_bytes(tmp_path: Path) -> None:
    cases, readings = [], {}
    for number, (name, (pictures, given)) in enumerate(FORMS.items()):
        folder = tmp_path / str(number)
        write(folder, {f"{label}/0.{'jpg' if data[:1] != b'%c' % 0x89 else 'png'}": data
                       for label, data in zip("ab", pictures, strict=True)})  # fmt: skip
        shape, resize = given.get("shape"), given.get("resize", False)
        cases.append(Case(name, files_in(folder), {"resize": resize, "sampleShape": shape}))
        readings[name] = (folder, Reading(resize=resize, expected=expected(*shape) if shape else None))
    found = read_in_page(tmp_path, cases)
    for name, (folder, reading) in readings.items():
        assert_same(found[name], read_in_python(folder, reading), name)


def test_digits_as_pictures_in_a_zip(tmp_path: Path) -> None:
    write_forms(tmp_path)
    with zipfile.ZipFile(tmp_path / "faces.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in files_in(tmp_path / "faces" / "test").items():
            archive.write(file, f"faces/{path}")
        archive.writestr("__MACOSX/faces/._test", b"what a Mac adds")
    scaling = {"scaling": {"scale": 1 / 16, "zero": None}}
    found = read_in_page(tmp_path, [Case("zip", {"faces.zip": tmp_path / "faces.zip"}, scaling)])["zip"]
    assert_same(found, read_in_python(tmp_path / "faces" / "test", Reading(scale=1 / 16)), "zip")
    assert found["sampleShape"] == [1, 8, 8]


#: What the page says in other words than the host tools.
OTHER_WORDS = {"sizes": "b/0.png is 4 x 5 pixels, .*stretched", "nothing": "nothing has no classes|no files"}


def test_bad_folders(tmp_path: Path) -> None:
    model = {**MODEL, "inputs": [{"name": "x", "dtype": "float32", "shape": [16]}]}
    chosen = {name: files for name, (files, _) in FOLDERS.items()}
    chosen["too-little-data"] = {"a/0.png": picture(GRAY), "b/1.png": png_that_claims(1000, 1000)}
    for name, files in chosen.items():
        write(tmp_path / name, files)
    cases = [
        Case(n, files_in(tmp_path / n), {"sampleShape": None if n == "too-little-data" else [16]}, model)
        for n in chosen
    ]
    found = read_in_page(tmp_path, cases)
    assert "cannot read too-little-data/b/1.png" in problem_of(found["too-little-data"], "too-little-data")
    for name, (_, wanted) in FOLDERS.items():
        words = OTHER_WORDS.get(name, wanted)
        assert re.search(words, problem_of(found[name], name)), (name, words, found[name])


@pytest.mark.parametrize("form", ["a/0.png", "a/0.jpg"])
def test_drawn_damage(tmp_path: Path, form: str) -> None:
    """A damaged picture is refused in one line with a hint, or read to the bits that the host tools read."""
    cases, good = [], SEEDS[form]
    for number, content in enumerate(drawn(form)):
        write(tmp_path / str(number), {form: content, form.replace("a/", "b/"): good[0]})
        cases.append(Case(str(number), files_in(tmp_path / str(number)), {"resize": True}))
    found, read = read_in_page(tmp_path, cases), 0
    for case in cases:
        if "error" in found[case.name]:
            problem_of(found[case.name], case.name)
            continue
        wanted = read_in_python(tmp_path / case.name, Reading(resize=True))
        assert_same(found[case.name], wanted, case.name)
        read += 1
    assert 0 < read < len(cases)
