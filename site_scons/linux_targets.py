"""The sources and processors of gradmote-run, the console and command line for Linux."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boards import FIRMWARE, FIRMWARE_INCLUDES, console_sources, key_defines, signature_sources

from runtime_sources import ARMV7_FUSED_FLAGS, INCLUDES, THREADS, host_machine, host_profile_flags, host_runs_fused

LINUX = FIRMWARE / "linux"

#: Sources that firmware/linux/board replaces.
_BOARDS_OWN = ("images.c", "main.c", "memory.c", "slots.c")

CODE_FLAGS = ["-O3", "-pthread", "-ffunction-sections", "-fdata-sections"]
LINK_FLAGS = ["-static", "-pthread", "-Wl,--gc-sections", "-s"]


@dataclass(frozen=True)
class Target:
    """A processor that runs Linux."""

    name: str
    compiler: str
    flags: tuple[str, ...]
    packages: str  #: Debian's, of that compiler
    emulator: tuple[str, ...]  #: runs its programs here, on the oldest supported processor; empty: this computer


CROSS_TARGETS = [
    Target(
        "aarch64",
        "aarch64-linux-gnu-gcc",
        ("-DGM_FUSED=1",),
        "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        ("qemu-aarch64", "-cpu", "cortex-a53"),
    ),
    Target(
        "armv7hf",
        "arm-linux-gnueabihf-gcc",
        ("-DGM_FUSED=1", *ARMV7_FUSED_FLAGS),
        "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
        ("qemu-arm", "-cpu", "cortex-a7"),
    ),
    Target(
        "riscv64",
        "riscv64-linux-gnu-gcc",
        ("-DGM_FUSED=1",),
        "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
        ("qemu-riscv64",),
    ),
]


def host_target(compiler: str = "gcc") -> Target:
    """Return this computer as a target, with the fused profile if its processor supports it."""
    profile = "fused" if host_runs_fused() else "strict"
    machine = host_machine()
    name = "armv7hf" if machine.startswith("armv") else machine
    return Target(name, compiler, tuple(host_profile_flags(profile)), "gcc libc6-dev", ())


def linux_sources(monocypher: Path | None = None) -> list[Path]:
    """Return the absolute paths of gradmote-run's sources, without the runtime's.

    monocypher: its folder, if a key must have signed images.
    """
    replaced = {*_BOARDS_OWN, *(["no_signature.c"] if monocypher else [])}
    kept = [path for path in console_sources() if path.name not in replaced]
    return [*kept, *signature_sources(monocypher), *sorted(LINUX.rglob("*.c")), THREADS / "gm_threads.c"]


def linux_includes(monocypher: Path | None = None) -> list[Path]:
    """Return the folders that the sources of gradmote-run include from."""
    own = [*FIRMWARE_INCLUDES, LINUX, LINUX / "board", LINUX / "cli", THREADS]
    return [*INCLUDES, *own, *([monocypher] if monocypher else [])]


def linux_defines(target: Target, key: bytes = b"") -> dict[str, str]:
    """Return the numbers that other boards have in board.toml, and the feature macros of the C library."""
    return {
        **key_defines(key),
        "_GNU_SOURCE": "1",
        "_FILE_OFFSET_BITS": "64",
        "GM_THREADS": "1",
        "GM_BOARD_NAME": f'"linux-{target.name}"',
        "BOARD_TICKS_PER_SECOND": "1000000u",
        "BOARD_ERASE_UNIT": "4096u",
        "BOARD_PROGRAM_UNIT": "4u",
        "BOARD_FRAME_LIMIT": "1024u",
    }
