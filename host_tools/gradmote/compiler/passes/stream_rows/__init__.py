"""The pass that runs parts of programs row by row if whole tensors would be the memory peak.

If only such a part makes and reads a tensor, it keeps just the rows that readers reach back to:
three for the input of a 3x3 convolution. Nothing is recomputed, and each row is computed by the same
kernels in the same order, so results stay bitwise equal. A LOOP repeats the instructions, and GUARDs
select the iterations in which each runs.
"""

from __future__ import annotations

from ....generated.opcodes import OPCODES
from ....ir.instruction import Buffer, Instruction, Ref
from ....ir.program import Compiled, Overlay, Program, Streamed
from ..share_in_place import replace as replace_buffer
from .choose import choose
from .emit import loop_of
from .hoist import hoisted, sunk
from .overlay import Covering
from .section import Section, overwrites


def run(compiled: Compiled) -> None:
    """Stream the sections that make the arena smaller."""
    if not is_wanted(compiled):
        return
    fronts, trials = zip(*map(hoisted, compiled.programs), strict=True)
    for program, trial, front, sections in zip(compiled.programs, trials, fronts, choose(trials), strict=True):
        if sections:
            program.instructions = trial.instructions
        for chosen in reversed(sections):
            stream(program, chosen.section, chosen.coverings)
        if sections:
            program.instructions = sunk(program.instructions, front)


def is_wanted(compiled: Compiled) -> bool:
    """Return whether to stream rows: as the options say, by default if layers are quantized."""
    if compiled.stream_rows is not None:
        return compiled.stream_rows
    return any(i.opcode == "CONV_S8" for program in compiled.programs for i in program.instructions)


def stream(program: Program, section: Section, coverings: list[Covering]) -> None:
    """Replace the instructions of a section with its loop."""
    later = program.instructions[section.last + 1 :]
    for home in dict.fromkeys(section.homes.values()):
        if home.rows is None and overwrites(section, home.value):
            old, home.buffer = home.buffer, Buffer(home.buffer.name, home.buffer.size, "scratch")
            replace_buffer(program, old, home.buffer, later)
            for upper, overlay in program.overlays.items():
                if overlay.under is old:
                    program.overlays[upper] = Overlay(home.buffer, overlay.furthest)
    loop = loop_of(section)
    program.overlays |= {c.home.buffer: Overlay(c.under.buffer, c.furthest) for c in coverings}
    program.streamed.insert(0, facts(section))
    program.instructions[section.first : section.last + 1] = loop
    lines = {h.buffer for h in section.homes.values() if h.rows is not None}
    program.rows |= {buffer: buffer not in section.momentary for buffer in lines}
    program.rows |= {ref.buffer: False for instruction in loop for ref in own_operands(instruction)}


def own_operands(instruction: Instruction) -> list[Ref]:
    """Return the operands that hold nothing between instructions, such as panels."""
    found = [instruction.operands[name] for name in OPCODES[instruction.opcode]["own"]]
    return [ref for ref in found if ref is not None]


def facts(section: Section) -> Streamed:
    """Return the report on a section."""
    first, last = (section.steps[k].instruction for k in (section.first, section.last))
    lines = [h for h in dict.fromkeys(section.homes.values()) if h.rows is not None]
    return Streamed(
        first.layer or first.origin,
        last.layer or last.origin,
        len(section.indices),
        section.iterations,
        sum(h.value.bytes for h in lines),
        sum(h.bytes for h in lines),
    )
