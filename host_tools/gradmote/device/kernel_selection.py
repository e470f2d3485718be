"""What of the runtime an image needs, and how a firmware is built that carries nothing else."""

from __future__ import annotations

import os
import struct
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..formats.image import read_image
from ..generated.opcodes import OPCODES
from ..generated.optimizers import RULES

_KIND_OF = {rule["kind"]: name for name, rule in RULES.items()}


@dataclass
class Needs:
    """Kernels and update rules, each with the number of instructions that use it. trains: whether a program does.
    store: whether samples are kept."""

    kernels: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    trains: bool = False
    store: bool = False

    def add(self, source: str | os.PathLike[str] | bytes) -> None:
        """What one more image needs. Raises ImageError."""
        image = read_image(source)
        self.trains |= any(program["kind"] not in ("infer", "eval") for program in image.programs)
        self.store |= image.store is not None
        for instruction in (i for program in image.programs for i in program["instructions"]):
            self.kernels[instruction["opcode"]] += 1
            if "rule" in instruction["operands"]:
                self.rules[rule_of(instruction, image.constants)] += 1

    def flags(self) -> list[str]:
        """For the C compiler, when it compiles the runtime: kernels and rules that are not named stay out."""
        used = [*(k for k in OPCODES if k in self.kernels), *(r.upper() for r in RULES if r in self.rules)]
        training = [] if self.trains else ["-DGM_TRAINING=0"]
        store = ["-DGM_WITH_STORE=1"] if self.store else []
        return ["-DGM_ONLY_SELECTED=1", *training, *store, *(f"-DGM_WITH_{name}=1" for name in used)]


def rule_of(instruction: dict[str, Any], constants: bytes) -> str:
    """Name of the rule by which an instruction updates. constants: of its image."""
    at = int(instruction["operands"]["rule"].removeprefix("constants+"))
    return _KIND_OF[struct.unpack_from("<I", constants, at)[0]]


def needs_of(*images: str | os.PathLike[str] | bytes) -> Needs:
    """What a firmware for these images needs. Raises ImageError."""
    needs = Needs()
    for image in images:
        needs.add(image)
    return needs
