"""Each kind of bad data ends in one line that names the file, the row or the sample, before anything is trained."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradmote import cli, losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.data.dataset import Dataset
from gradmote.errors import DataError
from support.oracle import make_model, node, values
from support.sample_files import npy, npz, picture, png_that_claims, recording, table, write

ROOT = Path(__file__).resolve().parents[3]
ROWS, FEATURES, CLASSES = 24, 16, 3
X = values(1, ROWS, FEATURES).round(3)
Y = np.arange(ROWS) % CLASSES
NAMES = [*(f"p{i}" for i in range(FEATURES)), "label"]
GRAY = np.arange(16, dtype=np.uint8).reshape(4, 4)
NOISE = np.random.default_rng(0).integers(0, 256, (40, 40), np.uint8)


def model(features: int = FEATURES):
    weights = {"w": values(2, features, CLASSES)}
    return make_model([node("MatMul", "x w", "y")], weights, {"x": ("N", features)})


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.mote"
    options = Options(batch=4)
    path.write_bytes(compile_model(model(), losses.cross_entropy(), optimizers.sgd(0.1), options).image)
    return path


def changed(array: np.ndarray, index: object, value: object) -> np.ndarray:
    found = array.copy()
    found[index] = value
    return found


def in_line(number: int, cell: int, text: str) -> str:
    """A table whose cell on that line, the header being line 1, is something else."""
    lines = table(X, Y.tolist(), NAMES).split("\n")
    cells = lines[number - 1].split(",")
    cells[cell] = text
    lines[number - 1] = ",".join(cells)
    return "\n".join(lines)


def bomb(path: Path) -> None:
    """An archive of a megabyte that holds a gigabyte of zeros."""
    header = npy(np.zeros(0, np.float32))[:128].replace(b"(0,)", b"(268435456,)").ljust(128, b" ")
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as member,
    ):
        member.write(header)
        for _ in range(64):
            member.write(bytes(16 << 20))


def pictures(**changes: bytes) -> dict[str, bytes | str]:
    """A folder of three classes with two pictures each, and what is changed in it: a__0 is a/0.png."""
    found = {f"{name}/{number}.png": picture(GRAY) for name in "abc" for number in range(2)}
    return {**found, **{f"{name.replace('__', '/')}.png": content for name, content in changes.items()}}


def sounds(**changes: bytes) -> dict[str, bytes | str]:
    found = {f"{name}/{number}.wav": recording(range(FEATURES)) for name in "abc" for number in range(2)}
    return {**found, **{f"{name.replace('__', '/')}.wav": content for name, content in changes.items()}}


NPZ = npz(x=X, y=Y)
WAV = recording(range(FEATURES))

#: The file's name -> its content, and what is said.
FILES: dict[str, tuple[bytes | str, str]] = {
    "empty.npz": (b"", "empty.npz: it is not an .npz"),
    "empty.csv": (b"", "empty.csv has no samples"),
    "empty.npy": (b"\x93NUMPY", "cannot read .*empty.npy"),
    "cut.npz": (NPZ[:400], "cannot read .*cut.npz"),
    "cut.npy": (npy(X)[:-8], "cannot read .*cut.npy.*claims an array"),
    "claims.npy": (npy(X).replace(b"(24, 16)", b"(9999999999, 16)"), "cannot read .*claims.npy"),
    "flipped.npz": (NPZ[:300] + b"\xff" + NPZ[301:], "cannot read .*flipped.npz"),
    "pickled.npy": (npy(np.array([{}, print], object)), "cannot read .*pickled.npy"),
    "pickled.npz": (npz(x=np.array([{}, print], object), y=Y), "cannot read .*pickled.npz"),
    "text.npz": ("x,y\n1,2\n", "text.npz: it is not an .npz"),
    "words.npz": (npz(x=np.array(["a", "b"]), y=Y[:2]), "x is <U1"),
    "names.npz": (npz(data=X, labels=Y), r"names.npz: it has no array \['x', 'y'\]"),
    "no-labels.npz": (npz(x=X), "the model takes labels 'labels', and the data has none"),
    "counts.npz": (npz(x=X, y=Y[1:]), "counts.npz: x has 24 samples and y 23"),
    "test-counts.npz": (npz(x=X, y=Y, x_test=X, y_test=Y[:3]), "x_test has 24 samples and y_test 3"),
    "half-a-test.npz": (npz(x=X, y=Y, x_test=X), "only one of x_test and y_test"),
    "none.npz": (npz(x=X[:0], y=Y[:0]), "none.npz: x has 0 samples"),
    "few.npz": (npz(x=X[:3], y=Y[:3]), "3 samples do not fill a batch of 4"),
    "features.npz": (npz(x=X[:, :9], y=Y), "a sample of x has 9 values, 'x' takes 16"),
    "test-features.npz": (npz(x=X, y=Y, x_test=X[:, :9], y_test=Y), "a sample of x_test has 9 values"),
    "scalar.npz": (npz(x=np.float32(1), y=Y), r"scalar.npz: x has the shape \[\]"),
    "too-many.npz": (npz(x=X, y=changed(Y, 17, CLASSES)), r"y\[17\] is 3: labels must be in 0 .. 2"),
    "negative.npz": (npz(x=X, y=changed(Y, 5, -1)), r"y\[5\] is -1: labels must be in 0 .. 2"),
    "from-1.npz": (npz(x=X, y=Y + 1), r"y\[2\] is 3, y\[5\] is 3, y\[8\] is 3, and 5 more: labels must be in 0 .. 2"),
    "test-label.npz": (npz(x=X, y=Y, x_test=X, y_test=changed(Y, 3, 9)), r"y_test\[3\] is 9"),
    "halves.npz": (npz(x=X, y=changed(Y.astype(float), 5, 0.5)), r"y\[5\] is 0.5, and 'labels' takes whole numbers"),
    "nan-label.npz": (npz(x=X, y=changed(Y.astype(float), 5, np.nan)), r"y\[5\] is nan"),
    "one-hot.npz": (npz(x=X, y=np.eye(CLASSES)[Y]), "a sample of y has 3 values.*argmax"),
    "huge-int.npz": (npz(x=changed(X.astype(np.int64), (17, 3), 2**40), y=Y), r"x\[17, 3\] is 1099511627776"),
    "huge-float.npz": (npz(x=changed(X.astype(float), (17, 3), 1e300), y=Y), r"x\[17, 3\] is 1e\+300"),
    "complex.npz": (npz(x=X + 1j, y=Y), "x is complex"),
    "dates.npz": (npz(x=np.zeros((4, 16), "M8[s]"), y=Y[:4]), "x is datetime64"),
    "records.npy": (npy(np.zeros(3, [("a", "f4")])), "x is "),
    "unnamed-class.npz": (npz(x=X, y=np.array(["only"] * ROWS)), "'only' is not a number, and it is the only class"),
    "header-alone.csv": ("a,b,y\n", "header-alone.csv has no samples"),
    "ragged.csv": (in_line(8, 3, "1,2"), "ragged.csv, line 8 has 18 cells"),
    "short.csv": (table(X, Y.tolist(), NAMES) + "1,2\n", "short.csv, line 26 has 2 cells"),
    "word.csv": (in_line(8, 3, "high"), "word.csv, line 8, column p3: 'high' is not a finite float32"),
    "missing.csv": (in_line(8, 3, ""), "missing.csv, line 8, column p3: '' is not a finite float32"),
    "nan.csv": (in_line(18, 3, "nan"), "nan.csv, line 18, column p3: 'nan' is not a finite float32"),
    "inf.csv": (in_line(18, 3, "-inf"), "inf.csv, line 18, column p3: '-inf' is not a finite float32"),
    "digits.csv": (in_line(8, 3, "1_0"), "digits.csv, line 8, column p3: '1_0' is not a finite float32"),
    "arabic.csv": (in_line(8, 3, "٣"), "arabic.csv, line 8, column p3: '٣' is not a finite float32"),
    "beyond.csv": (in_line(8, 3, "9" * 400), "beyond.csv, line 8, column p3: '9+...' is not a finite float32"),
    "comma.csv": (table(X, Y.tolist(), (), ";").replace(".", ","), "comma.csv, line 1, column 0: .*write a decimal"),
    "comma-labels.csv": (table(X, ["0,5"] * ROWS, NAMES, ";"), "line 2, column label: '0,5' is not a finite float32"),
    "no-label.csv": (in_line(8, FEATURES, ""), "no-label.csv, line 8, column label is empty"),
    "mixed-labels.csv": (in_line(8, FEATURES, "cat"), "mixed-labels.csv, line 8, column label: 'cat' is not a"),
    "label.csv": (in_line(8, FEATURES, "7"), "label.csv, line 8, column label is 7: labels must be in 0 .. 2"),
    "half.csv": (in_line(8, FEATURES, "0.5"), "half.csv, line 8, column label is 0.5, and 'labels' takes whole"),
    "too-many-names.csv": (table(X, [*"abcd"] * 6, NAMES), "line 5, column label is 'd', and 5 more: .*a, b, c, d"),
    "one-name.csv": (table(X, ["a"] * ROWS, NAMES), "line 2, column label: 'a' is not a number, and it is the only"),
    "twice.csv": (table(X, Y.tolist(), ["p1", *NAMES[1:]]), "twice.csv, line 1: columns 1 and 2 are both called 'p1'"),
    "quote.csv": (in_line(8, 3, '"1'), "cannot read .*quote.csv, line 2"),
    "latin-1.csv": (in_line(20, 3, "µ").encode("latin-1"), "cannot read .*latin-1.csv"),
    "binary.csv": (bytes(range(256)), "binary.csv"),
    "features.csv": (table(X[:, :9], Y.tolist()), "a sample of x has 9 values, 'x' takes 16"),
    "one-column.csv": ("1\n2\n", "one-column.csv has one column"),
    "picture.png": (picture(GRAY), "picture.png: it is not an .npz"),
}  # fmt: skip

#: The folder's name -> its files, and what is said.
FOLDERS: dict[str, tuple[dict[str, bytes | str], str]] = {
    "no-classes": ({"a.png": picture(GRAY)}, "a.png is not in the folder of a class"),
    "nothing": ({".hidden": b""}, "nothing has no classes"),
    "empty-class": ({**pictures(), "d/.keep": b""}, "class 'd' has no PNG, JPEG or WAV file"),
    "one-class": ({"a/0.png": picture(GRAY)}, "a/0.png: 'a' is not a number, and it is the only"),
    "four-classes": (pictures(d__0=picture(GRAY)), "d/0.png is 'd': .*classes a, b, c, d, and the model has only 3"),
    "loose": ({**pictures(), "x.png": picture(GRAY)}, "x.png is not in the folder of a class"),
    "nested": ({**pictures(), "a/more/0.png": picture(GRAY)}, "a/more is a folder inside a class"),
    "mixed": ({**pictures(), "c/2.wav": WAV}, "c/2.wav is a recording"),
    "sizes": (pictures(b__0=picture(np.zeros((5, 4), np.uint8))), "b/0.png is 4 x 5 pixels, .*--resize"),
    "wrong-size": ({f"{c}/0.png": picture(np.zeros((5, 5), np.uint8)) for c in "abc"}, "a/0.png has 5 x 5 pixels"),
    "cut-png": (pictures(b__1=picture(NOISE)[:900]), "cannot read .*b/1.png"),
    "corrupt-png": (pictures(b__1=picture(GRAY)[:45] + b"\0" * 9 + picture(GRAY)[54:]), "cannot read .*b/1.png"),
    "text-as-png": (pictures(b__1=b"hello"), "cannot read .*b/1.png"),
    "empty-png": (pictures(b__1=b""), "cannot read .*b/1.png"),
    "gif-as-png": (pictures(b__1=picture(GRAY, "GIF")), "cannot read .*b/1.png"),
    "huge-png": (pictures(b__1=png_that_claims(60_000, 60_000)), "cannot read .*b/1.png"),
    "large-png": (pictures(b__1=png_that_claims(9_000, 9_000)), "b/1.png .*claims 9,000 x 9,000 pixels"),
    "transparent": (pictures(b__1=picture(np.zeros((4, 4, 4), np.uint8))), "b/1.png .parts of it are transparent"),
    "not-riff": (sounds(b__1=b"not a recording at all, and long enough"), "cannot read .*b/1.wav"),
    "cut-wav": (sounds(b__1=WAV[:-10]), "b/1.wav is cut off: it claims 16 samples and has 11"),
    "cut-header": (sounds(b__1=WAV[:20]), "cannot read .*b/1.wav"),
    "no-sound": (sounds(b__1=recording([])), "b/1.wav has no sound"),
    "rates": (sounds(b__1=recording(range(16), rate=16000)), "b/1.wav has 16,000 Hz, and 8,000 Hz is that of"),
    "float-wav": (sounds(b__1=WAV.replace(b"\1\0\1\0", b"\3\0\1\0")), "cannot read .*b/1.wav"),
    "empty-wav": (sounds(b__1=b""), "cannot read .*b/1.wav"),
    "one-part": ({"train/a/0.png": picture(GRAY), "test/b/0.png": picture(GRAY)}, "only class"),
    "other-classes": ({**{f"train/{n}": c for n, c in pictures().items()}, "test/d/0.png": picture(GRAY)},
                      "test/d/0.png: 'd' is none of the classes a, b, c"),
}  # fmt: skip


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The words of a command that ends with status 1: one line of what is wrong, and one of what to do."""
    assert cli.main([*map(str, arguments)]) == 1
    said = capsys.readouterr()
    lines = said.err.strip().splitlines()
    problem = [line for line in lines if line.startswith("error: ")]
    hints = [line for line in lines if line.startswith(" hint: ")]
    assert len(problem) == len(hints) == 1 and lines[-2:] == [problem[0], hints[0]], said.err
    assert len(problem[0]) < 400 and not said.out.startswith("Traceback")
    return problem[0] + hints[0]


def check(capsys: pytest.CaptureFixture[str], image: Path, path: Path, message: str, *more: object) -> None:
    import re

    said = refusal(capsys, "train", image, "--data", path, "--on", "nowhere:at-all", *more)
    assert re.search(message, said), said
    assert re.search(message, refusal(capsys, "data", path, "--model", image, *more))


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file(tmp_path, capsys, image, name):
    content, message = FILES[name]
    check(capsys, image, write(tmp_path, {name: content}) / name, message)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_bad_folder(tmp_path, capsys, image, name):
    files, message = FOLDERS[name]
    check(capsys, image, write(tmp_path / name, files), message)


# ---- What takes more than a file -------------------------------------------------------------------------------------


def test_a_bomb(tmp_path, capsys, image):
    bomb(tmp_path / "bomb.npz")
    assert (tmp_path / "bomb.npz").stat().st_size < 2 << 20
    check(capsys, image, tmp_path / "bomb.npz", "bomb.npz claims 1,073,741,9.. bytes of samples")


def test_two_arrays_of_one_name(tmp_path, capsys, image):
    with zipfile.ZipFile(tmp_path / "two.npz", "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("x.npy", npy(X))
        archive.writestr("x.npy", npy(X))
    check(capsys, image, tmp_path / "two.npz", "two.npz has 2 arrays called 'x.npy'")


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "data.csv")
    return folder / "data.csv"


def loop(folder: Path) -> Path:
    write(folder, pictures())
    (folder / "d").symlink_to(folder / "d")
    return folder


def loop_of_folders(folder: Path) -> Path:
    write(folder, pictures())
    (folder / "d").symlink_to(folder)
    return folder


def broken_link(folder: Path) -> Path:
    write(folder, pictures())
    (folder / "a" / "2.png").symlink_to(folder / "gone.png")
    return folder


ODD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a pipe": (fifo, "data.csv: it is not a regular file"),
    "a device": (lambda folder: Path("/dev/zero"), "/dev/zero: it is not a regular file"),
    "a link to itself": (loop, "d is not in the folder of a class"),
    "a link to the folder above": (loop_of_folders, "class 'd' has no PNG"),
    "a broken link": (broken_link, "a/2.png .*No such file"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_plain_file(tmp_path, capsys, image, kind):
    make, message = ODD[kind]
    check(capsys, image, make(tmp_path), message)


def test_what_may_not_be_read(tmp_path):
    paths = [write(tmp_path, {"data.npz": NPZ, **pictures()}) / name for name in ("data.npz", "a")]
    for path in paths:
        path.chmod(0)
    user = os.geteuid()
    try:
        os.seteuid(65534 if user == 0 else user)  # the superuser reads every file
        for path in (paths[0], tmp_path):
            with pytest.raises(DataError, match="cannot read .*denied"):
                Dataset.read(path)
    finally:
        os.seteuid(user)


MORE: dict[str, tuple[dict[str, bytes | str], list[str], str]] = {
    "no such column": ({"t.csv": table(X, Y.tolist(), NAMES)}, ["t.csv", "--label", "z"],
                       "t.csv has no column called 'z'"),
    "a column of an npz": ({"d.npz": NPZ}, ["d.npz", "--label", "y"], "a column of labels goes with a .csv"),
    "labels twice": ({"d.npz": NPZ, "y.npy": npy(Y)}, ["d.npz", "--labels", "y.npy"], "d.npz has labels, and .*y.npy"),
    "labels too few": ({"x.npy": npy(X), "y.csv": "1\n2\n"}, ["x.npy", "--labels", "y.csv"],
                       "x.npy: x has 24 samples and y 2"),
    "label in a file": ({"x.npy": npy(X), "y.csv": "\n".join(map(str, changed(Y, 7, 8)))},
                        ["x.npy", "--labels", "y.csv"],
                        "y.csv, line 8, column 0 is 8"),
    "labels without y": ({"x.npy": npy(X), "y.npz": npz(z=Y)}, ["x.npy", "--labels", "y.npz"], "y.npz has no array y"),
    "an unknown name": ({"t.csv": table(X, [*"abc"] * 8, NAMES)}, ["t.csv", "--classes", "a,b"],
                        "t.csv, line 4, column label: 'c' is none of the classes a, b"),
    "a test of other names": ({"t.csv": table(X, [*"abc"] * 8, NAMES), "u.csv": table(X, [*"abd"] * 8, NAMES)},
                              ["t.csv", "--test", "u.csv"], "u.csv, line 4, column label: 'd' is none of the classes"),
    "a test beside a test": ({"d.npz": npz(x=X, y=Y, x_test=X, y_test=Y)}, ["d.npz", "--test", "d.npz"], "x_test too"),
    "labels of no test": ({"d.npz": NPZ, "y.npy": npy(Y)}, ["d.npz", "--test-labels", "y.npy"],
                          "y.npy are labels without"),
    "another rate": (sounds(), [".", "--sample-rate", "16000"], "a/0.wav has 8,000 Hz, and 16,000 Hz was asked for"),
    "another length": (sounds(), [".", "--length", "5"], "a sample of x has 5 values, 'x' takes 16"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MORE)
def test_options_that_do_not_fit(tmp_path, capsys, monkeypatch, image, kind):
    files, (data, *more), message = MORE[kind]
    monkeypatch.chdir(write(tmp_path, files))
    check(capsys, image, Path(data), message, *more)


def test_there_are_enough_kinds():
    assert len(FILES) + len(FOLDERS) + len(ODD) + len(MORE) >= 90


def test_numbers_that_are_not_finite_are_named(tmp_path, capsys, image):
    """Steps on such samples are skipped, and the others train."""
    x = changed(changed(X, (17, 3), np.nan), (20, 0), np.inf)
    path = write(tmp_path, {"d.npz": npz(x=x, y=Y)}) / "d.npz"
    for command in (["train", image, "--data", path], ["data", path]):
        assert cli.main([*map(str, command)]) == 0
        assert "warning: x[17, 3] is nan, and 1 more samples are not finite" in capsys.readouterr().err


def test_a_name_cannot_write_on_the_terminal(tmp_path, capsys, image):
    text = table(X, ["a\x1b[2J", "b\nc", '"d'] * 8, NAMES, delimiter="\t").replace('"', "").replace("b\nc", '"b\nc"')
    path = write(tmp_path, {"d.tsv": text}) / "d.tsv"
    assert cli.main(["data", str(path), "--model", str(image)]) == 0
    said = capsys.readouterr()
    assert "\x1b[2J" not in said.out + said.err and "b\\nc" in said.err


def test_no_traceback_without_pillow(tmp_path, image):
    write(tmp_path / "faces", pictures())
    hide = "import sys; sys.modules['PIL'] = None; from gradmote import cli; sys.exit(cli.main(sys.argv[1:]))"
    command = [sys.executable, "-c", hide, "data", tmp_path / "faces"]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'host_tools'}:{ROOT / 'bindings/python'}"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr == ("error: pictures need Pillow, which is not installed\n hint: pip install pillow\n")
