"""The classes for Objective-C: states equal the twin's, refusals are errors, and the example learns."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bindings import same_state
from bindings.digits import accuracy, code_lines, digits_folder, images
from bindings.objc import OBJC, PROGRAMS, ROWS, run_objc
from bindings.row import Row

LACKING = [tool for tool in ("clang-14", "gnustep-config") if shutil.which(tool) is None]
pytestmark = pytest.mark.skipif(bool(LACKING), reason="apt-get install clang-14 gobjc libgnustep-base-dev")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.profile)
def test_the_state_is_the_twins(row: Row, tmp_path: Path) -> None:
    assert row.run(same_state.write_model(tmp_path), 30) == same_state.expected(row.profile, 30)


def test_what_a_program_gets_wrong_is_an_error(tmp_path: Path) -> None:
    """Checks.m has wrong data, closed sessions, two threads, and onnxruntime's classes."""
    done = run_objc(PROGRAMS / "Checks.m", tmp_path, "fused", *map(str, images(tmp_path)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"\d{2,} passed, 0 failed\n", done.stdout), done.stdout


def test_the_example_learns_digits(tmp_path: Path) -> None:
    folder = digits_folder(tmp_path, accumulate=True)
    done = run_objc(OBJC / "examples" / "TrainDigits.m", tmp_path, "fused", str(folder))
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) > 0.94
    assert (folder / "learned.gmck").read_bytes()[:4] == b"GMCK"


def test_it_is_small() -> None:
    """Fewer than 400 lines of code in the two classes' files."""
    assert code_lines(OBJC.glob("*.m")) < 400
