"""Any bytes in any form are read, or refused in one line; memory and time stay bounded."""

from __future__ import annotations

import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradmote.data.check import problems
from gradmote.data.dataset import Dataset
from gradmote.data.expected import Expected, ExpectedTensor
from gradmote.data.reading import Reading
from gradmote.errors import DataError
from support.sample_files import npy, npz, picture, recording, table, write
from support.sampling import draws

ROOT = Path(__file__).resolve().parents[3]
X = np.arange(32, dtype=np.float32).reshape(8, 4)
Y = np.arange(8) % 2
PIXELS = np.arange(4, dtype=np.uint8).reshape(2, 2)
COLOURS = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)

#: The form's path -> good files of it.
SEEDS: dict[str, list[bytes]] = {
    "d.npz": [npz(x=X, y=Y), npz(x=X.astype(np.uint8), y=Y, scale=0.5), npz(x=X, y=np.array([*"ab"] * 4))],
    "d.npy": [npy(X), npy(X.astype(">f8"))],
    "d.csv": [table(X, Y.tolist(), [*"abcde"]).encode(), table(X, [*"uv"] * 4, (), ";").encode("utf-16")],
    "a/0.png": [picture(PIXELS), picture(COLOURS), picture(PIXELS.astype(np.uint16) * 200)],
    "a/0.jpg": [picture(PIXELS, "JPEG"), picture(COLOURS, "JPEG")],
    "a/0.wav": [recording(range(9), width=width, channels=1 + width % 2) for width in (1, 2, 3, 4)],
}
MODEL = Expected(
    "model", 2, (ExpectedTensor("x", "input", 0, "float32", (4,)), ExpectedTensor("y", "label", 0, "int32", (), 2)), {},
    ("step",),
)  # fmt: skip
SETTINGS = st.builds(
    Reading,
    resize=st.booleans(),
    header=st.sampled_from([None, True, False]),
    scale=st.sampled_from([None, 0.5]),
    length=st.sampled_from([None, 3]),
    expected=st.sampled_from([None, MODEL]),
)
#: The files that are drawn of each form: more of them each night.
DRAWS = draws("data_draws")
CHANGES = st.lists(st.tuples(st.integers(0, 2**16), st.binary(max_size=4)), max_size=4)


@st.composite
def damaged(draw: Callable[..., object], name: str) -> bytes:
    """Draw a file that was good, with other bytes here and there, with right checksums if it is a PNG, and cut."""
    content = bytearray(draw(st.sampled_from(SEEDS[name])))  # type: ignore[call-overload]
    for place, data in draw(CHANGES):  # type: ignore[attr-defined]
        place %= len(content)
        content[place : place + len(data)] = data
    if name.endswith(".png") and draw(st.booleans()):
        content = checksums_right(content)
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)  # type: ignore[misc]


def checksums_right(content: bytearray) -> bytearray:
    """A PNG whose chunks have the checksums of what is in them, so that a decoder looks at it."""
    at = 8
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if at + 12 + length > len(content):
            break
        content[at + 8 + length : at + 12 + length] = struct.pack(">I", zlib.crc32(content[at + 4 : at + 8 + length]))
        at += 12 + length
    return content


@pytest.mark.parametrize("name", SEEDS)
@given(data=st.data(), reading=SETTINGS)
@settings(max_examples=DRAWS, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes(tmp_path_factory, name, data, reading):
    """Either samples are read that belong together, or one line with a hint says why not."""
    content = data.draw(damaged(name) | st.binary(max_size=200))
    folder = tmp_path_factory.getbasetemp() / f"any-{name.replace('/', '-')}"
    write(folder, {name: content})
    path = folder / name if name.startswith("d.") else write(folder, {name.replace("a/", "b/"): SEEDS[name][0]})
    try:
        found = Dataset.read(path, reading=reading)
    except DataError as error:
        assert error.message and error.hint and "\n" not in str(error)
        return
    assert len(found.x) > 0 and (found.y is None or len(found.y) == len(found.x))
    with np.errstate(all="ignore"):
        assert all("\n" not in str(problem) for problem in problems(found, MODEL))


# ---- Memory ----------------------------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
from pathlib import Path
from gradmote.data.dataset import Dataset
from gradmote.errors import DataError
for path in sys.argv[1:]:
    try:
        Dataset.read(Path(path))
        print("read", path)
    except DataError as error:
        print("refused", error.message)
"""


def claims(dtype: str, shape: str) -> bytes:
    """An .npy that claims an array of that shape."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def wav_that_claims(size: int) -> bytes:
    content = bytearray(recording(range(9)))
    content[40:44] = struct.pack("<I", size)
    return bytes(content)


def test_files_that_lie_are_refused_in_little_memory(tmp_path):
    from support.sample_files import png_that_claims

    write(tmp_path, {
        "terabytes.npy": claims("<f8", "(1000000000000,)"),
        "axes.npy": claims("<f4", f"({2**31}, {2**31}, {2**31})"),
        "negative.npy": claims("<f4", "(-4, -4)"),
        "words.npy": claims("<U2147483647", "(4,)"),
        "quotes.csv": b'"' * (1 << 20),
        "one-line.csv": b"1," * (1 << 20) + b"\n",
        "names.csv": b"".join(b"%d,name-%d\n" % (i, i) for i in range(200_000)),
        "picture/a/0.png": png_that_claims(30_000, 30_000),
        "sound/a/0.wav": wav_that_claims(0xFFFFFFF0),
    })  # fmt: skip
    (tmp_path / "sparse.npy").write_bytes(claims("<f8", "(600000000,)"))
    (tmp_path / "sparse.csv").write_bytes(b"1,2\n")
    for name in ("sparse.npy", "sparse.csv"):
        with (tmp_path / name).open("r+b") as file:
            file.truncate(5_000_000_000)
    paths = sorted(tmp_path.iterdir())
    command = [sys.executable, "-c", LIMITED, *map(str, paths)]
    environment = {"PYTHONPATH": f"{ROOT / 'host_tools'}:{ROOT / 'bindings/python'}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    reported = done.stdout.splitlines()
    assert len(reported) == len(paths) and [line for line in reported if line.startswith("read")] == [
        f"read {tmp_path / 'names.csv'}"
    ]


def test_reading_takes_memory_in_proportion(tmp_path):
    """A table of a million numbers takes less than a hundred bytes for each."""
    rows = b"".join(b"%d,%d,%d,%d,1\n" % (i, i, i, i) for i in range(200_000))
    path = write(tmp_path, {"t.csv": rows}) / "t.csv"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(DataError):
        Dataset.read(path)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 100_000_000
