"""Passes for quantized models alone.

drop_unread     removes dead DEQUANTIZE instructions. Gradients of pools and means take the layer's input for
                its shape alone. If the layer itself reads integers, nothing needs the float32 form, which
                takes four times the bytes.
plain_losses    makes the loss independent of the profile, bit for bit. The gradients and updates of
                quantized models are the same in both profiles. With this loss, so is their state on all
                boards, unless another instruction depends on the profile (see compiler/profiles.py).
collect_gains   gathers the gains of 16-bit gradients in one entry of the state. CONV_GRAD_X_S16 must know
                the exponent of its result before computing it. It derives the exponent from the largest
                number that it reads and from a gain that each step leaves to the next. Gains are therefore
                state: a step after a restart of the board is bitwise equal to one without.
"""

from __future__ import annotations

from ...generated.opcodes import OPCODES
from ...ir.generated.instructions import ConvGradXS16, Dequantize, SoftmaxCrossEntropyPlain, SoftmaxCrossEntropyWithGrad
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import GAINS, Compiled, Program, Statistic


def drop_unread(compiled: Compiled) -> None:
    """Remove dead DEQUANTIZEs from every program."""
    for program in compiled.programs:
        if any(isinstance(i, Dequantize) for i in program.instructions):
            program.instructions = needed(program)


def needed(program: Program) -> list[Instruction]:
    """Return the instructions without each DEQUANTIZE whose scratch result is not read."""
    read = {ref.buffer for instruction in program.instructions for ref in instruction.reads}
    read |= program.bound() | {ref.buffer for ref in program.gradients.values()}
    return [i for i in program.instructions if not isinstance(i, Dequantize) or i.y.buffer in read]


def plain_losses(compiled: Compiled) -> None:
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


def collect_gains(compiled: Compiled) -> None:
    """Give each instruction its word of one entry that starts as zeros: gain unknown.

    Words are sorted by name, not by instruction: the order of instructions depends on options, and
    checkpoints must not.
    """
    makers = [i for p in compiled.programs for i in p.instructions if isinstance(i, ConvGradXS16)]
    if makers:
        makers.sort(key=lambda maker: maker.gain.buffer.name)
        buffer = Buffer(GAINS, 4 * len(makers), "statistic")
        for index, maker in enumerate(makers):
            maker.gain = Ref(buffer, 4 * index)
        compiled.statistics.append(Statistic(GAINS, (len(makers),), buffer, dtype="i32"))
