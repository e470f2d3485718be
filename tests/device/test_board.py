"""The firmware on the emulated board, through the client: files, training, a bad line, restarts."""

from __future__ import annotations

import os
import signal
import struct
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import BoardTarget, Target, TwinTarget
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.device.protocol import Frame, encode, message_id
from gradmote.device.types import ROLES, program_index
from gradmote.errors import DeviceError, RuntimeFault
from gradmote.generated.console import FAULTS
from support.classifier_image import LABELS, PIXELS

pytestmark = pytest.mark.device

CODES = {name: code for code, (name, _, _) in FAULTS.items()}
X = np.array(PIXELS, np.float32).reshape(2, 3)
Y = np.array(LABELS, np.int32)


def train(target: Target, image: bytes, steps: int = 5) -> None:
    target.load_image(image)
    target.write("input", 0, X)
    target.write("label", 0, Y)
    for _ in range(steps):
        target.run("step")


def raises_code(name: str):
    return pytest.raises(DeviceError, match=f"{name}, {CODES[name]}")


# ---- Model and training ---------------------------------------------------------------------------------------------


def test_board_and_twin_reach_the_same_bits(board: Client, image: bytes) -> None:
    on_board, twin = BoardTarget(board), TwinTarget(board.info().profile)
    for target in (on_board, twin):
        train(target, image)
        target.write_u8("input", 0, np.arange(6, dtype=np.uint8), scale=0.3, zero=2.5)
        target.run("train")
        target.set_learning_rate(0.125)
        target.run("optimizer")
    assert on_board.state() == twin.state()
    assert on_board.save() == twin.save()
    assert on_board.gradient(0) == twin.gradient(0)
    np.testing.assert_array_equal(_logits(on_board), _logits(twin))


def _logits(target: Target) -> np.ndarray:
    target.run("infer")
    return target.output(0)


def test_metrics_count_what_ran(board: Client, image: bytes) -> None:
    train(BoardTarget(board), image, steps=3)
    metrics = board.metrics()
    assert (metrics.train_steps, metrics.optimizer_steps, metrics.skipped_steps) == (3, 3, 0)
    assert metrics.learning_rate == 0.5 and metrics.loss > 0 and metrics.instructions > 0


def test_metrics_have_the_time_of_the_last_run(board: Client, image: bytes) -> None:
    train(BoardTarget(board), image)
    assert board.metrics().seconds > 0


def test_memory_adds_up(board: Client, image: bytes) -> None:
    train(BoardTarget(board), image)
    memory = board.mem()
    assert memory.ram == memory.static_ram + memory.stack_size + memory.arena_available == 128 * 1024
    assert 0 < memory.stack_used < memory.stack_size / 2
    assert memory.arena_required == board.info().arena_required
    assert memory.image == len(image)


def test_a_label_out_of_range_changes_nothing(board: Client, image: bytes) -> None:
    target = BoardTarget(board)
    train(target, image)
    before = target.state()
    target.write("label", 0, np.array([0, 4], np.int32))
    with pytest.raises(RuntimeFault, match="label") as fault:
        target.run("step")
    assert fault.value.code == -15
    assert target.state() == before


def test_board_and_twin_refuse_to_run_without_samples(board: Client, image: bytes) -> None:
    for target in (BoardTarget(board), TwinTarget(board.info().profile)):
        target.load_image(image)
        for program in ("infer", "eval", "train", "step"):
            with pytest.raises(DeviceError, match="there are no samples"):
                target.run(program)
        target.write("input", 0, X)
        target.run("infer")
        with pytest.raises(DeviceError, match="there are no samples"):
            target.run("step")
    board.load_image(image)
    with raises_code("NO_SAMPLES"):
        board.run("infer")


def test_samples_written_once_serve_every_program(board: Client, image: bytes) -> None:
    train(BoardTarget(board), image, steps=2)
    for program in ("train", "optimizer", "eval", "infer"):
        board.run(program)
    assert board.read("TENSOR", program_index("step"), ROLES.index("input")) == X.tobytes()
    assert board.read("TENSOR", program_index("step"), ROLES.index("label")) == Y.tobytes()


def test_writing_beyond_a_tensor_is_refused(board: Client, image: bytes) -> None:
    board.load_image(image)
    with pytest.raises(RuntimeFault):
        board.write("input", 0, bytes(28))
    with pytest.raises(RuntimeFault):
        board.request("DATA_U8", role=0, index=0, element=0xFFFFFFFF, scale=1.0, zero=0.0, data=b"12")
    with pytest.raises(RuntimeFault):
        board.write("input", 1, bytes(4))


def test_without_a_model_everything_says_so(board: Client) -> None:
    for request in (board.metrics, board.save_checkpoint, board.reset, lambda: board.run("step")):
        with raises_code("NO_IMAGE"):
            request()


# ---- Files ----------------------------------------------------------------------------------------------------------


def test_an_image_with_a_flipped_bit_is_refused(board: Client, image: bytes) -> None:
    damaged = bytearray(image)
    damaged[-1] ^= 1
    with pytest.raises(RuntimeFault) as fault:
        board.load_image(bytes(damaged))
    assert fault.value.name == "BAD_CRC"
    board.load_image(image)
    assert board.info().status == 0


def test_pieces_out_of_order_are_refused(board: Client, image: bytes) -> None:
    board.request("IMAGE_BEGIN", size=len(image))
    with raises_code("OUT_OF_ORDER"):
        board.request("IMAGE_DATA", offset=4, data=image[4:8])
    with raises_code("OUT_OF_ORDER"):
        board.request("IMAGE_END")


def test_a_file_larger_than_its_area_is_refused_before_anything_is_erased(board: Client, image: bytes) -> None:
    board.load_image(image)
    with raises_code("TOO_LARGE"):
        board.request("IMAGE_BEGIN", size=2**20 + 1)
    with raises_code("TOO_LARGE"):
        board.request("CHECKPOINT_BEGIN", size=2**19)
    assert board.refresh().status == 0


def test_a_checkpoint_comes_back(board: Client, image: bytes) -> None:
    target = BoardTarget(board)
    train(target, image)
    state, checkpoint = target.state(), target.save()
    target.reset()
    assert target.state() != state
    target.load(checkpoint)
    assert target.state() == state


def test_a_damaged_checkpoint_leaves_state_and_kept_checkpoint(board: Client, image: bytes) -> None:
    target = BoardTarget(board)
    train(target, image)
    checkpoint = bytearray(target.save())
    target.run("step")
    state = target.state()
    checkpoint[-1] ^= 1
    with pytest.raises(RuntimeFault):
        target.load(bytes(checkpoint))
    assert target.state() == state
    checkpoint[-1] ^= 1
    assert board.read("CHECKPOINT") == checkpoint


def test_image_and_newest_checkpoint_outlive_a_restart(board: Client, image: bytes) -> None:
    target = BoardTarget(board)
    train(target, image)
    for _ in range(3):
        target.run("step")
        target.save()
    state = target.state()
    target.run("step")
    board.reboot()
    assert board.info().status == 0
    assert target.state() == state


def test_after_a_restart_without_checkpoint_the_parameters_are_the_initial_ones(board: Client, image: bytes) -> None:
    target = BoardTarget(board)
    target.load_image(image)
    state = target.state()
    train(target, image)
    board.reboot()
    assert target.state() == state


# ---- The line -------------------------------------------------------------------------------------------------------


def test_garbage_on_the_line_costs_a_repetition(emulator: Emulator, image: bytes) -> None:
    link = emulator.take_link()
    board = Client(link)
    board.load_image(image)
    for garbage in (b"\x01", b"\x01\x09\x00\xff\x03abc", b"\x01\xff\xff\xff\xff", bytes(range(256)), os.urandom(3000)):
        link.write(garbage)
        assert board.refresh().status == 0
    assert board.raw_info["line_errors"] >= 4
    board.close()


def test_a_damaged_frame_is_not_executed(emulator: Emulator, image: bytes) -> None:
    link = emulator.take_link()
    board = Client(link)
    train(BoardTarget(board), image)
    steps = board.metrics().train_steps
    frame = bytearray(encode(Frame(message_id("RUN"), 200, b"\x04")))
    for bit in range(8, 8 * len(frame)):
        if bit // 8 in (3, 4):
            continue  # another length: the board waits for bytes that stay away, as the test above has it
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        if bit % 7 == 0:
            link.write(bytes(damaged))
            assert board.metrics().train_steps == steps
    board.close()


def test_a_repeated_request_runs_once(emulator: Emulator, image: bytes) -> None:
    link = emulator.take_link()
    board = Client(link)
    train(BoardTarget(board), image, steps=1)
    sequence = (board._sequence + 1) % 256
    frame = encode(Frame(message_id("RUN"), sequence, struct.pack("B", 4)))
    link.write(frame * 3)
    board._sequence = sequence
    assert board.metrics().train_steps == 2
    board.close()


def test_an_unplugged_board_is_named(emulator: Emulator, image: bytes) -> None:
    board = emulator.connect()
    board.load_image(image)
    os.kill(emulator.pid, signal.SIGKILL)
    with pytest.raises(DeviceError, match=r"lost the connection to socket://.*cable"):
        for _ in range(3):
            board.mem()


def test_firmware_that_is_named_and_missing_is_refused(firmware: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="there is no firmware .*none.elf - leave it out"):
        Emulator(elf=tmp_path / "none.elf")


def test_an_unknown_machine_is_reported_by_the_emulator(firmware: Path) -> None:
    with pytest.raises(DeviceError, match="no-such-machine"):
        Emulator("no-such-machine", firmware)
