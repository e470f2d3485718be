"""An image as a hex dump with what its words mean, from docs/SPEC.md and the tables alone."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from .read_image import NONE, SECTIONS, Image
from .read_tables import constants, enum_fields, enums, fields, name_of, opcodes, rules, size_of
from .verify_program import CONSTANT_BIT

#: A word of the file and what it means.
Note = tuple[int, str]
WORDS = 4

_TABLES = {"TENSORS": "tensor", "PROGRAMS": "program", "STATE": "state_entry", "STORE": "store"}


def number(word: int) -> str:
    """Return a word in decimal, or in hexadecimal if its bits have a meaning."""
    if word == NONE:
        return "NONE"
    return str(word) if word < 1 << 24 else f"{word:#010x}"


def real(word: int) -> str:
    """Return the binary32 of a word."""
    return f"{struct.unpack('<f', struct.pack('<I', word))[0]:.9g}"


class Dump:
    """The lines of one image's dump."""

    def __init__(self, data: bytes) -> None:
        self.image = Image(data)
        self.words = struct.unpack(f"<{len(data) // 4}I", data)

    def lines(self) -> Iterator[str]:
        """Yield headings and lines of bytes, in the order of the file."""
        yield from self._part("header", self._record("header", 0), 0)
        where = [(section.offset, name, section.size) for name, section in zip(SECTIONS, self.image.header.sections)]
        end = size_of("header")
        for offset, name, size in sorted(where):
            if size:
                yield from self._part("padding", self._padding(end, offset), end)
                yield from self._section(name, offset, size)
                end = offset + size
        yield from self._part("padding", self._padding(end, self.image.header.size), end)

    def _padding(self, begin: int, end: int) -> list[Note]:
        return [(word, "") for word in self.words[begin // 4 : end // 4]]

    def _part(self, title: str, notes: Sequence[Note], at: int) -> Iterator[str]:
        """Yield a heading, and its words with up to four a line; nothing if there are no words."""
        if not notes:
            return
        yield f"; {title}"
        for first in range(0, len(notes), WORDS):
            line = notes[first : first + WORDS]
            data = " ".join(struct.pack("<I", word).hex() for word, _ in line)
            meaning = ", ".join(text for _, text in line if text)
            yield f"{at + 4 * first:04x}  {data:<{9 * WORDS}} {meaning}".rstrip()

    def _record(self, record: str, at: int) -> list[Note]:
        notes = []
        for name, kind, count, offset in fields(record):
            for i in range(count):
                index = f"[{i}]" if count > 1 else ""
                if kind == "section":
                    place = at + offset + 8 * i
                    notes += [(self.words[place // 4], f"{SECTIONS[i]} at {self.words[place // 4]:#x}")]
                    notes += [(self.words[place // 4 + 1], f"size {self.words[place // 4 + 1]}")]
                    continue
                word = self.words[(at + offset) // 4 + i]
                notes.append((word, f"{name}{index} {self._meaning(record, name, kind, word)}"))
        return notes

    def _meaning(self, record: str, field: str, kind: str, word: int) -> str:
        if field in enum_fields(record):
            return name_of(enum_fields(record)[field], word) or number(word)
        if field == "magic":
            return struct.pack("<I", word).decode()
        if field == "programs":
            kinds = enums()["program"]
            rows = "+".join(name for bit, name in enumerate(kinds) if word >> len(kinds) + bit & 1)
            return "+".join(name for bit, name in enumerate(kinds) if word >> bit & 1) + (rows and f", rows in {rows}")
        if field in ("name", "scheme") and word != NONE:
            return repr(self._name(word))
        return real(word) if kind == "f32" else number(word)

    def _name(self, offset: int) -> str:
        return self.image.section("NAMES")[offset:].split(b"\0")[0].decode()

    # ---- Sections ---------------------------------------------------------------------------------------------------

    def _section(self, name: str, offset: int, size: int) -> Iterator[str]:
        if name in _TABLES:
            record = _TABLES[name]
            for i, at in enumerate(range(offset, offset + size, size_of(record))):
                yield from self._part(f"{name}, {record} {i}", self._record(record, at), at)
        elif name == "CODE":
            yield from self._code(offset)
        elif name == "CONSTANTS":
            yield from self._part(name, self._constants(offset, size), offset)
        elif name == "INITIAL":
            yield from self._part(name, self._initial(offset, size), offset)
        else:
            yield from self._part(name, self._texts(offset, size), offset)

    def _texts(self, offset: int, size: int) -> list[Note]:
        data = self.image.section("NAMES")
        starts = {i: self._name(i) for i in range(size) if data[i] and (i == 0 or not data[i - 1])}
        return [
            (self.words[(offset + at) // 4], " ".join(repr(text) for i, text in starts.items() if at <= i < at + 4))
            for at in range(0, size, 4)
        ]

    def _code(self, offset: int) -> Iterator[str]:
        for program in self.image.programs:
            kind, at = program.kind_name, offset + program.code_offset
            end = at + program.code_size
            while at < end:
                opcode = opcodes()[self.words[at // 4] & 0xFFFF]
                yield from self._part(f"CODE of {kind}: {opcode.name}", self._instruction(at), at)
                at += 4 * (self.words[at // 4] >> 16)

    def _instruction(self, at: int) -> list[Note]:
        head = self.words[at // 4]
        opcode = opcodes()[head & 0xFFFF]
        notes = [(head, f"opcode {opcode.code}, {head >> 16} words")]
        rest = iter(self.words[at // 4 + 1 :])
        notes += [(word, f"{operand.name} {self._place(word)}") for operand, word in zip(opcode.operands, rest)]
        first = at // 4 + 1 + len(opcode.operands)
        for (name, kind), word in zip(opcode.params.items(), self.words[first:]):
            notes.append((word, f"{name} {real(word) if kind == 'f32' else number(word)}"))
        return notes

    def _place(self, word: int) -> str:
        if word == NONE:
            return "NONE"
        return f"constant {word & ~CONSTANT_BIT}" if word & CONSTANT_BIT else f"at {word}"

    def _rules(self) -> set[int]:
        """Return the offsets of rules in CONSTANTS."""
        found = set()
        for program in self.image.programs:
            words, at = self.image.code(program), 0
            while at < len(words):
                for operand, word in zip(opcodes()[words[at] & 0xFFFF].operands, words[at + 1 :]):
                    found |= {word & ~CONSTANT_BIT} if operand.type == "rule" else set()
                at += words[at] >> 16
        return found

    def _constants(self, offset: int, size: int) -> list[Note]:
        notes, at = [], 0
        while at < size:
            words = self.words[(offset + at) // 4 :]
            if at in self._rules():
                short = constants()["MOMENTS_BF16"]
                rule = rules()[words[0] & ~short]
                names = [*rule["hyper"], *[""] * (6 - len(rule["hyper"])), "largest rate"]
                notes.append((words[0], f"rule {rule['name']}{', moments of bfloat16' if words[0] & short else ''}"))
                notes += [(word, f"{name} {real(word)}" if name else "") for name, word in zip(names, words[1:])]
                at += 4 * constants()["RULE_WORDS"]
            else:
                notes.append((words[0], real(words[0])))
                at += 4
        return notes

    def _initial(self, offset: int, size: int) -> list[Note]:
        notes = [(word, "") for word in self.words[offset // 4 : (offset + size) // 4]]
        for entry in self.image.state:
            for at in range(entry.offset // 4, min((entry.offset + entry.size) // 4, len(notes))):
                word, first = notes[at][0], at == entry.offset // 4
                label = f"{self._name(entry.name)} " if first and entry.name != NONE else ""
                notes[at] = (word, f"{label}{real(word) if entry.role_name in ('PARAMETER', 'SLOT') else ''}".strip())
        control = [(word, text) for word, text in self._control(offset) if self.image.header.control_offset < size]
        first = self.image.header.control_offset // 4
        notes[first : first + len(control)] = control[: len(notes) - first]
        return notes

    def _control(self, offset: int) -> list[Note]:
        at = offset + self.image.header.control_offset
        return self._record("control", at)
