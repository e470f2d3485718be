"""Instructions of one opcode with drawn dims, strides, numbers and data, in an image of their own."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import prod

import numpy as np

from .numerics import Array
from .read_image import NONE
from .read_tables import NUMBERS, Opcode, Operand, constants, rules
from .regions import LIMIT
from .update_rules import RULES
from .verify_program import CONSTANT_BIT, Instruction, alignment

#: What a stride is before it is drawn.
_OPEN = -1
#: Operands in slots, whose strides are those of whole slots.
_STATES = ("h", "c", "part", "dpart")
#: Bounds of integers of 8 bits, and narrower ones.
_BOUNDS = {"low": (-128, -127, -5, 0), "high": (127, 126, 5, -3)}
_SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 3.0, 1e-40, -1e-40, 1e38, -1e38, 88.5, -88.5, -100.0, 16.0, 17.0,
                     -2.0, 1e8, -1e8, 0.625, 2.0**24, np.inf, -np.inf, np.nan], np.float32)  # fmt: skip


#: Opcodes that choose by comparing, and so have rules for NaN and zeros.
_COMPARING = ("MAX_POOL", "MAX_POOL_GRAD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_EXTREMUM_GRAD", "TOP_K", "SCATTER",
              "SOFTMAX", "RNN_CELLS", "NORMALIZE", "GEMM", "CONV")  # fmt: skip


#: Zero points and bounds of numbers of 8 bits, and limits of those of 16; some are out of range.
_INTEGERS = {
    "low": (-128, -128, -60, -200),
    "high": (127, 127, 60, 200),
    "limit": (32767, 1000, 127, 1, 0, 40000, -(1 << 31)),
} | dict.fromkeys(("zero", "a_zero", "b_zero", "x_zero", "w_zero", "y_zero"), (0, 0, 3, -5, 100, -128, 127, 1000))


@dataclass(frozen=True)
class Drawn:
    """An instruction, the bytes that its operands start from, and their places in arena or constants."""

    instruction: Instruction
    constants: bytes
    start: dict[str, bytes]
    arena_size: int


def _value(found: dict[str, int], dim: str) -> int:
    return NUMBERS[dim] if dim in NUMBERS else found[dim]


class Drawer:
    """Draws instructions of one opcode whose scratch begins at `scratch`."""

    def __init__(self, opcode: Opcode, scratch: int, seed: int) -> None:
        self.opcode, self.scratch = opcode, scratch
        self.rng = np.random.default_rng([opcode.code, seed])

    def draw(self) -> Drawn:
        """Return the next one. It may be one that the verifier refuses."""
        params = self._params()
        instruction = Instruction(self.opcode, dict.fromkeys(o.name for o in self.opcode.operands), params)  # type: ignore[arg-type]
        rule = int(self.rng.choice([kind for kind, row in rules().items() if row["name"] in RULES]))
        data = {o.name: self._data(instruction, o, rule) for o in self.opcode.operands if self._is_there(o, rule)}
        return self._placed(instruction, data)

    def _placed(self, instruction: Instruction, data: dict[str, bytes]) -> Drawn:
        at, constants = self.scratch, b""
        for operand in self.opcode.operands:
            if operand.name not in data:
                instruction.operands[operand.name] = NONE
            elif operand.written:
                instruction.operands[operand.name] = at
                at += -(-len(data[operand.name]) // 4) * 4
            else:
                element = alignment(operand)  # if it is less than a word, the operand may start within one
                constants += bytes(element * int(self.rng.integers(4 // element)))
                instruction.operands[operand.name] = CONSTANT_BIT | len(constants)
                constants += data[operand.name]
                constants += bytes(-len(constants) % 4)
        start = {o.name: data[o.name] for o in self.opcode.operands if o.written and o.name in data}
        for name, values in start.items():
            padded = values + bytes(-len(values) % 4)
            start[name] = struct.pack("<I", CONSTANT_BIT | len(constants)) + padded
            constants += padded
        return Drawn(instruction, constants, start, at)

    # ---- Parameters -------------------------------------------------------------------------------------------------

    def _params(self) -> dict[str, int]:
        found = {name: self._param(name, kind) for name, kind in self.opcode.params.items()}
        for axis in "hw":
            if f"kernel_{axis}" in found:
                self._window(found, axis)
        if self.opcode.name == "TOP_K":
            found["count"] = min(found["count"], found["size"])
        for operand in self.opcode.operands:
            self._strides(found, operand)
        return found

    def _param(self, name: str, kind: str) -> int:
        if kind == "dim":
            return int(self.rng.choice((1, 2, 3, 4, 5, 9)))
        if kind == "i32" and name in _INTEGERS:
            return int(self.rng.choice(_INTEGERS[name])) & 0xFFFFFFFF
        if kind == "f32":
            choices = {
                "multiplier": (0.001, 0.0078125, -0.01),
                "epsilon": (1e-5,),
                "limit": (2.0, 1e30),
                "smoothing": (0.0, 0.1),
                "low": (-1.0, 0.0),
            }
            value = self.rng.choice(choices.get(name, (0.5, 1.0, 0.25, 1.5)))
            return int(np.float32(value).view(np.uint32))
        if kind.startswith("enum("):
            return int(self.rng.integers(len(kind.split(","))))
        if kind == "i32" and name in _BOUNDS:
            return int(self.rng.choice(_BOUNDS[name])) & 0xFFFFFFFF
        if name == "ignore_index":
            return int(self.rng.choice((0, 0xFFFFFFFF)))
        if name == "threshold":
            return 1 << 30
        return int(self.rng.integers(2)) if kind == "flag" else _OPEN if kind == "stride" else int(self.rng.integers(9))

    def _window(self, found: dict[str, int], axis: str) -> None:
        drawn = {key: int(self.rng.integers(low, high)) for key, low, high in (
            ("kernel", 1, 4), ("stride", 1, 4), ("dilation", 1, 3), ("pad", 0, 4), ("in", 1, 8))}  # fmt: skip
        reach = drawn["in"] + 2 * drawn["pad"] - drawn["dilation"] * (drawn["kernel"] - 1) - 1
        drawn["out"] = max(1, reach // drawn["stride"] + 1 + int(self.rng.choice((0, 0, 0, 1))))
        drawn["padded"] = drawn["in"] + drawn["pad"] + int(self.rng.integers(drawn["pad"] + 1))
        found.update({f"{key}_{axis}": value for key, value in drawn.items() if f"{key}_{axis}" in found})

    def _strides(self, found: dict[str, int], operand: Operand) -> None:
        """Set the strides of an operand that none before it has set, with its axes in a drawn order."""
        axes = [(dim, str(stride)) for dim, stride in operand.axes if operand.strided]
        step = prod(
            _value(found, dim) for dim, stride in axes if stride not in self.opcode.params or stride == "hidden"
        )
        for i in self.rng.permutation(len(axes)):
            dim, stride = axes[i]
            if found.get(stride) != _OPEN:
                continue
            found[stride] = 0 if self._is_folded(operand) else step
            if found[stride] != 0:
                step = step * _value(found, dim) + self._gap(operand)

    def _is_folded(self, operand: Operand) -> bool:
        """Return whether a stride becomes 0: that of a broadcast operand, or of an output that may be folded."""
        if operand.written:
            return operand.name in self.opcode.folds and self.rng.random() < 0.5
        return self.opcode.params.keys() >= {"d0", "a0"} and self.rng.random() < 0.2

    def _gap(self, operand: Operand) -> int:
        """Return elements that are left free after an axis; slots of a state have none."""
        return int(operand.name not in _STATES and self.rng.random() < 0.1)

    # ---- Data -------------------------------------------------------------------------------------------------------

    def _is_there(self, operand: Operand, rule: int) -> bool:
        """Return whether an operand is given. A rule needs its moments, and bias corrections or none."""
        needs = {
            "slot1": rules()[rule]["slots"] >= 1,
            "slot2": rules()[rule]["slots"] >= 2,
            "aux": rules()[rule]["aux"],
        }
        if operand.name in needs:
            return bool(needs[operand.name])
        return not operand.optional or self.rng.random() < 0.5

    def _data(self, instruction: Instruction, operand: Operand, rule: int) -> bytes:
        count = 8 if operand.type == "rule" else instruction.extent(operand.axes)
        if 4 * count > LIMIT >> 10:
            return bytes(4)
        if operand.type == "rule":
            return self._rule(rule)
        if operand.type in ("f32", "moment"):  # moments of bfloat16 read half of these bytes
            return self._numbers(operand, count).tobytes()
        if operand.type == "bit":
            return self.rng.bytes(-(-count // 8))
        if operand.type in ("i8", "i16"):
            limits = np.iinfo(operand.type.replace("i", "int"))
            drawn = self.rng.integers(limits.min, limits.max, count, limits.dtype, endpoint=True)
            ends = self.rng.choice(np.array([limits.min, limits.max, 0], limits.dtype), count)
            return np.where(self.rng.random(count) < 0.1, ends, drawn).tobytes()
        if operand.type == "u8":
            return bytes(self.rng.choice((0, 1, 2, 3, 4, 8, 255), count).astype(np.uint8))
        return self._indices(instruction, operand, count).tobytes()

    def _rule(self, kind: int) -> bytes:
        hyper = {"momentum": 0.9, "beta1": 0.9, "one_minus_beta1": 0.1, "beta2": 0.99, "one_minus_beta2": 0.01}
        hyper |= {"weight_decay": float(self.rng.choice((0.0, 0.01))), "nesterov": float(self.rng.integers(2))}
        hyper["eps"] = 1e-8
        values = [hyper[name] for name in rules()[kind]["hyper"]]
        if rules()[kind]["slots"]:
            kind += int(self.rng.integers(2)) * constants()["MOMENTS_BF16"]
        return struct.pack("<I7f", kind, *values, *[0.0] * (7 - len(values)))

    def _indices(self, instruction: Instruction, operand: Operand, count: int) -> Array:
        p = instruction.params
        if operand.type == "u32":
            return self.rng.integers(0, 1 << 32, count).astype(np.uint32)
        if operand.name == "labels":
            drawn = self.rng.integers(0, p["classes"], count).astype(np.int32)
            return np.where(self.rng.random(count) < 0.2, np.uint32(p["ignore_index"]).astype(np.int32), drawn)
        if operand.name == "gain":
            known = 8192 + int(self.rng.integers(-160, 80))
            return self.rng.choice((0, 8192, known, 20000, -1), count).astype(np.int32)
        size = p.get("size", 100)
        return self.rng.integers(-size, size, count).astype(np.int32)

    def _numbers(self, operand: Operand, count: int) -> Array:
        x = self.rng.normal(size=count).astype(np.float32) * np.float32(self.rng.choice((0.01, 1, 1, 4, 30)))
        if operand.name in ("slot2", "aux", "inv_std", "var", "sum_squares", "mask", "weight", "pos_weight", "lr"):
            x = np.minimum(np.abs(x), 1 if operand.name == "aux" else np.inf).astype(np.float32)
        if operand.name == "multipliers":
            return (x * np.float32(0.001)).astype(np.float32)
        if self.rng.random() < 0.3:
            x = np.rint(x)
        is_elementwise = self.opcode.work == ("n",) or {"d0", "a0"} <= self.opcode.params.keys()
        if is_elementwise or self.opcode.name in _COMPARING:
            x = np.where(self.rng.random(count) < 0.1, self.rng.choice(_SPECIAL, count), x)
        return x.astype(np.float32)
