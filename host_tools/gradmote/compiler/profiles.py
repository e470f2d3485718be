"""The instructions whose results are bitwise equal in both profiles.

The profiles differ in how a multiply-accumulate rounds. An image whose training programs have neither
multiply-accumulates nor the elementary functions built on them trains to the same state on all boards.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.generated.instructions import ReduceSum
from ..ir.instruction import Instruction
from ..ir.program import Compiled

#: Opcodes without a multiply-accumulate and without an elementary function.
#: tests/numeric/quantized/test_profiles.py runs them in both profiles.
ALIKE = frozenset({
    "ABS", "ABS_GRAD", "ADD", "ADD_S16", "ADD_S8", "AVERAGE_POOL", "AVERAGE_POOL_GRAD", "AVERAGE_POOL_S8",
    "CHECK_BOUND", "CHECK_FINITE", "CLAMP", "CLAMP_GRAD", "CONV_GRAD_W_S16", "CONV_GRAD_W_S8", "CONV_GRAD_X_S16",
    "CONV_GRAD_X_S8", "CONV_S8", "CONV_TRANSPOSE_S8", "CONV_UPDATE_S16", "CONV_UPDATE_S8", "COPY", "COPY_S16",
    "COPY_S8", "DEQUANTIZE", "DEQUANTIZE_S16", "DIV", "DROPOUT", "EQUAL", "FLAT_INDEX", "FLOAT_TO_INT", "GATHER",
    "GREATER", "GREATER_OR_EQUAL", "HEAVISIDE", "INT_TO_FLOAT", "L1_LOSS", "L1_LOSS_GRAD", "LEAKY_RELU",
    "LEAKY_RELU_GRAD", "MASK", "MASK_GRAD", "MASK_S8", "MATMUL_S8", "MAX", "MAX_POOL", "MAX_POOL_GRAD",
    "MAX_POOL_GRAD_S16", "MAX_POOL_INDEX_GRAD", "MAX_POOL_S8", "MIN", "MUL", "MUL_S8", "QUANTIZE", "QUANTIZE_GRAD",
    "QUANTIZE_GRAD_S16", "REDUCE_MAX", "REDUCE_MIN", "RELU", "RELU_GRAD", "ROUND", "SCATTER_ADD", "SELECT", "SIGN",
    "SOFTMAX_CROSS_ENTROPY_PLAIN", "SUB", "SUM", "SUM_GRAD", "SUM_S16", "UPDATE_S16", "UPDATE_S32", "UPDATE_S8",
})  # fmt: skip

#: Opcodes that only control what runs next.
CONTROL = frozenset({"GUARD", "LOOP"})


def is_alike(instruction: Instruction) -> bool:
    """Return whether an instruction gives the same bits in both profiles."""
    if isinstance(instruction, ReduceSum):
        return not instruction.accumulate or instruction.scale == 1.0
    return instruction.opcode in ALIKE | CONTROL


def differing(compiled: Compiled) -> Iterator[Instruction]:
    """Yield the instructions of training programs whose bits depend on the profile."""
    for program in compiled.programs:
        if program.kind in ("train", "optimizer", "step"):
            yield from (i for i in program.instructions if not is_alike(i))
