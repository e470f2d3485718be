"""Every board trains to its twin's bits, keeps them over a restart, and has the memory that its footprint says."""

import numpy as np
import pytest

from gradmote.boards import board, known
from gradmote.device.emulator import Emulator
from gradmote.device.target import BoardTarget, TwinTarget, open_target
from support.classifier_image import LABELS, PIXELS

pytestmark = pytest.mark.device


def train(target, image):
    """Seconds of all steps."""
    target.load_image(image)
    target.write("input", 0, np.array(PIXELS, np.float32))
    target.write("label", 0, np.array(LABELS, np.int32))
    return sum(target.run("step").seconds for _ in range(5))


@pytest.mark.parametrize("name", known())
def test_a_board(firmware, image, name):
    with open_target(f"qemu:{name}") as target, TwinTarget(target.info().profile) as twin:
        assert train(target, image) > 0
        train(twin, image)
        assert target.state() == twin.state()
        memory, told = target.mem(), board(name)
        assert (target.info().name, target.info().profile) == (name, told.profile)
    assert (memory.ram, memory.static_ram, memory.arena_available) == (told.ram, told.static_ram, told.arena_available)
    assert memory.stack_used <= told.stack_bound


@pytest.mark.parametrize("name", known())
def test_what_a_board_learnt_outlives_a_restart(firmware, image, name):
    with Emulator(name) as emulator, emulator.connect() as client:
        target = BoardTarget(client)
        train(target, image)
        state = target.state()
        target.save()
        target.run("step")
        client.reboot()
        assert target.state() == state
