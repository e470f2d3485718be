"""The pass that makes MAX_POOL store the index of each winner, one byte each, for its gradient.

The input x then need not stay live for the gradient, and no window is searched twice. If another
reader keeps x live, the index only adds its own bytes: the pass omits it if it raises the scheduled
peak.

If x came from a RELU, the mask of RELU_GRAD matters only at the winners. MAX_POOL stores it in the
index too, and the pass removes the RELU_GRAD after the pool's gradient.

index_max_pool_s8 does the same for MAX_POOL_S8. MAX_POOL_GRAD otherwise searches for the winners again in
the float32 form of the pool's input. With the index nothing needs that form. The winners are the same
because DEQUANTIZE preserves order.
"""

from __future__ import annotations

from copy import copy

from ...ir.generated.instructions import Dequantize, MaxPool, MaxPoolGrad, MaxPoolIndexGrad, MaxPoolS8, ReluGrad
from ...ir.instruction import Buffer, Instruction
from ...ir.program import Compiled, Program, Uses
from ...operators.max_pool import MOST_TAPS, new_index
from .schedule import peak

#: Parameters that a pool and its gradient have in common; the strides of dy may differ from y's.
SHARED = [name for name in MaxPoolGrad.param_names if not name.startswith("y_")]


def run(compiled: Compiled) -> None:
    """Give each pool an index if that does not raise the peak."""
    for program in compiled.programs:
        for gradient in [i for i in program.instructions if isinstance(i, MaxPoolGrad)]:
            changed = with_index(program, gradient)
            if changed is not None and peak(program, changed) <= peak(program, program.instructions):
                program.instructions = changed


def with_index(program: Program, gradient: MaxPoolGrad) -> list[Instruction] | None:
    """Return the instructions with an index from the pool to this gradient, or None."""
    uses = program.uses()
    pool = pool_of(program, uses, gradient)
    if pool is None:
        return None
    relu = relu_grad_after(program, uses, gradient)
    index = new_index(pool)
    dx = gradient.dx if relu is None else relu.dx
    by_index = MaxPoolIndexGrad(index=index, dy=gradient.dy, dx=dx, **gradient.params).in_place_of(gradient)
    storing = copy(pool)
    storing.index, storing.relu = index, relu is not None
    new: dict[Instruction, Instruction] = {pool: storing, gradient: by_index}
    return [new.get(i, i) for i in program.instructions if i is not relu]


def pool_of(program: Program, uses: dict[Buffer, Uses], gradient: MaxPoolGrad) -> MaxPool | None:
    """Return the MAX_POOL of this gradient if a byte can number the taps of its kernel."""
    used = uses[gradient.x.buffer]
    at = next(k for k in used.readers if program.instructions[k] is gradient)
    for k in used.readers:
        pool = program.instructions[k]
        if isinstance(pool, MaxPool) and is_pool_of(pool, gradient) and not any(k < w < at for w in used.writers):
            return pool
    return None


def is_pool_of(pool: MaxPool, gradient: MaxPoolGrad) -> bool:
    """Return whether the pool has the gradient's windows and no index yet."""
    alike = all(pool.number(name) == gradient.number(name) for name in SHARED)
    taps = pool.kernel_h * pool.kernel_w
    return alike and pool.x == gradient.x and not pool.index and taps <= MOST_TAPS


def relu_grad_after(program: Program, uses: dict[Buffer, Uses], gradient: MaxPoolGrad) -> ReluGrad | None:
    """Return the only reader of all of dx if it is a RELU_GRAD whose y is all of the pool's x."""
    x, dx = gradient.x, gradient.dx
    used = uses[dx.buffer]
    if len(used.readers) != 1 or len(used.writers) != 1 or dx.buffer in program.bound():
        return None
    relu = program.instructions[used.readers[0]]
    if not isinstance(relu, ReluGrad) or relu.dy != dx or relu.y != x:
        return None
    whole = 4 * relu.n == dx.buffer.size == x.buffer.size
    return relu if whole else None


def index_max_pool_s8(compiled: Compiled) -> None:
    """Give each pool of int8 values an index if its gradient can take one."""
    for program in compiled.programs:
        for gradient in [i for i in program.instructions if isinstance(i, MaxPoolGrad)]:
            pool = s8_pool_of(program, gradient)
            if pool is not None:
                program.instructions = with_s8_index(program, pool, gradient)


def s8_pool_of(program: Program, gradient: MaxPoolGrad) -> MaxPoolS8 | None:
    """Return the pool of the integers that one DEQUANTIZE turns into the gradient's x, or None."""
    makers = [i for i in program.instructions if any(ref.buffer is gradient.x.buffer for ref in i.writes)]
    if len(makers) != 1 or not isinstance(makers[0], Dequantize) or gradient.x.offset:
        return None
    return next((i for i in program.instructions if is_s8_pool_of(i, makers[0], gradient)), None)  # type: ignore[return-value]


def is_s8_pool_of(instruction: Instruction, source: Dequantize, gradient: MaxPoolGrad) -> bool:
    """Return whether an instruction pools all of the DEQUANTIZE's input, with the gradient's windows."""
    if not isinstance(instruction, MaxPoolS8) or instruction.x != source.x or instruction.index is not None:
        return False
    taps = instruction.kernel_h * instruction.kernel_w
    is_flat = source.outer == source.channels == source.x_inner == 1
    return is_flat and taps <= MOST_TAPS and all(instruction.number(n) == gradient.number(n) for n in SHARED)


def with_s8_index(program: Program, pool: MaxPoolS8, gradient: MaxPoolGrad) -> list[Instruction]:
    """Return the instructions with an index from the pool to the gradient."""
    index = new_index(pool)
    storing = copy(pool)
    storing.index = index
    by_index = MaxPoolIndexGrad(index=index, dy=gradient.dy, dx=gradient.dx, **gradient.params).in_place_of(gradient)
    new: dict[Instruction, Instruction] = {pool: storing, gradient: by_index}
    return [new.get(i, i) for i in program.instructions]
