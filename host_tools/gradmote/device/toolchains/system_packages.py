"""The command that installs a program, for each kind of system."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_QEMU = {"brew": "brew install qemu", "winget": "winget install SoftwareFreedomConservancy.QEMU"}

#: Program -> package manager -> the command that installs it.
INSTALLS: dict[str, dict[str, str]] = {
    "arm-none-eabi-gcc": {
        "apt-get": "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi",
        "dnf": "dnf install arm-none-eabi-gcc-cs arm-none-eabi-newlib",
        "pacman": "pacman -S arm-none-eabi-gcc arm-none-eabi-newlib",
        "apk": "apk add gcc-arm-none-eabi newlib-arm-none-eabi",
        "brew": "brew install --cask gcc-arm-embedded",
        "winget": "winget install Arm.GnuArmEmbeddedToolchain",
    },
    "riscv64-unknown-elf-gcc": {"apt-get": "apt-get install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"},
    "qemu-system-arm": {
        "apt-get": "apt-get install qemu-system-arm",
        "dnf": "dnf install qemu-system-arm",
        "pacman": "pacman -S qemu-system-arm",
        "apk": "apk add qemu-system-arm",
        **_QEMU,
    },
    "qemu-system-riscv32": {
        "apt-get": "apt-get install qemu-system-misc",
        "dnf": "dnf install qemu-system-riscv",
        "pacman": "pacman -S qemu-system-riscv",
        "apk": "apk add qemu-system-riscv32",
        **_QEMU,
    },
    "bossac": {"apt-get": "apt-get install bossa-cli", "brew": "brew install --cask bossa"},
    "dfu-util": {
        "apt-get": "apt-get install dfu-util",
        "dnf": "dnf install dfu-util",
        "pacman": "pacman -S dfu-util",
        "apk": "apk add dfu-util",
        "brew": "brew install dfu-util",
    },
    "openocd": {
        "apt-get": "apt-get install openocd",
        "dnf": "dnf install openocd",
        "pacman": "pacman -S openocd",
        "apk": "apk add openocd",
        "brew": "brew install open-ocd",
    },
    "st-flash": {
        "apt-get": "apt-get install stlink-tools",
        "dnf": "dnf install stlink",
        "pacman": "pacman -S stlink",
        "apk": "apk add stlink",
        "brew": "brew install stlink",
    },
    "teensy_loader_cli": {"apt-get": "apt-get install teensy-loader-cli", "brew": "brew install teensy_loader_cli"},
}
_ON_LINUX = ("apt-get", "dnf", "pacman", "apk")


def manager() -> str:
    """Return the package manager of this system; apt-get if it has no known one."""
    if sys.platform in ("win32", "darwin"):
        return "winget" if sys.platform == "win32" else "brew"
    return next((name for name in _ON_LINUX if shutil.which(name)), "apt-get")


def how_to_install(program: str) -> str:
    """Return the command that installs a program here.

    If this system's package manager does not offer it, this is Debian's command, and says so.
    """
    ways, here = INSTALLS[program], manager()
    return ways[here] if here in ways else f"{ways['apt-get']} (on Debian and Ubuntu)"


def program_path(program: str) -> str | None:
    """Return the path of a program; None if it is missing.

    Looks on PATH and, on Windows, in the folder that QEMU's installer uses.
    """
    beside = [str(Path(os.environ.get("PROGRAMFILES", "C:\\Program Files")) / "qemu")]
    places = beside if sys.platform == "win32" else []
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *places]))
