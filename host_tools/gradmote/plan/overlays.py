"""The check of overlays: no byte that a loop has overwritten is read as its old value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import GradmoteError
from ..generated.opcodes import OPCODES
from ..ir.instruction import ELEMENT_BYTES, Buffer, Instruction
from ..ir.loops import run_order
from ..ir.program import Program


class OverwrittenTooEarly(GradmoteError):
    """A plan that overlays bytes still to be read, which is a defect in Gradmote."""


def check_overlays(program: Program, offsets: Mapping[Buffer, int]) -> None:
    """Raise OverwrittenTooEarly if a buffer is read after another one has taken its bytes.

    Simulates all iterations of all loops, with the addresses of `offsets`.
    """
    for upper, overlay in program.overlays.items():
        under, between = overlay.under, offsets[upper] - offsets[overlay.under]
        taken = bytearray(under.size)
        for instruction, moved in run_order(program.instructions):
            read = list(touched(instruction, moved, under, "r"))
            written = [(first + between, end + between) for first, end in touched(instruction, moved, upper, "w")]
            if any(1 in taken[first:end] for first, end in read):
                raise OverwrittenTooEarly(
                    f"{program.kind}: {instruction.opcode} ({instruction.origin}) reads '{under.name}', "
                    f"which '{upper.name}' has overwritten"
                )
            for first, end in written:
                both = range(max(first, 0), min(end, under.size))
                taken[both.start : both.stop] = b"\1" * len(both)


def touched(
    instruction: Instruction, moved: Mapping[str, int], buffer: Buffer, access: str
) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the bytes that each operand reads (`r`) or writes (`w`) in a buffer; end is exclusive."""
    for name, (mode, dtype, *_) in OPCODES[instruction.opcode]["operands"].items():
        ref = getattr(instruction, name)
        if ref is not None and ref.buffer is buffer and access in mode:
            first = ref.offset + moved.get(name, 0)
            yield first, first + bytes_of(instruction.elements(name), dtype)


def bytes_of(elements: int, dtype: str) -> int:
    """Return the bytes of this many adjacent elements."""
    return (elements + 7) // 8 if dtype == "bit" else elements * ELEMENT_BYTES[dtype]
