"""The tools that analyze the C code without running it, and valgrind on its tests, must find nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from boards import BUILD, FIRMWARE, FIRMWARE_INCLUDES, boards, console_sources
from monocypher import fetch_monocypher

from runtime_sources import INCLUDES, NUMERICS_FLAGS, ROOT, RUNTIME, WARNING_FLAGS, runtime_sources
from support.firmware import run_scons, scons_firmware
from support.symbols import foreign_calls, symbols

#: A board's numbers; the sources that are analyzed are those of every board.
DEFINES = ["-DGM_FUSED=0", '-DGM_BOARD_NAME="any"', "-DBOARD_TICKS_PER_SECOND=1000000u", "-DBOARD_ERASE_UNIT=1024u",
           "-DBOARD_PROGRAM_UNIT=16u", "-DBOARD_FRAME_LIMIT=256u", "-DSIGNATURE_KEY=0"]  # fmt: skip
INCLUDED = [f"-I{path}" for path in (*INCLUDES, *FIRMWARE_INCLUDES)]
#: numerics_test tries millions of values: too many for valgrind.
C_TESTS = [path.stem for path in sorted((ROOT / "tests" / "c" / "runtime").glob("*.c"))
           if "int main(" in path.read_text() and path.stem != "numerics_test"]  # fmt: skip
#: Test -> the build of the runtime that it is about.
OF_OTHER_VARIANTS = {"test_without_int8": "without_int8"}
#: Test -> arguments with which it does less: valgrind makes it take fifty times as long.
SHORTENED = {"test_open": ["5"]}
ALLOCATORS = {"malloc", "calloc", "realloc", "free", "_malloc_r", "_free_r", "sbrk", "_sbrk", "_sbrk_r", "alloca"}
BUILDABLE = [board for board in boards() if board.compiler and shutil.which(f"{board.compiler}gcc")]


def sources() -> list[Path]:
    """Return the sources of the runtime, and those that all boards' firmware shares, without third-party code."""
    return [*runtime_sources(), *console_sources(), *sorted((FIRMWARE / "signature").glob("*.c"))]


def output_of(*command: str | Path) -> str:
    """Run the command, and return what it printed, or its exit status, if it failed; else nothing."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr or f"{command[0]}: {done.returncode}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")
def test_gcc_analyzer(tmp_path):
    # It takes vectors that a loop fills lane by lane for uninitialized. tests/c/arch runs those kernels under
    # sanitizers.
    included = [*INCLUDED, f"-I{fetch_monocypher(BUILD)}"]
    flags = ["-O1", "-fanalyzer", "-DGM_ARCH=0", *NUMERICS_FLAGS, *WARNING_FLAGS, *DEFINES, *included]
    found = [
        reported for source in sources() if (reported := output_of("gcc", *flags, "-c", source, "-o", tmp_path / "x.o"))
    ]
    assert len(sources()) > 80 and not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cppcheck") is None, reason="apt-get install cppcheck")
def test_cppcheck():
    kinds = "--enable=warning,portability,performance"
    found = output_of("cppcheck", "--quiet", "--std=c99", kinds, "--error-exitcode=1", *DEFINES, *INCLUDED, *sources())
    assert not found, found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="apt-get install valgrind")
@pytest.mark.parametrize("name", C_TESTS)
def test_valgrind(name):
    """Reads of what was never written too, which the sanitizers do not see. Of a build without sanitizers."""
    program = f"build/host/{OF_OTHER_VARIANTS.get(name, 'strict')}/tests/{name}"
    run_scons("-s", program)
    options = ("-q", "--error-exitcode=9", "--leak-check=full")
    found = output_of("valgrind", *options, ROOT / program, *SHORTENED.get(name, []))
    assert not found, found


@pytest.mark.slow
@pytest.mark.parametrize("board", BUILDABLE, ids=lambda board: board.name)
def test_no_board_allocates(board):
    """Compiled with each board's own flags, the runtime calls memory functions and the compiler's arithmetic alone, and
    what is linked has no allocator in it."""
    scons_firmware(board=board.name)
    folder = ROOT / "build" / "firmware"
    runtime = folder / "runtimes" / board.runtime_name() / "runtime"
    objects = [(runtime / path.relative_to(RUNTIME)).with_suffix(".o") for path in runtime_sources()]
    assert not foreign_calls(f"{board.compiler}nm", objects)
    linked = {line[-1] for line in symbols(f"{board.compiler}nm", [folder / board.folder.name / "firmware.elf"])}
    assert "gm_open" in linked and not linked & ALLOCATORS
