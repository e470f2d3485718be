"""The pass that adds each gradient of the train program to its buffer in the gradient region.

GEMM, REDUCE_SUM and CONV_GRAD_W can start their sums from that buffer; any other result is added by
an ADD.
"""

from __future__ import annotations

from ...errors import GradmoteError
from ..program import Buffer, Compiled, Instruction, Program, Ref

ACCUMULATING = ("GEMM", "REDUCE_SUM", "CONV_GRAD_W")


def run(compiled: Compiled) -> None:
    """Add every parameter's gradient to its kept gradient, in the train program."""
    for program in compiled.programs:
        if program.kind != "train":
            continue
        for parameter in compiled.parameters:
            if parameter.gradient is None or parameter.name not in program.gradients:
                raise GradmoteError(f"the train program makes no gradient for '{parameter.name}'")
            accumulate(program, program.gradients[parameter.name], parameter.gradient)


def accumulate(program: Program, source: Ref, gradient: Buffer) -> None:
    """Make the gradient's instruction accumulate, or append an ADD where it cannot."""
    maker = next((i for i in program.instructions if any(w.buffer is source.buffer for w in i.writes)), None)
    if maker is not None and maker.opcode in ACCUMULATING and can_retarget(program, maker, source, gradient):
        maker.operands["y"] = Ref(gradient)
        maker.params["accumulate"] = 1
    else:
        program.instructions.append(add(source, gradient))


def can_retarget(program: Program, maker: Instruction, source: Ref, gradient: Buffer) -> bool:
    """Tell whether the maker's result has no other use, and is a plain sum."""
    read = any(r.buffer is source.buffer for i in program.instructions for r in i.reads)
    # Two parameters may share one gradient.
    others = [*program.gradients.values(), *(b.ref for b in program.bindings)]
    shared = sum(r.buffer is source.buffer for r in others) > 1
    plain = maker.operands.get("bias") is None and not maker.params.get("activation")
    return (
        not read and not shared and plain and source.buffer.region == "scratch" and source.buffer.size == gradient.size
    )


def add(source: Ref, gradient: Buffer) -> Instruction:
    """Return the instruction gradient += source over flat elements."""
    params: dict[str, int | float] = {"d0": 1, "d1": 1, "d2": 1, "d3": gradient.size // 4}
    params |= {f"{o}{i}": int(i == 3) for o in "ab" for i in range(4)}
    operands: dict[str, Ref | None] = {"a": Ref(gradient), "b": source, "y": Ref(gradient)}
    return Instruction("ADD", operands, params, "accumulate", phase="backward")
