"""Small instructions between layers that need none of them, such as what is made of a trained bias.

They move to the program's beginning, so that the layers around them can be one section.
"""

from __future__ import annotations

from ...instruction import Buffer, Instruction
from ...program import Program

#: The most bytes that an instruction may write, if it is to be alive for longer.
MOST_BYTES = 4096


def hoisted(program: Program) -> list[Instruction]:
    """Return the instructions with those that can go first in front of all others."""
    touched: set[Buffer] = set()  # what the others have used so far
    free: set[Buffer] = set()  # what those in front have made
    front, rest = [], []
    for instruction in program.instructions:
        if can_go_first(program, instruction, touched, free):
            free |= {ref.buffer for ref in instruction.writes}
            front.append(instruction)
        else:
            touched |= {ref.buffer for ref in (*instruction.reads, *instruction.writes)}
            rest.append(instruction)
    return [*front, *rest]


def can_go_first(program: Program, instruction: Instruction, touched: set[Buffer], free: set[Buffer]) -> bool:
    """Tell whether an instruction can run before all that stay behind it."""
    reads, writes = ({ref.buffer for ref in refs} for refs in (instruction.reads, instruction.writes))
    made = {buffer for buffer in reads if buffer.region not in ("constant", "parameter", "statistic")}
    return (
        instruction.phase == "forward"
        and instruction.refuses is None
        and instruction.after is None
        and made <= free
        and not writes & touched
        and not writes & program.bound()
        and all(buffer.region == "scratch" and buffer.size <= MOST_BYTES for buffer in writes)
        and not reads & touched_state(touched)
    )


def touched_state(touched: set[Buffer]) -> set[Buffer]:
    """Return the parts of the state among buffers, which an instruction in between may have changed."""
    return {buffer for buffer in touched if buffer.region == "statistic"}
