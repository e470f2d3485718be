"""Images with a few words changed at random, and with the right checksum, so that the verifier must look at them."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator, Sequence
from math import prod

from .read_image import Image
from .read_tables import size_of
from .verify_program import Refused, with_loops

#: Numbers at which a check may be wrong by one.
_EDGES = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 48, 144, 255, 1 << 28, 1 << 30, (1 << 30) + 4, (1 << 31) - 1, 1 << 31,
          (1 << 31) + 4, (1 << 32) - 4, (1 << 32) - 1)  # fmt: skip
#: Sections that the verifier reads, each as often as the others.
_SECTIONS = ("TENSORS", "PROGRAMS", "CODE", "CODE", "CODE", "CODE", "CONSTANTS", "STATE", "NAMES", "STORE")
HEADER = size_of("header")


def mutants(images: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Yield so many mutants of the images; the same seed gives the same ones."""
    drawn = random.Random(seed)
    for _ in range(count):
        yield mutant(drawn.choice(images), drawn)


def mutant(image: bytes, drawn: random.Random) -> bytes:
    """Return the image with one to three changes."""
    data = bytearray(image)
    for _ in range(drawn.choice((1, 1, 1, 2, 3))):
        _change_word(data, _place(image, drawn), drawn)
    if drawn.random() < 0.5:
        _repair_work(data)
    if drawn.random() < 0.02:
        return _broken_file(data, drawn)
    return sealed(data)


def sealed(data: bytes | bytearray) -> bytes:
    """Return the image with the checksum of its bytes."""
    size = struct.unpack_from("<I", data, 8)[0]
    return bytes(data[:12]) + struct.pack("<I", zlib.crc32(data[16:size])) + bytes(data[16:])


def _broken_file(data: bytearray, drawn: random.Random) -> bytes:
    """Return the image with a wrong checksum, cut short, or with bytes after it."""
    whole = sealed(data)
    cut = drawn.randrange(len(whole) // 4) * 4
    return drawn.choice((bytes(data), whole[:cut], whole + bytes(16)))


def _place(image: bytes, drawn: random.Random) -> int:
    """Return the offset of the word to change: in the header, or in a section."""
    where = Image(image).header.sections
    if drawn.random() < 0.25:
        return drawn.randrange(HEADER // 4) * 4
    names = ("TENSORS", "PROGRAMS", "CODE", "CONSTANTS", "INITIAL", "STATE", "NAMES", "STORE")
    section = where[names.index(drawn.choice(_SECTIONS))]
    return section.offset + drawn.randrange(max(1, section.size // 4)) * 4


def _change_word(data: bytearray, at: int, drawn: random.Random) -> None:
    if at + 4 > len(data):
        return
    (word,) = struct.unpack_from("<I", data, at)
    (other,) = struct.unpack_from("<I", data, drawn.randrange(len(data) // 4) * 4)
    changed = (
        lambda: word ^ 1 << drawn.randrange(32),
        lambda: word + drawn.choice((-64, -16, -4, -1, 1, 4, 16, 64)),
        lambda: drawn.choice(_EDGES),
        lambda: other,
        lambda: word * drawn.choice((2, 3)) // drawn.choice((1, 2, 4)),
        lambda: word ^ 1 << 16 + drawn.randrange(8),
        lambda: (word & 0xFFFF0000) | drawn.randrange(128),
    )
    struct.pack_into("<I", data, at, drawn.choice(changed)() & 0xFFFFFFFF)


def _repair_work(data: bytearray) -> None:
    """Make count and work of each program right, as far as its instructions can be read."""
    image = Image(bytes(data))
    section = image.header.sections[1]
    for i in range(min(section.size // size_of("program"), 5)):
        at = section.offset + i * size_of("program")
        if at + size_of("program") > len(data):
            return
        found = _work_of(image, i)
        if found is not None:
            struct.pack_into("<I", data, at + 12, found[0])
            struct.pack_into("<II", data, at + 20, found[1] & 0xFFFFFFFF, found[1] >> 32 & 0xFFFFFFFF)


def _work_of(image: Image, index: int) -> tuple[int, int] | None:
    try:
        count = work = 0
        for instruction, times in with_loops(image.code(image.programs[index])):
            work += times * prod(map(instruction.value, instruction.opcode.work))
            count += 1
    except (Refused, struct.error, IndexError):
        return None
    return count, work
