"""One numerics profile gives one set of bits: the elementary functions return the same all over binary32, and the
matrix products over random shapes, for each compiler and optimization level, and within their stated error."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from runtime_sources import PROFILES, RUNTIME, host_runs_fused, runtime_sources
from support import objects

HERE = Path(__file__).resolve().parent
COMPILERS = [compiler for compiler in ("gcc", "clang-14") if shutil.which(compiler)]
LEVELS = ("-O0", "-O2", "-O3")

#: The sources of matrix products and updates, on every processor: compiling the whole runtime each time takes a minute.
KERNELS = [source for source in runtime_sources() if source.is_relative_to(RUNTIME / "kernels")]
STEMS = ("gemm", "update", "steps", "stored_update")
PRODUCTS = [s for s in KERNELS if s.stem.startswith(STEMS) or s.parent.name == "optimizers"]
NUMERICS = RUNTIME / "src" / "numerics.c"
#: Program: the sources that it needs beside its own, and its arguments.
PROGRAMS = {"numerics_test.c": ([NUMERICS], ["4001"]), "kernels_gemm_test.c": ([*PRODUCTS, NUMERICS], [])}


def output_of(program: str, compiler: str, level: str, profile: str, folder: Path, *flags: str) -> str:
    """Build the test program this way, run it, and return what it prints; its own checks must pass."""
    binary = folder / f"{Path(program).stem}{compiler}{level}{''.join(flags)}"
    needed, arguments = PROGRAMS[program]
    command = [*objects.command_for_host(compiler, level, profile), *flags]
    objects.build(command, [HERE / program, *needed], binary, "-lm")
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    return done.stdout


@cache
def expected(program: str, profile: str, folder: Path) -> str:
    """Return what the program prints if it is compiled as the runtime is by default."""
    return output_of(program, COMPILERS[0], LEVELS[-1], profile, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numerics")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_compiler_and_level_gives_the_same_bits(
    program: str, profile: str, compiler: str, level: str, folder: Path
) -> None:
    if profile == "fused" and not host_runs_fused():
        pytest.skip("this computer has no fused multiply-add")
    assert output_of(program, compiler, level, profile, folder) == expected(program, profile, folder)


def test_integer_square_root_equals_the_instruction(tmp_path: Path) -> None:
    outputs = {
        output_of("numerics_test.c", COMPILERS[0], "-O2", "strict", tmp_path, f"-DGM_HARDWARE_SQRT={hardware}")
        for hardware in (0, 1)
    }
    assert len(outputs) == 1
