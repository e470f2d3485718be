"""The pipelines of cores: when each instruction begins, and when registers are ready.

SingleIssue: cores that begin one instruction per cycle, in order: Cortex-M0, M0+, M3, M4, M33 and M55.

DualIssue: the Cortex-M7, which begins up to two instructions per cycle, in order. Which two share a cycle,
and which must wait, are measurements by jnk0le (tables/cortex_m7.toml). Assumes that loads of words from
one memory bank take one cycle, and that all branches are predicted, except at the end of a loop.
"""

from __future__ import annotations

from .decoding import Instruction
from .timings import BRANCHES, Core, Timing


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


# ---- One instruction per cycle ---------------------------------------------------------------------------------------


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


# ---- Two instructions per cycle --------------------------------------------------------------------------------------

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
