"""Builds a consumer of the runtime by CMake in every way, and runs it: the rows of the table of build systems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from gradmote import optimizers
from gradmote.project.c_sources import write_sources
from runtime_sources import RUNTIME
from support import digits, train_state

ROOT = RUNTIME.parent
HERE = Path(__file__).parent
TOOLCHAIN = HERE.parents[1] / "toolchain"
CONSUMER, NUMERICS = HERE / "consumer", TOOLCHAIN / "numerics_bits"
SESSION = TOOLCHAIN / "runtime_build" / "session.cpp"
GRADMOTE = Path(sys.executable).with_name("gradmote")
BATCH, STEPS = 8, 20
ON_MPS2 = ("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none", "-kernel")


#: The build systems that a project of CMake stands in for -> its folder, and the package that reads their Kconfig.
STAND_INS = {"ESP-IDF": ("esp_idf", "kconfgen"), "Zephyr": ("zephyr", "genconfig")}
ON_AN385 = ("qemu-system-arm", "-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none", "-kernel")
ON_RV32 = ("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial",
           "none", "-chardev", "stdio,id=out", "-kernel")  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One way to build the runtime, with what runs the program.

    source: "checkout", or what `gradmote sources` writes: "one source" or "folders". options: of CMake. emulator: what
    starts the program, if this computer cannot. library: nothing here runs its programs, so it is compiled alone.
    """

    name: str
    way: str
    generator: str
    compiler: str
    profile: str = "strict"
    source: str = "one source"
    options: tuple[str, ...] = ()
    emulator: tuple[str, ...] = ()
    library: bool = False

    def missing(self) -> str:
        """Return a tool that this row lacks here, or ""."""
        ninja = "make" if self.generator == "Unix Makefiles" else "ninja"
        tools = ["cmake", ninja, *self.emulator[:1]]
        tools += [self.compiler] * (self.compiler != "ziglang")
        tools += ["pkg-config"] * (self.way == "pkg-config")
        lacks = [tool for tool in tools if shutil.which(tool) is None]
        if self.way in STAND_INS and find_spec(STAND_INS[self.way][1]) is None:
            lacks.append(STAND_INS[self.way][1])
        return lacks[0] if lacks else ""


M4F = f"-DCMAKE_TOOLCHAIN_FILE={RUNTIME / 'cmake' / 'arm-none-eabi.cmake'}"
#: clang-cl without Microsoft's headers: those of the tests take their place.
FOR_WINDOWS = (
    "-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_SYSTEM_PROCESSOR=AMD64", "-DCMAKE_C_COMPILER_TARGET=x86_64-pc-windows-msvc",
    f"-DCMAKE_C_FLAGS=-imsvc {TOOLCHAIN / 'runtime_build' / 'msvc_headers'} /W4 /WX",
    "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", f"-DCMAKE_AR={shutil.which('llvm-lib-14')}",
    f"-DCMAKE_MT={shutil.which('true')}", f"-DCMAKE_RC_COMPILER={shutil.which('true')}",
)  # fmt: skip
ROWS = [
    Row("a checkout", "add_subdirectory", "Ninja", "gcc", "fused", "checkout"),
    Row("folders", "add_subdirectory", "Unix Makefiles", "clang-14", source="folders"),
    Row("one source", "add_subdirectory", "Ninja Multi-Config", "gcc"),
    Row("fetched", "FetchContent", "Ninja", "clang-14", "fused"),
    Row("installed", "find_package", "Ninja", "gcc", "fused"),
    Row("shared", "find_package", "Unix Makefiles", "gcc", options=("-DBUILD_SHARED_LIBS=ON",)),
    Row("pkg-config", "pkg-config", "Ninja", "gcc"),
    Row("link-time optimization", "add_subdirectory", "Ninja", "gcc",
        options=("-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_POLICY_DEFAULT_CMP0069=NEW")),
    Row("zig", "add_subdirectory", "Ninja", "ziglang", "fused"),
    Row("AArch64", "add_subdirectory", "Ninja", "aarch64-linux-gnu-gcc", "fused",
        options=("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DCMAKE_EXE_LINKER_FLAGS=-static"),
        emulator=("qemu-aarch64",)),
    Row("Windows", "add_subdirectory", "Ninja", "clang-cl-14", "fused", options=FOR_WINDOWS, library=True),
    Row("ESP32-C3", "ESP-IDF", "Ninja", "riscv64-unknown-elf-gcc", options=("-DCMAKE_SYSTEM_NAME=Generic",),
        emulator=ON_RV32),
    Row("Cortex-M3", "Zephyr", "Ninja", "arm-none-eabi-gcc", options=(M4F, "-DGRADMOTE_CPU=-mcpu=cortex-m3 -mthumb"),
        emulator=ON_AN385),
    Row("Cortex-M4F", "add_subdirectory", "Ninja", "arm-none-eabi-gcc", options=(M4F,), emulator=ON_MPS2),
]  # fmt: skip


@dataclass
class Case:
    """A folder with a model of digits, its samples, and what the twin says of it in each profile."""

    folder: Path

    @cached_property
    def image(self) -> bytes:
        return digits.image(optimizers.adamw(), BATCH)

    @cached_property
    def files(self) -> tuple[Path, Path]:
        return train_state.write_case(self.folder, self.image, self.batches)

    @cached_property
    def batches(self) -> Sequence[digits.Batch]:
        return digits.batches(BATCH, STEPS)

    def source(self, kind: str) -> Path:
        """Return the folder of the runtime of that kind, with the kernels of the model."""
        made = ROOT if kind == "checkout" else self.folder / kind.replace(" ", "_")
        if not made.exists():
            write_sources(made, [self.files[0]], tree=kind == "folders")
        return made


def build(row: Row, case: Case, folder: Path) -> Path:
    """Build the consumer in a folder and return its program."""
    source = case.source(row.source)
    options = [*compilers(row), *profile_options(row), *row.options, f"-DGRADMOTE_COMMAND={GRADMOTE}"]
    if row.source == "checkout":
        options.append(f"-DGRADMOTE_MODELS={case.files[0]}")
    if row.way in STAND_INS:
        return build_in_stand_in(row, case, folder, options)
    if row.library:
        configure(row, source, folder / "build", options)
        call("cmake", "--build", folder / "build", "-j2")
        return next((folder / "build").glob("*gradmote.lib"))
    if row.way in ("find_package", "pkg-config"):
        configure(row, source, folder / "library", options)
        call("cmake", "--build", folder / "library", "--config", "Release", "-j2")
        call("cmake", "--install", folder / "library", "--prefix", folder / "installed", "--config", "Release")
        options.append(f"-DCMAKE_PREFIX_PATH={folder / 'installed'}")
    if row.way == "FetchContent":
        source = as_repository(source, folder / "repository")
    options += [f"-DWAY={row.way}", f"-DGRADMOTE_SOURCE={source}", f"-DNUMERICS={NUMERICS}"]
    options += [f"-DSESSION={SESSION}"] * (row.name == "installed")
    configure(row, CONSUMER, folder / "build", options)
    call("cmake", "--build", folder / "build", "--config", "Release", "-j2")
    return next(
        path for path in (folder / "build").rglob("train_state*") if os.access(path, os.X_OK) and path.is_file()
    )


def build_in_stand_in(row: Row, case: Case, folder: Path, options: Sequence[str]) -> Path:
    """Build the consumer in the project that stands in for a build system, with settings of its Kconfig."""
    settings = {"MODELS": f'"{case.files[0]}"', row.profile.upper(): "y"}
    lines = [f"CONFIG_GRADMOTE_{name}={value}\n" for name, value in settings.items()]
    (folder / "defaults").write_text("".join(["CONFIG_GRADMOTE=y\n"] * (row.way == "Zephyr") + lines))
    given = {"COMPONENT": case.source(row.source), "CONSUMER": CONSUMER, "DEFAULTS": folder / "defaults",
             "NUMERICS": NUMERICS, "PYTHON": sys.executable}  # fmt: skip
    configure(row, HERE / STAND_INS[row.way][0], folder / "build",
              [*options, *(f"-D{name}={value}" for name, value in given.items())])  # fmt: skip
    call("cmake", "--build", folder / "build", "-j2")
    return folder / "build" / "train_state"


def configure(row: Row, source: Path, folder: Path, options: Sequence[str]) -> None:
    """Run CMake for a source, into a folder."""
    call("cmake", "-S", source, "-B", folder, "-G", row.generator, "-DCMAKE_BUILD_TYPE=Release", *options)


def compilers(row: Row) -> list[str]:
    """Return the options that choose a compiler. ziglang is Python's package of zig."""
    if row.compiler == "ziglang":
        return [f"-DCMAKE_C_COMPILER={sys.executable};-m;ziglang;cc"]
    if M4F in row.options:
        return []
    return [f"-DCMAKE_C_COMPILER={row.compiler}"]


def profile_options(row: Row) -> list[str]:
    return [f"-DGRADMOTE_FUSED={'ON' if row.profile == 'fused' else 'OFF'}"]


def as_repository(source: Path, folder: Path) -> Path:
    """Return a copy of a folder as a git repository with a branch main."""
    shutil.copytree(source, folder)
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t", "commit", "-qm", "t"],
    ):
        call("git", "-C", folder, *words)
    return folder


def run(row: Row, program: Path, case: Case) -> str:
    """Return what the program prints."""
    if row.emulator[:1] not in ((), ("qemu-aarch64",)):  # a board without files of its own
        first = () if row.emulator == ON_RV32 else ("train_state",)  # picolibc gives the program a name
        words = ",".join(f"arg={word}" for word in (*first, *map(str, case.files)))
        output = ",chardev=out" if row.emulator == ON_RV32 else ""
        files = ["-semihosting-config", f"enable=on,target=native{output},{words}"]
        return train_state.said_by([*row.emulator, program, *files], 120)
    return train_state.said_by([*row.emulator, program, *case.files], 120)


def call(*command: str | Path) -> None:
    """Run a command. Raises AssertionError with its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
