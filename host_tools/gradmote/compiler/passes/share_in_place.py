"""The pass that lets an elementwise output reuse the bytes of an input at its last read."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.generated.instructions import AddS16, ConvGradXS16, SoftmaxCrossEntropy
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program

#: The outputs that can reuse an input's bytes, if this is not the last operand of the instruction.
TARGETS: dict[type[Instruction], str] = {AddS16: "y", ConvGradXS16: "dx", SoftmaxCrossEntropy: "log_prob"}


def run(compiled: Compiled) -> None:
    """Let outputs reuse their inputs' bytes in every program."""
    for program in compiled.programs:
        share(program)


def share(program: Program) -> None:
    """Let outputs reuse their inputs' bytes; modifies the program's instructions and bindings."""
    uses = program.uses()
    touched = {b: [program.instructions[k] for k in (*u.readers, *u.writers)] for b, u in uses.items()}
    last = {buffer: used.last for buffer, used in uses.items()}
    last |= dict.fromkeys(program.bound(), len(program.instructions))
    for index, instruction in enumerate(program.instructions):
        pair = candidate(instruction, index, last)
        if pair is not None:
            old, new = pair
            replace(program, old, new, touched[old])
            last[new] = last[old]
            touched[new] += touched[old]


def candidate(instruction: Instruction, index: int, last: dict[Buffer, int]) -> tuple[Buffer, Buffer] | None:
    """Return (old, new), the buffers of the output and of the input whose bytes it can reuse, or None.

    `last` maps each buffer to the last instruction that uses it.
    """
    return next(((target, source) for target, source in pairs(instruction) if last[source] == index), None)


def pairs(instruction: Instruction) -> Iterator[tuple[Buffer, Buffer]]:
    """Yield the output's buffer with that of each input whose bytes it can reuse once nothing reads them later."""
    if not instruction.inplace:
        return
    operands = instruction.operands
    target = operands[TARGETS[type(instruction)]] if type(instruction) in TARGETS else list(operands.values())[-1]
    assert target is not None
    if target.buffer.region != "scratch" or target.offset:
        return
    for name in instruction.inplace:
        source = operands[name]
        if source is not None and fits(instruction, name, source, target):
            yield target.buffer, source.buffer


def fits(instruction: Instruction, name: str, source: Ref, target: Ref) -> bool:
    """Return whether the output can overwrite this input.

    Both must be whole buffers of one size, read and written in the same order, and no other operand
    may read the input's buffer.
    """
    same = source.buffer is not target.buffer and source.buffer.size == target.buffer.size and not source.offset
    others = [o for n, o in instruction.operands.items() if n != name and o is not None]
    return (
        source.buffer.region == "scratch"
        and same
        and is_dense(instruction, name)
        and all(o.buffer is not source.buffer for o in others)
    )


def is_dense(instruction: Instruction, name: str) -> bool:
    """Return whether a strided operand covers its extent exactly once, in order."""
    if f"{name}3" not in instruction.param_names:
        return True
    step = 1
    for axis in (3, 2, 1, 0):
        dim = instruction.number(f"d{axis}")
        if dim > 1 and instruction.number(f"{name}{axis}") != step:
            return False
        step *= dim
    return True


def replace(program: Program, old: Buffer, new: Buffer, touched: list[Instruction]) -> None:
    """Replace a buffer with another in `touched`, the instructions that use it, and in bindings."""
    for instruction in touched:
        instruction.redirect(old, new)
    for binding in program.bindings:
        if binding.ref.buffer is old:
            binding.ref = Ref(new, binding.ref.offset)
