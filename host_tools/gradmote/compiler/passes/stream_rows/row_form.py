"""How an instruction makes one row of its output: which rows it reads, and which fields change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field

from ....generated.opcodes import COUNTS, OPCODES
from ....ir.instruction import Extent, Instruction, Ref

#: Bytes of an element by the operand's type; other types have no row form.
ELEMENT_BYTES = {"f32": 4, "i32": 4, "u8": 1, "i8": 1, "i16": 2}

#: Parameters of a window over rows.
WINDOW = ("in_h", "out_h", "kernel_h", "stride_h", "dilation_h", "pad_h")


@dataclass(frozen=True)
class Window:
    """The input rows that each output row depends on."""

    inputs: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    dilation: int = 1
    pad: int = 0

    def first(self, row: int) -> int:
        """Return the first input row that an output row reads."""
        return max(0, row * self.stride - self.pad)

    def last(self, row: int) -> int:
        """Return the last input row that an output row reads."""
        return min(self.inputs - 1, self.bottom(row))

    def bottom(self, row: int) -> int:
        """Return the row of the last tap, which may be in the padding."""
        return row * self.stride - self.pad + (self.kernel - 1) * self.dilation

    @property
    def lead(self) -> int:
        """Return how many input rows past the output row must exist to make it."""
        return min(self.inputs - 1, (self.kernel - 1) * self.dilation - self.pad)

    @property
    def is_covered(self) -> bool:
        """Return whether each output row reads at least one input row."""
        return self.bottom(0) >= 0 and self.first(self.outputs - 1) < self.inputs


@dataclass(frozen=True)
class Moving:
    """An operand with other rows for each output row."""

    ref: Ref
    window: Window
    row_bytes: int  # stride between rows of the tensor
    #: Rows are contiguous, with nothing else in the buffer.
    is_dense: bool
    #: The operand's strides in a buffer of a few rows, if they differ.
    strides: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RowForm:
    """An instruction that can run row by row."""

    instruction: Instruction
    rows: int
    reads: dict[str, Moving]
    writes: dict[str, Moving]
    params: Mapping[str, int]  # parameters that differ from the whole instruction's
    is_window: bool = False

    @property
    def moving(self) -> dict[str, Moving]:
        """Return all operands that move from row to row."""
        return {**self.reads, **self.writes}

    def make(self, params: Mapping[str, int], refs: Mapping[str, Ref]) -> Instruction:
        """Return the instruction that makes one row, with other parameters and addresses."""
        made = copy(self.instruction)
        for name, value in {**refs, **self.params, **params}.items():
            setattr(made, name, value)
        return made

    def window_params(self, row: int) -> dict[str, int]:
        """Return the position of one row's window within the existing rows."""
        if not self.is_window:
            return {}
        window = next(iter(self.reads.values())).window
        above = row * window.stride
        found = {"in_h": window.last(row) - window.first(row) + 1, "pad_h": max(0, window.pad - above)}
        if "padded_h" in self.instruction.param_names:
            reach = (window.kernel - 1) * window.dilation + 1
            found["padded_h"] = max(1, min(self.instruction.number("padded_h") - above, reach))
        return found


def row_form(instruction: Instruction, rows: int | None) -> RowForm | None:
    """Return how the instruction runs row by row, or None if it cannot.

    `rows` is the number of rows of its input, if known.
    """
    if getattr(instruction, "accumulate", False) or instruction.refuses is not None:
        return None
    if all(name in instruction.param_names for name in WINDOW):
        return window_form(instruction)
    return map_form(instruction, rows) if rows is not None else None


# ---- Windows: convolutions and pools


def window_form(instruction: Instruction) -> RowForm | None:
    """Return the form of an instruction that moves a window over rows of x and writes rows of y."""
    window = Window(*(instruction.number(name) for name in WINDOW))
    reads = {n for n in used(instruction, "r") if has_dim(instruction, n, "in_h")}
    writes = {n for n in used(instruction, "w") if has_dim(instruction, n, "out_h")}
    others = {n for n in used(instruction, "r") if has_dim(instruction, n, "out_h")}
    if len(reads) != 1 or len(writes) != 1 or others or not window.is_covered:
        return None
    if written(instruction) != writes:
        return None
    (x,), (y,) = reads, writes
    output = Window(window.outputs, window.outputs)
    read = image_operand(instruction, x, "in_h", window)
    made = image_operand(instruction, y, "out_h", output)
    if read is None or made is None:
        return None
    return RowForm(instruction, window.outputs, {x: read}, {y: made}, {"out_h": 1}, is_window=True)


def image_operand(instruction: Instruction, name: str, dim: str, window: Window) -> Moving | None:
    """Return an operand of a window, or None if its rows cannot be separated.

    In a buffer of a few rows, each row holds all samples of the batch.
    """
    strides = dict(instruction.extents[name])
    ref: Ref = getattr(instruction, name)
    size = element_bytes(instruction, name)
    if None in strides.values() or "batch" not in strides or not size:
        return None
    batch, height = instruction.number("batch"), window.inputs
    row_stride, batch_stride = (str(strides[d]) for d in (dim, "batch"))
    reach = 1 + sum(
        (instruction.number(d) - 1) * instruction.number(str(s)) for d, s in strides.items() if d not in (dim, "batch")
    )
    step = instruction.number(row_stride)
    is_tight = (height == 1 or step == reach) and (batch == 1 or instruction.number(batch_stride) == height * reach)
    is_dense = is_tight and not ref.offset and ref.buffer.size == batch * height * reach * size
    return Moving(ref, window, step * size, is_dense, {row_stride: batch * reach, batch_stride: reach})


# ---- Element by element


def map_form(instruction: Instruction, rows: int) -> RowForm | None:
    """Return the form of an instruction whose outputs' outermost dimension can be cut into rows."""
    outputs = written(instruction)
    if len(outputs) != 1:
        return None
    (y,) = outputs
    dim = outermost(instruction, y)
    if dim not in OPCODES[instruction.opcode]["split"] or instruction.number(dim) % rows:
        return None
    row = instruction.number(dim) // rows
    moved = {name: map_operand(instruction, name, dim, row, rows) for name in used(instruction, "rw")}
    if any(m is None and has_dim(instruction, name, dim) for name, m in moved.items()):
        return None
    found = {name: m for name, m in moved.items() if m is not None and m.row_bytes}
    reads = {name: m for name, m in found.items() if name != y}
    return RowForm(instruction, rows, reads, {y: found[y]}, {dim: row}) if reads and y in found else None


def map_operand(instruction: Instruction, name: str, dim: str, row: int, rows: int) -> Moving | None:
    """Return an operand with rows of `row` indices of `dim`; None if they are not rows."""
    extent = instruction.extents[name]
    dims = [d for d, _ in extent]
    if dim not in dims:
        return None
    at = dims.index(dim)
    size = element_bytes(instruction, name)
    if any(instruction.number(d) > 1 for d in dims[:at]) or dims.count(dim) > 1 or not size:
        return None
    inner = math.prod(instruction.number(d) for d in dims[at + 1 :])
    stride = inner if extent[at][1] is None else instruction.number(str(extent[at][1]))
    ref: Ref = getattr(instruction, name)
    is_dense = (
        not ref.offset
        and is_gapless(instruction, extent[at + 1 :])
        and stride == inner
        and ref.buffer.size == rows * row * inner * size
    )
    return Moving(ref, Window(rows, rows), row * stride * size, is_dense)


def is_gapless(instruction: Instruction, extent: Extent) -> bool:
    """Return whether the dimensions are row-major without gaps."""
    step = 1
    for dim, stride in reversed(extent):
        if stride is not None and instruction.number(dim) > 1 and instruction.number(stride) != step:
            return False
        step *= instruction.number(dim)
    return True


# ---- Operands


def outermost(instruction: Instruction, name: str) -> str:
    """Return the first dimension of an operand with more than one index, else its first one."""
    dims = [d for d, _ in instruction.extents[name] if d not in COUNTS]
    return next((d for d in dims if instruction.number(d) > 1), dims[0] if dims else "")


def has_dim(instruction: Instruction, name: str, dim: str) -> bool:
    """Return whether an operand's extent depends on a dimension."""
    return any(dim in pair for pair in instruction.extents[name])


def used(instruction: Instruction, access: str) -> list[str]:
    """Return the operands that are present and are read (`r`), written (`w`) or either (`rw`)."""
    spec = OPCODES[instruction.opcode]
    found = []
    for name, (mode, dtype, _, _) in spec["operands"].items():
        is_read = mode == "r" or ("r" in mode and getattr(instruction, "accumulate", True))
        wanted = ("r" in access and is_read) or ("w" in access and "w" in mode)
        if wanted and getattr(instruction, name) is not None and name not in spec["own"] and dtype != "rule":
            found.append(name)
    return found


def written(instruction: Instruction) -> set[str]:
    """Return the written operands that hold a result."""
    return set(used(instruction, "w"))


def element_bytes(instruction: Instruction, name: str) -> int:
    """Return the bytes of an operand's element, or 0 if elements are smaller than a byte."""
    return ELEMENT_BYTES.get(OPCODES[instruction.opcode]["operands"][name][1], 0)
