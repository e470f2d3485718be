"""How many cycles each kind of instruction takes on a core: tables of cores/*.toml, with the source of each number.

A table has:

- `names`: what boards call the core (board.toml). `issue`: how many instructions begin in a cycle.
- `architecture`: what objdump must be told, for code that it else does not know.
- [sources]: what the word `source` in each entry stands for. "assumed" is one of them.
- [kinds]: the timing of each kind of instruction (decoding.py). What is not listed the core does not have.
- [branch] and [memory]: what depends on more than the kind.

A calibration on a real part (calibration.py) replaces entries.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from ....errors import DataError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).with_name("cores")
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
        busy: From its begin until its unit, of floats or of vectors, takes another instruction.
        source: The key of [sources] that these numbers come from.
    """

    issue: float = 1
    per_register: float = 0
    latency: float | None = None
    latency_per_register: float = 0
    addend: float | None = None
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
    """What depends on two accesses to memory in a row.

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


def core_files() -> list[str]:
    """Return the names of all cores that have a table, such as cortex-m4."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.toml"))


@cache
def read_core(name: str) -> Core:
    """Return the core of a name such as cortex-m4. Raises DataError where it has no table."""
    path = FOLDER / f"{name.replace('-', '_')}.toml"
    if not path.is_file():
        raise DataError(f"there are no timings of {name}", f"there are those of {', '.join(core_files())}")
    return core_of_table(tomllib.loads(path.read_text()))


def core_called(name: str) -> Core | None:
    """Return the core that boards call so, such as Cortex-M4F; None where it has no table."""
    cores = map(read_core, core_files())
    return next((core for core in cores if name in core.names), None)


def core_of_table(table: dict[str, Any]) -> Core:
    """Return the core of a table as it was read. Raises DataError where it is no such table."""
    try:
        return Core(
            title=table["title"],
            names=tuple(table["names"]),
            issue=table["issue"],
            architecture=table.get("architecture", ""),
            sources=table["sources"],
            kinds={kind: Timing(**timing) for kind, timing in table["kinds"].items()},
            branch=Branch(**table["branch"]),
            memory=Memory(**table.get("memory", {})),
        )
    except (KeyError, TypeError, AttributeError) as error:
        known = ", ".join(field.name for field in fields(Core))
        raise DataError(f"this is no table of timings ({error})", f"it needs {known}") from error
