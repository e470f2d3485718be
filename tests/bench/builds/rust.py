"""Builds programs by the crate for Rust: for this computer, and for an emulated Cortex-M4F.

No registry has the core library of a board's target, so it is compiled from the source that a toolchain may have.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bench.builds.cmake import CONSUMER, ON_MPS2, TOOLCHAIN, Case, Row, call

from gradmote.project.c_sources import write_sources
from support import train_state

TARGET = "thumbv7em-none-eabihf"
PROGRAM = TOOLCHAIN / "rust" / "cortex_m4f.rs"
CPU = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
#: Those of the core library, as its own build sets them.
CORE = ("--edition=2024", "--crate-type=rlib", f"--target={TARGET}", "-O", "-Cpanic=abort",
        "-Zforce-unstable-if-unmarked", "--cap-lints=allow")  # fmt: skip
#: newlib and libgcc have all that the core library calls.
BUILTINS = "#![no_std]\n#![feature(compiler_builtins)]\n#![compiler_builtins]\n"


HERE = Row("Rust", "cargo", "", "rustc")
BOARD = Row("Rust, Cortex-M4F", "cargo", "", "rustc", emulator=ON_MPS2)


def missing(row: Row) -> str:
    """Return what a row lacks here, or ""."""
    if shutil.which("cargo") is None:
        return "cargo"
    lacks = [tool for tool in row.emulator[:1] if shutil.which(tool) is None]
    return "source of Rust's core library" if row == BOARD and source_of_core() is None else "".join(lacks)


def built(row: Row, case: Case, folder: Path) -> tuple[str, Path]:
    """Build and run the crate's example in a folder. Return what it prints, and the program."""
    crate = write_sources(folder / "gradmote", [case.files[0]])
    if row == BOARD:
        return on_board(crate, case, folder)
    done = cargo(crate, "build", "--release", f"--features={row.profile}", "--example=train_state")
    assert done.returncode == 0, done.stderr
    program = crate / "target" / "release" / "examples" / "train_state"
    return train_state.said_by([program, *case.files]), program


def cargo(crate: Path, *words: str, command: str = "cargo", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of cargo in a crate, without a network."""
    return subprocess.run([command, words[0], "--offline", "--quiet", *words[1:]], cwd=crate, capture_output=True,
                          env={**os.environ, **variables}, text=True, check=False, timeout=600)  # fmt: skip


def source_of_core() -> tuple[Path, Path] | None:
    """Return a rustc with the source of its core library, and that source; None if there is none."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        rustc = Path(folder) / "rustc"
        if rustc.exists():
            found = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=False)
            source = (
                Path(found.stdout.strip()) / "lib" / "rustlib" / "src" / "rust" / "library" / "core" / "src" / "lib.rs"
            )
            if source.exists():
                return rustc, source
    return None


def on_board(crate: Path, case: Case, folder: Path) -> tuple[str, Path]:
    """Train on an emulated Cortex-M4F, in the strict profile. Return what the program prints, and the program."""
    found = source_of_core()
    assert found is not None, "no rustc has the source of its core library"
    rustc, source = found
    write_core(rustc, source, folder / "sysroot")
    shutil.copy(PROGRAM, crate / "examples")
    call("arm-none-eabi-gcc", *CPU, "-O1", "-c", CONSUMER / "mps2.c", "-o", folder / "mps2.o")
    model, samples = map(str, case.files)
    done = cargo(crate, "build", "--release", "--features=strict", f"--example={PROGRAM.stem}", f"--target={TARGET}",
                 command=str(rustc.with_name("cargo")), RUSTC=str(rustc), RUSTFLAGS=" ".join(link_flags(folder)),
                 CARGO_TARGET_DIR=str(folder / "target"), GRADMOTE_MODEL=model, GRADMOTE_SAMPLES=samples)  # fmt: skip
    (crate / "examples" / PROGRAM.name).unlink()
    assert done.returncode == 0, done.stderr
    program = folder / "target" / TARGET / "release" / "examples" / PROGRAM.stem
    return train_state.said_by([*ON_MPS2, program, "-semihosting-config", "enable=on,target=native"], 120), program


def write_core(rustc: Path, source: Path, sysroot: Path) -> None:
    """Compile the core library for the board."""
    libraries = sysroot / "lib" / "rustlib" / TARGET / "lib"
    libraries.mkdir(parents=True)
    (sysroot / "builtins.rs").write_text(BUILTINS)
    run_unstable([rustc, *CORE, "--crate-name=core", source, "--out-dir", libraries])
    run_unstable([rustc, *CORE, "--crate-name=compiler_builtins", sysroot / "builtins.rs", "--out-dir", libraries,
                  "--sysroot", sysroot])  # fmt: skip


def run_unstable(command: list[str | Path]) -> None:
    """Run rustc with what only the core library may use. Raises AssertionError with its output if it fails."""
    environment: Mapping[str, str] = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def link_flags(folder: Path) -> list[str]:
    """Return the flags of rustc that link a program for QEMU's mps2-an386 by GNU's linker and newlib."""
    arguments = [*CPU, "--specs=rdimon.specs", f"-T{CONSUMER / 'mps2.ld'}", folder / "mps2.o"]
    options = ["panic=abort", "linker=arm-none-eabi-gcc", "default-linker-libraries=yes"]
    options += [f"link-arg={argument}" for argument in arguments]
    return ["--sysroot", str(folder / "sysroot"), *(f"-C{option}" for option in options)]
