"""The updates of parameters that are stored as integers, for the passes over programs."""

from __future__ import annotations

import numpy as np

from ...generated.instructions import ConvGradWS8, ConvUpdateS8, UpdateS8, UpdateS16, UpdateS32
from ..instruction import Buffer, Ref

StoredUpdate = UpdateS8 | UpdateS16 | UpdateS32


def numbers(ref: Ref, count: int) -> np.ndarray:
    """Return the first float32 numbers of a constant operand."""
    assert ref.buffer.data is not None
    return np.frombuffer(ref.buffer.data, np.float32, count, ref.offset)


def rows_of(maker: ConvGradWS8) -> int:
    """Return the number of rows of a gradient, one for each output channel."""
    return maker.groups * maker.out_channels


def has_rows(maker: ConvGradWS8, update: StoredUpdate) -> bool:
    """Tell whether the update has one unit for each row of the gradient, or one for all."""
    is_weight = isinstance(update, UpdateS8 | UpdateS16)
    return is_weight and (update.channels == 1 or (update.outer, update.channels) == (1, rows_of(maker)))


def fuse(maker: ConvGradWS8, update: StoredUpdate) -> ConvUpdateS8:
    """Return the instruction that makes a gradient row by row, and updates with each row."""
    row = Buffer(f"{update.origin}.row", 4 * maker.in_channels * maker.kernel_h * maker.kernel_w, "scratch")
    units = np.broadcast_to(numbers(update.units, update.channels), (rows_of(maker),)).tobytes()
    own = Buffer(f"{update.origin}.units", len(units), "constant", units)
    shared = update.units if update.channels == rows_of(maker) else Ref(own)
    known = {**maker.operands, **update.operands, "row": Ref(row), "units": shared, **maker.params, **update.params}
    known["p_bytes"] = 2 if isinstance(update, UpdateS16) else 1
    taken = {name: known[name] for name in (*ConvUpdateS8.extents, *ConvUpdateS8.param_names)}
    return ConvUpdateS8(**taken, origin=update.origin, layer=maker.layer, phase=maker.phase)


def largest_factor(instruction: ConvUpdateS8) -> float:
    """Return the largest factor of a gradient's rows."""
    return float(numbers(instruction.factor, instruction.groups * instruction.out_channels).max())
