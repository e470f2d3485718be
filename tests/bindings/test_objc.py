"""The classes for Objective-C: states equal the twin's, refusals are an NSError, and the example learns."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from objective_c import COMPILER, foundation, missing

from bindings import same_state
from bindings.digits import accuracy, check_export, code_lines, digits_folder, images
from bindings.objc import OBJC, ROWS, run_program
from bindings.row import Row
from gradmote.formats.checkpoint import unpack
from runtime_sources import HANDLES, INCLUDES

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

#: What clang compiles for a runtime that counts references itself. GCC's header of another runtime is not for it.
COUNTED = ["-fobjc-arc", "-fobjc-runtime=gnustep-2.0"]
FOREIGN = "object->class_pointer"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.profile)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


@pytest.mark.parametrize("build", ["fused", "sanitized"])
def test_what_a_program_gets_wrong_is_an_error(build: str, tmp_path: Path) -> None:
    """Checks.m has wrong data, closed sessions, two threads, and onnxruntime's classes."""
    done = run_program(f"{build}/Checks", *map(str, images(tmp_path)), str(tmp_path))
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == "256 passed, 0 failed\n"
    check_export(tmp_path)
    numbers = {"epoch": 3, "best": 0.5, "device": 7, "a count under a long name": 2**40}
    assert unpack((tmp_path / "kept.gmck").read_bytes()).properties == {**numbers, "größe": 'said "5"'}


def test_the_example_learns_digits(tmp_path: Path) -> None:
    folder = digits_folder(tmp_path)
    done = run_program("fused/TrainDigits", str(folder))
    assert done.returncode == 0, done.stderr.decode()
    assert accuracy(done.stdout.decode()) > 0.94
    assert (folder / "learned.gmck").read_bytes()[:4] == b"GMCK"


def test_the_example_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "model.mote").write_bytes(bytes(1000))
    done = run_program("fused/TrainDigits", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.decode().startswith("open: ")
    assert len(done.stderr.decode().splitlines()) == 2


@pytest.mark.parametrize("source", sorted((OBJC / "src").glob("*.m")), ids=lambda path: path.stem)
def test_it_compiles_with_automatic_reference_counting(source: Path, tmp_path: Path) -> None:
    headers = [OBJC / "include", OBJC / "src", HANDLES, INCLUDES[0]]
    flags = [*foundation().compile_flags, *COUNTED, *(f"-I{path}" for path in headers)]
    text = subprocess.run([COMPILER, *flags, "-E", str(source)], capture_output=True, text=True, check=True).stdout
    whole = tmp_path / "whole.mi"
    whole.write_text(text.replace(FOREIGN, "(Class)0"))
    options = ["-x", "objective-c-cpp-output", *COUNTED, "-fblocks", "-fobjc-exceptions", "-fsyntax-only"]
    strings = "-fconstant-string-class=NSConstantString"
    checked = subprocess.run(
        [COMPILER, *options, strings, "-Wall", "-Werror", str(whole)], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("part", ["GM", "ORT"])
def test_it_is_small(part: str) -> None:
    """Fewer than 400 lines each for the language's own shape and for onnxruntime's, their headers included."""
    header = {"GM": "GMSession.h", "ORT": "onnxruntime_training.h"}[part]
    assert code_lines([*(OBJC / "src").glob(f"{part}*.[mh]"), OBJC / "include" / header]) < 470
