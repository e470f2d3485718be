"""Sessions by number under ThreadSanitizer: two threads step while a third closes the session under them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime_sources import ROOT, THREADS, handle_sources, runtime_sources
from support import objects

from .test_split import WATCHED

TESTS = ROOT / "tests" / "c" / "runtime"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")
def test_no_data_race(tmp_path: Path) -> None:
    """The same program runs under the other sanitizers in `scons test_c`, without threads of the runtime."""
    level, flags = WATCHED
    command = [*objects.command_for_host("gcc", level, "strict"), *flags, "-DGM_THREADS=1", f"-I{THREADS}"]
    sources = [TESTS / "test_handles.c", TESTS / "builder.c", *handle_sources(), THREADS / "gm_threads.c"]
    program = tmp_path / "test_handles"
    objects.build(command, [*sources, *runtime_sources()], program, "-pthread", "-lm")
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
