"""Cores that begin one instruction per cycle, in order: Cortex-M0, M0+, M3, M4, M33 and M55."""

from __future__ import annotations

from .decoding import Instruction
from .registers import Registers
from .timings import BRANCHES, Core


class SingleIssue:
    """A pipeline that takes instructions in order.

    An instruction begins once the previous one allows it, its operands are ready, and its unit is
    free. Attributes:
        now: The cycle in which the next instruction may begin.
    """

    def __init__(self, core: Core) -> None:
        """Begin with an empty pipeline and all registers ready."""
        self._core = core
        self.now = 0
        self._registers = Registers()
        self._free: dict[str, int] = {}  # unit -> the cycle in which it can take an instruction
        self._before: Instruction | None = None

    def run(self, instruction: Instruction, taken: bool) -> None:
        """Issue one instruction. `taken` says whether a branch is taken."""
        timing = self._core.timing(instruction.kind)
        start = max(self.now, self._registers.ready_for(instruction), self._free.get(instruction.unit, 0))
        start -= self._overlap(instruction)
        issue = timing.issue_of(instruction.count) + self._besides(instruction)
        if instruction.kind in BRANCHES:
            issue = self._branch(instruction, taken)
        self.now = start + issue
        self._free[instruction.unit] = start + timing.busy
        for register in instruction.writes:
            self._registers.write(register, start, timing, instruction.count)
        if instruction.advances_base:
            self._registers.advance(instruction.base, self.now)
        self._before = instruction

    def _overlap(self, instruction: Instruction) -> int:
        """Return the cycles that a memory access saves directly after a load."""
        before = self._before
        if before is None or before.kind not in _LOADS or instruction.kind not in (*_LOADS, "store"):
            return 0
        memory, advanced = self._core.memory, before.advances_base
        depends = instruction.base in before.writes or (advanced and before.base == instruction.base)
        return 0 if depends or (advanced and not memory.pipelined_after_index) else memory.pipelined

    def _besides(self, instruction: Instruction) -> int:
        """Return the additional cycles of a memory access, beyond those of its kind."""
        memory, before = self._core.memory, self._before
        found = self._core.branch.loads_pc if instruction.writes_pc else 0
        if instruction.kind == "store" and instruction.has_index:
            found += memory.indexed_store
        if instruction.kind in _LOADS and before is not None and before.kind == "store":
            found += memory.load_after_store
        return found

    def _branch(self, instruction: Instruction, taken: bool) -> int:
        branch, before = self._core.branch, self._before
        shares = before is not None and before.size == 2 and before.kind not in BRANCHES
        is_narrow = instruction.size == 2 and shares
        if instruction.kind == "loop":
            return branch.loop if taken else branch.not_taken
        if not taken:
            narrow = branch.narrow_not_taken if is_narrow else None
            return branch.not_taken if narrow is None else narrow
        if instruction.target is None:
            return branch.indirect
        if branch.call is not None and "r14" in instruction.writes:
            return branch.call
        narrow = branch.narrow_taken if is_narrow and before is not None and not before.sets_flags else None
        return branch.taken if narrow is None else narrow


_LOADS = ("load", "load_narrow")
