"""The pass that orders each program's instructions to keep little scratch live at once.

It is greedy list scheduling: of the instructions whose inputs are ready, the one that shrinks live
scratch most (or grows it least) goes first; ties keep the graph's order. A parameter is updated
after every instruction that reads its old value.

refuse_first moves instructions that may refuse the data to the front of the train program. A refused
micro-batch then has not touched the gradients, so the accumulated ones stay valid. The backward pass does
not move: it reads indices and labels that the forward pass has accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush

from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from ...plan.lifetimes import lower_bound


def run(compiled: Compiled) -> None:
    """Schedule every program, unless its given order needs less scratch."""
    for program in compiled.programs:
        choices = order(program), program.instructions
        program.instructions = min(choices, key=lambda i: lower_bound(replace(program, instructions=i)))


def order(program: Program) -> list[Instruction]:
    """Return the greedy order, which can be worse than the given one for a small program."""
    waiting, successors = dependencies(program.instructions)
    growth = Growth(program)
    ready = [(growth.of(i), i) for i, count in enumerate(waiting) if count == 0]
    heapify(ready)
    done: dict[int, Instruction] = {}
    while ready:
        _, best = heappop(ready)
        if best in done:
            continue
        done[best] = program.instructions[best]
        for other in growth.run(best):
            if waiting[other] == 0 and other not in done:
                heappush(ready, (growth.of(other), other))
        for successor in successors[best]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heappush(ready, (growth.of(successor), successor))
    return list(done.values())


def peak(program: Program, instructions: list[Instruction]) -> int:
    """Return the least scratch bytes that the greedy schedule of these instructions needs."""
    return lower_bound(replace(program, instructions=order(replace(program, instructions=instructions))))


class Growth:
    """The live scratch bytes after each instruction, minus those before it, as the schedule proceeds.

    The growth of an instruction that has not run can only fall: a buffer that it writes may have become live
    already, and
    it may become the last reader of a buffer.
    """

    def __init__(self, program: Program) -> None:
        """Start before any instruction has run."""
        self.scratch = [(scratch_of(i.reads), scratch_of(i.writes)) for i in program.instructions]
        self.pinned = program.bound()
        self.live: set[Buffer] = set()
        self.readers: dict[Buffer, set[int]] = defaultdict(set)  # readers that have not run
        self.writers: dict[Buffer, list[int]] = defaultdict(list)
        for index, (read, written) in enumerate(self.scratch):
            for buffer in read:
                self.readers[buffer].add(index)
            for buffer in written:
                self.writers[buffer].append(index)

    def of(self, index: int) -> int:
        """Return the growth caused by an instruction that has not run."""
        read, written = self.scratch[index]
        new = sum(b.size for b in written if b not in self.live)
        freed = sum(b.size for b in read if len(self.readers[b]) == 1 and b not in self.pinned)
        return new - freed

    def run(self, index: int) -> Iterator[int]:
        """Run an instruction, and yield the others whose growth falls as a result."""
        read, written = self.scratch[index]
        fresh = [b for b in written if b not in self.live]
        self.live.update(fresh)
        for buffer in read:
            self.readers[buffer].discard(index)
        yield from (other for buffer in fresh for other in self.writers[buffer] if other != index)
        yield from (other for buffer in read if len(self.readers[buffer]) == 1 for other in self.readers[buffer])


def scratch_of(refs: list[Ref]) -> list[Buffer]:
    """Return the scratch buffers among the references, each once."""
    return list(dict.fromkeys(r.buffer for r in refs if r.buffer.region == "scratch"))


def dependencies(instructions: list[Instruction]) -> tuple[list[int], dict[int, list[int]]]:
    """Return the number of predecessors of each instruction, and the successors of each."""
    return count_edges(len(instructions), edges_of(instructions))


def edges_of(instructions: list[Instruction]) -> set[tuple[int, int]]:
    """Return the pairs of instructions whose order must stay.

    These are reads after writes, writes after reads, and writes after writes of the same buffer. An
    instruction that may refuse the data also stays in front of every later write of state.
    """
    last_write: dict[Buffer, int] = {}
    reads_since: dict[Buffer, list[int]] = defaultdict(list)
    edges: set[tuple[int, int]] = set()
    checks: list[int] = []
    for index, instruction in enumerate(instructions):
        if instruction.after is not None and instruction.after in last_write:
            edges.add((last_write[instruction.after], index))
        for ref in instruction.reads:
            edges.update((last_write[b], index) for b in [ref.buffer] if b in last_write)
            reads_since[ref.buffer].append(index)
        for ref in instruction.writes:
            buffer = ref.buffer
            earlier = [*reads_since[buffer], *([last_write[buffer]] if buffer in last_write else [])]
            edges.update((i, index) for i in earlier)
            last_write[buffer], reads_since[buffer] = index, []
            if buffer.region in ("parameter", "statistic", "slot", "gradient"):
                edges.update((c, index) for c in checks)
        if may_refuse(instruction):
            checks.append(index)
    return {(a, b) for a, b in edges if a != b}


def may_refuse(instruction: Instruction) -> bool:
    """Return whether bad data may end the program here; constant indices are known to be valid."""
    taken = [ref for name, ref in instruction.operands.items() if name in ("indices", "labels") and ref is not None]
    is_known = bool(taken) and all(ref.buffer.region == "constant" for ref in taken)
    return instruction.refuses is not None and not is_known


def count_edges(n: int, edges: set[tuple[int, int]]) -> tuple[list[int], dict[int, list[int]]]:
    """Return the number of predecessors of each instruction, and its successors."""
    waiting, successors = [0] * n, defaultdict(list)
    for before, after in sorted(edges):
        waiting[after] += 1
        successors[before].append(after)
    return waiting, successors


def refuse_first(compiled: Compiled) -> None:
    """Reorder every train program."""
    for program in compiled.programs:
        if program.kind == "train":
            program.instructions = refusing_first(program)


def refusing_first(program: Program) -> list[Instruction]:
    """Return the instructions that may refuse and their dependencies, then the others.

    Both groups keep their order.
    """
    found = program.instructions
    before: dict[int, list[int]] = {}
    for first, then in edges_of(found):
        before.setdefault(then, []).append(first)
    needed: set[int] = set()
    waiting = [k for k, i in enumerate(found) if i.phase == "forward" and may_refuse(i)]
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting += before.get(index, [])
    return [found[k] for k in sorted(range(len(found)), key=lambda k: (k not in needed, k))]
