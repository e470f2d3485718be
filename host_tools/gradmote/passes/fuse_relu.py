"""GEMM, CONV or NORMALIZE followed by RELU of its whole result, which nothing else reads, becomes one with
activation relu.

So do several that make a part of the result each.
"""

from __future__ import annotations

from ..program import Compiled, Instruction, Program, Ref

RELU = 1  # activation: enum(none, relu)
MAKERS = ("GEMM", "CONV", "NORMALIZE")


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        fuse(program)


def fuse(program: Program) -> None:
    for relu in [i for i in program.instructions if i.opcode == "RELU"]:
        source, target = relu.operands["x"], relu.operands["y"]
        assert source is not None and target is not None
        makers = [i for i in program.instructions if any(w.buffer is source.buffer for w in i.writes)]
        if makers and all(can_rectify(m) for m in makers) and only_reader(program, source, relu):
            for maker in makers:
                maker.params["activation"] = RELU
                maker.operands["y"] = Ref(target.buffer, target.offset + maker.operands["y"].offset)
            program.instructions.remove(relu)


def can_rectify(maker: Instruction) -> bool:
    return maker.opcode in MAKERS and not maker.params["activation"]


def only_reader(program: Program, source: Ref, relu: Instruction) -> bool:
    """Whether nothing but `relu` looks at what the makers write, and relu takes all of it."""
    buffer = source.buffer
    if buffer.region != "scratch" or buffer.size != 4 * relu.params["n"]:
        return False
    readers = [i for i in program.instructions if any(r.buffer is buffer for r in i.reads)]
    return readers == [relu] and id(buffer) not in program.bound()
