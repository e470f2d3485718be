"""When registers are ready: to be read, to be the addend of a multiply-accumulate, or to be stored."""

from __future__ import annotations

from .decoding import Instruction
from .timings import Timing


class Registers:
    """The cycle in which each register's value becomes ready, for each kind of use."""

    def __init__(self) -> None:
        """Begin with all registers ready."""
        self._read: dict[str, int] = {}
        self._addend: dict[str, int] = {}
        self._stored: dict[str, int] = {}

    def ready_for(self, instruction: Instruction) -> int:
        """Return the cycle in which all operands of an instruction are ready."""
        read = [self._read.get(register, 0) for register in instruction.reads]
        stored = [self._stored.get(register, 0) for register in instruction.stores]
        return max([*read, *stored, self._addend.get(instruction.addend, 0)])

    def write(self, register: str, start: int, timing: Timing, count: int) -> None:
        """Record when the result of an instruction that began at `start` is ready."""
        self._read[register] = start + timing.latency_of(count)
        self._addend[register] = start + timing.addend_of(count)
        self._stored[register] = start + timing.stored_of(count)

    def advance(self, base: str, cycle: int) -> None:
        """Record when an advanced base register is ready, for all uses."""
        self._read[base] = self._addend[base] = self._stored[base] = cycle
