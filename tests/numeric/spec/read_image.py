"""A reader of images (.mote), from docs/SPEC.md and records.toml alone."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from .read_tables import constants, enum_fields, enums, fields, name_of, size_of

NONE = constants()["NONE"]
SECTIONS = enums()["section"]


class Record(SimpleNamespace):
    """The fields of one record by their names.

    A field that is a number of an enum has the name beside it, such as `dtype_name` beside `dtype`: None if the
    enum does not have the number, which anyone may have written.
    """


def read_record(name: str, data: bytes, at: int) -> Record:
    """Return the record of that name at a byte offset."""
    found: dict[str, Any] = {}
    for field, kind, count, offset in fields(name):
        values = [_read(kind, data, at + offset + i * size_of_type(kind)) for i in range(count)]
        found[field] = values[0] if count == 1 else values
    names = {f"{field}_name": name_of(enum, found[field]) for field, enum in enum_fields(name).items()}
    return Record(**found, **names)


def size_of_type(kind: str) -> int:
    """Return the bytes of a field's type."""
    return size_of("section") if kind == "section" else 4


def _read(kind: str, data: bytes, at: int) -> Any:
    if kind == "section":
        return read_record("section", data, at)
    return struct.unpack_from({"i32": "<i", "f32": "<f"}.get(kind, "<I"), data, at)[0]


@dataclass(frozen=True)
class Image:
    """An image and its contents. Nothing is checked here: verify.py does that."""

    data: bytes

    @cached_property
    def header(self) -> Record:
        """The first 144 bytes."""
        return read_record("header", self.data, 0)

    def section(self, name: str) -> bytes:
        """The bytes of one section."""
        where = self.header.sections[SECTIONS.index(name)]
        return self.data[where.offset : where.offset + where.size]

    def _records(self, record: str, section: str) -> list[Record]:
        data = self.section(section)
        return [read_record(record, data, at) for at in range(0, len(data), size_of(record))]

    @cached_property
    def tensors(self) -> list[Record]:
        """Inputs, labels, outputs and losses."""
        return self._records("tensor", "TENSORS")

    @cached_property
    def programs(self) -> list[Record]:
        """The streams of instructions."""
        return self._records("program", "PROGRAMS")

    @cached_property
    def state(self) -> list[Record]:
        """The table of the state."""
        return self._records("state_entry", "STATE")

    @cached_property
    def store(self) -> Record | None:
        """Return the record of the sample store, if there is one."""
        data = self.section("STORE")
        return read_record("store", data, 0) if data else None

    def code(self, program: Record) -> list[int]:
        """The words of a program's instructions."""
        data = self.section("CODE")[program.code_offset : program.code_offset + program.code_size]
        return list(struct.unpack(f"<{len(data) // 4}I", data))
