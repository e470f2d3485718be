"""The pass that orders each program's instructions so that little scratch is alive at once.

It is greedy list scheduling: of the instructions whose inputs are ready, the one that lets scratch
shrink most (or grow least) goes first; ties keep the graph's order. A parameter is updated after
every instruction that reads its old value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from ..instruction import Buffer, Instruction, Ref
from ..plan.lifetimes import lower_bound
from ..program import Compiled, Program


def run(compiled: Compiled) -> None:
    """Schedule every program, unless its own order needs less scratch."""
    for program in compiled.programs:
        choices = order(program), program.instructions
        program.instructions = min(choices, key=lambda i: lower_bound(replace(program, instructions=i)))


def order(program: Program) -> list[Instruction]:
    """Return the greedy order, which for a small program may be worse than the given one."""
    waiting, successors = dependencies(program.instructions)
    pinned = program.bound()
    scratch = [(scratch_of(i.reads), scratch_of(i.writes)) for i in program.instructions]
    readers = Counter(b for read, _ in scratch for b in read)
    ready = [i for i, count in enumerate(waiting) if count == 0]
    live: set[Buffer] = set()
    done = []
    while ready:
        best = min(ready, key=lambda i: (growth(*scratch[i], readers, live, pinned), i))
        ready.remove(best)
        done.append(program.instructions[best])
        read, written = scratch[best]
        live.update(b for b in written)
        readers.subtract(b for b in read)
        for successor in successors[best]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                ready.append(successor)
    return done


def peak(program: Program, instructions: list[Instruction]) -> int:
    """Return the bytes of scratch that the greedy schedule of these instructions needs at least."""
    return lower_bound(replace(program, instructions=order(replace(program, instructions=instructions))))


def growth(
    read: list[Buffer], written: list[Buffer], readers: Counter[Buffer], live: set[Buffer], pinned: set[Buffer]
) -> int:
    """Return the bytes of scratch after an instruction, less those before it."""
    new = sum(b.size for b in written if b not in live)
    freed = sum(b.size for b in read if readers[b] == 1 and b not in pinned)
    return new - freed


def scratch_of(refs: list[Ref]) -> list[Buffer]:
    """Return the scratch buffers among the references, each once."""
    return list(dict.fromkeys(r.buffer for r in refs if r.buffer.region == "scratch"))


def dependencies(instructions: list[Instruction]) -> tuple[list[int], dict[int, list[int]]]:
    """Return how many instructions each must wait for, and which instructions wait for each."""
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
    """Tell whether bad data may end the program here; constant indices are known to be good."""
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
