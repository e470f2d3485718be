"""The bytes of scratch that are still needed, derived only from an image's instructions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...formats.image import Image
from ...generated.opcodes import COUNTS, OPCODES

WORD = 4
#: The bits of an element, for the types smaller than a word.
BITS = {"u8": 8, "i8": 8, "i16": 16, "bit": 1}


@dataclass(frozen=True)
class Span:
    """A buffer in bytes [offset, offset + size) of the arena.

    Needed from instruction `start` up to, but not including, instruction `end`.
    """

    name: str
    offset: int
    size: int
    start: int
    end: int


def spans_of(image: Image, program: dict[str, Any]) -> list[Span]:
    """Return the buffers in the scratch of a program.

    Neighboring words that are written and last read together are one buffer. A value begins when a word
    is written, and ends after the last instruction that reads it; outputs last to the end of the program.
    """
    watch = Watch((program["arena_size"] - image.header["scratch_offset"] + WORD - 1) // WORD)
    base, last = image.header["scratch_offset"] // WORD, len(program["instructions"])
    loop = None
    for index, instruction in enumerate(program["instructions"]):
        touched = [(access, words - base) for access, words in accesses(instruction) if words[-1] >= base]
        if instruction["opcode"] == "LOOP":
            loop = LoopWatch(watch, index, index + in_body(program["instructions"][index:]))
        if loop is not None and index <= loop.last:
            loop.note(instruction["opcode"], touched, index)
            continue
        for access, words in touched:
            if "r" in access:
                watch.read(words, index)
        for access, words in touched:
            if "w" in access:
                watch.write(words, index, "r" in access)
    for tensor in image.tensors:
        if program["kind"] in tensor["programs"] and tensor["role"] in ("output", "loss"):
            first = tensor["offset"] // WORD - base
            watch.read(np.arange(first, first + (tensor["size"] + WORD - 1) // WORD), last - 1)
    watch.close(np.arange(watch.words), last)
    return [named(program, base, found) for found in joined(watch.found)]


def in_body(instructions: list[dict[str, Any]]) -> int:
    """Return the number of instructions in the body of the LOOP that comes first in the list."""
    left, count = instructions[0]["params"]["body"], 0
    while left > 0:
        count += 1
        left -= 1 + len(instructions[count]["operands"]) + len(instructions[count]["params"])
    return count


def accesses(instruction: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the access and the words of each operand in the arena.

    The access is `r`, `w` or `rw`. The words are indices into the arena, in ascending order. Moments, whose
    size is not that of a type, are left out: they are part of the state.
    """
    params = instruction["params"]
    for name, (access, dtype, extent, _) in OPCODES[instruction["opcode"]]["operands"].items():
        at = arena_offset(instruction["operands"][name])
        if at is not None and dtype != "moment":
            written_only = access == "rw" and not params.get("accumulate", 1)
            first, bits = at // WORD, 8 * (at % WORD) + BITS.get(dtype, 32) * elements(extent, params)
            words = ascending(bits // 32)
            moved = instruction.get("moved", {}).get(name, 0)
            words = np.arange(words[0], (bits.max() + 8 * moved) // 32 + 1) if moved else words
            yield "w" if written_only else access, first + words


def arena_offset(address: str) -> int | None:
    """Return the offset of an address `arena+N`, or None for an address elsewhere."""
    return int(address.removeprefix("arena+")) if address.startswith("arena+") else None


def elements(extent: tuple[tuple[str, str | None], ...], params: dict[str, Any]) -> np.ndarray:
    """Return the indices of the elements that an operand covers; some may appear twice."""
    sizes = [COUNTS.get(dim) or int(params[dim]) for dim, _ in extent]
    if all(stride is None for _, stride in extent):
        return np.arange(math.prod(sizes))
    found = np.zeros(1, np.int64)
    for size, (_, stride) in zip(sizes, extent, strict=True):
        step = 1 if stride is None else COUNTS.get(stride) or int(params[stride])
        if step:
            found = (found[:, None] + step * np.arange(size)).ravel()
    return found


def ascending(indices: np.ndarray) -> np.ndarray:
    """Return each index once, in ascending order, like np.unique, but in linear time."""
    seen = np.zeros(indices.max() + 1, bool)
    seen[indices] = True
    return np.flatnonzero(seen)


class Watch:
    """The state of each word of scratch.

    It is the instruction that wrote the word and the one that last read it; -1 means none.
    """

    def __init__(self, words: int) -> None:
        """Begin with empty words."""
        self.words = words
        self.start = np.full(words, -1)
        self.last = np.full(words, -1)
        self.found: list[tuple[int, int, int, int]] = []  # first word, words, start, end

    def read(self, words: np.ndarray, index: int) -> None:
        """Record that an instruction reads these words.

        A word that was never written has held its value since the start of the program.
        """
        self.start[words] = np.where(self.start[words] < 0, 0, self.start[words])
        self.last[words] = index

    def write(self, words: np.ndarray, index: int, keep: bool) -> None:
        """Record that an instruction writes these words.

        With `keep` the old value lives on, for example when an instruction adds to a sum.
        """
        fresh = words[(self.start[words] < 0) | (not keep)]
        self.close(fresh[self.start[fresh] < index], index)
        self.start[fresh] = index
        self.last[words] = index

    def close(self, words: np.ndarray, index: int) -> None:
        """Record the values of these words, which end at the given instruction at the latest."""
        words = words[self.start[words] >= 0]
        ends = np.minimum(self.last[words] + 1, index)
        breaks = (np.diff(words) != 1) | (np.diff(self.start[words]) != 0) | (np.diff(ends) != 0)
        for run in np.split(np.arange(len(words)), np.flatnonzero(breaks) + 1):
            if len(run):
                first = run[0]
                self.found.append((int(words[first]), len(run), int(self.start[words[first]]), int(ends[first])))


class LoopWatch:
    """The words of scratch that a loop touches: all of them are needed while it runs."""

    def __init__(self, watch: Watch, first: int, last: int) -> None:
        """Begin with the loop's LOOP; `last` is the last instruction of its body."""
        self.watch, self.first, self.last = watch, first, last
        self.begun = np.zeros(watch.words, bool)  # words that the loop wrote before it read them

    def note(self, opcode: str, touched: list[tuple[str, np.ndarray]], index: int) -> None:
        """Record the words of an instruction; a SHIFT reads nothing that is needed the first time."""
        reads = [words for access, words in touched if "r" in access and opcode != "SHIFT"]
        for words in reads:
            self.watch.read(words[~self.begun[words]], self.last)
        for words in (words for access, words in touched if "w" in access or opcode == "SHIFT"):
            read = ascending(np.concatenate(reads)) if reads else words[:0]
            fresh = np.setdiff1d(words[~self.begun[words]], read)
            self.watch.write(fresh[self.watch.last[fresh] < self.first], self.first, keep=False)
            self.begun[words] = True
            self.watch.last[words] = self.last


def joined(found: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return the buffers, and join neighbors with the same lifetime.

    They were recorded in parts if different buffers were later written over them.
    """
    whole: list[tuple[int, int, int, int]] = []
    for word, words, start, end in sorted(found, key=lambda f: (f[2], f[3], f[0])):
        if whole and whole[-1][2:] == (start, end) and whole[-1][0] + whole[-1][1] == word:
            word, words = whole[-1][0], whole.pop()[1] + words
        whole.append((word, words, start, end))
    return whole


def named(program: dict[str, Any], base: int, found: tuple[int, int, int, int]) -> Span:
    """Return a buffer as a Span, named after the instruction that wrote it."""
    word, words, start, end = found
    return Span(f"{program['instructions'][start]['opcode']} #{start}", WORD * (base + word), WORD * words, start, end)
