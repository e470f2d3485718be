"""The pass that replaces an ADD of two results by an accumulating instruction.

The second maker starts its sums from the first one's result, provided that nothing else reads
either. Gradients meet so where an activation was used twice: before a shortcut, or before several
projections. The sum then needs one buffer instead of two.
"""

from __future__ import annotations

from ...generated.instructions import Add, ConvTranspose, Gemm, ReduceSum
from ..instruction import Buffer, Instruction, Ref
from ..program import Compiled, Program, Uses
from .share_in_place import is_dense

#: Instructions whose sums can start from another result.
Accumulating = Gemm | ReduceSum | ConvTranspose


def run(compiled: Compiled) -> None:
    """Fuse every ADD for which it is possible."""
    for program in compiled.programs:
        uses = program.uses()
        for add in [i for i in program.instructions if isinstance(i, Add)]:
            pair = find(program, uses, add)
            if pair is not None:
                fuse(program, add, *pair)
                uses = program.uses()


def find(program: Program, uses: dict[Buffer, Uses], add: Add) -> tuple[Buffer, Accumulating] | None:
    """Return (the first summand's buffer, the instruction that makes the second), or None."""
    a, b = add.a, add.b
    alike = (add.a0, add.a1, add.a2, add.a3) == (add.b0, add.b1, add.b2, add.b3) and is_dense(add, "a")
    at = next(k for k, i in enumerate(program.instructions) if i is add)
    if not alike or a.buffer is b.buffer or not all(is_own(program, uses, ref, add, at) for ref in (a, b)):
        return None
    first, second = sorted((a.buffer, b.buffer), key=lambda s: uses[s].writers[-1])
    maker = program.instructions[uses[second].writers[0]]
    if not isinstance(maker, Accumulating) or len(uses[second].writers) != 1:
        return None
    return (first, maker) if makes_all(maker, second) else None


def is_own(program: Program, uses: dict[Buffer, Uses], ref: Ref, add: Add, at: int) -> bool:
    """Tell whether a summand is a whole scratch buffer that only this ADD and its makers read."""
    whole = ref.buffer.region == "scratch" and not ref.offset and ref.buffer.size == add.y.buffer.size
    used = uses[ref.buffer]
    readers = [k for k in used.readers if k not in used.writers]
    return whole and ref.buffer not in program.bound() and readers == [at] and used.last == at


def makes_all(maker: Accumulating, buffer: Buffer) -> bool:
    """Tell whether the instruction's sums begin where the buffer does, and nothing else is in them."""
    target = maker.x if isinstance(maker, ConvTranspose) else maker.y
    return is_plain(maker) and not maker.accumulate and target == Ref(buffer)


def is_plain(maker: Instruction) -> bool:
    """Tell whether the results are sums alone, without bias and activation."""
    if isinstance(maker, Gemm):
        return maker.bias is None and maker.activation == "none"
    return not isinstance(maker, ConvTranspose) or maker.bias is None


def fuse(program: Program, add: Add, first: Buffer, maker: Accumulating) -> None:
    """Make `maker` add to `first`, and let `first` replace the sum everywhere."""
    total = add.y
    if isinstance(maker, ConvTranspose):
        maker.x = Ref(first)
    else:
        maker.y = Ref(first)
    maker.accumulate = True
    program.instructions.remove(add)
    for instruction in program.instructions:
        instruction.redirect(total.buffer, first)
    for gradient, ref in program.gradients.items():
        if ref.buffer is total.buffer:
            program.gradients[gradient] = Ref(first, ref.offset)
    for binding in program.bindings:
        if binding.ref.buffer is total.buffer:
            binding.ref = Ref(first, binding.ref.offset)
