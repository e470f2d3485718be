"""The studio reads arrays, tables and recordings to the bits that the host tools read them to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from unit.data.digits_in_every_form import NAMES, write_forms

from gradmote.data.reading import Reading
from studio.data_cases import Case, assert_same, files_in, read_in_node, read_in_python
from support.oracle import values
from support.sample_files import npy, npz, recording, write

X = values(1, 9, 4)
LABELS = np.arange(9) % 3


def test_the_same_digits_in_every_form(tmp_path: Path) -> None:
    write_forms(tmp_path)
    wanted = read_in_python(tmp_path / "bytes.npz")
    sixteenth = {"scaling": {"scale": 1 / 16, "zero": None}}
    forms: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
        "bytes": (("bytes.npz",), {}),
        "float64": (("float64.npz",), {}),
        "pairs": (("x.npy", "y.npy", "x_test.npy", "y_test.npy"), {}),
        "tables": (("digits.csv", "test.csv"), {"label": "digit", **sixteenth}),
        "names": (("names.csv", "names-test.csv"), {"classes": NAMES, **sixteenth}),
    }
    cases = [Case(name, {n: tmp_path / n for n in names}, given) for name, (names, given) in forms.items()]
    found = read_in_node(tmp_path, cases)
    del wanted["sampleShape"]  # a table has rows of numbers
    for name in forms:
        assert_same(found[name], wanted, name)
    assert found["names"]["classes"] == NAMES and found["bytes"]["classes"] == [str(n) for n in range(10)]
    assert "0 = 'zero', 1 = 'one'" in " ".join(found["names"]["notes"])
    assert found["tables"]["columns"][-1] == "digit"


# ---- Tables ----------------------------------------------------------------------------------------------------------

TABLES: dict[str, bytes] = {
    "a header": b"a,b,y\n1,2,0\n3,4,1\n",
    "no header": b"1,2,0\n3,4,1\n",
    "columns that are counted": b"0,1,2,y\n5,6,7,0\n8,9,1,1\n",
    "a first row that is a sample of a class": b"0,1,cat\n5,6,dog\n8,9,cat\n",
    "carriage returns": b"a,b,y\r\n1,2,0\r\n3,4,1\r\n",
    "old carriage returns": b"a,b,y\r1,2,0\r3,4,1",
    "a byte order mark": b"\xef\xbb\xbfa,b,y\n1,2,0\n3,4,1\n",
    "UTF-16": "a,b,y\n1,2,µ\n3,4,é\n".encode("utf-16"),
    "UTF-16, the other way": b"\xfe\xff" + "a,b,y\n1,2,x\n3,4,z\n".encode("utf-16-be"),
    "semicolons": b"a;b;y\n1.5;2;0\n3;4;1\n",
    "decimal commas": b"1,5;2;0\n3;4;1\n",
    "tabs": b"a\tb\ty\n1\t2\t0\n3\t4\t1\n",
    "quotes": b'"a","b, with","y"\n"1","2","the ""first"""\n3,4,"second"\n',
    "a quote over lines": b'a,b,y\n1,2,"one\nclass"\n3,4,"another\r\nclass"\n',
    "a quote within": b'a,b,y\n1,2,5" disk\n3,4,8" disk\n',
    "what follows a quote": b'a,b,y\n"1"2,2,0\n3,4,1\n',
    "a quote that stays open": b'a,b,y\n1,2,"0\n3,4,1\n',
    "empty rows": b"\n\na,b,y\n\n1,2,0\n , ,\n3,4,1\n\n",
    "spaces": b" a , b , y \n 1 , 2 , 0 \n3 ,\t4, 1\n",
    "signs and exponents": b"+1e3,-.5,0\n1.,2E-3,1\n",
    "numbers that float32 rounds": b"0.1,16777217,0\n3.4028235e38,1e-46,1\n",
    "hexadecimal": b"0x10,2,0\n3,4,1\n",
    "targets": b"a,b,y\n1,2,0.5\n3,4,1.25\n",
    "large labels": b"1,2,2147483648\n3,4,1\n",
    "names that are numbered words": b"1,2,10a\n3,4,9a\n5,6,10a\n",
    "labels beyond ASCII": "1,2,ß\n3,4,ｚ\n5,6,𝔸\n".encode(),
    "no last line feed": b"a,b,y\n1,2,0\n3,4,1",
    "two labels": b"a,y0,y1\n1,2,0\n3,4.5,1\n",
    "an unknown column": b"a,b,y\n1,2,0\n",
    "a header that is said": b"1,2,y\n1,2,0\n3,4,1\n",
    "a zero byte": b"a,b,y\n1,2,x\x00\n3,4,z\n",
    "a long cell": b"a,b,y\n1,2," + b"c" * 131073 + b"\n3,4,z\n",
    "a longest cell": b"a,b,y\n1,2," + b"c" * 131072 + b"\n3,4,z\n",
    "a separator in Unicode": "1,2,a\u2028b\n3,4,c\x85d\n".encode(),
}
SETTINGS: dict[str, dict[str, object]] = {
    "two labels": {"label": "y0, y1"},
    "an unknown column": {"label": "z"},
    "a header that is said": {"header": True},
}


def test_tables(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.csv": text for number, text in enumerate(TABLES.values())})
    cases = [Case(n, {f"{i}.csv": tmp_path / f"{i}.csv"}, SETTINGS.get(n, {})) for i, n in enumerate(TABLES)]
    found = read_in_node(tmp_path, cases)
    for number, name in enumerate(TABLES):
        wanted = read_in_python(tmp_path / f"{number}.csv", Reading(**SETTINGS.get(name, {})))  # type: ignore[arg-type]
        assert_same(found[name], wanted, name)


def test_a_table_of_several_slices(tmp_path: Path) -> None:
    """Lines cross the ends of the parts in which a file is read, even within a character or a line's end."""
    names = [f"é{'ü' * (number % 7)}" for number in range(5)]
    rows = [f"{number}.{number % 10},{number % 97},{names[number % 5]}\r\n" for number in range(200_000)]
    write(tmp_path, {"long.csv": "a,b,y\r\n" + "".join(rows)})
    assert (tmp_path / "long.csv").stat().st_size > 3 << 20
    found = read_in_node(tmp_path, [Case("long", {"long.csv": tmp_path / "long.csv"})])
    assert_same(found["long"], read_in_python(tmp_path / "long.csv"), "long")


# ---- Arrays ----------------------------------------------------------------------------------------------------------

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")


def arrays() -> dict[str, np.ndarray]:
    """Arrays of every dtype, in both orders of bytes and of axes."""
    found = {}
    for dtype in DTYPES:
        for order in "<>":
            array = (values(2, 9, 3, 2) * 20).astype(np.int64 if "u" in dtype else dtype)
            array = (abs(array) if "u" in dtype else array).astype(np.dtype(dtype).newbyteorder(order))
            found[f"{order}{dtype}"] = array
            found[f"{order}{dtype}, columns first"] = np.asfortranarray(array)
    found["halves of every kind"] = finite_halves()
    return found


def finite_halves() -> np.ndarray:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    return halves[np.isfinite(halves)].reshape(-1, 8)


def test_arrays_of_every_dtype(tmp_path: Path) -> None:
    given = arrays()
    for number, array in enumerate(given.values()):
        write(tmp_path, {f"{number}.npz": npz(x=array, y=np.arange(len(array)) % 2)})
        np.savez_compressed(tmp_path / f"packed-{number}.npz", x=array, y=np.arange(len(array)) % 2)
    paths = {f"{form}{n}": tmp_path / f"{form}{i}.npz" for form in ("", "packed-") for i, n in enumerate(given)}
    found = read_in_node(tmp_path, [Case(name, {path.name: path}) for name, path in paths.items()])
    for name, path in paths.items():
        assert_same(found[name], read_in_python(path), name)
    assert any("x float64 taken as float32" in note for note in found[">f8"]["notes"])


ODD_ARRAYS: dict[str, bytes] = {
    "labels of text": npz(x=X, y=np.array([*"abc"] * 3)),
    "labels of bytes": npz(x=X, y=np.array([*"abc"] * 3, "S")),
    "labels of text, the other way": npz(x=X, y=np.array([*"abc"] * 3, ">U3")),
    "names that are numbers": npz(x=X, y=np.array([*"012"] * 3)),
    "bytes with a scale": npz(x=(X * 9 + 20).astype(np.uint8), y=LABELS, scale=np.float32(0.3), zero=7),
    "a scale of floats": npz(x=X, y=LABELS, scale=2.0),
    "two scales": npz(x=X.astype(np.uint8), y=LABELS, scale=np.ones(2)),
    "large whole numbers": npz(x=X, y=LABELS.astype(np.int64) + 2**31),
    "small whole numbers": npz(x=X, y=LABELS.astype(np.int64) - 2**31),
    "unsigned beyond": npz(x=X, y=LABELS.astype(np.uint64) + 2**63),
    "no axis": npz(x=np.float32(3), y=LABELS),
    "no samples": npz(x=X[:0], y=LABELS[:0]),
    "an empty axis": npz(x=np.zeros((9, 0), np.float32), y=LABELS),
    "targets": npz(x=X, y=X[:, :2]),
    "NaN": npz(x=np.where(X > 0.5, np.nan, X), y=LABELS),
    "infinity in float64": npz(x=np.where(X > 0.5, np.inf, X).astype(float), y=LABELS),
    "a test set": npz(x=X, y=LABELS, x_test=X[:3], y_test=LABELS[:3]),
    "half a test set": npz(x=X, y=LABELS, x_test=X[:3]),
    "complex": npz(x=X + 1j, y=LABELS),
    "objects": npz(x=np.array([{}] * 9), y=LABELS),
    "no labels": npz(x=X),
    "other names": npz(data=X, labels=LABELS),
}


def test_odd_arrays(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{number}.npz" for number, name in enumerate(ODD_ARRAYS)}
    write(tmp_path, {path.name: ODD_ARRAYS[name] for name, path in paths.items()})
    found = read_in_node(tmp_path, [Case(name, {path.name: path}) for name, path in paths.items()])
    for name, path in paths.items():
        assert_same(found[name], read_in_python(path), name)


def test_files_that_belong_together(tmp_path: Path) -> None:
    """Names say which file has the samples, the labels, and those to test on."""
    write(tmp_path, {
        "x.npy": npy(X), "y.npy": npy(LABELS), "images.npy": npy(X), "train-labels.npy": npy(LABELS),
        "labels.csv": "label\n" + "\n".join("abc"[label] for label in LABELS), "other.npy": npy(X),
    })  # fmt: skip
    groups = (("y.npy", "x.npy"), ("images.npy", "train-labels.npy"), ("x.npy", "labels.csv"), ("x.npy", "other.npy"))
    cases = [Case(" ".join(names), {name: tmp_path / name for name in names}) for names in groups]
    found = list(read_in_node(tmp_path, cases).values())
    for one, labels in zip(found, ("y.npy", "train-labels.npy", "labels.csv"), strict=False):
        assert_same(one, read_in_python(tmp_path / "x.npy", Reading(labels=tmp_path / labels)), labels)
    assert "x.npy, other.npy are given together" in found[3]["error"]["text"]


# ---- Recordings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_recordings(tmp_path: Path, width: int) -> None:
    most = 1 << (8 * width - 1)
    sound = (values(3, 2 * 50) * most / 8).astype(np.int64).clip(-most, most - 1).tolist()
    mono, stereo = recording(sound[:40], width=width), recording(sound, width=width, channels=2)
    for name, files in {"one": mono, "two": stereo}.items():
        write(tmp_path / name, {f"{label}/{number}.wav": files for label in "ab" for number in range(2)})
    write(tmp_path / "one", {"b/2.wav": recording(sound[:9], width=width)})
    lengths: dict[str, int | None] = {"one": 15, "two": None}
    found = read_in_node(tmp_path, [Case(n, files_in(tmp_path / n), {"length": v}) for n, v in lengths.items()])
    for name, length in lengths.items():
        assert_same(found[name], read_in_python(tmp_path / name, Reading(length=length)), name)
    assert "are shorter, and filled up with silence" in " ".join(found["one"]["notes"])
