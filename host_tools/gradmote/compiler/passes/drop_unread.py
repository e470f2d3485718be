"""The pass that removes DEQUANTIZE instructions whose result nothing reads.

Gradients of pools and means take the input of the layer for its shape alone. Where the layer itself
reads integers, nothing needs their float32 form, which has four times their bytes.
"""

from __future__ import annotations

from ...ir.generated.instructions import Dequantize
from ...ir.instruction import Instruction
from ...ir.program import Compiled, Program


def run(compiled: Compiled) -> None:
    """Remove such instructions from every program."""
    for program in compiled.programs:
        if any(isinstance(i, Dequantize) for i in program.instructions):
            program.instructions = needed(program)


def needed(program: Program) -> list[Instruction]:
    """Return the instructions without every DEQUANTIZE that makes scratch which is not read."""
    read = {ref.buffer for instruction in program.instructions for ref in instruction.reads}
    read |= program.bound() | {ref.buffer for ref in program.gradients.values()}
    return [i for i in program.instructions if not isinstance(i, Dequantize) or i.y.buffer in read]
