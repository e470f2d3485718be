"""One UPDATE_S8, UPDATE_S16 or UPDATE_S32, with a test's own operands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gradmote import Session
from gradmote.generated.optimizers import RULES
from gradmote.generated.records import MOMENTS_BF16

from .program_image import SCRATCH, instruction, program_image

DTYPES = {"UPDATE_S8": np.int8, "UPDATE_S16": np.int16, "UPDATE_S32": np.int32}
CONSTANT = 1 << 31


@dataclass
class StoredUpdate:
    """The operands of the instruction besides parameters and gradients. hyper: of the rule, 0 if not named."""

    opcode: str = "UPDATE_S8"
    rule: str = "sgd"
    hyper: dict[str, float] = field(default_factory=dict)
    lr: float = 1.0
    unit: float = 1.0
    limit: float = 2.0**30
    zero: int = 0
    low: int = -(2**31)
    high: int = 2**31 - 1
    seed: int = 0
    step: int = 0
    stream: int = 0
    short: bool = False  # moments are bfloat16

    def run(self, p: np.ndarray, g: np.ndarray, profile: str = "strict") -> np.ndarray:
        """Return the parameters after the update; moments start from 0, and bias corrections are those of step 1."""
        return self.run_all(p, g, profile)[0]

    def run_all(self, p: np.ndarray, g: np.ndarray, profile: str = "strict") -> list[np.ndarray]:
        """Return the parameters after the update, then the moments: as bits for bfloat16."""
        n, dtype = p.size, np.dtype(DTYPES[self.opcode])
        width = dtype.itemsize * n + -(dtype.itemsize * n) % 4
        places, constants = {"p": SCRATCH}, b""
        for name, data in self._constants(p.astype(dtype), g).items():
            places[name] = CONSTANT | len(constants)
            constants += data + bytes(-len(data) % 4)
        slots = RULES[self.rule]["slots"]
        places |= {f"slot{i + 1}": SCRATCH + width + 4 * n * i for i in range(slots)}
        start = places.pop("start")
        copies = [_copy(start, SCRATCH, width // 4)]
        copies += [_copy(places["nothing"], places[f"slot{i + 1}"], n, 0) for i in range(slots)]
        del places["nothing"]
        image = program_image([*copies, instruction(self.opcode, places, self._params(n))],
                              SCRATCH + width + 4 * n * slots, constants)  # fmt: skip
        with Session(image, profile) as session:
            session.run_program("infer")
            memory = bytes(session._memory[SCRATCH:])
        of_moments = np.dtype(np.uint16 if self.short else np.float32)
        return [np.frombuffer(memory, dtype, n)] + [
            np.frombuffer(memory, of_moments, n, width + 4 * n * i) for i in range(slots)
        ]

    def _params(self, n: int) -> dict[str, float]:
        bounds = {"zero": self.zero, "low": self.low, "high": self.high}
        integers = {name: value & 0xFFFFFFFF for name, value in bounds.items()}
        return {"inner": n, "stream": self.stream, "limit": self.limit, **integers}

    def _constants(self, p: np.ndarray, g: np.ndarray) -> dict[str, bytes]:
        spec = RULES[self.rule]
        words = np.zeros(8, np.uint32)
        words[0] = spec["kind"] + (MOMENTS_BF16 if self.short else 0)
        hyper = np.array([self.hyper.get(name, 0.0) for name in spec["hyper"]], np.float32)
        words[1 : 1 + hyper.size] = hyper.view(np.uint32)
        made = {
            "start": p.tobytes(), "nothing": bytes(4), "g": g.astype(np.float32).tobytes(), "rule": words.tobytes(),
            "lr": np.float32(self.lr).tobytes(), "units": np.float32(self.unit).tobytes(),
            "counter": np.array([self.seed, self.step], np.uint32).tobytes(),
        }  # fmt: skip
        if spec["aux"]:
            made["aux"] = np.array([0.1, 0.001], np.float32).tobytes()
        return made


def _copy(source: int, target: int, words: int, step: int = 1) -> np.ndarray:
    return instruction("COPY", {"x": source, "y": target}, {"d5": words, "s5": step, "t5": 1})
