"""The builds that generated images run in: compilers, flags, what runs their programs, and how they are asked."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from boards import FIRMWARE, Board, read_board

from runtime_sources import (
    INCLUDES,
    NUMERICS_FLAGS,
    ROOT,
    RUNTIME,
    WARNING_FLAGS,
    host_machine,
    host_runs_fused,
    machine_flags,
    runtime_sources,
)
from support import objects

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "generated"
#: Of every build: how large rooms and programs are, so that all accept the same images.
LIMITS = ["-DGM_MAX_WORK=(1u<<18)", "-DGUARD_LIMIT=0x10000u"]
SANITIZED = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-g1", "-DGM_UNROLL="]
SOURCES = ("generate_image.c", "generate_instruction.c", "generate_store.c", "run_generated.c", "use_generated_store.c",
           "repair.c", "guard_pieces.c")  # fmt: skip
#: The kernels of Cortex-M in programs for Linux. Its libraries are for Cortex-A, so the profile alone is another.
THUMB = ["-march=armv7-a", "-mthumb", "-mfpu=vfpv4-d16", "-mfloat-abi=hard", "-U__ARM_ARCH_PROFILE",
         "-D__ARM_ARCH_PROFILE=77"]  # fmt: skip


@dataclass(frozen=True)
class Build:
    """A program for Linux. starter: what runs it."""

    name: str
    title: str
    profile: str
    compiler: str
    flags: tuple[str, ...]
    packages: str = "gcc"
    starter: tuple[str, ...] = ()
    share: int = 1  #: runs one of so many of the images that are asked for

    def missing(self) -> str:
        """Return the packages to install if a tool is missing; or why it cannot run."""
        if self.profile == "fused" and not self.starter and not host_runs_fused():
            return "a processor with fused multiply-add"
        tools = all(shutil.which(tool) for tool in (self.compiler, *self.starter[:1]))
        return "" if tools and objects.has_library(self.compiler, *self.flags) else self.packages

    def compile(self) -> Path:
        FOLDER.mkdir(parents=True, exist_ok=True)
        program = FOLDER / self.name
        includes = [f"-I{path}" for path in (*INCLUDES, RUNTIME / "generated")]
        fused = f"-DGM_FUSED={int(self.profile == 'fused')}"
        command = [self.compiler, *NUMERICS_FLAGS, *WARNING_FLAGS, *self.flags, fused, *LIMITS, *includes]
        own = [HERE / name for name in (*SOURCES, "guard.c", "generated_on_linux.c")]
        objects.build(command, [*own, *runtime_sources()], program)
        return program

    def command(self, program: Path, order: Sequence[int]) -> list[str]:
        """Runs the order of run_generated.h."""
        return [*self.starter, str(program), *map(str, order)]


@dataclass(frozen=True)
class OnBoard:
    """The same on an emulated board. rooms, memory_end: addresses of memory that its own program leaves alone."""

    name: str
    title: str
    folder: str  #: in firmware/boards
    rooms: int
    memory_end: int = 0
    share: int = 10
    profile: str = "fused"

    @property
    def board(self) -> Board:
        return read_board(FIRMWARE / "boards" / self.folder / "board.toml")

    def missing(self) -> str:
        tools = (f"{self.board.compiler}gcc", self.board.table["emulator"][0])
        packages = f"{self.board.compiler_packages} qemu-system-arm qemu-system-misc"
        return "" if all(map(shutil.which, tools)) else packages

    def compile(self) -> Path:
        FOLDER.mkdir(parents=True, exist_ok=True)
        program, board = FOLDER / self.name, self.board
        places = {"ROOMS": self.rooms, "MEMORY_END": self.memory_end, "PERIPHERALS": 0x5800_0000}
        defines = [f"-D{name}={value}" for name, value in board.defines().items()]
        defines += [f"-D{name}={value:#x}u" for name, value in places.items()]
        includes = [f"-I{path}" for path in (*board.includes(), RUNTIME / "generated")]
        compiling = [f"{board.compiler}gcc", *board.flags(), *defines, *LIMITS, *includes]
        command = [flag for flag in compiling if not flag.startswith("-fcallgraph-info")]
        own = [HERE / name for name in (*SOURCES, "guard_on_board.c", "generated_on_board.c")]
        sources = [*own, *board.own_sources(), FIRMWARE / "src" / "device" / "fault.c", *runtime_sources()]
        given = [flag for flag in board.link_flags() if flag not in command]  # some C libraries take theirs only once
        objects.build(command, sources, program, *given, "-Wl,--defsym=STACK_SIZE=0x4000")
        return program

    def command(self, program: Path, order: Sequence[int]) -> list[str]:
        found = [*self.board.table["emulator"], "-kernel", str(program), "-display", "none", "-monitor", "none"]
        found += ["-serial", "stdio", "-no-reboot"]
        for i, number in enumerate(order):
            found += ["-device", f"loader,addr={self.rooms + 4 * i:#x},data={number:#x},data-len=4"]
        return found


def _builds() -> list[Build | OnBoard]:
    fused, strict = (machine_flags(host_machine(), profile) for profile in ("fused", "strict"))
    m32 = ["-m32", "-isystem", "/usr/include/x86_64-linux-gnu"]
    x86, x86_strict = ([*m32, *machine_flags("i686", profile)] for profile in ("fused", "strict"))
    arm, aarch64 = ("arm-linux-gnueabihf-gcc", "aarch64-linux-gnu-gcc")
    for_arm = ("gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user", ("qemu-arm",))
    for_aarch64 = ("gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user", ("qemu-aarch64",))
    return [
        Build("plain", "plain C, ASan, UBSan", "fused", "gcc", ("-O1", "-DGM_ARCH=0", *fused, *SANITIZED)),
        Build("simd", "this computer's vectors, ASan, UBSan", "fused", "gcc", ("-O1", *fused, *SANITIZED)),
        Build("split", "in parts as for threads, ASan, UBSan", "fused", "gcc",
              ("-O1", "-DGM_THREADS=1", *fused, *SANITIZED)),
        Build("32bit", "32-bit x86, ASan, UBSan", "fused", "gcc", ("-O1", *x86, *SANITIZED),
              "lib32gcc-12-dev libc6-dev-i386"),
        Build("thumb", "Cortex-M kernels in Thumb-2, qemu-arm", "fused", arm, ("-O2", "-static", *THUMB), *for_arm),
        Build("neon", "AArch64 vectors, qemu-aarch64", "fused", aarch64, ("-O2", "-static"), *for_aarch64),
        OnBoard("helium", "Cortex-M55 with Helium, emulated", "mps2/mps3_an547", 0x6000_0000),
        OnBoard("rv32", "32-bit RISC-V, emulated", "riscv/riscv_virt", 0x8200_0000, 0x8800_0000),
        OnBoard("zve32f", "32-bit RISC-V with vectors, emulated", "riscv/riscv_virt_v", 0x8200_0000, 0x8800_0000),
        Build("plain-strict", "plain C, strict, ASan, UBSan", "strict", "gcc",
              ("-O1", "-DGM_ARCH=0", *strict, *SANITIZED)),
        Build("simd-strict", "this computer's vectors, strict, ASan, UBSan", "strict", "gcc",
              ("-O1", *strict, *SANITIZED)),
        Build("split-strict", "in parts as for threads, strict, ASan, UBSan", "strict", "gcc",
              ("-O1", "-DGM_THREADS=1", *strict, *SANITIZED)),
        Build("32bit-strict", "32-bit x86, strict, ASan, UBSan", "strict", "gcc", ("-O1", *x86_strict, *SANITIZED),
              "lib32gcc-12-dev libc6-dev-i386"),
        Build("thumb-strict", "Thumb-2, strict, qemu-arm", "strict", arm, ("-O2", "-static", *THUMB), *for_arm),
        Build("neon-strict", "AArch64 vectors, strict, qemu-aarch64", "strict", aarch64, ("-O2", "-static"),
              *for_aarch64),
    ]  # fmt: skip


@cache
def builds() -> dict[str, Build | OnBoard]:
    """Return the builds by name. The others are compared with the first of each profile."""
    return {build.name: build for build in _builds()}


@cache
def compiled(build: Build | OnBoard) -> Path:
    return build.compile()


def said(command: Sequence[str], patience: float) -> tuple[list[str], str]:
    """Lines of a program that runs images, and what it wrote to stderr."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace").splitlines(), f"still ran after {patience:.0f} s"
    return done.stdout.decode(errors="replace").splitlines(), done.stderr.decode(errors="replace")
