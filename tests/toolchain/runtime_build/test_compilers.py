"""The runtime compiles without a warning, with each compiler, for each kind of core, and needs nothing but its own
code: no libc beyond memcpy, memset, memcmp and memmove, no writable data, no stack that grows with the data."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME, WARNING_FLAGS, host_profile_flags, runtime_sources
from support.symbols import foreign_calls
from support.symbols import symbols as nm_lines

HARD = ["-mthumb", "-mfloat-abi=hard"]
PICOLIBC = ["--specs=picolibc.specs"]
HOST = ["-fno-pic"]  # a position-independent table of functions would count as data that the loader writes
HOST_COMPILERS = ("gcc", "clang-14")
#: On this computer each compiler and each profile once; tests/toolchain/numerics_bits compiles them otherwise, and
#: without a warning.
TARGETS = {
    "gcc-fused": ["gcc", "-O2", *HOST, *host_profile_flags("fused")],
    "clang-strict": ["clang-14", "-Os", *HOST, *host_profile_flags("strict")],
    "cortex-m0": ["arm-none-eabi-gcc", "-Os", "-mcpu=cortex-m0", "-mthumb"],
    "cortex-m3": ["arm-none-eabi-gcc", "-O2", "-mcpu=cortex-m3", "-mthumb"],
    "cortex-m4": ["arm-none-eabi-gcc", "-O2", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", *HARD],
    "cortex-m7": ["arm-none-eabi-gcc", "-O3", "-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", *HARD],
    "cortex-m33": ["arm-none-eabi-gcc", "-Os", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", *HARD],
    "cortex-m55": ["arm-none-eabi-gcc", "-O2", "-mcpu=cortex-m55", *HARD],
    "rv32imac": ["riscv64-unknown-elf-gcc", "-Os", *PICOLIBC, "-march=rv32imac", "-mabi=ilp32"],
    "rv32imafc": ["riscv64-unknown-elf-gcc", "-O2", *PICOLIBC, "-march=rv32imafc", "-mabi=ilp32f"],
}


@pytest.fixture(scope="module", params=TARGETS)
def objects(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The compiler's name, and a folder with the objects of every source and what -fstack-usage wrote of them."""
    compiler, *flags = TARGETS[request.param]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    includes = [f"-I{path}" for path in INCLUDES]
    common = [compiler, "-c", *NUMERICS_FLAGS, *WARNING_FLAGS, *flags, *includes, "-fstack-usage"]
    for source in runtime_sources():
        name = ".".join(source.relative_to(RUNTIME).with_suffix(".o").parts)
        command = [*common, str(source), "-o", str(folder / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return compiler, folder


def symbols(compiler: str, folder: Path, *flags: str) -> list[list[str]]:
    """Lines of nm: [address,] type, name."""
    return nm_lines(nm_of(compiler), folder.glob("*.o"), *flags)


def nm_of(compiler: str) -> str:
    return compiler.removesuffix("gcc") + "nm" if compiler.endswith("-gcc") else "nm"


def test_every_source_has_its_object(objects: tuple[str, Path]) -> None:
    assert len(list(objects[1].glob("*.o"))) == len(runtime_sources()) > 30


def test_calls_nothing_but_memory_functions(objects: tuple[str, Path]) -> None:
    compiler, folder = objects
    asks_the_cpu = {"__cpu_model"} if compiler in HOST_COMPILERS else set()  # which instructions it has
    assert foreign_calls(nm_of(compiler), folder.glob("*.o")) <= asks_the_cpu


def test_uses_no_double_arithmetic(objects: tuple[str, Path]) -> None:
    wanted = {line[-1] for line in symbols(*objects, "--undefined-only")}
    assert not {name for name in wanted if re.fullmatch(r"__aeabi_(d\w+|f2d|[u]?[il]2d|\w+2d)|__\w*df\w*", name)}


def test_has_no_writable_data(objects: tuple[str, Path]) -> None:
    writable = [line[-1] for line in symbols(*objects, "--defined-only") if line[1] in "bBDgGsSC"]
    assert not writable


def test_public_names_have_the_prefix(objects: tuple[str, Path]) -> None:
    names = {line[-1] for line in symbols(*objects, "--defined-only", "--extern-only")}
    assert all(name.startswith("gm_") for name in names)


def test_stack_is_bounded(objects: tuple[str, Path]) -> None:
    frames = [line.split("\t") for path in sorted(objects[1].glob("*.su")) for line in path.read_text().splitlines()]
    assert len(frames) > 100
    unbounded = [frame[0] for frame in frames if not frame[2].startswith(("static", "dynamic,bounded"))]
    large = [f"{frame[0]}: {frame[1]} bytes" for frame in frames if int(frame[1]) > allowed_frame(frame[0])]
    assert not unbounded and not large


def allowed_frame(place: str) -> int:
    """Bytes. Kernels with vectors, which no microcontroller has, pack a panel of weights on the stack."""
    return 80 * 1024 if "/kernels/arch/simd/" in place else 1024
