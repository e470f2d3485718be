"""The plugin for the emulator that counts blocks: built by the host's C compiler, once for each version."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ....errors import DeviceError
from ....formats.files import make_build_folder, write_atomically

SOURCE = Path(__file__).with_name("edges_plugin.c")
#: From this major version on, QEMU accepts only plugins for the second version of its interface.
_SECOND_INTERFACE = 9
_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden")
#: The plugin's QEMU symbols are resolved when it is loaded; macOS needs flags for that.
_MAC_FLAGS = ("-undefined", "dynamic_lookup")


def plugin_for(emulator: str) -> Path:
    """Return the plugin for the emulator at this path, and build it unless it exists.

    Raises DeviceError if the host has no C compiler, the compiler fails, or the emulator does not
    support plugins.
    """
    version = interface_of(emulator)
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]
    path = make_build_folder() / f"edges_plugin-{version}-{digest}.so"
    if not path.exists():
        _build(version, path)
    return path


@cache
def interface_of(emulator: str) -> int:
    """Return the version of an emulator's plugin interface.

    Raises DeviceError if it does not support plugins.
    """
    if sys.platform == "win32" or "-plugin" not in _answer(emulator, "-h"):
        raise DeviceError(f"{emulator} takes no plugins", "cycles need a QEMU with plugins, on Linux or macOS")
    found = re.search(r"version (\d+)", _answer(emulator, "--version"))
    return 2 if found and int(found[1]) >= _SECOND_INTERFACE else 1


def _build(version: int, path: Path) -> None:
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise DeviceError("there is no C compiler for this computer", f"install one of {', '.join(_COMPILERS)}")
    flags = [*_FLAGS, *(_MAC_FLAGS if sys.platform == "darwin" else ()), f"-DPLUGIN_VERSION={version}"]
    with TemporaryDirectory(prefix="gradmote-") as folder:
        built = Path(folder) / path.name
        command = [compiler, *flags, str(SOURCE), "-o", str(built)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            message = done.stderr.strip()
            raise DeviceError(f"{compiler} cannot compile {SOURCE.name}: {message}", "is the compiler whole?")
        write_atomically(path, built.read_bytes())


def _answer(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
