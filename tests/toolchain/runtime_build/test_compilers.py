"""The runtime compiles without a warning, with each compiler, for each kind of core, and needs only its own code: no
libc beyond memcpy, memset, memcmp and memmove, no writable data, no stack that grows with the data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from boards import boards
from stack_bound import read_graph

from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME, WARNING_FLAGS, host_profile_flags, runtime_sources
from support.firmware import scons_firmware
from support.objects import run
from support.symbols import foreign_calls
from support.symbols import symbols as nm_lines

HOST = ["-fno-pic"]  # a position-independent table of functions would count as data that the loader writes
#: On this computer each compiler and each profile once; tests/toolchain/numerics_bits compiles them otherwise, and
#: without a warning.
HOSTS = {
    "gcc-fused": ["gcc", "-O2", *HOST, *host_profile_flags("fused")],
    "clang-strict": ["clang-14", "-Os", *HOST, *host_profile_flags("strict")],
}
#: Boards whose firmware has the objects, one with each core: Cortex-M0, M3, M4, M7, M33 and M55, and RISC-V without F,
#: with it, and with vectors.
BOARDS = (
    *("microbit", "mps2-an385", "mps2-an386", "mps2-an500", "mps2-an505", "mps3-an547"),
    *("sifive-e", "riscv-virt", "riscv-virt-v"),
)


@pytest.fixture(scope="module", params=[*HOSTS, *BOARDS])
def objects(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return what the names of the compiler's tools begin with, and a folder with the objects of every source."""
    if request.param in BOARDS:
        return of_firmware(request.param)
    compiler, *flags = HOSTS[request.param]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    common = [compiler, "-c", *NUMERICS_FLAGS, *WARNING_FLAGS, *flags, *(f"-I{path}" for path in INCLUDES)]
    for source in runtime_sources():
        name = ".".join(source.relative_to(RUNTIME).with_suffix(".o").parts)
        run([*common, "-fstack-usage", str(source), "-o", str(folder / name)])
    return "", folder


def of_firmware(name: str) -> tuple[str, Path]:
    """The objects of the runtime in a board's firmware, which SCons compiles with all warnings as errors."""
    board = next(board for board in boards() if board.name == name)
    if shutil.which(f"{board.compiler}gcc") is None:
        pytest.skip(f"{board.compiler}gcc is not installed")
    scons_firmware(board=name)
    assert set(WARNING_FLAGS) <= set(board.runtime_flags())
    return board.compiler, RUNTIME.parent / "build" / "firmware" / "runtimes" / board.runtime_name() / "runtime"


def objects_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def symbols(prefix: str, folder: Path, *flags: str) -> list[list[str]]:
    """Lines of nm: [address,] type, name."""
    return nm_lines(f"{prefix}nm", objects_in(folder), *flags)


def test_every_source_has_its_object(objects: tuple[str, Path]) -> None:
    assert len(objects_in(objects[1])) == len(runtime_sources()) > 30


def test_calls_nothing_but_memory_functions(objects: tuple[str, Path]) -> None:
    prefix, folder = objects
    asks_the_cpu = set() if prefix else {"__cpu_model"}  # which instructions it has
    assert foreign_calls(f"{prefix}nm", objects_in(folder)) <= asks_the_cpu


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
    frames = frames_for_boards(objects[1]) if objects[0] else frames_for_hosts(objects[1])
    assert len(frames) > 100
    large = [f"{place}: {size} bytes" for place, size in frames if size > allowed_frame(place)]
    assert not large


def frames_for_boards(folder: Path) -> list[tuple[str, int]]:
    """Places of functions and bytes of their frames. Raises Unbounded for one that grows with the data."""
    graph = read_graph(path.with_suffix(".ci") for path in objects_in(folder))
    return [(graph.files[name], size) for name, size in graph.frames.items()]


def frames_for_hosts(folder: Path) -> list[tuple[str, int]]:
    lines = [line.split("\t") for path in sorted(folder.glob("*.su")) for line in path.read_text().splitlines()]
    assert all(kind.startswith(("static", "dynamic,bounded")) for _, _, kind in lines)
    return [(place, int(size)) for place, size, _ in lines]


def allowed_frame(place: str) -> int:
    """Return bytes. Kernels with vectors pack a panel of weights on the stack: those of computers, and Helium's, which
    the stack of its board has room for (test_stack_bound.py)."""
    return 80 * 1024 if "/kernels/arch/simd/" in place else 2560 if "/kernels/arch/helium/" in place else 1024
