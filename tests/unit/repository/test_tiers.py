"""The markers of tests, by which `./run test --fast` chooses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.tiers import LIMIT, OF_TOOLCHAIN, Recorder, place_of, slow_functions


def test_what_is_slow_is_there(root: Path) -> None:
    """A test that was renamed or removed is measured again: `pytest --record-slow` and its file."""
    for file, functions in slow_functions().items():
        text = (root / file).read_text()
        assert all(f"def {name.rpartition('::')[2]}(" in text for name in functions), file
        assert all(seconds >= LIMIT for seconds in functions.values()), file


def test_folders_of_the_toolchain_are_there(root: Path) -> None:
    assert all(any((root / "tests" / folder).rglob("*.py")) for folder in OF_TOOLCHAIN)


def test_a_function_is_named_without_its_parameters() -> None:
    assert place_of("tests/a/test_b.py::test_c[1-x::y]") == ("tests/a/test_b.py", "test_c")
    assert place_of("tests/a/test_b.py::TestC::test_d") == ("tests/a/test_b.py", "TestC::test_d")


def test_a_record_replaces_what_was_run_alone() -> None:
    kept = Path(__file__).relative_to(Path(__file__).parents[3]).as_posix()
    before = {kept: {"test_a": 5.0, "test_b": 5.0}, "tests/no_such_file.py": {"test_c": 9.0}}
    recorder = Recorder(writes=False)
    recorder.seconds = {(kept, "test_a"): LIMIT / 2, (kept, "test_d"): LIMIT}
    assert recorder.merged(before) == {kept: {"test_b": 5.0, "test_d": LIMIT}}
    recorder.seconds[kept, "test_b"] = recorder.seconds[kept, "test_d"] = 0.0
    assert recorder.merged(before) == {}


def test_markers_choose(root: Path) -> None:
    """Check which of three files are chosen; one needs boards and one compilers."""
    files = ["tests/unit/plan/test_arena.py", "tests/device/test_teach.py", "tests/c/threads/test_split.py"]
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", "device or toolchain", *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    chosen = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert chosen == set(files[1:])
