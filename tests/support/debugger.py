"""A processor that a debugger's port leads from one place in its program to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from stack_bound import disassembly, output_of

from gradmote.device.flash.gdb import Gdb

_STOPPED = "T"
#: objdump's lines: the first of a function, and an instruction of Arm or RISC-V that stores outside of the stack.
_FUNCTION = re.compile(r"^\w+ <([^>]+)>:$")
_STORE = re.compile(r"^\s*(\w+):\t[0-9a-f ]+\t(?:str[bh]?(?:\.w)?|s[bhw])\t(?!.*\bsp\b)")


class Debugger(Gdb):
    """The processor is halted from the connection on. All methods raise DeviceError."""

    def break_at(self, addresses: Iterable[int]) -> None:
        """Stop the processor before each of these instructions, until detach()."""
        for address in addresses:
            self._expect_ok(f"Z0,{address:x},2", f"set a breakpoint at {address:#x}")

    def run(self) -> None:
        """Run to the next breakpoint. Raises DeviceError if it reaches none in 10 s."""
        self._go("c")

    def step(self) -> None:
        """Run one instruction, even at a breakpoint."""
        self._go("s")

    def _go(self, how: str) -> None:
        self._send(how)
        while (found := self._packet()) is None or not found.startswith(_STOPPED):
            if found is None:
                self._received += self._more()

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self._ask("g")[8 * number :][:8]), "little")


def stores(compiler: str, elf: Path, functions: Iterable[str]) -> list[int]:
    """Return the addresses of the instructions in these functions that store outside of the stack. compiler: the
    prefix of its tools' names."""
    found, wanted, name = [], set(functions), ""
    for line in disassembly(compiler, elf).splitlines():
        if start := _FUNCTION.match(line):
            name = start[1]
        elif name in wanted and (store := _STORE.match(line)):
            found.append(int(store[1], 16))
    return found


def address_of(compiler: str, elf: Path, function: str) -> int:
    """Return the address of the function's first instruction."""
    lines = output_of(f"{compiler}nm", elf).splitlines()
    return next(int(line.split()[0], 16) for line in lines if line.split()[-1] == function)
