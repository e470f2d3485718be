"""A session: an arena, programs that run in it, and what happens around a program."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

import numpy as np

from . import (  # noqa: F401  (each registers its kernels)
    attention,
    elementwise,
    gradients_s16,
    matrix_products,
    normalizations,
    quantized_gradients,
    quantized_values,
    random_numbers,
    recurrent_cells,
    reductions,
    selections,
    softmax_losses,
    stored_updates,
    update_rules,
    window_walks,
)
from .machine import KERNELS, Call, Stopped
from .numerics import Arithmetic, Array
from .read_image import Image
from .read_tables import enums, fields, name_of
from .sound import is_sound
from .verify_program import executed

KINDS = enums()["program"]
_CONTROL = {name: offset for name, _, _, offset in fields("control")}


class Machine:
    """Trains one image in an arena of its own."""

    def __init__(self, data: bytes, profile: str) -> None:
        """Set the state to the image's initial one."""
        self.image = Image(data)
        self.arithmetic = Arithmetic(profile)
        self.arena = np.zeros(self.image.header.arena_size, np.uint8)
        self.constants = np.frombuffer(self.image.section("CONSTANTS"), np.uint8)
        initial = self.image.section("INITIAL")
        self.arena[: len(initial)] = np.frombuffer(initial, np.uint8)
        self.set("accumulated", 0)
        self.changed = {"state", "rate"}  # by something other than an update, and not looked at since

    # ---- The control record -----------------------------------------------------------------------------------------

    def _place(self, field: str) -> int:
        return int(self.image.header.control_offset) + _CONTROL[field]

    def count(self, field: str) -> int:
        """Return a counter of the control record."""
        return int(struct.unpack_from("<I", self.arena, self._place(field))[0])

    def rate(self, field: str) -> np.float32:
        """Return a binary32 of the control record."""
        return np.float32(struct.unpack_from("<f", self.arena, self._place(field))[0])

    def set(self, field: str, value: int | np.float32) -> None:
        """Write a field of the control record."""
        kind = "<f" if isinstance(value, np.float32) else "<I"
        struct.pack_into(kind, self.arena, self._place(field), value if kind == "<f" else int(value) & 0xFFFFFFFF)

    def set_learning_rate(self, rate: float) -> None:
        """Set a rate that stays."""
        self.set("schedule", enums()["schedule"].index("CONSTANT"))
        self.set("base_learning_rate", np.float32(rate))
        self.set("learning_rate", np.float32(rate))
        self.changed.add("rate")

    def set_linear_schedule(self, rate: float, warmup: int, total: int) -> None:
        """Set a rate that rises and falls."""
        self.set("schedule", enums()["schedule"].index("LINEAR"))
        self.set("base_learning_rate", np.float32(rate))
        self.set("warmup_steps", warmup)
        self.set("total_steps", total)
        self.set("schedule_start", self.count("optimizer_steps"))
        self._advance_schedule()
        self.changed.add("rate")

    def _advance_schedule(self) -> None:
        if name_of("schedule", self.count("schedule")) != "LINEAR":
            return
        step = self.count("optimizer_steps") - self.count("schedule_start") & 0xFFFFFFFF
        warmup, total = self.count("warmup_steps"), self.count("total_steps")
        factor = np.float32(0)
        if step < warmup:
            factor = np.float32(step) / np.float32(warmup)
        elif step < total:
            factor = np.float32(total - step) / np.float32(total - warmup)
        self.set("learning_rate", self.rate("base_learning_rate") * factor)

    # ---- Data -------------------------------------------------------------------------------------------------------

    def write(self, role: str, values: Array) -> None:
        """Write the image's only input or label."""
        (tensor,) = [tensor for tensor in self.image.tensors if tensor.role_name == role]
        data = values.astype("<f4" if tensor.dtype_name == "F32" else "<i4").tobytes()
        self.arena[tensor.offset : tensor.offset + tensor.size] = np.frombuffer(data, np.uint8)

    def loss(self, kind: str) -> np.float32:
        """Return the loss of the last run of that program."""
        bit = 1 << KINDS.index(kind)
        found = [t for t in self.image.tensors if t.role_name == "LOSS" and t.programs & bit]
        return np.float32(struct.unpack_from("<f", self.arena, found[0].offset)[0])

    def state(self) -> bytes:
        """Return the bytes of the state."""
        return bytes(self.arena[: self.image.header.state_size])

    def digest(self) -> str:
        """Return the state's SHA-256."""
        return hashlib.sha256(self.state()).hexdigest()

    # ---- Programs ---------------------------------------------------------------------------------------------------

    def calls(self, kind: str) -> Iterator[Call]:
        """Yield what a program runs, or nothing if the image does not have it."""
        for instruction in executed(self.image, kind):
            known, control = instruction.knowing(bytes(self.constants)), self.image.header.control_offset
            yield Call(self.arena, self.constants, self.arithmetic, known, control)

    def run(self, kind: str) -> str:
        """Run a program and return OK, or the name of the error that it ends with."""
        if all(program.kind_name != kind for program in self.image.programs):
            return "NO_PROGRAM"
        found = self._before(kind)
        if found != "OK":
            return found
        with np.errstate(all="ignore"):
            found = self._run_code(kind)
        self._count(kind, found)
        return found

    def _before(self, kind: str) -> str:
        h, accumulated = self.image.header, self.count("accumulated")
        if kind == "TRAIN" and accumulated == 0:
            self.arena[h.gradients_offset : h.gradients_offset + h.gradients_size] = 0
        if kind == "OPTIMIZER":
            if accumulated == 0:
                return "NO_GRADIENTS"
            self.set("gradient_scale", np.float32(1) / np.float32(accumulated))
        return "OK"

    def _run_code(self, kind: str) -> str:
        if kind in ("STEP", "OPTIMIZER") and not is_sound(self, kind):
            return "NOT_FINITE"
        try:
            for call in self.calls(kind):
                KERNELS[call.i.opcode.name](call)
        except Stopped as stopped:
            return str(stopped)
        return "OK"

    def _count(self, kind: str, found: str) -> None:
        trains, updates = kind in ("TRAIN", "STEP"), kind in ("OPTIMIZER", "STEP")
        if found != "OK":
            if found == "NOT_FINITE" and (trains or updates):
                self.set("skipped_steps", self.count("skipped_steps") + 1)
            if kind == "OPTIMIZER":
                self.set("accumulated", 0)
            return
        self.set("accumulated", self.count("accumulated") + (kind == "TRAIN"))
        self.set("train_steps", self.count("train_steps") + trains)
        if updates:
            self.set("optimizer_steps", self.count("optimizer_steps") + 1)
            self._advance_schedule()
