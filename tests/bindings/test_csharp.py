"""The assembly for .NET: states equal the twin's, refusals are exceptions, and the example learns."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bindings import same_state
from bindings.csharp import ASSEMBLY, PROGRAMS, ROWS, build, run_csharp, run_program
from bindings.digits import accuracy, check_export, check_properties, code_lines, digits_folder, images
from bindings.row import Row
from support.firmware import ROOT

pytestmark = pytest.mark.skipif(shutil.which("mcs") is None, reason="apt-get install mono-mcs mono-runtime")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.profile)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


def test_what_a_program_gets_wrong_is_an_exception(tmp_path: Path) -> None:
    """Checks.cs has wrong data, disposed sessions, two threads, finalizers, and onnxruntime's classes."""
    done = run_csharp(PROGRAMS / "Checks.cs", tmp_path, *map(str, images(tmp_path)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "119 passed, 0 failed\n"
    check_export(tmp_path)
    check_properties(tmp_path)


def test_the_example_learns_digits(tmp_path: Path) -> None:
    build()
    folder = digits_folder(tmp_path)
    done = run_program(ASSEMBLY.parent / "TrainDigits.exe", str(folder))
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94
    assert (folder / "learned.gmck").read_bytes()[:4] == b"GMCK"


def test_it_is_small() -> None:
    """Fewer than 720 lines of C# that are neither empty, nor comments, nor imports."""
    assert code_lines((ROOT / "bindings" / "csharp" / "src").rglob("*.cs")) < 720
