"""The pass that accumulates each gradient of the train program into its buffer in the gradient region.

GEMM, REDUCE_SUM and CONV_GRAD_W can start their sums from that buffer. For any other instruction,
an ADD accumulates the result.
"""

from __future__ import annotations

from collections import Counter

from ...errors import GradmoteError
from ...ir.flat_binary import flat_binary
from ...ir.generated.instructions import Add, ConvGradW, ConvGradWS8, ConvGradWS16, Gemm, ReduceSum, SumS16
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from .fuse_add import is_plain

#: Instructions that make weight gradients and can start their sums from a kept gradient.
Accumulating = Gemm | ReduceSum | ConvGradW | ConvGradWS8 | ConvGradWS16 | SumS16


def run(compiled: Compiled) -> None:
    """Accumulate every parameter's gradient into its kept gradient in the train program."""
    for program in compiled.programs:
        if program.kind != "train":
            continue
        facts = Facts(program)
        for parameter in compiled.parameters:
            if parameter.gradient is None or parameter.name not in program.gradients:
                raise GradmoteError(f"the train program makes no gradient for '{parameter.name}'")
            accumulate(program, facts, program.gradients[parameter.name], parameter.gradient)


class Facts:
    """The makers and readers of each buffer of a program before gradients are accumulated."""

    def __init__(self, program: Program) -> None:
        """Collect makers and readers in one walk over the program."""
        self.makers: dict[Buffer, Instruction] = {}  # the first instruction that writes a buffer
        for instruction in reversed(program.instructions):
            self.makers |= {ref.buffer: instruction for ref in instruction.writes}
        self.read = {ref.buffer for instruction in program.instructions for ref in instruction.reads}
        # Two parameters may share one gradient.
        self.wanted = Counter(r.buffer for r in (*program.gradients.values(), *(b.ref for b in program.bindings)))


def accumulate(program: Program, facts: Facts, source: Ref, gradient: Buffer) -> None:
    """Make the gradient's instruction accumulate, or append an ADD if it cannot."""
    maker = facts.makers.get(source.buffer)
    if isinstance(maker, Accumulating) and can_retarget(facts, maker, source, gradient):
        maker.y = Ref(gradient)
        maker.accumulate = True
    else:
        program.instructions.append(add(source, gradient))


def can_retarget(facts: Facts, maker: Accumulating, source: Ref, gradient: Buffer) -> bool:
    """Return whether the maker's result is a plain sum and has no other use."""
    alone = source.buffer not in facts.read and facts.wanted[source.buffer] == 1
    whole = source.buffer.region == "scratch" and source.buffer.size == gradient.size
    return alone and is_plain(maker) and whole


def add(source: Ref, gradient: Buffer) -> Instruction:
    """Return the instruction gradient += source over flat elements."""
    made = flat_binary(Add, Ref(gradient), source, Ref(gradient), gradient.size // 4)
    made.origin, made.phase = "accumulate", "backward"
    return made
