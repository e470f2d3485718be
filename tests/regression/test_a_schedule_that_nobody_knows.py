"""A checkpoint whose schedule is not a number of the spec was loaded, and the next look at the counters ended in an
IndexError; training goes on at a constant rate from it."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gradmote.device import TwinTarget
from gradmote.formats.image import read_image
from gradmote.ir.program import CONTROL_FIELDS
from support.classifier_image import LABELS, PIXELS, classifier_image
from support.finite_state import sealed


@pytest.mark.parametrize("number", [2, 3, 2**31, 2**32 - 1])
def test_the_twin_goes_on(number):
    image = classifier_image()
    header = read_image(image).header
    with TwinTarget() as twin:
        twin.load_image(image)
        file = bytearray(twin.save())
        at = len(file) - header["state_size"] + header["control_offset"] + 4 * CONTROL_FIELDS.index("schedule")
        struct.pack_into("<I", file, at, number)
        twin.load(sealed(file))
        assert twin.session.control()["schedule"] == f"unknown {number}"
        rate = twin.session.learning_rate
        twin.write("input", 0, PIXELS)
        twin.write("label", 0, np.asarray(LABELS, np.int32))
        assert np.isfinite(twin.run("step").loss)
        assert twin.session.learning_rate == rate
