"""GCC and the GNU linker, on PATH or in a folder of PlatformIO's packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gradmote.errors import DeviceError
from gradmote.sources.parts import build_module

from .toolchain import Step, Toolchain

#: The option that writes the call graph, from which the stack's bound is computed.
_CALL_GRAPH = "-fcallgraph-info"
_FIRST_WITH_CALL_GRAPH = 10
#: An option that older linkers do not know; they do not give the warning either.
_NO_WARNING = "-Wl,--no-warn-rwx-segments"


def gnu_toolchain(board: Any, folder: Path | None = None) -> GnuToolchain | None:
    """Return the board's GCC on PATH, or in a folder; None if it or its C library is missing."""
    name = f"{board.compiler}gcc"
    program = shutil.which(name, path=None if folder is None else str(folder))
    if program is None:
        return None
    if folder is not None:
        board = replace(board, family={**board.family, "compiler": str(folder / board.compiler)})
    found = GnuToolchain(board, name)
    return None if found.missing_specs() else found


class GnuToolchain(Toolchain):
    """GCC for one board. The paths of its tools begin with `board.compiler`."""

    def version(self) -> str:
        """Return the compiler's name and version."""
        return f"{self.name} {self._version}"

    @cached_property
    def _version(self) -> str:
        return self._answer(f"{self.board.compiler}gcc", "-dumpfullversion", "-dumpversion").strip()

    @cached_property
    def has_call_graph(self) -> bool:
        """Whether the compiler writes its call graph."""
        major = re.match(r"\d+", self._version)
        return major is not None and int(major[0]) >= _FIRST_WITH_CALL_GRAPH

    @cached_property
    def _warns_of_segments(self) -> bool:
        return _NO_WARNING.removeprefix("-Wl,") in self._answer(f"{self.board.compiler}ld", "--help")

    def missing_specs(self) -> list[str]:
        """Return the C library's files that the compiler does not find."""
        gcc = f"{self.board.compiler}gcc"
        found = {name: self._answer(gcc, f"-print-file-name={name}").strip() for name in self.board.specs()}
        return [name for name, path in found.items() if not os.path.isabs(path)]

    def library(self) -> tuple[list[Path], list[Path]]:
        """Return nothing: the compiler has a C library."""
        return [], []

    def compile_command(self, step: Step, target: Path) -> list[str]:
        """Return the command that compiles one source."""
        flags = [flag for flag in step.flags if self.has_call_graph or not flag.startswith(_CALL_GRAPH)]
        return [f"{self.board.compiler}gcc", "-c", *flags, step.source, "-o", str(target)]

    def link_command(self, objects: Sequence[str], flags: Sequence[str], elf: Path, scratch: Path) -> list[str]:
        """Return the command that links objects, and writes a map next to the ELF file."""
        kept = [flag for flag in flags if flag != _NO_WARNING or self._warns_of_segments]
        return [f"{self.board.compiler}gcc", *objects, *kept, f"-Wl,-Map={elf.stem}.map", "-o", elf.name]

    def footprint(self, elf: Path, objects: Sequence[Path]) -> dict[str, Any]:
        """Return the board memory that a firmware takes.

        Raises DeviceError if it can take more stack than is set aside.
        """
        measure = build_module("footprint")
        if not self.has_call_graph:
            symbols = measure.symbols_of(self.board.compiler, elf)
            return dict(measure.measured(self.board, symbols, measure.code_parts(elf.with_suffix(".map")), None))
        found = measure.footprint(self.board, elf, list(objects))
        try:
            measure.require_stack(found)
        except RuntimeError as error:
            raise DeviceError(str(error), "please report it, with the version of the compiler") from error
        return dict(found)

    def _answer(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
