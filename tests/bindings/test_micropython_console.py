"""MicroPython's console, on this computer with the tests of the firmware's, and on an emulated Cortex-M4F."""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from device import test_board as firmware
from device import test_rounds

from bindings import micropython, narrow
from bindings.row import Missing
from bindings.same_state import image as digits_image
from gradmote import Session, compile_model, losses, optimizers
from gradmote.cli import main
from gradmote.compiler.options import Options, StoreOptions
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.client import Client
from gradmote.device.link import Link, open_link
from gradmote.errors import GradmoteError
from gradmote.generated.console import MESSAGES
from support import digits
from support.classifier_image import classifier_image
from support.console_text import read_until
from support.emulated_micropython import emulated

pytestmark = pytest.mark.toolchain

#: The tests of the firmware that are for every board, here with the fixtures below.
SHARED = [
    firmware.test_board_and_twin_reach_the_same_bits,
    firmware.test_metrics_count_what_ran,
    firmware.test_a_label_out_of_range_changes_nothing,
    firmware.test_board_and_twin_refuse_to_run_without_samples,
    firmware.test_samples_written_once_serve_every_program,
    firmware.test_writing_beyond_a_tensor_is_refused,
    firmware.test_without_a_model_everything_says_so,
    firmware.test_an_image_with_a_flipped_bit_is_refused,
    firmware.test_pieces_out_of_order_are_refused,
    firmware.test_a_checkpoint_comes_back,
    firmware.test_a_damaged_checkpoint_leaves_state_and_kept_checkpoint,
    firmware.test_image_and_newest_checkpoint_outlive_a_restart,
    firmware.test_after_a_restart_without_checkpoint_the_parameters_are_the_initial_ones,
    firmware.test_garbage_on_the_line_costs_a_repetition,
    firmware.test_a_damaged_frame_is_not_executed,
    firmware.test_a_repeated_request_runs_once,
]
globals().update({test.__name__: test for test in SHARED})

SERVE = "import gradmote_console; gradmote_console.serve({folder!r})"


class Served:
    """MicroPython on this computer, whose stdin and stdout are a connection that clients make."""

    def __init__(self, folder: Path, before: str = "") -> None:
        """Listen; a process serves the console to each client in turn. before: what it runs first."""
        self.program = micropython.program_or_missing()
        self.folder, self.script = folder, before + SERVE.format(folder=str(folder))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = f"socket://127.0.0.1:{self.listener.getsockname()[1]}"
        self.processes: list[subprocess.Popen[bytes]] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        """Start a process for each client."""
        path = f"{micropython.MODULES}:{micropython.GENERATED}:{self.folder}"
        command = [str(self.program), "-X", "heapsize=8m", "-c", self.script]
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                environment = {"MICROPYPATH": path}
                self.processes.append(subprocess.Popen(command, stdin=client, stdout=client, env=environment))

    def take_link(self) -> Link:
        """Return a connection without a client."""
        return open_link(self.port, 115200)

    def close(self) -> None:
        """End all processes."""
        self.listener.close()
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Served]:
    """Stand in for the emulator of the firmware's tests."""
    try:
        served = Served(tmp_path)
    except Missing as missing:
        pytest.skip(str(missing))
    yield served
    served.close()


@pytest.fixture
def board(emulator: Served) -> Iterator[Client]:
    with Client.connect(emulator.port) as client:
        yield client


@pytest.fixture
def image() -> bytes:
    return classifier_image()


def test_every_message_has_a_method(board: Client) -> None:
    """An unknown message, or one that fails in Python, would break the connection or have its own code."""
    for name, message in MESSAGES.items():
        if name == "INFO":
            continue
        zeros = {field: 0 for field, kind, _ in message["request"] if kind not in ("bytes", "text")}
        rest = {field: b"" for field, kind, _ in message["request"] if kind in ("bytes", "text")}
        try:
            board.request(name, **zeros, **rest)
        except GradmoteError as fault:
            assert "UNKNOWN_MESSAGE" not in str(fault), name
    assert board.refresh().status != 0


@pytest.fixture
def pair(board: Client) -> Iterator[tuple[BoardTarget, TwinTarget]]:
    """MicroPython and its twin, with one model."""
    on_board, image = BoardTarget(board), digits.image(optimizers.adamw(0.003), test_rounds.BATCH)
    with TwinTarget(board.info().profile) as twin:
        for target in (on_board, twin):
            target.load_image(image)
        yield on_board, twin


@pytest.mark.parametrize("keep", [False, True])
def test_rounds_are_the_twins(pair: tuple[BoardTarget, TwinTarget], keep: bool) -> None:
    test_rounds.test_rounds_are_the_twins(pair, keep)


def test_a_restart_goes_on_from_the_newest_of_base_and_checkpoint(
    pair: tuple[BoardTarget, TwinTarget], emulator: Served
) -> None:
    """A checkpoint that was kept before the base is older than it, and one that was kept later is not."""
    on_board, twin = pair
    for number, with_save in enumerate((True, False)):
        test_rounds.train(on_board, number)
        delta = on_board.round_delta(8, 7)
        on_board.save()
        test_rounds.train(twin, number)
        twin.end_round(delta)
        on_board.end_round(delta)
        if with_save:
            test_rounds.train(on_board, 9)
            on_board.save()
            test_rounds.train(twin, 9)
        on_board.board.reboot()
        assert on_board.round() == number + 1
        assert on_board.state() == twin.state()
        assert on_board.round_delta(4, 1) == twin.round_delta(4, 1)
    on_board.begin_round(0)
    on_board.board.reboot()
    assert on_board.round() == 0 and not list(emulator.folder.glob("base*"))


def test_requests_with_any_fields_are_answered(emulator: Served, image: bytes) -> None:
    """Fields that are drawn, many of them at the ends of their ranges, never end the console."""
    drawn = random.Random(5)
    with Client.connect(emulator.port) as board:
        board.load_image(image)
        board.write("input", 0, bytes(24))
        board.write("label", 0, bytes(8))
        for _ in range(400):
            name = drawn.choice([name for name in MESSAGES if name != "INFO"])
            if name in ("IMAGE_BEGIN", "UPDATE_BEGIN", "REBOOT") and drawn.random() < 0.9:
                continue
            values = {field: value_of(kind, drawn) for field, kind, _ in MESSAGES[name]["request"]}
            with contextlib.suppress(GradmoteError):
                board.request(name, **values)
        assert emulator.processes[-1].poll() is None
        board.load_image(image)
        assert board.refresh().status == 0


def value_of(kind: str, drawn: random.Random) -> int | float | bytes:
    """Draw a field of a request."""
    if kind in ("bytes", "text"):
        return drawn.randbytes(drawn.choice((0, 3, 4, 8, 24, 100)))
    if kind == "f32":
        return drawn.choice((0.0, -1.0, 0.5, float("nan"), float("inf"), 3e38))
    most = 2 ** (8 * int(kind[1:]) // 8) - 1
    return drawn.choice((0, 0, 1, 2, 3, 4, 8, 16, most // 2, most))


def test_a_store_is_taught_and_read(board: Client) -> None:
    options = Options(batch=2, store=StoreOptions(12))
    made = compile_model(digits.model(), losses.cross_entropy(), optimizers.adamw(0.003), options)
    twin = Session(made.image, "strict")
    board.load_image(made.image)
    pixels = digits.samples()[0]
    for label in (3, 1, 3, 7):
        both = np.ascontiguousarray(pixels[label : label + 2], np.float32)
        board.write("input", 0, both.tobytes())
        twin.set_input(0, both)
        board.learn(label)
        twin.learn(label)
    board.replay()
    twin.replay()
    assert board.score(3) == twin.score(3)
    board.forget(3)
    twin.forget(3)
    assert board.store().kept == twin.store()["kept"] and board.store_class(7).seen == 1
    assert board.read("STATE") == bytes(twin.state())


def test_a_kept_checkpoint_is_sent_whole_or_half(board: Client, image: bytes) -> None:
    board.load_image(image)
    twin = Session(image, "strict")
    twin.learning_rate = 0.25
    board.set_learning_rate(0.25)
    assert board.save_checkpoint() == twin.save()
    board.set_learning_rate(0.5)
    assert board.read("CHECKPOINT_HALF") == twin.save(half=True)
    assert board.metrics().learning_rate == 0.5
    board.load_checkpoint(twin.save(half=True))
    assert board.metrics().learning_rate == 0.25


def test_checkpoints_are_kept_after_every_so_many_updates(board: Client, image: bytes) -> None:
    board.load_image(image)
    board.write("input", 0, bytes(24))
    board.write("label", 0, bytes(8))
    board.save_every(2)
    for _ in range(5):
        board.run("step")
    saves = board.saves()
    assert (saves.every, saves.saves, saves.error) == (2, 2, 0)
    board.load_kept_checkpoint()
    assert board.metrics().optimizer_steps == 4


def test_a_native_module_serves_too(tmp_path: Path, image: bytes) -> None:
    model = tmp_path / "model.mote"
    model.write_bytes(image)
    try:
        module = micropython.module_or_missing("x64", model, fused=False, core=False)
        (tmp_path / "gradmote_native.mpy").write_bytes(module.read_bytes())
        served = Served(tmp_path, "import sys, gradmote_native\nsys.modules['gradmote'] = gradmote_native\n")
    except Missing as missing:
        pytest.skip(str(missing))
    with Client.connect(served.port) as board:
        firmware.test_board_and_twin_reach_the_same_bits(board, image)
        with pytest.raises(GradmoteError, match="UNKNOWN_MESSAGE|NO_STORE"):
            board.store()
    served.close()


def test_a_start_of_a_frame_alone_costs_a_repetition(board: Client) -> None:
    """The number of the request that follows, which then counts as a length, makes no difference."""
    for sequence in (1, 3, 60, 200, 254):
        board._sequence = sequence
        board._link.write(b"\x01")
        assert board.refresh().status != 0


def test_ctrl_c_gives_the_prompt_back(emulator: Served) -> None:
    link = emulator.take_link()
    Client(link)
    link.write(b"\r")
    read_until(link, "Ctrl-C")
    link.write(b"\x03")
    assert emulator.processes[-1].wait() == 0


def test_gradmote_train_works_against_the_emulated_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command on the twin ends in the same checkpoint."""
    try:
        elf = micropython.firmware_or_missing()
    except Missing as missing:
        pytest.skip(str(missing))
    model, data = tmp_path / "model.mote", tmp_path / "digits.npz"
    model.write_bytes(digits_image())
    pixels, labels = digits.samples()
    np.savez(data, x=pixels[:64], y=labels[:64])
    with emulated(elf) as micro:
        micro.make_file_system()
        micro.start(SERVE.format(folder=""))
        for target, name in ((micro.port, "board.gmck"), ("twin:strict", "twin.gmck")):
            options = ["--data", str(data), "--epochs", "1", "--on", target, "--checkpoint", str(tmp_path / name)]
            assert main(["train", str(model), *options]) in (0, None)
    assert (tmp_path / "board.gmck").read_bytes() == (tmp_path / "twin.gmck").read_bytes()
    assert "Cortex-M4F" in capsys.readouterr().out


@pytest.mark.parametrize("dtype, weights", [("int8", "int8"), ("uint8", "int16")])
def test_narrow_tensors_are_those_of_the_twin(board: Client, dtype: str, weights: str) -> None:
    made, rng = narrow.image(dtype, weights, store=StoreOptions(10)), np.random.default_rng(3)
    x, labels = narrow.samples(rng, dtype, 1), np.array([2], np.int32)
    on_board, twin = BoardTarget(board), TwinTarget(board.info().profile)
    for target in (on_board, twin):
        target.load_image(made)
        target.write("input", 0, x)
        target.write("label", 0, labels)
        target.run("step")
        target.run("infer")
        board.learn(1) if target is on_board else twin.session.learn(1)
    assert [on_board.describe("infer", role, 0) for role in ("input", "output")] == [
        twin.describe("infer", role, 0) for role in ("input", "output")
    ]
    np.testing.assert_array_equal(on_board.output(0), twin.output(0))
    assert on_board.output(0).dtype == dtype
    assert bytes(on_board.parameters()) == bytes(twin.parameters()) and on_board.state() == twin.state()
    assert board.store().dtype == "bytes"
    on_board.write_u8("input", 0, x.view(np.uint8), scale=0.3, zero=2.5)
    twin.write_u8("input", 0, x.view(np.uint8), scale=0.3, zero=2.5)
    on_board.run("infer")
    twin.run("infer")
    np.testing.assert_array_equal(on_board.output(0), twin.output(0))
