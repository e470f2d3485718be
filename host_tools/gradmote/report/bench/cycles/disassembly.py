"""The code of a program, as objdump of the compiler that built it shows it.

Objdump comes with each GCC that builds firmware, knows all that this GCC writes, and tells data
between the code apart by the marks of the ELF file. Capstone, the library for this, does not know
the vectors and loops of Armv8.1-M in version 5: it shows VLDRW as data, and what follows as nonsense.
"""

from __future__ import annotations

import re
import subprocess
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from ....errors import DeviceError
from .decoding import UNKNOWN, Instruction, decode
from .executed import Block

_LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)(?:\t(.*))?$")


class Program:
    """The machine code of an ELF file.

    Args:
        elf: The file.
        objdump: The path of objdump.
        architecture: What objdump is told with -m; "" for what the file says. Helium needs it.
    """

    def __init__(self, elf: Path, objdump: str, architecture: str = "") -> None:
        """Name the file and the tool."""
        self.elf, self.objdump, self.architecture = elf, objdump, architecture

    @cached_property
    def code(self) -> dict[int, Instruction]:
        """Each instruction by its address. Raises DeviceError where objdump fails."""
        options = ["-m", self.architecture] if self.architecture else []
        command = [self.objdump, "-d", *options, str(self.elf)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            hint = "it comes with the compiler of the firmware"
            raise DeviceError(f"{self.objdump} cannot show the code of {self.elf.name}: {error}", hint) from error
        return read_listing(done.stdout)

    def instructions(self, block: Block) -> list[Instruction]:
        """Return the instructions of a block. Raises DeviceError where one of them is unknown."""
        found, address = [], block.start
        for _ in range(block.size):
            instruction = self.code.get(address)
            if instruction is None or instruction.kind == UNKNOWN:
                name = instruction.name if instruction else "nothing"
                hint = "please report it, with the version of the compiler"
                raise DeviceError(f"the model does not know the instruction at {address:#x}: {name}", hint)
            found.append(instruction)
            address += instruction.size
        return found

    def address_of(self, symbol: str) -> int:
        """Return the address of a function's first instruction. Raises DeviceError if it is missing."""
        with self.elf.open("rb") as file:
            table = ELFFile(file).get_section_by_name(".symtab")
            found = table.get_symbol_by_name(symbol) if isinstance(table, SymbolTableSection) else None
            if not found:
                raise DeviceError(f"{self.elf.name} has no function {symbol}", "build it without stripping it")
            return int(found[0]["st_value"]) & ~1  # the lowest bit says Thumb


def read_listing(text: str) -> dict[int, Instruction]:
    """Return each instruction of a listing by objdump -d, by its address."""
    found = {}
    for line in text.splitlines():
        if match := _LINE.match(line):
            address, code, mnemonic, operands = match.groups()
            size = len(code.replace(" ", "")) // 2
            found[int(address, 16)] = decode(int(address, 16), size, mnemonic, operands or "")
    return found
