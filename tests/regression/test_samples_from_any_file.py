"""`gradmote train --data` met .npy and CSV files with a traceback, float64 and int64 with misleading words."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradmote import cli, losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import Dataset, TwinTarget, fit
from gradmote.errors import DataError
from support.oracle import make_model, node, values
from support.sampling import at_most

ROWS, FEATURES, CLASSES = 12, 4, 3
X = values(1, ROWS, FEATURES).round(3)
Y = np.arange(ROWS) % CLASSES
LINEAR = make_model([node("MatMul", "x w", "y")], {"w": values(2, FEATURES, CLASSES)}, {"x": ("N", FEATURES)})
SCORE = make_model([node("MatMul", "x w", "y")], {"w": values(2, FEATURES, 1)}, {"x": ("N", FEATURES)})


def image(model=LINEAR, loss=None) -> bytes:
    return compile_model(model, loss or losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=4)).image


def learned(data: Dataset, compiled: bytes | None = None) -> str:
    """Return the digest of the state that the twin learns."""
    with TwinTarget() as twin:
        twin.load_image(compiled or image())
        fit(twin, data, epochs=2)
        return twin.session.state_sha256()


def csv_text(delimiter=",", header="a,b,c,d,label", x=X, y=Y) -> str:
    rows = [delimiter.join([*map(str, row), str(label)]) for row, label in zip(x.tolist(), y.tolist(), strict=True)]
    return "\n".join([header.replace(",", delimiter), *rows] if header else rows) + "\n"


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


EXPECTED = learned(Dataset(X, Y))


# ---- What is read ----------------------------------------------------------------------------------------------------

FILES = {
    "float64.npz": (npz(x=X.astype(np.float64), y=Y.astype(np.int64)), {}),
    "big-endian.npz": (npz(x=X.astype(">f4"), y=Y.astype(">i8")), {}),
    "x.npy": (npy(X.astype(np.float64)), {"labels": npy(Y)}),
    "with-labels-as-text.npy": (npy(X), {"labels": "\n".join(map(str, Y)).encode()}),
    "labels-of-floats.npz": (npz(x=X, y=Y.astype(np.float64)), {}),
    "header.csv": (csv_text().encode(), {}),
    "bare.csv": (csv_text(header="").encode(), {}),
    "semicolons.csv": (csv_text(";").encode(), {}),
    "tabs.tsv": (csv_text("\t").encode(), {}),
    "bom-and-windows.csv": (b"\xef\xbb\xbf" + csv_text().replace("\n", "\r\n").encode(), {}),
    "floats-as-labels.csv": (csv_text(y=Y.astype(float)).encode(), {}),
    "labels-apart.csv": ("\n".join(",".join(map(str, row)) for row in X.tolist()).encode(), {"labels": npy(Y)}),
}


@pytest.mark.parametrize("name", FILES)
def test_the_same_numbers_teach_the_same(tmp_path, name):
    path, (content, more) = tmp_path / name, FILES[name]
    path.write_bytes(content)
    labels = None
    if "labels" in more:
        labels = tmp_path / ("y.npy" if more["labels"].startswith(b"\x93") else "y.csv")
        labels.write_bytes(more["labels"])
    data = Dataset.read(path, labels)
    assert data.x.dtype == np.float32
    assert learned(data) == EXPECTED


def test_a_named_column(tmp_path):
    path = tmp_path / "first.csv"
    rows = [",".join(map(str, [label, *row])) for row, label in zip(X.tolist(), Y.tolist(), strict=True)]
    path.write_text("\n".join(["label,a,b,c,d", *rows]))
    assert learned(Dataset.read(path, label_column="label")) == EXPECTED
    with pytest.raises(DataError, match="no column called 'z'.*label, a, b, c, d"):
        Dataset.read(path, label_column="z")


def test_targets_that_happen_to_be_whole(tmp_path):
    """The model's loss says what labels are: 300 and -2 are targets of a regression as well as 0.5 is."""
    wanted = np.array([300, -2, 1, 4] * 3)
    path = tmp_path / "targets.csv"
    path.write_text(csv_text(y=wanted))
    compiled = image(SCORE, losses.mse())
    assert learned(Dataset.read(path), compiled) == learned(Dataset(X, wanted.astype(np.float32)), compiled)


def test_samples_of_whole_numbers(tmp_path):
    path = tmp_path / "counts.npz"
    np.savez(path, x=(X * 1000).astype(np.int64), y=Y)
    assert learned(Dataset.read(path)) == learned(Dataset((X * 1000).astype(np.int64).astype(np.float32), Y))


def test_command(tmp_path, capsys):
    (tmp_path / "m.mote").write_bytes(image())
    (tmp_path / "d.csv").write_text(csv_text())
    (tmp_path / "x.npy").write_bytes(npy(X))
    (tmp_path / "y.npy").write_bytes(npy(Y))
    train = ["train", str(tmp_path / "m.mote"), "--data"]
    assert cli.main([*train, str(tmp_path / "d.csv"), "--label-column", "label"]) == 0
    assert cli.main([*train, str(tmp_path / "x.npy"), "--labels", str(tmp_path / "y.npy")]) == 0
    assert cli.main([*train, str(tmp_path / "x.npy")]) == 1
    assert "the data has none" in capsys.readouterr().err


# ---- What is refused, in words ---------------------------------------------------------------------------------------

REFUSED = {
    "empty.npz": (b"", "is not an .npz, .npy or .csv"),
    "empty.csv": (b"", "has no samples"),
    "header-alone.csv": (b"a,b,y\n", "has no samples"),
    "magic.npy": (b"hello", "is not an .npz, .npy or .csv"),
    "picture.png": (b"\x89PNG\r\n", "is not an .npz, .npy or .csv"),
    "objects.npy": (npy(np.array([{}, print])), "cannot read"),
    "objects.npz": (npz(x=np.array([{}, []], object), y=Y), "cannot read"),
    "ragged.csv": (b"1,2,0\n1,2,3,0\n", "line 2 has 4 cells, the first one 3"),
    "nan.csv": (b"a,b,y\n1,2,0\nnan,2,1\n", "line 3, column a: 'nan' is not a finite float32 number"),
    "missing.csv": (b"1,2,0\n1,,1\n", "line 2, column 1: '' is not a finite float32 number"),
    "class-names.csv": (b"a,b,y\n1,2,cat\n", "column y: 'cat' is not a number.*number the classes"),
    "too-large.csv": (b"1,1e99,0\n", "'1e99' is not a finite float32 number"),
    "one-column.csv": (b"y\n1\n2\n", "has one column"),
    "binary.csv": (b"1,\xff\xfe,0\n", "cannot read"),
    "nul.csv": (b'1,"2\n', "cannot read"),
    "too-large.npz": (npz(x=X.astype(np.float64) * 1e300, y=Y), r"x\[0, 0\] is .*e\+.*, which float32 cannot hold"),
    "labels-of-64-bits.npz": (npz(x=X, y=Y + 2**40), r"y\[0\] is 1099511627776, which int32 cannot hold"),
    "scalar.npz": (npz(x=np.float32(3), y=Y), r"x has the shape \[\]"),
    "scalar-labels.npz": (npz(x=X, y=3), r"y has the shape \[\]"),
    "no-columns.npz": (npz(x=np.zeros((3, 0), np.float32), y=Y[:3]), r"x has the shape \[3, 0\]"),
    "words.npz": (npz(x=np.array(["a", "b"]), y=Y[:2]), "x is <U1.*store numbers"),
    "complex.npz": (npz(x=X + 1j, y=Y), "x is complex"),
    "records.npy": (npy(np.zeros(3, [("a", "f4")])), "x is .*store numbers"),
    "two-scales.npz": (npz(x=X, y=Y, scale=np.ones(2)), "scale has the shape"),
    "other-lengths.npz": (npz(x=X, y=Y[1:]), "12 samples and y 11"),
    "names.npz": (npz(data=X, labels=Y), "no array"),
    "further.npz": (npz(x=X, y=Y, mask=1.0), r"mask has the shape \[\]"),
    "not-arrays.npz": (b"", "readme.txt is .*store numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(tmp_path, capsys, name):
    path, (content, reported) = tmp_path / name, REFUSED[name]
    path.write_bytes(content)
    if name == "not-arrays.npz":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme.txt", "no arrays")
    with pytest.raises(DataError, match=reported):
        Dataset.read(path)
    (tmp_path / "m.mote").write_bytes(image())
    assert cli.main(["train", str(tmp_path / "m.mote"), "--data", str(path)]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_labels_that_are_no_classes():
    with pytest.raises(DataError, match=r"y\[5\] is 0.5, and 'labels' takes whole numbers"):
        learned(Dataset(X, np.where(np.arange(ROWS) == 5, 0.5, Y).astype(np.float32)))


# ---- Any file at all -------------------------------------------------------------------------------------------------

SEEDS = [npz(x=X, y=Y), npy(X), csv_text().encode(), csv_text(";", header="").encode()]
ODD = st.sampled_from(["", "nan", "1e999", '"'])
CELLS = st.one_of(st.floats(width=32).map(str), st.integers().map(str), st.text(max_size=5), ODD)
ROWS_OF_TEXT = st.lists(st.lists(CELLS, max_size=4).map(",".join), max_size=6)
TEXTS = ROWS_OF_TEXT.map(lambda rows: "\n".join(rows).encode("utf-8", "surrogatepass"))
CHANGES = st.lists(st.tuples(st.integers(0, 2**16), st.binary(max_size=3)), max_size=4)


@st.composite
def damaged(draw) -> bytes:
    """Draw a file that was good, with other bytes here and there, and cut."""
    content = bytearray(draw(st.sampled_from(SEEDS)))
    for place, data in draw(CHANGES):
        place %= len(content)
        content[place : place + len(data)] = data
    return bytes(content[: draw(st.integers(1, len(content)))])


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.mote"
    path.write_bytes(image())
    return path


@given(content=st.one_of(damaged(), TEXTS, st.binary(max_size=200)), ending=st.sampled_from(["npz", "npy", "csv"]))
@settings(max_examples=at_most(120), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_file_is_read_or_refused(compiled, content, ending):
    """A refusal is an exit status: an exception would come through main()."""
    path = compiled.with_name(f"data.{ending}")
    path.write_bytes(content)
    assert cli.main(["train", str(compiled), "--data", str(path), "--quiet"]) in (0, 1)
    assert cli.main(["train", str(compiled), "--data", str(path), "--labels", str(path), "--quiet"]) in (0, 1)


FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(st.lists(FINITE, min_size=3, max_size=3), min_size=1))
@settings(max_examples=at_most(50), suppress_health_check=list(HealthCheck))
def test_numbers_come_through_as_they_were_written(tmp_path, rows):
    array = np.array(rows, np.float32)
    path = tmp_path / "rows.csv"
    np.savetxt(path, array, fmt="%.9g", delimiter=",")
    data = Dataset.read(path)
    np.testing.assert_array_equal(np.column_stack([data.x, data.y.astype(np.float32)]), array)
