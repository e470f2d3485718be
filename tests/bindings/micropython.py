"""The rows of MicroPython: the user module and native modules, on this computer and on an emulated Cortex-M4F."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

import micropython_builds as micropython

from bindings.row import Missing, Row, require
from bindings.same_state import image
from gradmote.formats.c_header import c_header
from gradmote.formats.kernel_selection import needs_of
from runtime_sources import host_machine, host_runs_fused
from support.emulated_micropython import emulated

#: The program of the table, in Python that MicroPython and CPython run.
SAME_STATE = micropython.BINDING / "examples" / "same_state.py"
#: Folders of the binding's Python modules.
GENERATED, MODULES = micropython.BINDING / "generated", micropython.BINDING / "python"


def run_here(arguments: list[str], path: list[Path]) -> str:
    """Run MicroPython on this computer and return what it prints. path: its folders of modules."""
    program = program_or_missing()
    environment = {"MICROPYPATH": ":".join(map(str, path))}
    command = [str(program), "-X", "heapsize=8m", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def program_or_missing() -> Path:
    """Return MicroPython for this computer. Raises Missing."""
    try:
        return micropython.unix_program()
    except micropython.NoMicroPython as error:
        raise Missing(str(error)) from error


def firmware_or_missing() -> Path:
    """Return the firmware for the emulated board. Raises Missing."""
    require("qemu-system-arm")
    try:
        return micropython.emulated_firmware(header_of(image()))
    except micropython.NoMicroPython as error:
        raise Missing(str(error)) from error


def header_of(model: bytes) -> Path:
    """Return the header that `gradmote header` writes of an image."""
    micropython.BUILD.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(model).hexdigest()[:12]
    source, path = micropython.BUILD / f"model-{name}.mote", micropython.BUILD / f"model-{name}.h"
    source.write_bytes(model)
    path.write_text(c_header(source, "model"))
    return path


def module_or_missing(arch: str, model: Path, fused: bool, core: bool = True) -> Path:
    """Return a native module for one model. Raises Missing."""
    if arch == "x64" and host_machine() not in ("x86_64", "amd64"):
        raise Missing("x86-64 processor")
    if arch == "x64" and fused and not host_runs_fused():
        raise Missing("fused multiply-add")
    try:
        return micropython.native_module(arch, needs_of(model.read_bytes()).flags(), core, fused)
    except micropython.NoMicroPython as error:
        raise Missing(str(error)) from error


def digest_of(printed: str) -> str:
    """Return the last word that a program prints."""
    return printed.split()[-1]


def user_module(model: Path, steps: int) -> str:
    """Train with the user module on this computer."""
    return digest_of(run_here([str(SAME_STATE), str(model), str(steps)], []))


def native_module(fused: bool) -> Row:
    """Return the row of a native module on this computer."""
    profile = "fused" if fused else "strict"

    def run(model: Path, steps: int) -> str:
        module = module_or_missing("x64", model, fused)
        with tempfile.TemporaryDirectory() as folder:
            # The user module has the name gradmote already.
            (Path(folder) / "gradmote_native.mpy").write_bytes(module.read_bytes())
            arguments = [str(SAME_STATE), str(model), str(steps), "gradmote_native"]
            return digest_of(run_here(arguments, [Path(folder)]))

    return Row(f"MicroPython, x64 .mpy, {profile}", profile, run)


def emulated_user_module(model: Path, steps: int) -> str:
    """Train with the user module of the emulated board."""
    with emulated(firmware_or_missing()) as board:
        board.make_file_system()
        board.copy(model, "model.mote")
        return digest_of(
            board.run(f"import sys\nsys.argv[:] = ['', 'model.mote', '{steps}']\n{SAME_STATE.read_text()}")
        )


def emulated_native_module(model: Path, steps: int) -> str:
    """Train with a native module that the emulated board loads from its file system."""
    module = module_or_missing("armv7emsp", model, fused=True)
    with emulated(firmware_or_missing()) as board:
        board.make_file_system()
        board.copy(model, "model.mote")
        board.copy(module, "gradmote_native.mpy")
        arguments = f"['', 'model.mote', '{steps}', 'gradmote_native']"
        return digest_of(board.run(f"import sys\nsys.argv[:] = {arguments}\n{SAME_STATE.read_text()}"))


ROWS = [
    Row("MicroPython, user module", "strict", user_module),
    native_module(fused=False),
    native_module(fused=True),
    Row("MicroPython on Cortex-M4F, user module", "strict", emulated_user_module),
    Row("MicroPython on Cortex-M4F, armv7emsp .mpy", "fused", emulated_native_module),
]
