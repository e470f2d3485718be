"""The pass that removes a COPY if the kernel that makes its source can write to the target directly.

The operands of a Concat are then made side by side and need no bytes of their own.
"""

from __future__ import annotations

import math

from ...ir import copies
from ...ir.generated.instructions import Copy
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program, Uses
from ...ir.strides import contiguous

#: One dimension of a COPY, in elements: size, stride of the source, stride of the target.
Dimension = tuple[int, int, int]


def run(compiled: Compiled) -> None:
    """Remove each COPY whose source another instruction can write straight into the target."""
    for program in compiled.programs:
        targets = written_once(program)
        uses, gone = program.uses(), set()
        for at, copy in enumerate(program.instructions):
            if isinstance(copy, Copy) and copy.y.buffer in targets:
                maker = maker_of(program, uses, copy)
                if maker is not None and redirect(maker, copy):
                    moved = uses[copy.y.buffer]
                    made = uses.pop(copy.x.buffer).writers
                    moved.writers = sorted([*made, *(k for k in moved.writers if k != at)])
                    gone.add(copy)
        program.instructions = [i for i in program.instructions if i not in gone]


def written_once(program: Program) -> set[Buffer]:
    """Return the scratch buffers in which no byte is written twice.

    They have one writer, or are the result of a Concat. Gradients of parameters are left to
    fuse_update, which never makes them whole.
    """
    gradients = {ref.buffer for ref in program.gradients.values()}
    found = set()
    for buffer, uses in program.uses().items():
        writers = [program.instructions[k] for k in uses.writers]
        once = len(writers) == 1 or all(isinstance(w, Copy) and w.reason == "Concat" for w in writers)
        if buffer.region == "scratch" and once and buffer not in gradients:
            found.add(buffer)
    return found


def maker_of(program: Program, uses: dict[Buffer, Uses], copy: Copy) -> Instruction | None:
    """Return the one instruction that makes all of the COPY's source, or None.

    The COPY must be the only reader of that source.
    """
    source = copy.x
    if source.buffer.region != "scratch" or source.buffer in program.bound():
        return None
    used = uses[source.buffer]
    alone = len(used.writers) == len(used.readers) == 1
    return program.instructions[used.writers[0]] if alone and reads_all(copy, source) else None


def reads_all(copy: Copy, source: Ref) -> bool:
    """Return whether the COPY reads every element of the buffer exactly once."""
    sizes, reads, _ = zip(*dimensions(copy), strict=True) if dimensions(copy) else ((), (), ())
    return not source.offset and source.buffer.size == 4 * math.prod(sizes) and list(reads) == contiguous(sizes)


def dimensions(copy: Copy) -> list[Dimension]:
    """Return the dimensions with more than one element, adjacent ones merged.

    The dimension with the longest stride in the source comes first.
    """
    given = zip(copies.sizes(copy), copies.strides_read(copy), copies.strides_written(copy), strict=True)
    merged: list[Dimension] = []
    for size, read, written in sorted((d for d in given if d[0] > 1), key=lambda d: -d[1]):
        if merged and merged[-1][1] == size * read and merged[-1][2] == size * written:
            size *= merged.pop()[0]
        merged.append((size, read, written))
    return merged


def redirect(maker: Instruction, copy: Copy) -> bool:
    """Make `maker` write the COPY's target; return False if it cannot."""
    outputs = [(n, r) for n, r in maker.operands.items() if r is not None and r.buffer is copy.x.buffer]
    if len(outputs) != 1 or outputs[0][1].offset or getattr(maker, "accumulate", False):
        return False
    if any(ref.buffer is copy.y.buffer for ref in maker.writes):  # outputs of one instruction must not overlap
        return False
    output, _ = outputs[0]
    dims = dimensions(copy)
    strides = {} if is_block(dims) else moved_strides(maker, output, dims)
    if strides is None:
        return False
    for name, value in {**strides, output: copy.y}.items():
        setattr(maker, name, value)
    return True


def is_block(dims: list[Dimension]) -> bool:
    """Return whether the elements stay contiguous and in order."""
    return len(dims) == 0 or (len(dims) == 1 and dims[0][1:] == (1, 1))


def moved_strides(maker: Instruction, output: str, dims: list[Dimension]) -> dict[str, int] | None:
    """Return new values of the parameters that are the output's strides.

    Returns None if no strides fit, or if another operand shares the parameters.
    """
    extents = maker.extents
    others = {stride for name, extent in extents.items() if name != output for _, stride in extent}
    moved: dict[str, int] = {}
    reach = [0] * len(dims)  # how far the output's own dimensions reach along each of the copy's
    for size, stride in extents[output]:
        count = getattr(maker, size, 1)
        if stride is None or stride in others:
            return None
        old = maker.number(stride)
        at = next((k for k, (_, read, _) in enumerate(dims) if old % read == 0), None) if count > 1 and old else None
        if at is not None:
            _, read, written = dims[at]
            reach[at] += (count - 1) * old // read
            moved[stride] = old // read * written
        elif count > 1:
            return None
    fits = all(steps < size for steps, (size, _, _) in zip(reach, dims, strict=True))
    return moved if fits and moved.pop("one", 1) == 1 else None
