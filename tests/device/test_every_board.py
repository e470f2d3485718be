"""Every emulated board trains to its twin's bits, keeps them over a restart if its flash is emulated, and has the
memory that its footprint says."""

import numpy as np
import onnx
import onnx.parser
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import BoardTarget, TwinTarget, emulated_board, open_target
from gradmote.device.boards import board, boards
from gradmote.device.emulator import SECONDS_PER_INSTRUCTION, Emulator
from gradmote.errors import DeviceError, RuntimeFault
from support.classifier_image import LABELS, PIXELS
from support.firmware import build_firmware

pytestmark = pytest.mark.device

EMULATED = [known.name for known in boards() if known.emulator]
KEEPING = [name for name in EMULATED if board(name).flash_is_emulated]
READ_ONLY = [name for name in EMULATED if name not in KEEPING]

BATCH, CLASSES = 2, 4
MLP = """
    <ir_version: 8, opset_import: ["": 17]>
    mlp (float[N,36] x) => (float[N,4] y) {
      h = Gemm (x, w1, b1)
      a = Tanh (h)
      y = Gemm (a, w2, b2)
    }"""
CNN = """
    <ir_version: 8, opset_import: ["": 17]>
    cnn (float[N,1,6,6] x) => (float[N,4] y) {
      c = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
      a = Relu (c)
      p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)
      f = Flatten (p)
      y = Gemm (f, w2, b2)
    }"""
SHAPES = {
    MLP: {"w1": (36, 8), "b1": (8,), "w2": (8, CLASSES), "b2": (CLASSES,)},
    CNN: {"w1": (4, 1, 3, 3), "b1": (4,), "w2": (36, CLASSES), "b2": (CLASSES,)},
}
#: Weights of this scale are subnormal numbers, below 1.2e-38, as are the gradients that come through them.
SUBNORMAL = 1e-39


@pytest.fixture(params=EMULATED)
def name(request):
    """A board that is emulated here, its firmware built."""
    build_firmware(board=request.param)
    return request.param


def network(text, optimizer, scale=0.3, train=None):
    """An image. scale: of the weights. train: names of those that are trained; all by default."""
    model, rng = onnx.parser.parse_model(text), np.random.default_rng(0)
    for key, shape in SHAPES[text].items():
        values = (rng.normal(0, 1, shape) * scale).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, key))
    made = build_artifacts(model, train, losses.cross_entropy(), optimizer)
    return compile_image(made, Options(batch=BATCH)).image


def state_after(target, image, steps=10):
    target.load_image(image)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        target.write("input", 0, rng.normal(0, 1, BATCH * 36).astype(np.float32))
        target.write("label", 0, rng.integers(0, CLASSES, BATCH).astype(np.int32))
        target.run("step")
    return target.state()


@pytest.fixture(scope="module")
def networks():
    return {
        "mlp": network(MLP, optimizers.adamw(0.01)),
        "cnn": network(CNN, optimizers.sgd(0.1, momentum=0.9)),
        "subnormal mlp": network(MLP, optimizers.sgd(1.0), SUBNORMAL, ["w1", "b1"]),
        "subnormal cnn": network(CNN, optimizers.sgd(1.0), SUBNORMAL, ["w1", "b1"]),
    }


@pytest.fixture(scope="module")
def expected(networks):
    """Profile -> network -> the twin's state."""
    found = {}
    for profile in ("fused", "strict"):
        with TwinTarget(profile) as twin:
            found[profile] = {key: state_after(twin, image) for key, image in networks.items()}
    return found


def test_networks_that_are_compared_learn_what_they_should(networks, expected):
    for key, image in networks.items():
        with TwinTarget("strict") as twin:
            before, after = (np.frombuffer(state_after(twin, image, steps), np.float32) for steps in (0, 10))
        learned = after[before.view(np.int32) != after.view(np.int32)]
        subnormal = (learned != 0) & (np.abs(learned) < np.finfo(np.float32).tiny)
        assert (np.count_nonzero(subnormal) > 20) == key.startswith("subnormal"), key
    for key in ("mlp", "cnn"):
        assert expected["fused"][key] != expected["strict"][key]


def test_networks(name, networks, expected):
    with open_target(f"qemu:{name}") as target:
        for key, image in networks.items():
            assert state_after(target, image) == expected[target.info().profile][key], key


def train(target, image):
    """Seconds of all steps."""
    target.load_image(image)
    target.write("input", 0, np.array(PIXELS, np.float32))
    target.write("label", 0, np.array(LABELS, np.int32))
    return sum(target.run("step").seconds for _ in range(5))


def test_a_board(name, image):
    with open_target(f"qemu:{name}") as target, TwinTarget(target.info().profile) as twin:
        assert train(target, image) > 0
        train(twin, image)
        assert target.state() == twin.state()
        memory, reported = target.mem(), board(name)
        assert (target.info().name, target.info().profile) == (name, reported.profile)
    assert (memory.ram, memory.static_ram, memory.arena_available) == (
        reported.ram,
        reported.static_ram,
        reported.arena_available,
    )
    assert memory.stack_used <= reported.stack_bound


def test_the_ticks_of_a_board_count_its_instructions(name, image):
    """The five steps take 5 x 143 multiply-accumulates and transcendental functions, in soft float on some."""
    found = []
    for _ in range(2):
        with emulated_board(name, icount=True) as target:
            found.append(train(target, image) / SECONDS_PER_INSTRUCTION)
    one_interrupt = 100  # of a clock that needs them, which may fall into one of the runs alone
    assert found[0] == pytest.approx(found[1], abs=one_interrupt) and 5_000 < found[0] < 500_000, found


@pytest.mark.parametrize("name", KEEPING, indirect=True)
def test_what_a_board_learned_outlives_a_restart(name, image):
    with Emulator(name) as emulator, emulator.connect() as client:
        target = BoardTarget(client)
        train(target, image)
        state = target.state()
        target.save()
        target.run("step")
        client.reboot()
        assert target.state() == state


@pytest.mark.parametrize("name", READ_ONLY, indirect=True)
def test_a_board_whose_emulator_cannot_program_flash(name, image):
    """Its firmware says so; an image is in its flash from the start, and another one needs a new start."""
    other = image[:12] + bytes(4) + image[16:]  # the checksum
    with open_target(f"qemu:{name}") as target:
        train(target, image)
        for refused in (target.board.save_checkpoint, lambda: target.board.load_image(other)):
            with pytest.raises(DeviceError, match="FLASH, -107"):
                refused()
        target.board.reboot()
        assert target.info().status == 0 and target.image() == image
        with pytest.raises(DeviceError, match=f"the emulator of {name} cannot program"):
            target.load(b"")
        with pytest.raises(DeviceError, match=f"{name} room for"):
            target.load_image(other + bytes(board(name).image_area))
        assert target.image() == image
        with pytest.raises(RuntimeFault, match="checksum"):
            target.load_image(other)
        with TwinTarget(target.info().profile) as twin:
            train(target, image), train(twin, image)
            assert target.save() == twin.save()
