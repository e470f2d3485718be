"""Every form that samples come in gives the numbers that were written."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradmote.data.dataset import Dataset
from gradmote.data.expected import Expected, ExpectedTensor
from gradmote.data.reading import Reading
from gradmote.errors import DataError
from support.sample_files import npy, npz, picture, recording, table, write
from support.sampling import at_most

X = np.arange(24, dtype=np.float32).reshape(6, 4) / 8
Y = np.array([0, 1, 2] * 2)
WORDS = ["bird", "cat", "dog"] * 2


def expecting(*shape: int | None, name: str = "x", further: tuple[str, ...] = ()) -> Expected:
    """A model whose first input takes samples of this shape."""
    tensors = [ExpectedTensor(name, "input", 0, "float32", shape)]
    tensors += [ExpectedTensor(other, "input", 1 + i, "float32", (2,)) for i, other in enumerate(further)]
    return Expected("model", None, tuple(tensors), {})


# ---- Tables ----------------------------------------------------------------------------------------------------------

NAMES = ["a", "b", "c", "d", "y"]
TABLES: dict[str, bytes | str] = {
    "header": table(X, Y.tolist(), NAMES),
    "bare": table(X, Y.tolist()),
    "semicolons": table(X, Y.tolist(), NAMES, ";"),
    "tabs": table(X, Y.tolist(), NAMES, "\t"),
    "windows": table(X, Y.tolist(), NAMES).replace("\n", "\r\n"),
    "mark": b"\xef\xbb\xbf" + table(X, Y.tolist(), NAMES).encode(),
    "utf-16": table(X, Y.tolist(), NAMES).encode("utf-16"),
    "quotes": table(X, Y.tolist(), [f'"{name}"' for name in NAMES]).replace("0.125", '"0.125"'),
    "a comma in quotes": table(X, Y.tolist(), ['"a, b"', *NAMES[1:]]),
    "spaces and empty lines": "\n" + table(X, Y.tolist(), NAMES).replace(",", " , ").replace("\n", "\n\n"),
    "names": table(X, WORDS, NAMES),
    "names without a header": table(X, WORDS),
    "names under numbers": table(X, WORDS, ["0", "1", "2", "3", "kind"]),
    "columns counted": table(X, Y.tolist(), ["1", "2", "3", "4", "kind"]),
    "floats": table(X, [float(y) for y in Y], NAMES),
    "no end of line": table(X, Y.tolist(), NAMES).rstrip(),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table(tmp_path, name):
    data = Dataset.read(write(tmp_path, {"t.csv": TABLES[name]}) / "t.csv")
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.y, Y)
    assert data.x.dtype == np.float32 and data.y is not None and data.y.dtype == np.int32
    assert (data.classes == ("bird", "cat", "dog")) == ("names" in name)


def test_a_label_anywhere_and_several(tmp_path):
    write(tmp_path, {"t.csv": "y,a,b\n0,1,2\n1,3,4\n", "u.csv": "a,left,right\n1,0.5,2\n3,1.5,4\n"})
    first = Dataset.read(tmp_path / "t.csv", label_column="y")
    assert first.x.tolist() == [[1, 2], [3, 4]] and first.y.tolist() == [0, 1]
    several = Dataset.read(tmp_path / "u.csv", label_column="left,right")
    assert several.x.tolist() == [[1], [3]] and several.y.tolist() == [[0.5, 2], [1.5, 4]]


def test_columns_of_further_inputs(tmp_path):
    """Columns with the name of an input feed it, and all others the first one."""
    text = "a,mask.0,b,mask.1,y\n1,10,2,20,0\n3,30,4,40,1\n"
    data = Dataset.read(
        write(tmp_path, {"t.csv": text}) / "t.csv", reading=Reading(expected=expecting(2, further=("mask",)))
    )
    assert data.x.tolist() == [[1, 2], [3, 4]] and data.more["mask"].tolist() == [[10, 20], [30, 40]]


def test_a_header_that_was_asked_for(tmp_path):
    path = write(tmp_path, {"t.csv": "1,2,0\n3,4,1\n5,6,1\n"}) / "t.csv"
    assert len(Dataset.read(path).x) == 3 and len(Dataset.read(path, reading=Reading(header=True)).x) == 2
    words = write(tmp_path, {"y.csv": "cat\ndog\n", "x.npy": npy(X[:2])})
    data = Dataset.read(words / "x.npy", reading=Reading(labels=words / "y.csv", header=False))
    assert data.classes == ("cat", "dog")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1), min_size=2, max_size=9))
@settings(max_examples=at_most(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_are_classes(tmp_path, names):
    """Names are as csv writes them; a name that reads as a number is one, and spaces around it do not count."""
    import csv
    import re

    names = [name.strip() for name in names]
    words = [name for name in names if name and not re.match(r"[+-]?[\d.]|[+-]?(nan|inf)", name, re.IGNORECASE)]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["x", "y"], *([1.5, word] for word in words)])
    if len(set(words)) < 2:
        with pytest.raises(DataError):
            Dataset.read(tmp_path / "t.csv")
        return
    data = Dataset.read(tmp_path / "t.csv")
    assert data.classes == tuple(sorted(set(words))) and [data.classes[i] for i in data.y] == words


# ---- Arrays ----------------------------------------------------------------------------------------------------------

ARRAYS = {
    "fortran": npz(x=np.asfortranarray(X), y=Y),
    "big-endian": npz(x=X.astype(">f8"), y=Y.astype(">i4")),
    "half": npz(x=X.astype(np.float16), y=Y.astype(np.int16)),
    "names": npz(x=X, y=np.array(WORDS)),
    "names of bytes": npz(x=X, y=np.array(WORDS).astype("S")),
    "unsigned": npz(x=X, y=Y.astype(np.uint64)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(tmp_path, name):
    data = Dataset.read(write(tmp_path, {"d.npz": ARRAYS[name]}) / "d.npz")
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.y, Y)


def test_a_line_says_what_was_converted(tmp_path):
    path = write(tmp_path, {"d.npz": npz(x=X.astype(np.float64), y=Y.astype(np.int64))}) / "d.npz"
    assert Dataset.read(path).converted == ("d.npz: x float64 taken as float32, y int64 taken as int32",)
    path.write_bytes(npz(x=X, y=Y.astype(np.int32)))
    assert Dataset.read(path).converted == ()
    path.write_bytes(npz(x=X.astype(np.uint8), y=Y.astype(np.int32), scale=0.5))
    assert Dataset.read(path).converted == (
        "d.npz: x uint8 goes to the board as bytes, which stand for (byte - 0) * 0.5",
    )


def test_a_scale(tmp_path):
    """Bytes stay bytes, and all other numbers are scaled by the arithmetic of boards for bytes."""
    pixels = np.arange(24, dtype=np.uint8).reshape(6, 4)
    write(tmp_path, {"u.npz": npz(x=pixels, y=Y), "f.npz": npz(x=pixels.astype(np.float64), y=Y)})
    reading = Reading(scale=1 / 255, zero=3.0)
    as_bytes, as_floats = (Dataset.read(tmp_path / name, reading=reading) for name in ("u.npz", "f.npz"))
    assert as_bytes.x.dtype == np.uint8 and (as_bytes.scale, as_bytes.zero) == (1 / 255, 3.0)
    np.testing.assert_array_equal(as_bytes.widened(), as_floats.x)


# ---- Pictures --------------------------------------------------------------------------------------------------------

GRAY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOURS = np.stack([GRAY, 255 - GRAY, GRAY // 2], axis=-1)


def read_pictures(folder: Path, content: bytes, shape: tuple[int, ...] | None, **more: object) -> Dataset:
    write(folder, {f"{name}/0.png": content for name in "ab"})
    expected = None if shape is None else expecting(*shape)
    return Dataset.read(folder, reading=Reading(expected=expected, **more))


@pytest.mark.parametrize(
    ("shape", "pixels"),
    [
        (None, GRAY[np.newaxis]),
        ((1, 3, 4), GRAY[np.newaxis]),
        ((3, 4), GRAY[np.newaxis]),
        ((12,), GRAY[np.newaxis]),
        ((3, 4, 1), GRAY[..., np.newaxis]),
        ((3, 3, 4), np.stack([GRAY] * 3)),
        ((1, None, None), GRAY[np.newaxis]),
    ],
)
def test_gray_pictures(tmp_path, shape, pixels):
    data = read_pictures(tmp_path, picture(GRAY), shape)
    assert data.x.dtype == np.uint8 and data.scale == 1 / 255 and data.y.tolist() == [0, 1]
    np.testing.assert_array_equal(data.x, [pixels, pixels])


@pytest.mark.parametrize(
    ("shape", "pixels"),
    [(None, COLOURS.transpose(2, 0, 1)), ((3, 3, 4), COLOURS.transpose(2, 0, 1)), ((36,), COLOURS.transpose(2, 0, 1))],
)
def test_pictures_of_colours(tmp_path, shape, pixels):
    data = read_pictures(tmp_path, picture(COLOURS), shape)
    np.testing.assert_array_equal(data.x, [pixels, pixels])
    reported = read_pictures(tmp_path / "as-gray", picture(COLOURS), (1, 3, 4)).notes
    assert "2 of 2 pictures are turned gray (1x3x4)" in reported[0]


def test_pictures_are_resized_where_that_is_asked(tmp_path):
    data = read_pictures(tmp_path, picture(np.full((9, 5), 77, np.uint8)), (1, 3, 4), resize=True)
    np.testing.assert_array_equal(data.x, np.full((2, 1, 3, 4), 77))
    assert "2 of 2 pictures are resized (1x3x4)" in data.notes[0]
    with pytest.raises(DataError, match="0.png is 5 x 9 pixels"):
        read_pictures(tmp_path, picture(np.full((9, 5), 77, np.uint8)), (1, 3, 4))
    assert read_pictures(tmp_path, picture(GRAY), (16,), resize=True).x.shape == (2, 1, 4, 4)
    assert read_pictures(tmp_path, picture(GRAY), (1, 3, 4), scale=1.0).widened().max() == GRAY.max()


@pytest.mark.parametrize("kind", ["sixteen bits", "palette", "one bit", "opaque", "jpeg", "turned"])
def test_pictures_of_other_kinds(tmp_path, kind):
    from PIL import Image

    flat = np.full((4, 4), 255, np.uint8)
    files = {
        "sixteen bits": picture(flat.astype(np.uint16) * 257),
        "opaque": picture(np.dstack([flat] * 4)),
        "jpeg": picture(flat, "JPEG"),
        "turned": picture(flat, "JPEG", exif=turned()),
    }
    folder = write(tmp_path, {"a/0.png": picture(flat), "b/0.png": files.get(kind, b"")})
    if kind in ("palette", "one bit"):
        Image.fromarray(flat).convert("P" if kind == "palette" else "1").save(folder / "b/0.png")
    data = Dataset.read(folder, reading=Reading(expected=expecting(1, 4, 4)))
    np.testing.assert_array_equal(data.x[1], data.x[0])


def turned() -> bytes:
    """A note of a camera that was held upright."""
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    return exif.tobytes()


@pytest.mark.parametrize("test", ["test", "Validation"])
def test_a_folder_with_a_part_to_test_on(tmp_path, test):
    files = {f"{part}/{name}/0.png": picture(GRAY) for part in ("train", test) for name in "ab"}
    data = Dataset.read(write(tmp_path, {**files, "train/a/notes.txt": "x", ".hidden/0.png": b""}))
    assert data.x.shape == data.x_test.shape == (2, 1, 3, 4) and data.y_test.tolist() == [0, 1]
    assert any("1 entries are left out" in note for note in data.notes)


def test_folders_of_numbers_are_the_numbers_of_classes(tmp_path):
    data = Dataset.read(write(tmp_path, {f"{number}/0.png": picture(GRAY) for number in (2, 10, 7)}))
    assert sorted(data.y.tolist()) == [2, 7, 10] and data.classes is None


# ---- Recordings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_recordings_of_every_width(tmp_path, width):
    top = 2 ** (8 * width - 1)
    samples = [-top, -1, 0, 1, top // 2, top - 1]
    data = Dataset.read(write(tmp_path, {f"{name}/0.wav": recording(samples, width=width) for name in "ab"}))
    np.testing.assert_array_equal(data.x, np.array([samples, samples], np.float32) / np.float32(top))


def test_the_extensible_format_of_24_bits(tmp_path):
    """Many programs write this format for more than 16 bits."""
    plain = recording([-5, 0, 5, 2**22], width=3)
    header = b"fmt " + struct.pack("<I", 40) + b"\xfe\xff" + plain[22:36]
    long = header + struct.pack("<HHI", 22, 24, 4) + plain[20:22] + bytes.fromhex("000000001000800000aa00389b71")
    extensible = b"RIFF" + struct.pack("<I", 4 + len(long) + len(plain) - 36) + b"WAVE" + long + plain[36:]
    data = Dataset.read(write(tmp_path, {"a/0.wav": plain, "b/0.wav": extensible}))
    np.testing.assert_array_equal(data.x[0], data.x[1])


def test_recordings_are_cut_into_pieces(tmp_path):
    files = {
        "a/0.wav": recording(range(10)),
        "a/1.wav": recording([7, 8]),
        "b/0.wav": recording([1, 3, 5, 7], channels=2),
    }
    data = Dataset.read(write(tmp_path, files), reading=Reading(expected=expecting(1, 4)))
    assert (data.x * 2**15).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [7, 8, 0, 0], [2, 6, 0, 0]]
    assert data.y.tolist() == [0, 0, 0, 1] and data.place("x", (2, 0)).endswith("a/1.wav")
    reported = " ".join(data.notes)
    for words in ("8,000 Hz", "1 recordings are mixed", "2 recordings are shorter", "1 recordings have a rest"):
        assert words in reported


def test_features_are_not_made_of_recordings(tmp_path):
    write(tmp_path, {f"{name}/0.wav": recording(range(10)) for name in "ab"})
    with pytest.raises(DataError, match="takes samples of 1x49x10, and a recording is one row"):
        Dataset.read(tmp_path, reading=Reading(expected=expecting(1, 49, 10)))
    write(tmp_path, {"b/1.wav": recording(range(9))})
    with pytest.raises(DataError, match="b/1.wav has 9 samples, and .*a/0.wav 10.*--length"):
        Dataset.read(tmp_path)
