"""The table of inputs, labels and outputs of an opened image."""

from __future__ import annotations

from typing import Any, NamedTuple

from .arrays import DTYPE_NAME, ITEM_CODE
from .names import text

PROGRAMS = ("infer", "eval", "train", "optimizer", "step")
ROLES = ("input", "label", "output", "loss")


class Tensor(NamedTuple):
    """One row of the table."""

    name: str | None
    title: str  # its name in messages
    role: str
    role_kind: int
    programs: list[str]
    dtype: int
    shape: tuple[int, ...]
    offset: int
    size: int
    lasts: bool  # no program overwrites it
    rows_in: list[str]  # the programs in which the first dimension counts samples, so that it may be shorter

    def describe(self) -> dict[str, Any]:
        """Return the row for callers.

        It has the name, dtype ("float32", "int32", "int8", "uint8"), the ONNX model's shape, size in bytes, programs,
        whether it `lasts`: otherwise an input must be given again for each run; and `rows_in`, the programs that take
        fewer samples than the batch.
        """
        return {
            "name": self.name,
            "dtype": DTYPE_NAME[self.dtype],
            "shape": self.shape,
            "size": self.size,
            "programs": list(self.programs),
            "lasts": self.lasts,
            "rows_in": list(self.rows_in),
        }

    def view(self, memory: memoryview, rows: int = 0, program: str = "") -> memoryview:
        """Return a view of the tensor in the arena, with item type and shape; or of its first rows in a program."""
        shape, size = self.made(rows, program)
        return memory[self.offset : self.offset + size].cast(ITEM_CODE[self.dtype], shape)  # type: ignore[call-overload]

    def copy(self, memory: memoryview, rows: int = 0, program: str = "") -> memoryview:
        """Return a copy of what view() returns."""
        shape, size = self.made(rows, program)
        data = memoryview(bytearray(memory[self.offset : self.offset + size]))
        return data.cast(ITEM_CODE[self.dtype], shape)  # type: ignore[call-overload]

    def made(self, rows: int, program: str) -> tuple[tuple[int, ...], int]:
        """Return shape and size of the part that a run of so many samples has made; 0: of all."""
        if rows == 0 or program not in self.rows_in:
            return self.shape, self.size
        return (rows, *self.shape[1:]), self.size // self.shape[0] * rows


def read_tensors(ffi: Any, lib: Any, session: Any) -> list[Tensor]:
    """Return every row, in the image's order.

    session: gm_session * after gm_open().
    """
    sections = session.header.sections
    table = sections[lib.GM_SECTION_TENSORS]
    names = ffi.cast("const char *", session.image + sections[lib.GM_SECTION_NAMES].offset)
    records = ffi.cast("const gm_tensor *", session.image + table.offset)
    named = [
        (records[i], None if records[i].name == lib.GM_NONE else text(ffi.string(names + records[i].name)))
        for i in range(table.size // ffi.sizeof("gm_tensor"))
    ]
    return [_row(record, name, session.header.scratch_offset) for record, name in named]


def _row(record: Any, name: str | None, scratch: int) -> Tensor:
    role = ROLES[record.role]
    return Tensor(
        name=name,
        title=f"{role} '{name}'" if name else role,
        role=role,
        role_kind=record.role,
        programs=program_names(record.programs),
        dtype=record.dtype,
        shape=tuple(record.dims[axis] for axis in range(record.rank)),
        offset=record.offset,
        size=record.size,
        lasts=record.offset < scratch,
        rows_in=program_names(record.programs >> len(PROGRAMS)),
    )


def program_names(bits: int) -> list[str]:
    """Return the names of the program kinds whose bit is set."""
    return [name for kind, name in enumerate(PROGRAMS) if bits >> kind & 1]
