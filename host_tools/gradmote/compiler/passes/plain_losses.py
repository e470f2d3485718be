"""The pass that makes the loss of a quantized model independent of the profile, bit for bit.

The gradients and updates of quantized models are the same in both profiles. With this loss, so is
their state on all boards, unless another instruction depends on the profile (see
compiler/profiles.py).
"""

from __future__ import annotations

from ...generated.opcodes import OPCODES
from ...ir.generated.instructions import SoftmaxCrossEntropyPlain, SoftmaxCrossEntropyWithGrad
from ...ir.instruction import Instruction
from ...ir.program import Compiled


def run(compiled: Compiled) -> None:
    """Replace the losses of programs that read 8-bit numbers."""
    for program in compiled.programs:
        if any(map(reads_bytes, program.instructions)):
            program.instructions = [plain(i) for i in program.instructions]


def reads_bytes(instruction: Instruction) -> bool:
    """Return whether an operand has 8-bit elements."""
    return any(dtype == "i8" for _, dtype, *_ in OPCODES[instruction.opcode]["operands"].values())


def plain(instruction: Instruction) -> Instruction:
    """Return the loss with the strict profile's bits instead of SOFTMAX_CROSS_ENTROPY_WITH_GRAD."""
    if not isinstance(instruction, SoftmaxCrossEntropyWithGrad):
        return instruction
    return SoftmaxCrossEntropyPlain(**instruction.operands, **instruction.params).in_place_of(instruction)
