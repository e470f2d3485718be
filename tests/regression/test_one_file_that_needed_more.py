"""`scons amalgamate` left gradmote.hpp out, needed -lm without saying so, and did not compile with -msimd128: the
header that 128-bit vectors share was there once, before the vectors that it is written in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from amalgamate import cpp_header, one_header, one_source
from runtime_sources import CORTEX_M4_FLAGS, ROOT

TARGETS = {
    "x86": ["gcc", "-O0"],
    "x86 with clang": ["clang-14", "-O1"],
    "x86 with fused multiply-add": ["gcc", "-O0", "-mavx2", "-mfma"],
    "aarch64": ["aarch64-linux-gnu-gcc", "-O0"],
    "armv7hf": ["arm-linux-gnueabihf-gcc", "-O0"],
    "cortex-m4": ["arm-none-eabi-gcc", "-O0", *CORTEX_M4_FLAGS],
    "riscv64": ["riscv64-linux-gnu-gcc", "-O0"],
}
#: Names of the C library's mathematics.
MATHEMATICS = {"sqrt", "sqrtf", "fma", "fmaf", "exp", "expf", "log", "logf", "pow", "powf", "fabsf", "floorf", "roundf"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("one_file")
    for name, text in (("gradmote.h", one_header()), ("gradmote.c", one_source()), ("gradmote.hpp", cpp_header())):
        (made / name).write_text(text)
    return made


def run(*command: object) -> str:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_it_needs_no_library_of_mathematics(folder, target):
    """It compiles in each compiler's default dialect and with its default flags."""
    compiled = folder / "gradmote.o"
    run(*TARGETS[target], "-c", folder / "gradmote.c", "-o", compiled)
    wanted = {line.split()[-1] for line in run("nm", "-u", compiled).splitlines()}
    assert not wanted & MATHEMATICS


@pytest.mark.parametrize("flags", [[], ["-msimd128"]])
def test_webassembly(folder, flags):
    if not Path("/usr/include/wasm32-wasi").exists():
        pytest.skip("wasi-libc is not installed")
    out = folder / "gradmote.wasm.o"
    run("clang-14", "--target=wasm32-wasi", "-O0", *flags, "-c", folder / "gradmote.c", "-o", out)


def test_the_header_for_cpp_is_beside_it(folder):
    (folder / "main.cpp").write_text('#include "gradmote.hpp"\nint main() { return sizeof(gradmote::Session) == 0; }\n')
    run("g++", "-std=c++17", f"-I{folder}", "-c", folder / "main.cpp", "-o", folder / "main.o")
    assert '("h", "c", "hpp")' in (ROOT / "SConstruct").read_text()


def test_what_stands_under_a_condition_is_there_in_each(folder):
    """One vector header is compiled, whichever it is: each brings with it what it shares with others."""
    text = (folder / "gradmote.c").read_text()
    assert text.count("/* ==== runtime_c/kernels/arch/simd/part_by_lanes.h ==== */") == 2
