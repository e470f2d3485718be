"""The pass that makes MAX_POOL_S8 store the index of each winner, one byte each, for its gradient.

MAX_POOL_GRAD otherwise searches for the winners again in the float32 form of the pool's input. With
the index nothing needs that form. The winners are the same because DEQUANTIZE preserves order.
"""

from __future__ import annotations

from copy import copy

from ...ir.generated.instructions import Dequantize, MaxPoolGrad, MaxPoolIndexGrad, MaxPoolS8
from ...ir.instruction import Instruction
from ...ir.program import Compiled, Program
from ...operators.max_pool import MOST_TAPS, new_index
from .index_max_pool import SHARED


def run(compiled: Compiled) -> None:
    """Give each pool of int8 values an index if its gradient can take one."""
    for program in compiled.programs:
        for gradient in [i for i in program.instructions if isinstance(i, MaxPoolGrad)]:
            pool = pool_of(program, gradient)
            if pool is not None:
                program.instructions = with_index(program, pool, gradient)


def pool_of(program: Program, gradient: MaxPoolGrad) -> MaxPoolS8 | None:
    """Return the pool of the integers that one DEQUANTIZE turns into the gradient's x, or None."""
    makers = [i for i in program.instructions if any(ref.buffer is gradient.x.buffer for ref in i.writes)]
    if len(makers) != 1 or not isinstance(makers[0], Dequantize) or gradient.x.offset:
        return None
    return next((i for i in program.instructions if is_pool_of(i, makers[0], gradient)), None)  # type: ignore[return-value]


def is_pool_of(instruction: Instruction, source: Dequantize, gradient: MaxPoolGrad) -> bool:
    """Return whether an instruction pools all of the DEQUANTIZE's input, with the gradient's windows."""
    if not isinstance(instruction, MaxPoolS8) or instruction.x != source.x or instruction.index is not None:
        return False
    taps = instruction.kernel_h * instruction.kernel_w
    is_flat = source.outer == source.channels == source.x_inner == 1
    return is_flat and taps <= MOST_TAPS and all(instruction.number(n) == gradient.number(n) for n in SHARED)


def with_index(program: Program, pool: MaxPoolS8, gradient: MaxPoolGrad) -> list[Instruction]:
    """Return the instructions with an index from the pool to the gradient."""
    index = new_index(pool)
    storing = copy(pool)
    storing.index = index
    by_index = MaxPoolIndexGrad(index=index, dy=gradient.dy, dx=gradient.dx, **gradient.params).in_place_of(gradient)
    new: dict[Instruction, Instruction] = {pool: storing, gradient: by_index}
    return [new.get(i, i) for i in program.instructions]
