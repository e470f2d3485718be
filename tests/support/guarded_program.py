"""A program that runs images in an arena with nothing after it: with plain C on this computer, and with the kernels
for Cortex-M in Thumb-2 under qemu's user mode."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from runtime_sources import INCLUDES, NUMERICS_FLAGS, RUNTIME, WARNING_FLAGS, machine_flags, runtime_sources

from . import objects

SOURCE = Path(__file__).with_name("run_guarded.c")
#: Libraries for Linux are for Cortex-A; only the profile macro, which the kernels check, is that of Cortex-M.
THUMB = ["-march=armv7-a", "-mthumb", "-mfpu=vfpv4-d16", "-mfloat-abi=hard", "-static", "-U__ARM_ARCH_PROFILE",
         "-D__ARM_ARCH_PROFILE=77"]  # fmt: skip


@dataclass(frozen=True)
class GuardedProgram:
    """A built program. starter: the command that runs it."""

    path: Path
    starter: tuple[str, ...] = ()

    def run(self, image: bytes) -> np.ndarray:
        """Return the floats of the scratch after the image's INFER program. Raises AssertionError if it fails."""
        done = self._started(image)
        assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr.decode(errors='replace')}"
        return np.frombuffer(done.stdout, np.float32)

    def status(self, image: bytes) -> int:
        """Return the runtime's status for the image, 0 or a negative number; positive for a signal."""
        return -self._started(image).returncode

    def _started(self, image: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*self.starter, self.path], input=image, capture_output=True, check=False, timeout=60)


def plain(folder: Path, opcodes: Sequence[str]) -> GuardedProgram:
    """Return a program with only plain C. opcodes: those whose kernels it contains."""
    return GuardedProgram(_built([*objects.command_for_host("gcc", "-O1", "fused"), "-DGM_ARCH=0"], folder, opcodes))


def plain_of_32_bits(folder: Path, opcodes: Sequence[str]) -> GuardedProgram:
    """Return a 32-bit program with plain C under UBSan; skip the test if the libraries for it are missing."""
    if not objects.has_library("gcc", "-m32"):
        pytest.skip("apt-get install lib32gcc-12-dev libc6-dev-i386")
    command = ["gcc", "-m32", "-isystem", "/usr/include/x86_64-linux-gnu", *machine_flags("i686", "strict"), "-O1",
               *NUMERICS_FLAGS, "-std=c11", *WARNING_FLAGS, "-DGM_FUSED=0", "-fsanitize=undefined",
               "-fno-sanitize-recover=all"]  # fmt: skip
    return GuardedProgram(_built([*command, *(f"-I{path}" for path in INCLUDES)], folder, opcodes))


def thumb(folder: Path, opcodes: Sequence[str]) -> GuardedProgram:
    """Return a program with kernels for Cortex-M with FPU; skip the test if its tools are missing."""
    if not shutil.which("arm-linux-gnueabihf-gcc") or not shutil.which("qemu-arm"):
        pytest.skip("apt-get install gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user")
    command = ["arm-linux-gnueabihf-gcc", "-O2", *NUMERICS_FLAGS, "-std=c11", *WARNING_FLAGS, *THUMB, "-DGM_FUSED=1"]
    return GuardedProgram(_built([*command, *(f"-I{path}" for path in INCLUDES)], folder, opcodes), ("qemu-arm",))


def _built(command: list[str], folder: Path, opcodes: Sequence[str]) -> Path:
    program = folder / f"guarded-{command[0]}"
    selected = ["-DGM_ONLY_SELECTED=1", *(f"-DGM_WITH_{name}=1" for name in opcodes), "-ffunction-sections"]
    sources = [SOURCE, *runtime_sources()]
    objects.build([*command, *selected, f"-I{RUNTIME / 'src'}"], sources, program, "-Wl,--gc-sections")
    return program
