"""The kernels and update rules that images need, and the flags of a firmware with no others."""

from __future__ import annotations

import os
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ImageError
from ..generated.opcodes import OPCODES
from ..generated.optimizers import RULES
from ..generated.records import MOMENTS_BF16
from ..ir.instruction import ELEMENT_BYTES
from .image import Image, read_image

#: The types whose elements have fewer bytes than a word.
NARROW = {name for name, size in ELEMENT_BYTES.items() if size < 4}
_KIND_OF = {rule["kind"]: name for name, rule in RULES.items()}


@dataclass
class Needs:
    """The parts of the runtime that some images need.

    Attributes:
        kernels: Each used opcode -> the number of its instructions.
        rules: Each used update rule -> the number of its instructions.
        trains: Whether a program trains.
        store: Whether samples are kept.
        int8: Whether some tensor, parameter or operand has elements of 8 or 16 bits.
        short_moments: Whether an update rule has moments of bfloat16.
        depthwise: Whether a convolution has one channel and one output channel in each group.
        planes: Whether a convolution's input is three planes.
    """

    kernels: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    trains: bool = False
    store: bool = False
    int8: bool = False
    short_moments: bool = False
    depthwise: bool = False
    planes: bool = False

    def add(self, source: str | os.PathLike[str] | bytes) -> None:
        """Add the needs of one more image; raise ImageError, with the file's name, if it is damaged."""
        try:
            image = read_image(source)
        except ImageError as error:
            if isinstance(source, bytes):
                raise
            raise ImageError(f"{Path(source).name}: {error.message}", error.hint) from error
        self.trains |= any(program["kind"] not in ("infer", "eval") for program in image.programs)
        self.store |= image.store is not None
        self.int8 |= any(row["dtype"] in NARROW for row in (*image.tensors, *image.state))
        try:
            self.add_instructions(image)
        except (KeyError, ValueError, struct.error) as error:
            raise ImageError(f"an update rule cannot be read ({error})", "compile the model again") from error

    def add_instructions(self, image: Image) -> None:
        """Add the needs of an image's instructions. Raises KeyError, ValueError or struct.error for a broken rule."""
        for instruction in (i for program in image.programs for i in program["instructions"]):
            self.kernels[instruction["opcode"]] += 1
            self.int8 |= OPCODES[instruction["opcode"]]["group"] == "int8"
            self.depthwise |= is_depthwise(instruction)
            self.planes |= has_planes(instruction)
            if "rule" in instruction["operands"]:
                self.rules[rule_of(instruction, image.constants)] += 1
                self.short_moments |= has_short_moments(instruction, image.constants)

    def missing(self, parts: int, rules: int, opcodes: bytes) -> list[str]:
        """Return what a build lacks according to its answer to BUILD, as readable names."""
        wanted = [(self.trains, 0, "training"), (self.store, 1, "sample store")]
        wanted += [(self.int8, 2, "int8"), (self.short_moments, 3, "moments of bfloat16")]
        lacks = [name for is_needed, bit, name in wanted if is_needed and not parts >> bit & 1]
        lacks += [f"rule {name}" for name in self.rules if not rules >> RULES[name]["kind"] & 1]
        has = int.from_bytes(opcodes, "little")
        return [*lacks, *(f"kernel {name}" for name in self.kernels if not has >> OPCODES[name]["code"] & 1)]

    def flags(self) -> list[str]:
        """Return the C compiler's flags that omit unneeded kernels and rules."""
        used = [*(k for k in OPCODES if k in self.kernels), *(r.upper() for r in RULES if r in self.rules)]
        training = [] if self.trains else ["-DGM_TRAINING=0"]
        store = ["-DGM_WITH_STORE=1"] if self.store else []
        int8 = ["-DGM_WITH_INT8=1"] if self.int8 else []
        moments = ["-DGM_WITH_SHORT_MOMENTS=1"] if self.short_moments else []
        depthwise = ["-DGM_WITH_DEPTHWISE=1"] if self.depthwise else []
        planes = ["-DGM_WITH_PLANES=1"] if self.planes else []
        kernels = [f"-DGM_WITH_{name}=1" for name in used]
        return ["-DGM_ONLY_SELECTED=1", *training, *store, *int8, *moments, *depthwise, *planes, *kernels]


def is_depthwise(instruction: dict[str, Any]) -> bool:
    """Return whether an instruction is a convolution with one input and one output channel in each group."""
    params = instruction["params"]
    return params.get("groups", 1) > 1 and params["in_channels"] == params["out_channels"] == 1


def has_planes(instruction: dict[str, Any]) -> bool:
    """Return whether an instruction is a float convolution whose three channels are planes."""
    params = instruction["params"]
    return instruction["opcode"] == "CONV" and params["in_channels"] == 3 and params["x_w"] == 1


def rule_of(instruction: dict[str, Any], constants: bytes) -> str:
    """Return the name of the rule by which an instruction updates.

    constants: the constants of its image, which contain the rule's record.
    """
    return _KIND_OF[_rule_kind(instruction, constants) & ~MOMENTS_BF16]


def has_short_moments(instruction: dict[str, Any], constants: bytes) -> bool:
    """Return whether the rule by which an instruction updates has bfloat16 moments. constants: as above."""
    return bool(_rule_kind(instruction, constants) & MOMENTS_BF16)


def _rule_kind(instruction: dict[str, Any], constants: bytes) -> int:
    at = int(instruction["operands"]["rule"].removeprefix("constants+"))
    return int(struct.unpack_from("<I", constants, at)[0])


def needs_of(*images: str | os.PathLike[str] | bytes) -> Needs:
    """Return the needs of a firmware for these images; raise ImageError if one is damaged."""
    needs = Needs()
    for image in images:
        needs.add(image)
    return needs
