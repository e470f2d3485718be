"""Any number in a field that names one of an enum: both verifiers refuse those outside the enum, alike."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from numeric.spec.compare_mutants import Product
from numeric.spec.mutate import sealed
from numeric.spec.read_image import SECTIONS, Image
from numeric.spec.read_tables import enum_fields, enums, fields, load, name_of, size_of
from numeric.spec.run_drawn import drawn_image
from numeric.spec.trained_models import image, quantized
from numeric.spec.verify import error_of
from numeric.spec.verify_program import decode, opcodes

#: The tables of an image, each with its records.
TABLES = {"TENSORS": "tensor", "PROGRAMS": "program", "STATE": "state_entry", "STORE": "store"}
#: Numbers at the ends of what a word holds, and those that look like an index from the end.
EDGES = (255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFF0000, 0xFFFFFFF0, 0xFFFFFFFB, 0xFFFFFFFE, 0xFFFFFFFF)


@dataclass(frozen=True)
class Field:
    """A word of an image that is a number of an enum."""

    record: str
    name: str
    at: int
    known: int  # how many numbers the enum has


@cache
def product() -> Product:
    """Return the C runtime's verifier."""
    return Product()


def originals() -> list[bytes]:
    """Return images with every table: float32 with a store of INT8, and int8 with one of BYTES."""
    return [image("mlp", "adam", store=12), quantized(store=12)]


def enum_words(data: bytes) -> Iterator[Field]:
    """Yield every enum field of every record of an image's tables."""
    sections = Image(data).header.sections
    for section, record in TABLES.items():
        where = sections[SECTIONS.index(section)]
        offsets = {name: offset for name, _, _, offset in fields(record)}
        for at in range(where.offset, where.offset + where.size, size_of(record)):
            for name, enum in enum_fields(record).items():
                yield Field(record, name, at + offsets[name], len(enums()[enum]))


def values(field: Field, drawn: random.Random) -> list[int]:
    """Return all numbers of an enum, the first ones after it, the edges, and some of every size."""
    return [*range(field.known + 3), *EDGES, *(drawn.getrandbits(drawn.randint(1, 32)) for _ in range(6))]


def changed(data: bytes, *words: tuple[int, int]) -> bytes:
    """Return an image with other words at some offsets, and the right checksum."""
    found = bytearray(data)
    for at, word in words:
        struct.pack_into("<I", found, at, word)
    return sealed(found)


def both_say(data: bytes) -> str:
    """Return what both verifiers say of an image."""
    expected = product().error_of(data)
    assert error_of(data) == expected
    return expected


def test_each_field_alone() -> None:
    """Check that a number that the enum does not have is refused with the code of its table."""
    codes = {"tensor": "BAD_TENSOR", "program": "BAD_PROGRAM", "state_entry": "BAD_STATE", "store": "BAD_STORE"}
    drawn, seen = random.Random(1), set()
    for data in originals():
        for field in enum_words(data):
            for value in values(field, drawn):
                said = both_say(changed(data, (field.at, value)))
                assert value < field.known or said == codes[field.record], (field, value)
            seen.add((field.record, field.name))
    assert seen == {(record, name) for record in TABLES.values() for name in enum_fields(record)}


def test_several_at_once() -> None:
    """Check that the first check that fails gives the code."""
    drawn = random.Random(2)
    for data in originals():
        words = list(enum_words(data))
        for _ in range(300):
            chosen = drawn.sample(words, drawn.randint(2, 4))
            both_say(changed(data, *((field.at, drawn.choice(values(field, drawn))) for field in chosen)))


def test_parameters_of_instructions() -> None:
    """Every enum and flag of every opcode: V15 refuses what comes after its last number."""
    drawn, seen = random.Random(3), 0
    for opcode in opcodes().values():
        chosen = [name for name, kind in opcode.params.items() if kind == "flag" or kind.startswith("enum(")]
        if not chosen or opcode.name in ("LOOP", "GUARD"):
            continue
        data = drawn_image(opcode, 7)
        for name in chosen:
            known = 2 if opcode.params[name] == "flag" else len(opcode.params[name].split(","))
            at = place_of(data, opcode.code, name)
            for value in values(Field(opcode.name, name, at, known), drawn):
                said = both_say(changed(data, (at, value)))
                assert value < known or said == "BAD_INSTRUCTION", (opcode.name, name, value)
            seen += 1
    assert seen > 20


def place_of(data: bytes, code: int, param: str) -> int:
    """Return the offset of a parameter of the last instruction with that opcode, in the first program."""
    found = Image(data)
    words = found.code(found.programs[0])
    at, last = 0, -1
    while at < len(words):
        last = at if words[at] & 0xFFFF == code else last
        at += words[at] >> 16
    opcode = decode(words, last).opcode
    index = last + 1 + len(opcode.operands) + list(opcode.params).index(param)
    return int(found.header.sections[SECTIONS.index("CODE")].offset) + found.programs[0].code_offset + 4 * index


@pytest.mark.parametrize("enum", enums())
def test_a_name_of_any_number(enum: str) -> None:
    known = enums()[enum]
    assert [name_of(enum, number) for number in range(len(known))] == known
    assert {name_of(enum, number) for number in (len(known), *EDGES, -1)} == {None}


def test_every_enum_field_is_found() -> None:
    """Check that no field's comment speaks of an enum in words that enum_fields() does not read."""
    for row in load("records")["record"]:
        reported = {text.split(":")[0] for text in row["fields"] if "enum" in text and "order of enum" not in text}
        assert reported == set(enum_fields(row["name"]))
