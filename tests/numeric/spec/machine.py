"""The memory that operators work on: an arena, the constants, and one instruction's operands in them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .numerics import Arithmetic, Array
from .read_image import NONE
from .read_tables import Operand, fields
from .verify_program import CONSTANT_BIT, Instruction

ITEM = {"i32": np.dtype("<i4"), "u32": np.dtype("<u4"), "rule": np.dtype("<u4"), "u8": np.dtype("u1"),
        "i8": np.dtype("i1"), "i16": np.dtype("<i2"), "bit": np.dtype("u1")}  # fmt: skip


def _word(memory: Array, at: int) -> np.uint32:
    return memory[at : at + 4].view("<u4")[0]


class Stopped(Exception):
    """The end of a program without OK, with the name of an error."""


@dataclass(frozen=True)
class Call:
    """One instruction that runs.

    a: the profile's arithmetic. i: the instruction. control: the offset of the control record. What is assigned to a
    view of an operand is in the arena.
    """

    arena: Array
    constants: Array
    a: Arithmetic
    i: Instruction
    control: int

    @property
    def counter(self) -> Array:
        """The seed and the number of updates, of the control record."""
        places = {name: offset for name, _, _, offset in fields("control")}
        return np.array([_word(self.arena, self.control + places[name]) for name in ("seed", "optimizer_steps")])

    def __getitem__(self, name: str) -> int:
        """Return a parameter."""
        return self.i.params[name]

    def f32(self, name: str) -> np.float32:
        """Return a parameter of kind f32."""
        return np.float32(struct.unpack("<f", struct.pack("<I", self.i.params[name]))[0])

    def has(self, name: str) -> bool:
        """Return whether an operand is there."""
        return self.i.operands[name] != NONE

    def _operand(self, name: str) -> Operand:
        return next(operand for operand in self.i.opcode.operands if operand.name == name)

    def flat(self, name: str, count: int | None = None) -> Array:
        """Return the view of all elements that the operand's extent covers, or of so many."""
        operand, place = self._operand(name), self.i.operands[name]
        memory = self.constants if place & CONSTANT_BIT else self.arena
        item = ITEM.get(operand.type, np.dtype("<u2" if operand.type == "moment" and self.i.short else "<f4"))
        size = self.i.size(operand) if count is None else count * item.itemsize
        offset = place & ~CONSTANT_BIT
        return memory[offset : offset + size].view(item)

    def view(self, name: str) -> Array:
        """Return the view of an operand with one axis for each of its extent."""
        operand, values = self._operand(name), self.flat(name)
        shape = tuple(self.i.value(dim) for dim, _ in operand.axes)
        if not operand.strided:
            return values.reshape(shape)
        steps = tuple(values.itemsize * self.i.value(str(stride)) for _, stride in operand.axes)
        return np.lib.stride_tricks.as_strided(values, shape, steps)

    def bits(self, name: str) -> Array:
        """Return an operand of bits as truth values, with one axis for each of its extent."""
        operand = self._operand(name)
        values = np.unpackbits(self.flat(name), bitorder="little")[: self.i.extent(operand.axes)] == 1
        shape = tuple(self.i.value(dim) for dim, _ in operand.axes)
        if not operand.strided:
            return values.reshape(shape)
        return np.lib.stride_tricks.as_strided(values, shape, [self.i.value(str(stride)) for _, stride in operand.axes])

    def get(self, name: str) -> Array:
        """Return a copy of an operand, which later writes leave alone."""
        return self.view(name).copy()

    def moments(self, name: str) -> Array:
        """Return a copy of all moments of an operand, as float32."""
        found = self.flat(name).copy()
        return (found.astype(np.uint32) << np.uint32(16)).view(np.float32) if self.i.short else found

    def optional(self, name: str, otherwise: object) -> Array:
        """Return a copy of an operand, or its default if it is absent."""
        return self.get(name) if self.has(name) else np.asarray(otherwise, np.float32)

    def put(self, name: str, values: Array) -> None:
        """Write all of an operand."""
        self.view(name)[...] = values


Kernel = Callable[[Call], None]
KERNELS: dict[str, Kernel] = {}


def kernel(*names: str) -> Callable[[Kernel], Kernel]:
    """Return what makes a function the kernel of these opcodes."""

    def register(function: Kernel) -> Kernel:
        KERNELS.update(dict.fromkeys(names, function))
        return function

    return register


def relu(x: Array) -> Array:
    """Return x < 0 ? 0 : x."""
    return np.where(x < 0, np.float32(0), x)
