"""GEMM or CONV followed by RELU of its whole result, which nothing else reads, becomes one with activation relu."""

from __future__ import annotations

from ..program import Compiled, Instruction, Program

RELU = 1  # activation: enum(none, relu)
MAKERS = ("GEMM", "CONV")


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        fuse(program)


def fuse(program: Program) -> None:
    makers = {id(i.operands["y"].buffer): i for i in program.instructions if i.opcode in MAKERS}
    for relu in [i for i in program.instructions if i.opcode == "RELU"]:
        source = relu.operands["x"]
        maker = makers.get(id(source.buffer)) if source else None
        if maker is not None and only_reader(program, maker, relu) and not maker.params["activation"]:
            maker.params["activation"] = RELU
            maker.operands["y"] = relu.operands["y"]
            program.instructions.remove(relu)


def only_reader(program: Program, maker: Instruction, relu: Instruction) -> bool:
    """Whether nothing but `relu` looks at what `maker` writes, and relu takes all of it."""
    buffer = maker.operands["y"].buffer
    if buffer.region != "scratch" or buffer.size != 4 * relu.params["n"]:
        return False
    readers = [i for i in program.instructions if any(r.buffer is buffer for r in i.reads)]
    bound = any(b.ref.buffer is buffer for b in program.bindings)
    return readers == [relu] and not bound
