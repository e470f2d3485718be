"""The updates of parameters stored as integers, for passes over programs."""

from __future__ import annotations

import numpy as np

from ...ir.generated.instructions import (
    ConvGradWS8,
    ConvGradWS16,
    ConvUpdateS8,
    ConvUpdateS16,
    UpdateS8,
    UpdateS16,
    UpdateS32,
)
from ...ir.instruction import Buffer, Ref

StoredUpdate = UpdateS8 | UpdateS16 | UpdateS32
#: Instructions that make the gradient of quantized weights row by row.
StoredMaker = ConvGradWS8 | ConvGradWS16


def numbers(ref: Ref, count: int) -> np.ndarray:
    """Return the first `count` float32 numbers of a constant operand."""
    assert ref.buffer.data is not None
    return np.frombuffer(ref.buffer.data, np.float32, count, ref.offset)


def rows_of(maker: StoredMaker) -> int:
    """Return the number of rows of a gradient: one per output channel."""
    return maker.groups * maker.out_channels


def has_rows(maker: StoredMaker, update: StoredUpdate) -> bool:
    """Return whether the update has one scale per row of the gradient, or one for all."""
    is_weight = isinstance(update, UpdateS8 | UpdateS16)
    return is_weight and (update.channels == 1 or (update.outer, update.channels) == (1, rows_of(maker)))


def fuse(maker: StoredMaker, update: StoredUpdate) -> ConvUpdateS8 | ConvUpdateS16:
    """Return the instruction that makes a gradient row by row and updates from each row."""
    row = Buffer(f"{update.origin}.row", 4 * maker.in_channels * maker.kernel_h * maker.kernel_w, "scratch")
    units = np.broadcast_to(numbers(update.units, update.channels), (rows_of(maker),)).tobytes()
    own = Buffer(f"{update.origin}.units", len(units), "constant", units)
    shared = update.units if update.channels == rows_of(maker) else Ref(own)
    known = {**maker.operands, **update.operands, "row": Ref(row), "units": shared, **maker.params, **update.params}
    known["p_bytes"] = 2 if isinstance(update, UpdateS16) else 1
    kind: type[ConvUpdateS8 | ConvUpdateS16] = ConvUpdateS8 if isinstance(maker, ConvGradWS8) else ConvUpdateS16
    taken = {name: known[name] for name in (*kind.extents, *kind.param_names)}
    return kind(**taken, origin=update.origin, layer=maker.layer, phase=maker.phase)


def largest_factor(instruction: ConvUpdateS8) -> float:
    """Return the largest factor of a gradient's rows."""
    return float(numbers(instruction.factor, instruction.groups * instruction.out_channels).max())
