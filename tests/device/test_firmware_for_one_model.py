"""`scons firmware MODEL=...`: a firmware with the kernels of one image and no others."""

import hashlib
import subprocess

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.device import BoardTarget
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.errors import DeviceError, RuntimeFault
from gradmote.formats.image import read_image
from gradmote.formats.kernel_selection import needs_of
from gradmote_runtime import Session
from support.firmware import build_firmware
from support.oracle import compiled, make_model, node, values

pytestmark = pytest.mark.device


def cnn(activation, trains=True):
    nodes = [
        node("Conv", "x w1", "c", pads=[1, 1, 1, 1]),
        node(activation, "c", "a"),
        node("GlobalAveragePool", "a", "p"),
        node("Flatten", "p", "f"),
        node("Gemm", "f w2 b2", "y"),
    ]
    weights = {"w1": values(1, 4, 1, 3, 3), "w2": values(2, 4, 3), "b2": values(3, 3)}
    model = make_model(nodes, weights, {"x": ("N", 1, 6, 6)})
    loss, optimizer = (losses.cross_entropy(), optimizers.adamw(0.01)) if trains else (None, None)
    return compiled(model, loss, optimizer, batch=2)


@pytest.fixture(scope="module")
def small(firmware, tmp_path_factory):
    """(image, firmware.elf built for it alone)."""
    path = tmp_path_factory.mktemp("only") / "tiny_cnn.mote"
    path.write_bytes(cnn("Relu"))
    build_firmware(f"MODEL={path}")
    return path.read_bytes(), firmware.parent.parent / "mps2_an386-tiny_cnn" / "firmware.elf"


def kernels_in(elf):
    """Return the opcodes whose kernels are in the firmware."""
    symbols = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True).stdout.split()
    return {s.removeprefix("gm_kernel_").upper() for s in symbols if s.startswith("gm_kernel_")}


def test_it_has_these_kernels_and_no_others(small, firmware):
    image, elf = small
    assert kernels_in(elf) == set(needs_of(image).kernels)
    assert len(kernels_in(firmware)) > 4 * len(kernels_in(elf))
    sizes = (elf.parent / "sizes.txt").read_text()
    assert "conv_gradient" in sizes and "adamw" in sizes and "leaky_relu" not in sizes and "momentum" not in sizes


def test_it_trains_as_the_twin_does(small):
    image, elf = small
    x, y = values(5, 2, 1, 6, 6), np.array([2, 0], np.int32)
    with Session(image, "strict") as twin:
        for _ in range(5):
            twin.step(x, y)
        expected = hashlib.sha256(bytes(twin.state())).hexdigest()
    with Emulator(elf=elf) as emulator, BoardTarget(emulator.connect()) as board:
        board.load_image(image)
        board.write("input", 0, x)
        board.write("label", 0, y)
        for _ in range(5):
            board.run("step")
        assert hashlib.sha256(board.state()).hexdigest() == expected


def test_another_model_is_refused_before_it_is_sent(small):
    image, elf = small
    with Emulator(elf=elf) as emulator, emulator.connect() as board:
        board.load_image(image)
        sent = []
        for send in (board.load_image, board.update_image):
            with pytest.raises(DeviceError, match=r"has no kernel HARD_SWISH.*keeps the model that it has.*--general"):
                send(cnn("HardSwish"), progress=lambda done, _: sent.append(done))
        assert not sent and board.refresh().model_id == read_image(image).model_id


def test_another_model_that_is_sent_all_the_same_is_refused_too(small, monkeypatch):
    image, elf = small
    monkeypatch.setattr(Client, "_require_kernels", lambda self, image: None)
    with Emulator(elf=elf) as emulator, emulator.connect() as board:
        with pytest.raises(RuntimeFault, match=r"runtime lacks an instruction.*build the runtime with this kernel"):
            board.load_image(cnn("HardSwish"))
        board.load_image(image)


# ---- Without training


@pytest.fixture(scope="module")
def inferring(firmware, tmp_path_factory):
    """(image without a loss, firmware.elf built for it alone)."""
    path = tmp_path_factory.mktemp("only") / "tiny_infer.mote"
    path.write_bytes(cnn("Relu", trains=False))
    build_firmware(f"MODEL={path}")
    return path.read_bytes(), firmware.parent.parent / "mps2_an386-tiny_infer" / "firmware.elf"


def text_size(elf):
    output = subprocess.run(["arm-none-eabi-size", elf], capture_output=True, text=True, check=True).stdout
    return int(output.splitlines()[1].split()[0])


def test_a_model_that_only_infers_brings_no_training_kernels(inferring, small):
    image, elf = inferring
    assert kernels_in(elf) == set(needs_of(image).kernels) <= {"ADD", "CONV", "GEMM", "MUL", "REDUCE_SUM", "RELU"}
    rules = (elf.parent / "sizes.txt").read_text()
    assert not any(word in rules for word in ("gradient", "adam", "sgd", "momentum", "cross_entropy", "checks"))
    assert text_size(elf) < text_size(small[1]) - 4096


def test_it_infers_as_the_twin_does_and_refuses_training(inferring):
    image, elf = inferring
    x = values(5, 2, 1, 6, 6)
    with Session(image, "strict") as twin:
        (expected,) = twin.infer(x)
        expected = np.array(expected)
    with Emulator(elf=elf) as emulator, BoardTarget(emulator.connect()) as board:
        board.load_image(image)
        board.write("input", 0, x)
        board.run("infer")
        assert np.array_equal(board.output(0), expected)
        with pytest.raises(DeviceError, match=r"has no training, rule adamw, kernel .* more, which the model needs"):
            board.load_image(cnn("Relu"))
