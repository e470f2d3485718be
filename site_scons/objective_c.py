"""Compile Objective-C on Debian: with clang, and GNUstep's Foundation over the runtime library of GCC."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

COMPILER = "clang-14"
INSTALL = "apt-get install clang-14 gobjc libgnustep-base-dev"

#: A program that takes this long counts as hanging.
SECONDS = 60


@dataclass(frozen=True)
class Foundation:
    """The flags for compiling against Foundation and for linking with it."""

    compile_flags: list[str]
    libraries: list[str]


def missing() -> str:
    """Return what Objective-C lacks on this computer and how to install it, or nothing."""
    lacking = [name for name in (COMPILER, "gnustep-config") if shutil.which(name) is None]
    if not lacking and not (library_folder() / "include" / "objc" / "objc.h").exists():
        lacking = ["objc/objc.h"]
    return f"no {', '.join(lacking)} - {INSTALL}" if lacking else ""


def foundation() -> Foundation:
    """Ask GNUstep and GCC for their flags."""
    flags = [flag for flag in config("--objc-flags") if flag not in ("-MMD", "-MP", "-g")]
    system = [flag.replace("-I/", "-isystem/") for flag in flags]  # suppresses warnings of these headers
    folder = library_folder()
    return Foundation([*system, f"-idirafter{folder / 'include'}"], [f"-L{folder}", *config("--base-libs")])


def config(option: str) -> list[str]:
    """Return the words that gnustep-config prints."""
    return shlex.split(output(["gnustep-config", option]))


def library_folder() -> Path:
    """Return the folder of GCC's own headers and libraries, including those of Objective-C."""
    return Path(output(["gcc", "-print-libgcc-file-name"]).strip()).parent


def output(command: list[str]) -> str:
    """Return what a command prints. Raises CalledProcessError."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout
