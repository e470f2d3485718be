"""The pass that fuses a weight gradient and its UPDATE into GEMM_UPDATE or CONV_UPDATE.

GEMM or CONV_GRAD_W makes the gradient, and the UPDATE must be its only reader. If several
instructions make a block of rows each, joined by COPY, each block gets its own update. For quantized
weights, CONV_GRAD_W_S8 and UPDATE_S8 or UPDATE_S16 become CONV_UPDATE_S8.

The gradient then exists one row at a time: for a layer of 64 x 32 this saves 8 KB of arena. But the
update must wait for all readers of the old weight, and the operands of the gradient stay live until
then. If these are much larger than the gradient, as in the first convolutions of a network, the
pass tries whether whole gradients lower the peak.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ...ir import copies
from ...ir.generated.instructions import (
    ConvGradW,
    ConvGradWS8,
    ConvGradWS16,
    ConvUpdate,
    Copy,
    Gemm,
    GemmUpdate,
    Update,
)
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program, Recomputation, Uses
from ...ir.strides import collapse
from . import mask_activations, recompute
from . import quantized_updates as quantized
from .fuse_add import is_plain
from .schedule import order
from .stream_rows import is_wanted

#: Instructions that make a weight gradient row by row.
Maker = Gemm | ConvGradW | ConvGradWS8 | ConvGradWS16
AnyUpdate = Update | quantized.StoredUpdate

#: Operands count as much larger than the gradient if they have more than MUCH times its bytes.
MUCH = 2


@dataclass(frozen=True)
class Block:
    """Some rows of a gradient: their maker, their offset in bytes, and the COPY that moves them."""

    maker: Maker
    offset: int
    size: int
    copy: Copy | None = None


@dataclass(frozen=True)
class Lookup:
    """A snapshot of the program before the pass, which no fusion changes."""

    instructions: list[Instruction]
    uses: dict[Buffer, Uses]

    @cached_property
    def position(self) -> dict[Instruction, int]:
        """Return the index of each instruction."""
        return {i: k for k, i in enumerate(self.instructions)}

    def backward_readers(self, buffer: Buffer) -> list[Instruction]:
        """Return the backward-pass instructions that read a buffer."""
        readers = [self.instructions[k] for k in self.uses[buffer].readers]
        return [i for i in readers if i.phase == "backward"]

    def touching(self, buffer: Buffer) -> list[Instruction]:
        """Return the instructions that read or write a buffer, in order."""
        uses = self.uses[buffer]
        return [self.instructions[k] for k in sorted({*uses.readers, *uses.writers})]


def run(compiled: Compiled) -> None:
    """Fuse the updates of every program if possible and if the peak does not rise."""
    if isinstance(compiled.recompute, Recomputation) and not compiled.recompute.fused:
        return
    for program in compiled.programs:
        before = Lookup(program.instructions, program.uses())
        updates = [i for i in program.instructions if isinstance(i, AnyUpdate)]
        found = [(update, blocks) for update in updates if (blocks := find(before, update))]
        some = [(update, blocks) for update, blocks in found if not holds_up(before, blocks, update)]
        choice = fused(program.instructions, found)
        if len(some) < len(found):
            fewer = fused(program.instructions, some)
            choice = min(choice, fewer, key=lambda c: planned(program, c, is_wanted(compiled)))
        program.instructions = choice


def planned(program: Program, instructions: list[Instruction], by_rows: bool) -> tuple[int, ...]:
    """Return the scratch bytes that the program will need with these instructions."""
    trial = replace(program, instructions=instructions)
    trial.instructions = order(trial)
    trial.instructions = recompute.recomputed(trial)
    return mask_activations.needed(trial, mask_activations.masked(trial, by_rows), by_rows)


def find(program: Lookup, update: AnyUpdate) -> list[Block]:
    """Return the blocks of a gradient that only this UPDATE reads and that need not be whole.

    Returns an empty list if the gradient has another reader, or a part that is made otherwise.
    """
    buffer = update.g.buffer
    if buffer.region != "scratch" or update.scale is not None or buffer.size != 4 * update.work:
        return []
    writers = program.touching(buffer)
    if writers.pop() is not update:
        return []
    blocks = [block_of(program, writer, buffer) for writer in writers]
    known = [b for b in blocks if b is not None and fits(b, update) and can_wait(program, b.maker, update)]
    return known if len(known) == len(writers) and fill(known, buffer) else []


def fits(block: Block, update: AnyUpdate) -> bool:
    """Return whether one instruction can make such gradients and store the parameter as the update does."""
    if isinstance(block.maker, quantized.StoredMaker):
        return not isinstance(update, Update) and block.copy is None and quantized.has_rows(block.maker, update)
    return isinstance(update, Update)


def holds_up(program: Lookup, blocks: list[Block], update: AnyUpdate) -> bool:
    """Return whether a fused update would keep much more than its gradient live.

    The fused update waits for other readers of the old weight, and until then the buffers that only the
    makers read stay live.
    """
    others = program.backward_readers(update.p.buffer)
    also = {r.buffer for i in others for r in i.reads}
    read = {r.buffer for b in blocks for r in b.maker.reads if r.buffer.region == "scratch"}
    waiting = sum(buffer.size for buffer in read if others and buffer not in also)
    return waiting > MUCH * update.g.buffer.size


def block_of(program: Lookup, writer: Instruction, buffer: Buffer) -> Block | None:
    """Return the rows that `writer` puts into the gradient, or None if it does not make them row by row."""
    if isinstance(writer, Maker):
        return Block(writer, 0, buffer.size) if makes_rows(writer) else None
    if not isinstance(writer, Copy) or not is_block(writer):
        return None
    source = writer.x.buffer
    maker, *others = program.touching(source)
    alone = others == [writer] and source.region == "scratch"
    if alone and isinstance(maker, Maker) and makes_rows(maker):
        return Block(maker, writer.y.offset, source.size, writer)
    return None


def makes_rows(maker: Maker) -> bool:
    """Return whether the result is a plain sum, without bias, activation or accumulation."""
    return is_plain(maker) and not maker.accumulate and (not isinstance(maker, Gemm) or maker.batch == 1)


def is_block(copy: Copy) -> bool:
    """Return whether the COPY moves a whole buffer unchanged."""
    size, merged = collapse(copies.sizes(copy), copies.strides_read(copy), copies.strides_written(copy))
    return copy.x.offset == 0 and merged == [[1], [1]] and copy.x.buffer.size == 4 * size[0]


def fill(blocks: list[Block], buffer: Buffer) -> bool:
    """Return whether the blocks are adjacent and fill the buffer."""
    end = 0
    for block in sorted(blocks, key=lambda b: b.offset):
        if block.offset != end:
            return False
        end += block.size
    return end == buffer.size


def can_wait(program: Lookup, maker: Instruction, update: AnyUpdate) -> bool:
    """Return whether nothing overwrites the maker's inputs up to and including the UPDATE."""
    first, last = program.position[maker], program.position[update]
    writers = [k for r in maker.reads for k in program.uses[r.buffer].writers]
    return not any(first < k <= last for k in writers)


def fused(instructions: list[Instruction], pairs: list[tuple[AnyUpdate, list[Block]]]) -> list[Instruction]:
    """Return the instructions with fused ones instead of UPDATEs, without makers and copies."""
    new: dict[Instruction, list[Instruction]] = {
        update: [fuse(block, update) for block in blocks] for update, blocks in pairs
    }
    gone: set[Instruction | None] = {i for _, blocks in pairs for block in blocks for i in (block.maker, block.copy)}
    return [n for i in instructions if i not in gone for n in new.get(i, [i])]


def fuse(block: Block, update: AnyUpdate) -> Instruction:
    """Return the fused instruction, with scratch for one row of the gradient."""
    maker = block.maker
    if isinstance(maker, quantized.StoredMaker) and not isinstance(update, Update):
        return quantized.fuse(maker, update)
    kind: type[GemmUpdate | ConvUpdate] = GemmUpdate if isinstance(maker, Gemm) else ConvUpdate
    row = Buffer(f"{update.origin}.row", 4 * row_size(maker), "scratch")
    state = {name: moved(update.operands[name], block.offset // 4, update.work) for name in ("p", "slot1", "slot2")}
    known = {**maker.operands, **update.operands, **state, "row": Ref(row), **maker.params}
    taken = {name: known[name] for name in (*kind.extents, *kind.param_names)}
    return kind(**taken, origin=update.origin, layer=maker.layer, phase=maker.phase)


def row_size(maker: Maker) -> int:
    """Return the number of elements of one row of the gradient."""
    return maker.n if isinstance(maker, Gemm) else maker.in_channels * maker.kernel_h * maker.kernel_w


def moved(ref: Ref | None, first: int, elements: int) -> Ref | None:
    """Return the reference to element `first` of `elements` that fill a buffer; None for None."""
    return ref and Ref(ref.buffer, ref.offset + first * (ref.buffer.size // elements))
