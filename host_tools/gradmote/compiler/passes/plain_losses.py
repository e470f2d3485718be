"""The pass that makes the loss of a quantized model one whose bits do not depend on the profile.

The gradients and updates of quantized models are alike in both profiles. With this loss their state
is one on all boards, where no other instruction asks for a profile (see compiler/profiles.py).
"""

from __future__ import annotations

from ...generated.opcodes import OPCODES
from ...ir.generated.instructions import SoftmaxCrossEntropyPlain, SoftmaxCrossEntropyWithGrad
from ...ir.instruction import Instruction
from ...ir.program import Compiled


def run(compiled: Compiled) -> None:
    """Replace the losses of programs that read numbers of 8 bits."""
    for program in compiled.programs:
        if any(map(reads_bytes, program.instructions)):
            program.instructions = [plain(i) for i in program.instructions]


def reads_bytes(instruction: Instruction) -> bool:
    """Return whether an operand has numbers of 8 bits."""
    return any(dtype == "i8" for _, dtype, *_ in OPCODES[instruction.opcode]["operands"].values())


def plain(instruction: Instruction) -> Instruction:
    """Return the loss with the bits of the strict profile in place of SOFTMAX_CROSS_ENTROPY_WITH_GRAD."""
    if not isinstance(instruction, SoftmaxCrossEntropyWithGrad):
        return instruction
    return SoftmaxCrossEntropyPlain(**instruction.operands, **instruction.params).in_place_of(instruction)
