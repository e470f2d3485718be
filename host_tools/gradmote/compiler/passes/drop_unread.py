"""The pass that removes dead DEQUANTIZE instructions.

Gradients of pools and means take the layer's input for its shape alone. If the layer itself reads
integers, nothing needs the float32 form, which takes four times the bytes.
"""

from __future__ import annotations

from ...ir.generated.instructions import Dequantize
from ...ir.instruction import Instruction
from ...ir.program import Compiled, Program


def run(compiled: Compiled) -> None:
    """Remove dead DEQUANTIZEs from every program."""
    for program in compiled.programs:
        if any(isinstance(i, Dequantize) for i in program.instructions):
            program.instructions = needed(program)


def needed(program: Program) -> list[Instruction]:
    """Return the instructions without each DEQUANTIZE whose scratch result is not read."""
    read = {ref.buffer for instruction in program.instructions for ref in instruction.reads}
    read |= program.bound() | {ref.buffer for ref in program.gradients.values()}
    return [i for i in program.instructions if not isinstance(i, Dequantize) or i.y.buffer in read]
