"""How many cycles each kind of instruction takes on a core."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ....errors import DataError

ASSUMED = "assumed"


@dataclass(frozen=True)
class Timing:
    """The cycles of one kind of instruction.

    Attributes:
        issue: From its beginning until the next instruction may begin.
        per_register: The cycles that each moved register adds to that; sums are rounded up.
        latency: From its beginning until another instruction may read its result; `issue` by default.
        latency_per_register: The cycles that each moved register adds to that.
        addend: From its beginning until its result may be the addend of a multiply-accumulate; one
            less than the latency by default.
        stored: From its beginning until its result may be stored to memory; the latency by default.
        busy: From its beginning until its floating-point or vector unit takes another instruction.
        source: The key in [sources] for the origin of these numbers.
    """

    issue: float = 1
    per_register: float = 0
    latency: float | None = None
    latency_per_register: float = 0
    addend: float | None = None
    stored: int | None = None
    busy: int = 0
    source: str = ASSUMED

    def issue_of(self, count: int) -> int:
        """Return the cycles until the next instruction, if it moves `count` registers."""
        return math.ceil(self.issue + self.per_register * count)

    def latency_of(self, count: int) -> int:
        """Return the cycles until the result may be read."""
        if self.latency is None:
            return self.issue_of(count)
        return math.ceil(self.latency + self.latency_per_register * count)

    def addend_of(self, count: int) -> int:
        """Return the cycles until the result may be an addend."""
        return self.latency_of(count) - 1 if self.addend is None else math.ceil(self.addend)

    def stored_of(self, count: int) -> int:
        """Return the cycles until the result may be stored."""
        return self.latency_of(count) if self.stored is None else self.stored


@dataclass(frozen=True)
class Branch:
    """The cycles of branches.

    Attributes:
        taken: Of a branch that is taken.
        not_taken: Of a branch that falls through.
        indirect: Of a branch to an address in a register.
        call: Of a branch that saves the return address; `taken` by default.
        narrow_taken: Like `taken`, for 16 bits after a 16-bit instruction that sets no flags.
        narrow_not_taken: Like `not_taken`, for 16 bits after a 16-bit instruction.
        loads_pc: The additional cycles of writing the program counter by a load or a sum.
        mispredicted: The additional cycles at the end of a loop, which was predicted to continue.
        loop: Of the end of a low-overhead loop that continues.
        source: As in Timing.
    """

    taken: int
    not_taken: int
    indirect: int
    loads_pc: int
    call: int | None = None
    narrow_taken: int | None = None
    narrow_not_taken: int | None = None
    mispredicted: int = 0
    loop: int = 0
    source: str = ASSUMED


#: The kinds whose cycles are in Branch.
BRANCHES = ("branch", "loop")
_BRANCH = Timing()


@dataclass(frozen=True)
class Memory:
    """The cycles that depend on two accesses to memory in a row.

    Attributes:
        pipelined: The cycles that a load or store saves directly after a load, unless its address
            depends on that load.
        pipelined_after_index: Whether it saves them if that load has advanced its base register.
        load_after_store: The additional cycles of a load directly after a store.
        indexed_store: The additional cycles of a store whose address is the sum of two registers.
        source: As in Timing.
    """

    pipelined: int = 0
    pipelined_after_index: bool = True
    load_after_store: int = 0
    indexed_store: int = 0
    source: str = ASSUMED


@dataclass(frozen=True)
class Core:
    """The timings of a core.

    Attributes:
        title: Its name, for people.
        names: Its names on boards.
        issue: "single", or "dual" for two instructions per cycle.
        architecture: The value of objdump's -m; "" to use the ELF file's own.
        sources: The meaning of each `source` key.
        kinds: The timing of each kind of instruction that the core has.
        branch: The cycles of branches.
        memory: The timings that depend on two accesses in a row.
    """

    title: str
    names: tuple[str, ...]
    issue: str
    architecture: str
    sources: dict[str, str]
    kinds: dict[str, Timing]
    branch: Branch
    memory: Memory

    def timing(self, kind: str) -> Timing:
        """Return the timing of a kind. Raises DataError if the core has no such instruction."""
        if kind in BRANCHES:
            return _BRANCH
        try:
            return self.kinds[kind]
        except KeyError:
            raise DataError(f"{self.title} has no timing of {kind}", "was this code built for another core?") from None
