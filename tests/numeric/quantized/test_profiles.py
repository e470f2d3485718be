"""The instructions that count as alike in both profiles give the same bits in both."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.spec.draw_instruction import Drawer
from numeric.spec.read_tables import opcodes
from numeric.spec.run_drawn import image_of
from numeric.spec.verify import error_of

from gradmote import Session
from gradmote.compiler.profiles import ALIKE
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH

DRAWS = 8
KNOWN = {opcode.name: opcode for opcode in opcodes().values()}


def scratch_of(image: bytes, profile: str) -> np.ndarray | str:
    """Return the words of the scratch after the image's program, with one NaN for all, or the error that ends it."""
    with Session(image, profile) as session:
        try:
            session.run_program("infer")
        except RuntimeFault as fault:
            return fault.name
        words = np.frombuffer(bytes(session._memory[SCRATCH:]), np.uint8)
    floats = words[: len(words) // 4 * 4].view(np.float32)
    return np.where(np.isnan(floats), np.float32(np.nan), floats).view(np.uint32)


@pytest.mark.parametrize("name", sorted(ALIKE & KNOWN.keys()))
def test_both_profiles_give_the_same_bits(name: str) -> None:
    drawer, compared = Drawer(KNOWN[name], SCRATCH, 2), 0
    for image in (image_of(drawer.draw()) for _ in range(DRAWS)):
        if error_of(image) == "OK":
            fused, strict = (scratch_of(image, profile) for profile in ("fused", "strict"))
            assert np.array_equal(fused, strict)
            compared += 1
    assert compared


@pytest.mark.parametrize("name", ["GEMM", "CONV", "UPDATE", "SOFTMAX_CROSS_ENTROPY_WITH_GRAD"])
def test_the_profiles_can_differ(name: str) -> None:
    """Check that the test above finds an opcode that does not belong there."""
    drawer = Drawer(KNOWN[name], SCRATCH, 2)
    images = [image for image in (image_of(drawer.draw()) for _ in range(50)) if error_of(image) == "OK"]
    assert any(not np.array_equal(scratch_of(i, "fused"), scratch_of(i, "strict")) for i in images)
