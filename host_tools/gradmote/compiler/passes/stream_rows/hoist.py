"""Hoist small instructions between layers that do not depend on them, such as those on a trained bias.

Without them, the layers around them can form one section. Once the sections are chosen, the instructions are
sunk back, as late as these allow.
"""

from __future__ import annotations

from dataclasses import replace

from ....ir.instruction import Buffer, Instruction
from ....ir.loops import spans
from ....ir.program import Program

#: The most bytes that an instruction may write if its result is to stay live for longer.
MOST_BYTES = 4096


def hoisted(program: Program) -> tuple[list[Instruction], Program]:
    """Return the instructions that can go in front of all others, and the program without them.

    In that program, a hoisted result becomes live right before its first use.
    """
    touched: set[Buffer] = set()  # used so far by the instructions that stay
    changed: set[Buffer] = set()  # state in `touched`; an instruction in between may have changed it
    bound = program.bound()
    free: set[Buffer] = set()  # written by the hoisted instructions
    front, rest = [], []
    for instruction in program.instructions:
        if can_go_first(instruction, touched, changed, free) and not bound & {w.buffer for w in instruction.writes}:
            free |= {ref.buffer for ref in instruction.writes}
            front.append(instruction)
        else:
            used = {ref.buffer for ref in (*instruction.reads, *instruction.writes)}
            touched |= used
            changed |= {buffer for buffer in used if buffer.region == "statistic"}
            rest.append(instruction)
    made = {ref.buffer: True for instruction in front for ref in instruction.writes}
    return front, replace(program, instructions=rest, rows=program.rows | made)


def sunk(instructions: list[Instruction], front: list[Instruction]) -> list[Instruction]:
    """Return all instructions, with those of `front` sunk to right before their first dependent, outside of loops."""
    done = list(instructions)
    for instruction in reversed(front):
        at = next((k for k, later in enumerate(done) if must_follow(later, instruction)), len(done))
        at = next((loop.start for loop in spans(done) if loop.start < at < loop.end), at)
        done.insert(at, instruction)
    return done


def must_follow(later: Instruction, first: Instruction) -> bool:
    """Return whether `later` uses the result of `first`, or overwrites its input."""
    made, read = ({ref.buffer for ref in refs} for refs in (first.writes, first.reads))
    return any(r.buffer in made for r in (*later.reads, *later.writes)) or any(w.buffer in read for w in later.writes)


def can_go_first(instruction: Instruction, touched: set[Buffer], changed: set[Buffer], free: set[Buffer]) -> bool:
    """Return whether an instruction can run before all that stay; its results must not be the caller's."""
    reads, writes = ({ref.buffer for ref in refs} for refs in (instruction.reads, instruction.writes))
    made = {buffer for buffer in reads if buffer.region not in ("constant", "parameter", "statistic")}
    return (
        instruction.phase == "forward"
        and instruction.refuses is None
        and instruction.after is None
        and made <= free
        and not writes & touched
        and all(buffer.region == "scratch" and buffer.size <= MOST_BYTES for buffer in writes)
        and not reads & changed
    )
