"""The pass that fuses a RELU into the preceding GEMM, CONV or NORMALIZE, as its activation.

The RELU must take the whole result, and nothing else may read it. If several instructions make
parts of the result, all of them get the activation.
"""

from __future__ import annotations

from collections import defaultdict

from ...ir.generated.instructions import Conv, Gemm, Normalize, Relu
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program

#: Instructions that can apply an activation.
Maker = Gemm | Conv | Normalize


def run(compiled: Compiled) -> None:
    """Fuse the RELUs of every program."""
    for program in compiled.programs:
        fuse(program)


def fuse(program: Program) -> None:
    """Fuse every RELU of one program that can be an activation of its makers."""
    writers, readers = touching(program)
    bound, fused = program.bound(), set()
    for relu in [i for i in program.instructions if isinstance(i, Relu)]:
        source, target = relu.x, relu.y
        makers = [m for m in writers[source.buffer] if isinstance(m, Maker) and m.activation == "none"]
        alone = readers[source.buffer] == [relu] and source.buffer not in bound
        if makers and makers == writers[source.buffer] and alone and is_whole(source, relu):
            for maker in makers:
                maker.activation = "relu"
                maker.y = Ref(target.buffer, target.offset + maker.y.offset)
            others = [w for w in writers[target.buffer] if w is not relu]
            writers[target.buffer] = [*makers, *others]
            fused.add(relu)
    program.instructions = [i for i in program.instructions if i not in fused]


def touching(program: Program) -> tuple[dict[Buffer, list[Instruction]], dict[Buffer, list[Instruction]]]:
    """Return the writers and the readers of each buffer."""
    writers: dict[Buffer, list[Instruction]] = defaultdict(list)
    readers: dict[Buffer, list[Instruction]] = defaultdict(list)
    for instruction in program.instructions:
        for refs, found in ((instruction.writes, writers), (instruction.reads, readers)):
            for buffer in dict.fromkeys(ref.buffer for ref in refs):
                found[buffer].append(instruction)
    return writers, readers


def is_whole(source: Ref, relu: Relu) -> bool:
    """Return whether `relu` takes all of a scratch buffer."""
    return source.buffer.region == "scratch" and source.buffer.size == 4 * relu.n
