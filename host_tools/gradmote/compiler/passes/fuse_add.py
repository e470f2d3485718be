"""The pass that replaces an ADD of two results by an accumulating instruction.

The second maker starts its sums from the first one's result, provided that nothing else reads
either. Gradients meet so where an activation was used twice: before a shortcut, or before several
projections. The sum then needs one buffer instead of two.
"""

from __future__ import annotations

from ..program import Buffer, Compiled, Instruction, Program, Ref, Uses
from .share_in_place import is_dense

#: Instructions with a flag `accumulate` -> the operand that is their output.
ACCUMULATING = {"GEMM": "y", "REDUCE_SUM": "y", "CONV_TRANSPOSE": "x"}


def run(compiled: Compiled) -> None:
    """Fuse every ADD for which it is possible."""
    for program in compiled.programs:
        uses = program.uses()
        for add in [i for i in program.instructions if i.opcode == "ADD"]:
            pair = find(program, uses, add)
            if pair is not None:
                fuse(program, add, *pair)
                uses = program.uses()


def find(program: Program, uses: dict[Buffer, Uses], add: Instruction) -> tuple[Buffer, Instruction] | None:
    """Return (the first summand's buffer, the instruction that makes the second), or None."""
    a, b = add.operands["a"], add.operands["b"]
    assert a is not None and b is not None
    alike = all(add.params[f"a{k}"] == add.params[f"b{k}"] for k in range(4)) and is_dense(add, "a")
    at = next(k for k, i in enumerate(program.instructions) if i is add)
    if not alike or a.buffer is b.buffer or not all(is_own(program, uses, ref, add, at) for ref in (a, b)):
        return None
    first, second = sorted((a.buffer, b.buffer), key=lambda s: uses[s].writers[-1])
    maker = program.instructions[uses[second].writers[0]]
    return (first, maker) if can_start(maker, second, uses) else None


def is_own(program: Program, uses: dict[Buffer, Uses], ref: Ref, add: Instruction, at: int) -> bool:
    """Tell whether a summand is a whole scratch buffer that only this ADD and its makers read."""
    target = add.operands["y"]
    assert target is not None
    whole = ref.buffer.region == "scratch" and not ref.offset and ref.buffer.size == target.buffer.size
    used = uses[ref.buffer]
    readers = [k for k in used.readers if k not in used.writers]
    return whole and ref.buffer not in program.bound() and readers == [at] and used.last == at


def can_start(maker: Instruction, buffer: Buffer, uses: dict[Buffer, Uses]) -> bool:
    """Tell whether one instruction makes all of the buffer, and can accumulate."""
    output = ACCUMULATING.get(maker.opcode)
    if output is None or len(uses[buffer].writers) != 1:
        return False
    target = maker.operands[output]
    plain = maker.operands.get("bias") is None and not maker.params.get("activation") and not maker.params["accumulate"]
    return plain and target is not None and target.buffer is buffer and not target.offset


def fuse(program: Program, add: Instruction, first: Buffer, maker: Instruction) -> None:
    """Make `maker` add to `first`, and let `first` replace the sum everywhere."""
    total = add.operands["y"]
    assert total is not None
    maker.operands[ACCUMULATING[maker.opcode]] = Ref(first)
    maker.params["accumulate"] = 1
    program.instructions.remove(add)
    for instruction in program.instructions:
        for name, ref in instruction.operands.items():
            if ref is not None and ref.buffer is total.buffer:
                instruction.operands[name] = Ref(first, ref.offset)
    for gradient, ref in program.gradients.items():
        if ref.buffer is total.buffer:
            program.gradients[gradient] = Ref(first, ref.offset)
    for binding in program.bindings:
        if binding.ref.buffer is total.buffer:
            binding.ref = Ref(first, binding.ref.offset)
