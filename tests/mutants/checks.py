"""Says whether a mutant is one: its file compiles, and becomes another program."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from shutil import copy, copytree, which
from typing import TypeVar

from .mutant import ROOT

sys.path.insert(0, str(ROOT / "site_scons"))

from boards import Board, boards

from runtime_sources import HANDLES, INCLUDES, PROFILES, THREADS, WARNING_FLAGS, extension_flags

#: Kernels for the processors of boards, which are compiled with the flags of boards.
OF_BOARDS = tuple(f"runtime_c/kernels/arch/{isa}/" for isa in ("arm_m", "helium", "riscv", "soft_float"))
#: The board whose firmware most tests run.
BOARD = "mps2-an386"
#: What compiles vectors in a fraction of the time, to code that differs whenever that of -O3 does.
QUICKLY = ("-O1", "-DGM_UNROLL=")
SCRIPTS = "bindings/js"
TOOLS = "build/js/tools"
Made = TypeVar("Made", str, list[tuple[str, ...]])


def is_live(file: str, text: str) -> bool:
    """Return whether the file compiles with this text, to other code than with its own."""
    own = (ROOT / file).read_text()
    if file.endswith(".c"):
        commands = require(file, [command for command in builds(file) if is_correct(command, own)])
        return all(is_correct(command, text) for command in commands) and differs(commands, own, text)
    if file.endswith(".ts"):
        return compiled_script(file, text) not in ("", require(file, compiled_script(file, own)))
    return True


def require(file: str, made: Made) -> Made:
    """Return what compilers made of a file as it is. End the program if that is nothing."""
    if not made:
        raise SystemExit(f"{file} does not compile here as it is, so mutants of it cannot be checked: ./run setup")
    return made


# ---- C ---------------------------------------------------------------------------------------------------------------


@cache
def is_correct(command: Sequence[str], text: str) -> bool:
    return compiled([*command, "-fsyntax-only"], text).returncode == 0


def differs(commands: Iterable[Sequence[str]], own: str, text: str) -> bool:
    """Return whether one of the builds makes other machine code of a text. It must not refuse it then."""
    both = ((command, assembly(command, text)) for command in commands)
    return any(made not in ("", assembly(command, own)) for command, made in both)


@cache
def assembly(command: Sequence[str], text: str) -> str:
    """Return the machine code of a text; "" if the compiler refuses it."""
    done = compiled([*command, "-S", "-o", "-"], text)
    return done.stdout if done.returncode == 0 else ""


def compiled(command: Sequence[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, "-x", "c", "-"], input=text, capture_output=True, text=True)


@cache
def builds(file: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands that compile a C file in the builds of the project that have it."""
    if file.startswith("firmware/"):
        own = f"-I{(ROOT / file).parent}"
        return tuple((*firmware_build(board), own) for board in boards() if board.name == BOARD)
    includes = [f"-I{path}" for path in ((ROOT / file).parent, *INCLUDES, THREADS, HANDLES)]
    if file.startswith(OF_BOARDS):
        able = [board for board in boards() if board.compiler and which(f"{board.compiler}gcc")]
        found = {(f"{board.compiler}gcc", *plain(board.runtime_flags()), *includes) for board in able}
        return tuple(sorted(found))
    return tuple(("gcc", *extension_flags(profile), *QUICKLY, *WARNING_FLAGS, *includes) for profile in PROFILES)


def firmware_build(board: Board) -> tuple[str, ...]:
    defines = [f"-D{name}={value}" for name, value in board.defines().items()]
    includes = [f"-I{path}" for path in board.includes()]
    return (f"{board.compiler}gcc", *plain(board.flags()), *defines, *includes)


def plain(flags: Sequence[str]) -> list[str]:
    """Return flags without those that write more files, or information about lines."""
    return [flag for flag in flags if flag != "-g" and not flag.startswith("-fcallgraph-info")]


# ---- TypeScript ------------------------------------------------------------------------------------------------------


@cache
def compiled_script(file: str, text: str) -> str:
    """Return the JavaScript that tsc makes of a file with this text; "" if a type is wrong."""
    tsc = ROOT / TOOLS / "node_modules/typescript/bin/tsc"
    if not tsc.exists():
        raise SystemExit(f"{TOOLS} is missing, which compiles TypeScript: ./run scons {TOOLS}/installed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copytree(ROOT / SCRIPTS / "src", folder / "src")
        for name in ("tsconfig.json", "package.json"):
            copy(ROOT / SCRIPTS / name, folder)
        own = Path(file).relative_to(SCRIPTS)
        (folder / own).write_text(text)
        form = ["--emitDeclarationOnly", "false", "--declaration", "false", "--outDir", "made", "--noEmitOnError"]
        command = ["node", str(tsc), "-p", ".", *form, "--typeRoots", str(tsc.parents[2] / "@types")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        made = folder / "made" / own.relative_to("src").with_suffix(".js")
        return made.read_text() if done.returncode == 0 else ""
