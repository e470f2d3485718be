"""Every board of the firmware trains to its twin's bits, and has the memory that its footprint says."""

import numpy as np
import pytest

from gradmote.analyze.boards import board, known
from gradmote.device.target import TwinTarget, open_target
from support.classifier_image import LABELS, PIXELS

pytestmark = pytest.mark.device


@pytest.mark.parametrize("name", known())
def test_a_board(firmware, image, name):
    states = []
    with open_target(f"qemu:{name}") as target, TwinTarget(target.info().profile) as twin:
        for each in (target, twin):
            each.load_image(image)
            each.write("input", 0, np.array(PIXELS, np.float32))
            each.write("label", 0, np.array(LABELS, np.int32))
            for _ in range(5):
                each.run("step")
            states.append(each.state())
        memory, told = target.mem(), board(name)
    assert states[0] == states[1]
    assert (memory.ram, memory.static_ram, memory.arena_available) == (told.ram, told.static_ram, told.arena_available)
    assert memory.stack_used <= told.stack_bound
