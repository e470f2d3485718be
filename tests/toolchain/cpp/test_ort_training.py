"""onnxruntime's classes in C++: states equal the twin's, refusals are exceptions, and the example learns."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from bindings.digits import accuracy, check_export, digits_folder, images
from bindings.row import Missing, Row
from dist.same_state import sample

from amalgamate import ORT, write_amalgamation
from bindings import cpp, same_state
from gradmote import Session
from gradmote.formats import properties_trailer
from gradmote.training import CheckpointState
from runtime_sources import PROFILES
from support.objects import host_library, run

PYTHONS = {"text": 'a\nb\tc"\\ é 😀', "count": 1234567890123, "rate": 1.5, "huge": 1e300, "many digits": 2**70}
BUILDS = {
    "g++": ("g++",),
    "c++20": ("g++", "-std=c++20"),
    "clang": ("clang++-14",),
    "sanitized": ("g++", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
}


def twin_after(model: Path, steps: int) -> Session:
    """Return a session in Python after the steps of Checks.cpp; each applies one gradient, its mean and its sum."""
    session = Session(model.read_bytes(), "strict")
    for step in range(steps):
        session.train_step(*sample(step))
        session.optimizer_step()
        session.lazy_reset_grad()
    return session


@pytest.mark.parametrize("row", cpp.ROWS, ids=PROFILES)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


@pytest.mark.parametrize("build", BUILDS)
def test_what_a_program_gets_wrong_is_an_exception(build: str, tmp_path: Path) -> None:
    """Checks.cpp has wrong data, rates, files, and properties of all kinds."""
    stepping, accumulating = images(tmp_path)
    trailer = properties_trailer.pack(PYTHONS)
    (tmp_path / "python.gmck").write_bytes(Session(accumulating.read_bytes()).save() + trailer)
    try:
        program = cpp.compiled(cpp.PROGRAMS / "Checks.cpp", tmp_path, "strict", *BUILDS[build])
    except Missing as missing:
        pytest.skip(f"no {missing}")
    done = subprocess.run(
        [str(program), str(accumulating), str(stepping), str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "151 passed\n"
    check_export(tmp_path)
    state = twin_after(accumulating, 30).save()
    assert hashlib.sha256((tmp_path / "steps.gmck").read_bytes()).digest() == hashlib.sha256(state).digest()
    assert dict(CheckpointState.load_checkpoint(tmp_path / "again.gmck").properties) == PYTHONS
    ours = dict(CheckpointState.load_checkpoint(tmp_path / "properties.gmck").properties)
    assert ours["made by a long name"] == 'three words, "quotes" \\ \n \x01 größe 😀'
    assert (ours["samples"], ours["epoch"], ours["whole"]) == (-(2**63), "twelve", 3.0)
    assert isinstance(ours["whole"], float) and ours["a zero \0 byte"] == "a zero \0 byte"


def test_the_example_learns_digits(tmp_path: Path) -> None:
    """It has the headers of `scons amalgamate` alone."""
    folder = digits_folder(tmp_path, accumulate=True)
    headers = [folder / "gradmote.h", folder / "gradmote.c", folder / "gradmote.hpp"]
    (folder / "gradmote").mkdir()
    write_amalgamation([*headers, *(folder / "gradmote" / path.name for path in ORT)], [], None)
    program = folder / "train_digits"
    flags = ["-std=c++17", *cpp.WARNINGS, "-O0", f"-I{folder}", str(cpp.CPP / "examples" / "train_digits.cpp")]
    run(["g++", *flags, str(host_library("strict")), "-pthread", "-o", str(program)])
    done = subprocess.run([str(program), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94
    assert dict(CheckpointState.load_checkpoint(folder / "learned.gmck").properties) == {"made by": "train_digits"}
