"""Every instruction gives the bits that docs/NUMERICS.md says, in both profiles, over drawn shapes and numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.draw_instruction import Drawer
from numeric.spec.execute import Machine
from numeric.spec.machine import KERNELS
from numeric.spec.numerics import from_bits
from numeric.spec.read_tables import Opcode, opcodes
from numeric.spec.run_drawn import difference, image_of
from numeric.spec.verify_program import CONSTANT_BIT

from gradmote import Session
from support.program_image import SCRATCH, instruction, program_image

DRAWS = 6
ALL_UP_TO = 119
COMPARED = [opcode for opcode in opcodes().values() if opcode.name in KERNELS]
FUNCTIONS = ("EXP", "LOG", "LOG1P", "TANH", "SIGMOID", "ERF", "SIN", "COS", "ATAN", "SQRT", "ELU")
ROUND_NUMBERS = (0.0, 1e-45, 2.0**-126, 0.625, 1.0, 4.0, 18.0, 88.8, 104.0, np.pi / 4, np.tan(np.pi / 8),
                 np.tan(3 * np.pi / 8), 2.0**22, 2.0**23, 3e38, np.inf, np.nan)  # fmt: skip


def test_opcodes_have_kernels() -> None:
    """Check that the first 119 opcodes all have kernels; a later one may wait, and then is not compared."""
    names = {opcode.name for opcode in opcodes().values()}
    assert {opcodes()[code].name for code in range(1, ALL_UP_TO + 1)} <= set(KERNELS) <= names


@pytest.mark.parametrize("opcode", COMPARED, ids=lambda opcode: opcode.name)
def test_drawn(opcode: Opcode, profile: str) -> None:
    drawer = Drawer(opcode, SCRATCH, 1)
    found = [difference(image_of(drawer.draw()), profile) for _ in range(DRAWS)]
    assert [text for text in found if text] == []


def _numbers() -> np.ndarray:
    """Return numbers of every size, those around which functions change their formula, and their negatives."""
    patterns = np.random.default_rng(3).integers(0, 1 << 31, 30_000).astype(np.uint32)
    edges = np.array(ROUND_NUMBERS, np.float32).view(np.uint32)[:, None] + np.arange(-3, 4)
    usual = np.random.default_rng(4).normal(size=10_000).astype(np.float32) * 4
    x = np.concatenate([from_bits(np.append(patterns, edges.astype(np.uint32))), usual])
    return np.concatenate([x, -x])


@pytest.mark.parametrize(("opcode", "rate"), [*((opcode, 1.0) for opcode in FUNCTIONS), ("ELU", -1.0)])
def test_elementary_functions(opcode: str, rate: float, profile: str) -> None:
    """ELU has expm1: of numbers below 0, or above with a negative rate. log1p is meant for x >= 0."""
    x = np.abs(_numbers()) if opcode == "LOG1P" else _numbers()
    params = {"n": len(x)} | ({"scale": 1.0, "alpha": 1.0, "rate": rate} if opcode == "ELU" else {})
    called = instruction(opcode, {"x": CONSTANT_BIT, "y": SCRATCH}, params)
    image = program_image([called], SCRATCH + x.nbytes, x.tobytes())
    machine = Machine(image, profile)
    assert machine.run("INFER") == "OK"
    with Session(image, profile) as session:
        session.run_program("infer")
        expected = np.frombuffer(bytes(session._memory[SCRATCH : SCRATCH + x.nbytes]), np.uint32)
    found = machine.arena[SCRATCH:].view(np.uint32)
    nan = np.isnan(found.view(np.float32)) & np.isnan(expected.view(np.float32))
    wrong = np.flatnonzero((found != expected) & ~nan)
    assert len(wrong) == 0, f"{opcode}({float(x[wrong[0]]).hex()})"


@pytest.mark.parametrize("opcode", ["COPY", "GATHER"])
def test_bits_of_nan_that_are_moved(opcode: str, profile: str) -> None:
    """Quiet and signalling NaN of either sign keep their payload."""
    x = np.array([0x7F800001, 0xFF800001, 0x7FC12345, 0xFFC54321, 0x7FFFFFFF, 0x7FA00000], np.uint32)
    params = {"d5": len(x), "s5": 1, "t5": 1} if opcode == "COPY" else {"size": len(x), "count": len(x)}
    places = {"x": CONSTANT_BIT, "y": SCRATCH} | ({"indices": CONSTANT_BIT | x.nbytes} if opcode == "GATHER" else {})
    data = x.tobytes() + np.arange(len(x), dtype=np.int32).tobytes()
    image = program_image([instruction(opcode, places, params)], SCRATCH + x.nbytes, data)
    with Session(image, profile) as session:
        session.run_program("infer")
        assert bytes(session._memory[SCRATCH : SCRATCH + x.nbytes]) == x.tobytes()
