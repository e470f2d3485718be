"""One numerics profile gives one set of bits: the elementary functions return the same all over binary32, and the
matrix products over random shapes, for each compiler and optimisation level, and within their stated error."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime_sources import (
    INCLUDES,
    NUMERICS_FLAGS,
    PROFILES,
    RUNTIME,
    WARNING_FLAGS,
    host_profile_flags,
    host_runs_fused,
    runtime_sources,
)

HERE = Path(__file__).resolve().parent
COMPILERS = [compiler for compiler in ("gcc", "clang-14") if shutil.which(compiler)]
LEVELS = ("-O0", "-O2", "-O3")

#: What matrix products and updates are made of, on every processor: the whole runtime takes a minute to compile, often.
PRODUCTS = [
    s for s in runtime_sources() if s.stem.startswith(("gemm", "update", "steps")) or s.parent.name == "optimizers"
]
#: Program: the sources that it needs beside its own, and its arguments.
PROGRAMS = {"numerics_test.c": ([RUNTIME / "src" / "numerics.c"], ["2003"]), "kernels_gemm_test.c": (PRODUCTS, [])}


def output_of(program: str, compiler: str, flags: list[str], folder: Path) -> str:
    """What the test program prints, built with these flags; its own checks must pass."""
    binary = folder / f"{Path(program).stem}{compiler}{''.join(flags)}"
    needed, arguments = PROGRAMS[program]
    sources = [str(HERE / program), *map(str, needed)]
    includes = [f"-I{path}" for path in INCLUDES]
    command = [compiler, *NUMERICS_FLAGS, *WARNING_FLAGS, *flags, *includes, *sources, "-lm", "-o", str(binary)]
    subprocess.run(command, check=True, timeout=120)
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_compiler_and_level_gives_the_same_bits(program: str, profile: str, tmp_path: Path) -> None:
    if profile == "fused" and not host_runs_fused():
        pytest.skip("this computer has no fused multiply-add")
    outputs = {
        (compiler, level): output_of(program, compiler, [level, *host_profile_flags(profile)], tmp_path)
        for compiler in COMPILERS
        for level in LEVELS
    }
    assert len(outputs) >= 3
    assert len(set(outputs.values())) == 1, outputs


def test_integer_square_root_equals_the_instruction(tmp_path: Path) -> None:
    flags = ["-O2", *host_profile_flags("strict")]
    outputs = {
        output_of("numerics_test.c", COMPILERS[0], [*flags, f"-DGM_HARDWARE_SQRT={hardware}"], tmp_path)
        for hardware in (0, 1)
    }
    assert len(outputs) == 1
