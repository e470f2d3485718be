"""Clang, lld and compiler-rt from the Python package ziglang, which pip can install on any system.

It has no C library for these processors. The firmware needs a few functions from <string.h>:
compiler-rt has the memory functions, and firmware/freestanding the text functions. The code is
optimized for size, since clang's code for speed does not fit the small boards. It gives the same bits.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gradmote.formats.files import build_folder
from gradmote.sources.parts import build_module, origin

from .toolchain import Step, Toolchain

PACKAGE = "ziglang"
#: The floating-point unit in GCC's words -> clang's features, which it needs one by one.
_FEATURES = {
    "fpv4-sp-d16": "+vfp4d16sp",
    "fpv5-sp-d16": "+vfp4d16sp+fp_armv8d16sp-fp64",
    "+nomve": "-mve-mve_fp+vfp4d16+fp_armv8d16",
}
#: Flags that clang lacks or spells differently, or that are for the missing C library.
_LEFT_OUT = ("-O", "-fcallgraph-info", "--specs=", "-misa-spec", "-msmall-data", "-mcpu=", "-march=", "-mfpu=",
             "-mfloat-abi=", "-mthumb", "-mabi=", "-W", "-nostartfiles")  # fmt: skip
_OWN_FLAGS = ("-Os", "-fno-sanitize=all", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-w")
#: A map's line for a placed section: its bytes, its object and its name.
_PLACED = re.compile(r"^ *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +\d+ +(\S+\.o):\((\.[^)]+)\)$", re.M)
_IN_FLASH = (".vectors", ".interrupts", ".text", ".rodata", ".data", ".srodata", ".sdata")


def zig_toolchain(board: Any) -> ZigToolchain | None:
    """Return ziglang's compiler next to this Python; None if it is not installed."""
    return ZigToolchain(board, f"{PACKAGE}'s clang") if importlib.util.find_spec(PACKAGE) else None


class ZigToolchain(Toolchain):
    """Ziglang's clang for one board."""

    def version(self) -> str:
        """Return the compiler's name and version."""
        return f"{self.name} {importlib.metadata.version(PACKAGE)}"

    def library(self) -> tuple[list[Path], list[Path]]:
        """Return the text functions and their header."""
        folder = origin() / "firmware" / "freestanding"
        return [folder / "string.c"], [folder]

    def environment(self) -> Mapping[str, str]:
        """Return the folder for the compiler's caches, which would otherwise be in the current folder."""
        kept = str(build_folder() / "zig")
        return {"ZIG_GLOBAL_CACHE_DIR": kept, "ZIG_LOCAL_CACHE_DIR": kept}

    def compile_command(self, step: Step, target: Path) -> list[str]:
        """Return the command that compiles one source."""
        abi = [flag for flag in step.flags if flag.startswith("-mabi=")]
        flags = [flag for flag in step.flags if not flag.startswith(_LEFT_OUT)]
        return [*_zig("cc"), "-c", *self._target(), *abi, *flags, *_OWN_FLAGS, step.source, "-o", str(target)]

    def link_command(self, objects: Sequence[str], flags: Sequence[str], elf: Path, scratch: Path) -> list[str]:
        """Return the command that links objects, and writes a map next to the ELF file."""
        script = flags[flags.index("-T") : flags.index("-T") + 2]
        given = [part for flag in flags if flag.startswith("-Wl,") for part in flag.split(",")[1:]]
        given = [flag for flag in given if "rwx-segments" not in flag]
        return [*_zig("ld.lld"), *objects, "compiler_rt.o", *script, *given, f"-Map={elf.stem}.map", "-o", elf.name]

    def link(self, objects: Sequence[str], flags: Sequence[str], elf: Path) -> None:
        """Compile compiler-rt too, and link it with the objects."""
        source = _package() / "lib" / "compiler_rt.zig"
        options = [*self._target(), "-OReleaseSmall", "-ffunction-sections", "-femit-bin=compiler_rt.o"]
        self.run([*_zig("build-obj"), str(source), *options], elf.parent)
        super().link(objects, flags, elf)

    def footprint(self, elf: Path, objects: Sequence[Path]) -> dict[str, Any]:
        """Return the board memory that a firmware takes; clang does not report its stack."""
        measure = build_module("footprint")
        parts = _code_parts(elf.with_suffix(".map").read_text(), measure.PARTS)
        return dict(measure.measured(self.board, _symbols_of(elf), parts, None))

    def _target(self) -> list[str]:
        flags = self.board.table["cpu_flags"]
        values = dict(flag.partition("=")[::2] for flag in flags)
        if "-march" in values:
            extensions = values["-march"].removeprefix("rv32i")
            return ["-target", "riscv32-freestanding-none", f"-mcpu=generic_rv32+{'+'.join(extensions)}"]
        features = "".join(feature for unit, feature in _FEATURES.items() if unit in " ".join(flags))
        cpu = values["-mcpu"].partition("+")[0].replace("-", "_")
        abi = "eabihf" if values.get("-mfloat-abi") == "hard" else "eabi"
        return ["-target", f"thumb-freestanding-{abi}", f"-mcpu={cpu}{features}"]


def _zig(tool: str) -> list[str]:
    return [sys.executable, "-m", PACKAGE, tool]


def _package() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


def _symbols_of(elf: Path) -> dict[str, tuple[int, int]]:
    """Return (address, bytes) of each symbol by its name, largest first."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    with elf.open("rb") as file:
        tables = [part for part in ELFFile(file).iter_sections() if isinstance(part, SymbolTableSection)]
        symbols = [symbol for table in tables for symbol in table.iter_symbols() if symbol.name]
        found = {symbol.name: (symbol["st_value"], symbol["st_size"]) for symbol in symbols}
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def _code_parts(text: str, parts: Mapping[str, str]) -> dict[str, int]:
    """Return the bytes in flash for each part of the firmware."""
    found = dict.fromkeys((*parts, "C library"), 0)
    for size, origin_of, section in _PLACED.findall(text):
        if section.startswith(_IN_FLASH):
            name = next((part for part, folder in parts.items() if folder in origin_of), "C library")
            found[name] += int(size, 16)
    return {name: size for name, size in found.items() if size}
