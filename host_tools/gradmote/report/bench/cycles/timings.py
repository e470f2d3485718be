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
        issue: From its begin until the next instruction may begin.
        per_register: What each register that it moves adds to that; sums are rounded up.
        latency: From its begin until another instruction may read its result; `issue` by default.
        latency_per_register: What each register that it moves adds to that.
        addend: From its begin until its result may be the addend of a multiply-accumulate; one less
            than the latency by default.
        stored: From its begin until its result may be stored to memory; the latency by default.
        busy: From its begin until its unit, of floats or of vectors, takes another instruction.
        source: The key of [sources] that these numbers come from.
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
        """Return the cycles until the next instruction, where `count` registers are moved."""
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
        taken: Of a branch that leaves the straight order.
        not_taken: Of one that does not.
        indirect: Of one to an address in a register.
        call: Of one that keeps where it came from; as `taken` by default.
        narrow_taken: As `taken`, of 16 bits behind an instruction of 16 bits that sets no flags.
        narrow_not_taken: As `not_taken`, of 16 bits behind an instruction of 16 bits.
        loads_pc: What writing the program counter takes besides, by a load or a sum.
        mispredicted: What the end of a loop takes besides, as it was predicted to go on.
        loop: Of the end of a low-overhead loop that goes on.
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


#: The kinds whose cycles are told by Branch.
BRANCHES = ("branch", "loop")
_BRANCH = Timing()


@dataclass(frozen=True)
class Memory:
    """The cycles that depend on two accesses to memory in a row.

    Attributes:
        pipelined: The cycles that a load or store saves directly behind a load of which its address
            does not depend.
        pipelined_after_index: Whether it saves them where that load has advanced its base register.
        load_after_store: What a load takes besides, directly behind a store.
        indexed_store: What a store takes besides, if its address is the sum of two registers.
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
        names: What boards call it.
        issue: "single", or "dual" for two instructions a cycle.
        architecture: What objdump is told with -m; "" for what the ELF file says.
        sources: What each key of a `source` stands for.
        kinds: The timing of each kind of instruction that the core has.
        branch: The cycles of branches.
        memory: What depends on two accesses in a row.
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
        """Return the timing of a kind. Raises DataError where the core has no such instruction."""
        if kind in BRANCHES:
            return _BRANCH
        try:
            return self.kinds[kind]
        except KeyError:
            raise DataError(f"{self.title} has no timing of {kind}", "was this code built for another core?") from None
