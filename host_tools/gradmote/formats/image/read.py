"""The reader of images, for `inspect` and for tests.

It checks sizes and the checksum. Only the C runtime's gm_open decides whether an image is valid.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from ...errors import ImageError
from ...generated.opcodes import OPCODES
from ...generated.records import (
    CLASS_NAME,
    CONSTANT_BIT,
    DTYPE,
    FORMAT_VERSION,
    IMAGE_MAGIC,
    NONE,
    PROGRAM,
    ROLE,
    SECTION,
    STATE_ROLE,
    STORE_DTYPE,
)
from .. import records
from .signature import signature_of

_OPCODE_OF = {spec["code"]: name for name, spec in OPCODES.items()}


@dataclass
class Image:
    """An image's records, with numbers turned into names."""

    header: dict[str, Any]
    programs: list[dict[str, Any]]  # kind, instructions (opcode, operands, params), arena_size, work
    tensors: list[dict[str, Any]]
    state: list[dict[str, Any]]
    sizes: dict[str, int]  # bytes by section
    constants: bytes
    initial: bytes  # the first bytes of the state at the start
    scheme: str  # what is trained; "" if the image does not say
    classes: tuple[str, ...]  # the names of the classes, in the order of the first output's scores; may be empty
    store: dict[str, Any] | None  # record of the sample store, if there is one
    key_id: bytes  # of the key that signed it; empty if not signed

    @property
    def updates(self) -> list[dict[str, Any]]:
        """Return the instructions that apply an update rule."""
        return [i for p in self.programs for i in p["instructions"] if "rule" in i["operands"]]

    @property
    def largest_rate(self) -> float:
        """Return the bound below which a learning rate keeps a finite state finite, or 0.

        0 means that the image makes no such promise.
        """
        offsets = [int(str(i["operands"]["rule"]).removeprefix("constants+")) for i in self.updates]
        return min((struct.unpack_from("<f", self.constants, offset + 28)[0] for offset in offsets), default=0.0)

    @property
    def model_id(self) -> bytes:
        """Return the 16 bytes that a checkpoint of this image also has."""
        return struct.pack("<4I", *self.header["model_id"])


def read_image(source: str | os.PathLike[str] | bytes) -> Image:
    """Return the records of an image, given as a path or as bytes.

    Raises ImageError if the bytes are not an image, are truncated, or fail their checksum.
    """
    data = source if isinstance(source, bytes) else load(source)
    header, signature = checked_header(data), signature_of(data)
    parts = {}
    for name, section in zip(SECTION, header["sections"], strict=True):
        parts[name] = data[section["offset"] : section["offset"] + section["size"]]
        if len(parts[name]) != section["size"]:
            raise ImageError(f"section {name} is outside the file", "compile the model again")
    try:
        sizes = {n: len(p) for n, p in parts.items()}
        return Image(
            header,
            read_programs(parts),
            read_tensors(parts),
            read_state(parts),
            sizes,
            parts["constants"],
            parts["initial"],
            string(parts["names"], header["scheme"]),
            read_classes(parts["names"]),
            read_store(parts["store"]),
            signature.key_id if signature else b"",
        )
    except (struct.error, KeyError, IndexError, ValueError) as error:
        raise ImageError(f"a record cannot be read ({error})", "compile the model again") from error


def load(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of an image file.

    Raises ImageError if the file cannot be read.
    """
    try:
        return records.read_file(path)
    except OSError as error:
        raise ImageError(f"cannot read {path}: {error.strerror}", "check the path") from error


def checked_header(data: bytes) -> dict[str, Any]:
    """Return the header's fields.

    Raises ImageError if magic, version, size or checksum is wrong.
    """
    if len(data) > records.FILE_LIMIT:
        raise ImageError("the file is larger than 1 GiB", "pass a .mote file written by `gradmote compile`")
    if len(data) < records.size_of("header"):
        raise ImageError(
            f"{len(data)} bytes are too few for an image", "pass a .mote file written by `gradmote compile`"
        )
    header = records.unpack("header", data)
    if header["magic"] != IMAGE_MAGIC:
        raise ImageError("this is not an image", "pass a .mote file written by `gradmote compile`")
    if header["version"] != FORMAT_VERSION:
        raise ImageError(
            f"the image has format version {header['version']}, this gradmote reads {FORMAT_VERSION}",
            "install the gradmote that wrote it, or compile the model again with this one",
        )
    if header["size"] > len(data):
        raise ImageError(f"the file has {len(data)} bytes, its header says {header['size']}", "transfer the file again")
    if zlib.crc32(data[16 : header["size"]]) != header["crc"]:
        raise ImageError("the checksum does not match the bytes", "transfer the file again")
    return header


def rows(record: str, data: bytes) -> list[dict[str, Any]]:
    """Return all records of one kind that a section holds."""
    return [records.unpack(record, data, at) for at in range(0, len(data), records.size_of(record))]


def string(names: bytes, offset: int) -> str:
    """Return the text at an offset in the section NAMES, or "" if the offset is NONE."""
    return "" if offset == NONE else records.text_at(names, offset)


def read_classes(names: bytes) -> tuple[str, ...]:
    """Return the names of the classes in the section NAMES; may be empty.

    Raises ValueError for one that is not UTF-8.
    """
    return tuple(text[1:].decode() for text in names.split(b"\0") if text[:1] == bytes([CLASS_NAME]))


def key_of(table: dict[str, int], number: int) -> str:
    """Return the name of a number in a table, or "unknown" with the number."""
    return next(k for k, v in table.items() if v == number) if number in table.values() else f"unknown {number}"


def read_programs(parts: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return every program with its disassembled instructions.

    Raises ValueError if there are more programs than kinds of programs.
    """
    programs = []
    table = rows("program", parts["programs"])
    if len(table) > len(PROGRAM):
        raise ValueError(f"{len(table)} programs, of {len(PROGRAM)} kinds")
    for row in table:
        code = parts["code"][row["code_offset"] : row["code_offset"] + row["code_size"]]
        programs.append(
            {
                "kind": key_of(PROGRAM, row["kind"]),
                "instructions": disassemble(code),
                "arena_size": row["arena_size"],
                "work": row["work_low"] | row["work_high"] << 32,
                "code_size": row["code_size"],
            }
        )
    return programs


def disassemble(code: bytes) -> list[dict[str, Any]]:
    """Return the instructions of a program: opcode, operands and params of each.

    Raises ValueError or KeyError for a word count or an opcode that the table does not have.
    """
    instructions: list[dict[str, Any]] = []
    at = 0
    while at < len(code):
        (head,) = struct.unpack_from("<I", code, at)
        name, words = _OPCODE_OF[head & 0xFFFF], head >> 16
        if words != 1 + len(OPCODES[name]["operands"]) + len(OPCODES[name]["params"]):
            raise ValueError(f"{name} of {words} words")
        instructions.append({"opcode": name, **fields(name, code, at + 4)})
        at += 4 * words
    note_loops(instructions)
    return instructions


def note_loops(instructions: list[dict[str, Any]]) -> None:
    """Add to each instruction how often it runs: `times`.

    Guarded ones also get `moved`: by how many bytes their operands have moved at the last time.
    """
    end = at = 0
    times, guard = 1, None
    for i in instructions:
        times = times if at < end else 1
        i["times"] = times if guard is None else guard["count"]
        if guard is not None:
            i["moved"] = bytes_moved(list(i["operands"]), guard)
        at += 1 + len(i["operands"]) + len(i["params"])
        guard = i["params"] if i["opcode"] == "GUARD" else None
        if i["opcode"] == "LOOP":
            end, times = at + i["params"]["body"], i["params"]["iterations"]


def run_order(instructions: list[dict[str, Any]]) -> list[int]:
    """Return the index of each instruction that a run executes, one after another.

    A GUARD and the instruction after it count as one, even if the GUARD skips it.
    """
    order: list[int] = []
    end = start = at = 0
    iterations = 1
    loop: list[int] = []
    for index, i in enumerate(instructions):
        at += 1 + len(i["operands"]) + len(i["params"])
        if i["opcode"] != "GUARD":
            (loop if start < at <= end else order).append(index)
        if i["opcode"] == "LOOP":
            start, end, iterations = at, at + i["params"]["body"], i["params"]["iterations"]
        elif at == end:
            order += loop * iterations
            loop = []
    return order


def bytes_moved(names: list[str], guard: dict[str, int]) -> dict[str, int]:
    """Return by how many bytes in all a GUARD moves each operand."""
    moved = dict.fromkeys(names, 0)
    for letter in "abc":
        index = guard[f"operand_{letter}"]
        if index < len(names):
            moved[names[index]] += (guard["count"] - 1) * guard[f"step_{letter}"]
    return moved


def fields(name: str, code: bytes, at: int) -> dict[str, dict[str, Any]]:
    """Return the operands and params of the instruction whose first operand is at byte `at`."""
    spec = OPCODES[name]
    operands = {}
    for operand in spec["operands"]:
        (word,) = struct.unpack_from("<I", code, at)
        operands[operand] = address_of(word)
        at += 4
    params = {}
    for param, (kind, choices) in spec["params"].items():
        (value,) = struct.unpack_from({"f32": "<f", "i32": "<i"}.get(kind, "<I"), code, at)
        params[param] = choices[value] if choices else value
        at += 4
    return {"operands": operands, "params": params}


def address_of(word: int) -> str:
    """Return the address in an operand word: `arena+16`, `constants+8`, or `none`."""
    if word == NONE:
        return "none"
    return f"constants+{word & ~CONSTANT_BIT}" if word & CONSTANT_BIT else f"arena+{word}"


def read_tensors(parts: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return the inputs, labels, outputs and losses that the section TENSORS lists."""
    found = []
    for row in rows("tensor", parts["tensors"]):
        kinds = [k for k, p in PROGRAM.items() if row["programs"] >> p & 1]
        found.append(
            {
                "name": string(parts["names"], row["name"]),
                "role": key_of(ROLE, row["role"]),
                "programs": kinds,
                "rows_in": [k for k, p in PROGRAM.items() if row["programs"] >> len(PROGRAM) + p & 1],
                "dtype": key_of(DTYPE, row["dtype"]),
                "shape": row["dims"][: row["rank"]],
                "offset": row["offset"],
                "size": row["size"],
            }
        )
    return found


def read_state(parts: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return the entries of the section STATE: parameters, statistics, moments and the rest."""
    return [
        {
            "name": string(parts["names"], row["name"]),
            "role": key_of(STATE_ROLE, row["role"]),
            "dtype": key_of(DTYPE, row["dtype"]),
            "shape": row["dims"][: row["rank"]],
            "offset": row["offset"],
            "size": row["size"],
            "gradient": None if row["gradient"] == NONE else row["gradient"],
        }
        for row in rows("state_entry", parts["state"])
    ]


def read_store(data: bytes) -> dict[str, Any] | None:
    """Return the record of the sample store, or None if the image has no store."""
    if not data:
        return None
    row = records.unpack("store", data)
    return {**row, "dtype": key_of(STORE_DTYPE, row["dtype"]), "aside": None if row["aside"] == NONE else row["aside"]}
