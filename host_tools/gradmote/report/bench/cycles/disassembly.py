"""The code of a program, as shown by the objdump of the compiler that built it.

Objdump comes with each GCC that builds firmware, knows everything that this GCC writes, and
recognizes data between the code by the ELF file's marks. The Capstone library, in version 5, does
not know the vectors and loops of Armv8.1-M: it shows VLDRW as data, and nonsense after it.
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
        architecture: The value of objdump's -m; "" to use the file's own. Helium needs it.
    """

    def __init__(self, elf: Path, objdump: str, architecture: str = "") -> None:
        """Take the file and the tool."""
        self.elf, self.objdump, self.architecture = elf, objdump, architecture

    @cached_property
    def code(self) -> dict[int, Instruction]:
        """Each instruction by its address. Raises DeviceError if objdump fails."""
        options = ["-m", self.architecture] if self.architecture else []
        command = [self.objdump, "-d", *options, str(self.elf)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            hint = "it comes with the compiler of the firmware"
            raise DeviceError(f"{self.objdump} cannot show the code of {self.elf.name}: {error}", hint) from error
        return read_listing(done.stdout)

    def instructions(self, block: Block) -> list[Instruction]:
        """Return the instructions of a block. Raises DeviceError if one of them is unknown."""
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
            return int(found[0]["st_value"]) & ~1  # the lowest bit marks Thumb code


def read_listing(text: str) -> dict[int, Instruction]:
    """Return each instruction in a listing of objdump -d, by its address."""
    found = {}
    for line in text.splitlines():
        if match := _LINE.match(line):
            address, code, mnemonic, operands = match.groups()
            size = len(code.replace(" ", "")) // 2
            found[int(address, 16)] = decode(int(address, 16), size, mnemonic, operands or "")
    return found
