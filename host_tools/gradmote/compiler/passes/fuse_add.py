"""The pass that replaces an ADD of two results with an accumulating instruction.

The maker of the second summand starts its sums from the first one, provided that nothing else
reads either. Gradients meet like this if an activation was used twice: before a residual, or before
several projections. The sum then needs one buffer instead of two.
"""

from __future__ import annotations

from ...ir.generated.instructions import Add, ConvTranspose, Gemm, ReduceSum
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from .share_in_place import is_dense

#: Instructions whose sums can start from another result.
Accumulating = Gemm | ReduceSum | ConvTranspose


def run(compiled: Compiled) -> None:
    """Fuse each ADD that can be fused."""
    for program in compiled.programs:
        adds = Adds(program)
        for at, add in enumerate(program.instructions):
            if isinstance(add, Add):
                adds.visit(at, add)
        adds.apply()


class Adds:
    """The fused ADDs of one program.

    The instructions keep their indices until apply().
    """

    def __init__(self, program: Program) -> None:
        """Start without fused ADDs."""
        self.program, self.uses, self.bound = program, program.uses(), program.bound()
        self.gone: set[Instruction] = set()
        self.taken: dict[Buffer, Buffer] = {}  # sum -> its replacement

    def visit(self, at: int, add: Add) -> None:
        """Fuse the ADD at this index if possible."""
        pair = self.find(at, add)
        if pair is not None:
            first, made = pair
            self.merge(at, add.y.buffer, first, made)
            fuse(self.program.instructions[made], first)
            self.gone.add(add)

    def find(self, at: int, add: Add) -> tuple[Buffer, int] | None:
        """Return the first summand's buffer and the index of the second one's maker, or None."""
        a, b = add.a, add.b
        alike = (add.a0, add.a1, add.a2, add.a3) == (add.b0, add.b1, add.b2, add.b3) and is_dense(add, "a")
        if not alike or a.buffer is b.buffer or not all(self.is_own(ref, at, add) for ref in (a, b)):
            return None
        first, second = sorted((a.buffer, b.buffer), key=lambda s: self.uses[s].writers[-1])
        made = self.uses[second].writers
        maker = self.program.instructions[made[0]]
        if not isinstance(maker, Accumulating) or len(made) != 1:
            return None
        return (first, made[0]) if makes_all(maker, second) else None

    def is_own(self, ref: Ref, at: int, add: Add) -> bool:
        """Return whether a summand is a whole scratch buffer that only its makers and this ADD use."""
        whole = ref.buffer.region == "scratch" and not ref.offset and ref.buffer.size == add.y.buffer.size
        used = self.uses[ref.buffer]
        readers = [k for k in used.readers if k not in used.writers]
        return whole and ref.buffer not in self.bound and readers == [at] and used.last == at

    def merge(self, at: int, total: Buffer, first: Buffer, made: int) -> None:
        """Replace the sum with `first` everywhere; the maker of the second summand then accumulates into it."""
        old, used = self.uses[first], self.uses.pop(total)
        for k in {*used.readers, *used.writers}:
            self.program.instructions[k].redirect(total, first)
        old.readers = sorted([*(k for k in old.readers if k != at), made, *used.readers])
        old.writers = sorted([*old.writers, made, *(k for k in used.writers if k != at)])
        self.taken[total] = first
        if total in self.bound:
            self.bound = self.bound - {total} | {first}

    def apply(self) -> None:
        """Remove the fused ADDs, and give gradients and results their buffers."""
        program = self.program
        program.instructions = [i for i in program.instructions if i not in self.gone]
        for gradient, ref in program.gradients.items():
            program.gradients[gradient] = Ref(self.final(ref.buffer), ref.offset)
        for binding in program.bindings:
            if binding.ref.buffer in self.taken:
                binding.ref = Ref(self.final(binding.ref.buffer), binding.ref.offset)

    def final(self, buffer: Buffer) -> Buffer:
        """Return the final replacement of a buffer, which may be the buffer itself."""
        while buffer in self.taken:
            buffer = self.taken[buffer]
        return buffer


def makes_all(maker: Accumulating, buffer: Buffer) -> bool:
    """Return whether the instruction's sums fill the buffer from its start, with nothing else in it."""
    target = maker.x if isinstance(maker, ConvTranspose) else maker.y
    return is_plain(maker) and not maker.accumulate and target == Ref(buffer)


def is_plain(maker: Instruction) -> bool:
    """Return whether the results are plain sums, without bias or activation."""
    if isinstance(maker, Gemm):
        return maker.bias is None and maker.activation == "none"
    return not isinstance(maker, ConvTranspose) or maker.bias is None


def fuse(maker: Instruction, first: Buffer) -> None:
    """Make `maker` add to `first`."""
    assert isinstance(maker, Accumulating)
    if isinstance(maker, ConvTranspose):
        maker.x = Ref(first)
    else:
        maker.y = Ref(first)
    maker.accumulate = True
