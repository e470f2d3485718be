"""The Cortex-M7, which begins up to two instructions per cycle, in order.

Which two share a cycle, and which must wait, are measurements by jnk0le (tables/cortex_m7.toml).
Assumes that loads of words from one memory bank take one cycle, and that all branches are predicted,
except at the end of a loop.
"""

from __future__ import annotations

from .decoding import Instruction
from .registers import Registers
from .timings import Core

_ACCUMULATES = ("fp_fused", "fp_chained")
_ARITHMETIC = (*_ACCUMULATES, "fp_add", "fp_multiply", "fp_convert", "fp_divide", "fp_compare")
_MULTIPLIES = ("multiply", "multiply_add", "multiply_long", "multiply_add_long")
_STORES = ("store", "fp_store")
#: Kinds that never share a cycle with a floating-point multiply-accumulate.
_APART_FROM_ACCUMULATES = ("fp_load", "fp_store", "fp_move", "fp_to_core", "fp_from_core")
_MANY = ("load_many", "store_many", "fp_load_many", "fp_store_many")
_ALONE = (*_MANY, "load_double", "store_double", "table_branch", "system", "divide")
#: Kinds that wait until a floating-point multiply-accumulate is this many cycles old.
_BEHIND_ACCUMULATES = 4
_WAITS = ("fp_add", "fp_load_many", "fp_store_many")


class DualIssue:
    """A pipeline that takes instructions in order, two per cycle if they may share it.

    Attributes:
        now: The cycle in which the next instruction may begin, unless it shares an earlier one.
    """

    def __init__(self, core: Core) -> None:
        """Begin with an empty pipeline and all registers ready."""
        self._core = core
        self.now = 0
        self._registers = Registers()
        self._older: Instruction | None = None  # began in cycle now - 1, which has room for one more
        self._accumulated = -_BEHIND_ACCUMULATES  # when the last multiply-accumulate of floats began

    def run(self, instruction: Instruction, taken: bool) -> None:
        """Issue one instruction. `taken` says whether a branch is taken."""
        start = self._start(instruction)
        issue = self._core.timing(instruction.kind).issue_of(instruction.count)
        self.now = max(self.now, start + issue)
        if instruction.writes_pc:
            self.now += self._core.branch.loads_pc
        self._write(instruction, start)
        if instruction.kind in _ACCUMULATES:
            self._accumulated = start
        if instruction.kind == "branch":
            self._end_of_block(instruction, taken)

    def _start(self, instruction: Instruction) -> int:
        """Return the cycle in which it begins, and remember whether another may join it."""
        ready = self._registers.ready_for(instruction)
        if self._joins(instruction, ready):
            self._older = None
            return self.now - 1
        start = max(self.now, ready)
        if instruction.kind in _WAITS or (_is_alone(instruction) and instruction.is_float):
            start = max(start, self._accumulated + _BEHIND_ACCUMULATES)
        waits = _is_alone(instruction) or self._core.timing(instruction.kind).issue_of(instruction.count) > 1
        self._older = None if waits else instruction
        return start

    def _joins(self, instruction: Instruction, ready: int) -> bool:
        """Return whether it begins in the cycle of the previous instruction."""
        older, cycle = self._older, self.now - 1
        if older is None or ready > cycle or _is_alone(instruction) or not may_share(older, instruction):
            return False
        is_behind = cycle < self._accumulated + _BEHIND_ACCUMULATES
        return not (is_behind and instruction.kind in (*_APART_FROM_ACCUMULATES, "fp_add"))

    def _write(self, instruction: Instruction, start: int) -> None:
        """Record when the results are ready; of several loaded registers, two arrive per cycle."""
        timing, many = self._core.timing(instruction.kind), instruction.kind in _MANY
        count = 2 if many else instruction.count
        for at, register in enumerate(instruction.writes):
            begin = start + at // 2 if many else start
            self._registers.write(register, begin, timing, count)
        if instruction.advances_base:
            self._registers.advance(instruction.base, start + 1)

    def _end_of_block(self, instruction: Instruction, taken: bool) -> None:
        """Handle branches: the end of a loop was predicted to continue, and nothing joins a taken branch."""
        goes_back = instruction.target is not None and instruction.target <= instruction.address
        if instruction.reads_flags and not taken and goes_back:
            self.now += self._core.branch.mispredicted
            self._older = None
        if taken:
            self._older = None


def may_share(older: Instruction, younger: Instruction) -> bool:
    """Return whether the younger of two instructions may begin in the older one's cycle."""
    kinds = {older.kind, younger.kind}
    if older.kind in _ARITHMETIC and younger.kind in _ARITHMETIC:
        return False
    if older.kind in _MULTIPLIES and younger.kind in (*_MULTIPLIES, "store"):
        return False
    if older.kind == "store" and younger.kind in _MULTIPLIES:
        return False
    if kinds & {*_ACCUMULATES} and kinds & {*_APART_FROM_ACCUMULATES}:
        return False
    if older.kind in _STORES and younger.kind in _STORES:
        return False
    return not set(older.writes) & set(younger.reads)


def _is_alone(instruction: Instruction) -> bool:
    """Return whether it shares no cycle: several floating-point registers, or an exclusive kind."""
    return instruction.kind in _ALONE or (instruction.is_float and instruction.count > 1)
