"""The pass that makes MAX_POOL store the index of each winner, one byte each, for its gradient.

The input x then need not stay live for the gradient, and no window is searched twice. If another
reader keeps x live, the index only adds its own bytes: the pass omits it if it raises the scheduled
peak.

If x came from a RELU, the mask of RELU_GRAD matters only at the winners. MAX_POOL stores it in the
index too, and the pass removes the RELU_GRAD after the pool's gradient.
"""

from __future__ import annotations

from copy import copy

from ...ir.generated.instructions import MaxPool, MaxPoolGrad, MaxPoolIndexGrad, ReluGrad
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
    relu = relu_grad_behind(program, uses, gradient)
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


def relu_grad_behind(program: Program, uses: dict[Buffer, Uses], gradient: MaxPoolGrad) -> ReluGrad | None:
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
