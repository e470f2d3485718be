"""Teaching a board by hand: learn, train, infer, forget and score, typed and in frames."""

from __future__ import annotations

import hashlib
import re
import time

import numpy as np
import pytest

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, Target, TwinTarget, open_target
from gradmote.device.client import Client
from gradmote.device.link import Link
from gradmote.errors import DeviceError, RuntimeFault
from support.console_text import read_prompt
from support.digits import artifacts, samples
from support.quiet import QUIET, after_quiet

pytestmark = pytest.mark.device

BATCH, CAPACITY = 4, 24
NO_STORE, EMPTY, LABEL = -27, -28, -15


def taught_image(dtype: str = "int8", seeded: int = 100, **options: bool) -> bytes:
    """The digits MLP with a store that begins with some of the first digits."""
    pixels, labels = samples()
    store = StoreOptions(CAPACITY, dtype, pixels[:seeded], labels[:seeded])
    return compile_image(artifacts(optimizers.adamw(0.003)), Options(batch=BATCH, store=store, **options)).image


def teach(target: Target) -> None:
    pixels, labels = samples()
    for row in range(100, 140):
        target.learn(int(labels[row]), pixels[row])
    for _ in range(5):
        target.replay()
    target.forget(3)
    target.learn(3, pixels[5])
    target.replay()


def what_it_knows(target: Target) -> list[object]:
    """Store, scores, and what it says of the sample that was learned last."""
    kept = [target.store_class(label) for label in range(10)]
    scores = [target.score(label) for label in range(10)]
    target.run("infer")
    return [target.store(), kept, scores, target.output(0)[0].tobytes()]


def state_of(target: Target) -> str:
    return hashlib.sha256(target.state()).hexdigest()


@pytest.mark.parametrize("dtype, accumulate", [("int8", False), ("f32", True)])
def test_board_and_twin_are_taught_the_same(emulator, dtype, accumulate):
    """The same holds across a restart from the save."""
    image = taught_image(dtype, accumulate=accumulate)
    with emulator.connect() as client, TwinTarget("strict") as twin:
        board = BoardTarget(client)
        for target in (board, twin):
            target.load_image(image)
            teach(target)
        assert what_it_knows(board) == what_it_knows(twin)
        assert state_of(board) == state_of(twin)
        saved = twin.save()
        assert board.save() == saved
        client.reboot()
        twin.load(saved)
        assert state_of(board) == state_of(twin)
        for target in (board, twin):
            teach(target)
        assert what_it_knows(board) == what_it_knows(twin)
        assert state_of(board) == state_of(twin)


def test_what_is_refused(emulator, image):
    with emulator.connect() as client, TwinTarget("strict") as twin:
        for target in (BoardTarget(client), twin):
            target.load_image(image)
            for call in (target.store, target.replay, lambda: target.learn(0), lambda: target.score(0)):  # noqa: B023
                with pytest.raises(RuntimeFault) as refused:
                    call()
                assert refused.value.code == NO_STORE
            target.load_image(taught_image(seeded=0))
            with pytest.raises(RuntimeFault) as refused:
                target.replay()
            assert refused.value.code == EMPTY
            with pytest.raises(DeviceError, match="no samples"):
                target.learn(0)
            with pytest.raises(RuntimeFault) as refused:
                target.learn(10, samples()[0][0])
            assert refused.value.code == LABEL


def test_replay_takes_the_labels_that_were_sent(emulator):
    """The first sample outlasts it, so that it can be inferred and learned; training on it again asks for labels."""
    pixels, labels = samples()
    with emulator.connect() as client, TwinTarget("strict") as twin:
        for target in (BoardTarget(client), twin):
            target.load_image(taught_image())
            target.write("input", 0, pixels[:BATCH])
            target.write("label", 0, labels[:BATCH])
            target.replay()
            target.run("infer")
            target.learn(int(labels[0]))
            with pytest.raises(DeviceError, match="no samples"):
                target.run("step")


def test_images_that_overwrite_inputs(emulator):
    pixels, labels = samples()
    with emulator.connect() as client, TwinTarget("strict") as twin:
        states = []
        for target in (BoardTarget(client), twin):
            target.load_image(taught_image(overwrite_inputs=True))
            target.learn(int(labels[0]), pixels[0])
            target.replay()
            with pytest.raises(DeviceError, match="no samples"):
                target.learn(int(labels[0]))
            states.append(state_of(target))
        assert states[0] == states[1]


# ---- Typed ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def console(emulator):
    """Types a line and returns what the board prints; and a client on the same line."""
    link = emulator.take_link()
    read_prompt(link)

    def type_line(line: str) -> str:
        link.write(line.encode() + b"\r")
        return read_prompt(link).removeprefix(line + "\r\n").removesuffix("> ")

    client = Client(link)
    yield type_line, BoardTarget(client)
    link.close()


def test_a_lesson(console):
    type_line, board = console
    pixels, labels = samples()
    board.load_image(taught_image(seeded=0))
    assert "(-104)" in type_line("learn 0")
    assert "(-28)" in type_line("score")
    for row in range(20):
        board.write("input", 0, np.resize(pixels[row], (BATCH, 64)))
        reported = type_line(f"learn {labels[row]}")
    assert reported == "class 9   2 kept of 2 learned\r\n"
    assert "store           20 of 24 samples\r\nidle training   off\r\n" in type_line("info")
    losses = [float(value) for value in re.findall(r"loss (\S+)  step \d+", type_line("train 300"))]
    assert len(losses) == 300 and np.mean(losses[-10:]) < np.mean(losses[:10]) / 4
    reported = type_line("score").splitlines()
    assert reported[:2] == ["class 0   2 of 2 right", "class 1   2 of 2 right"] and reported[-1] == "in all    100 %"
    board.write("input", 0, np.resize(pixels[19], (BATCH, 64)))
    type_line("train")
    assert re.search(r"class 9 \d+\.\d+", type_line("infer"))
    assert type_line("forget 9") == "2 samples dropped\r\n"
    assert "class 9" not in type_line("score")
    for line in ("learn", "learn x", "forget -1", "train of"):
        assert "(-109)" in type_line(line), line
    assert "(-15)" in type_line("learn 10")


def typed_at_once(link: Link, *lines: str) -> str:
    """Type lines without a pause between them, and return what the board prints up to the last prompt."""
    link.write("".join(f"{line}\r" for line in lines).encode())
    said = ""
    while said.count("\n> ") < len(lines):
        said += read_prompt(link)
    return said


def steps_of(board: BoardTarget) -> int:
    return board.board.metrics().train_steps


def test_idle_training(console):
    """It begins when the line has been quiet for a while, and leaves alone the sample, and what may still be read."""
    type_line, board = console
    pixels, _ = samples()
    board.load_image(taught_image())
    board.write("input", 0, np.resize(pixels[7], (BATCH, 64)))
    assert "train steps     0\r\n" in typed_at_once(board.board._link, "train on", "info")
    after_quiet(lambda: steps_of(board))
    assert "idle training   on" in type_line("info")
    board.run("infer")
    first = board.output(0)[0].argmax()
    assert re.search(rf"class {first} \S+\r\n$", type_line("infer"))
    assert re.fullmatch(r"class 7   \d kept of 4 learned\r\n", type_line("learn 7"))
    assert type_line("train off") == ""
    steps = steps_of(board)
    time.sleep(QUIET)
    assert board.store().idle is False and steps_of(board) == steps


@pytest.mark.parametrize("ends", ["labels", "a batch", "Ctrl-C"])
def test_what_ends_idle_training(console, ends):
    type_line, board = console
    pixels, labels = samples()
    board.load_image(taught_image())
    board.board.set_idle_training(True)
    board.write("input", 0, pixels[:1])
    assert board.store().idle
    if ends == "labels":
        board.write("label", 0, labels[:BATCH])
    elif ends == "a batch":
        board.write("input", 0, pixels[:BATCH])
    else:
        assert "^C" in type_line("\x03")
    assert not board.store().idle


def test_idle_training_waits_for_something_to_learn(console):
    _, board = console
    board.load_image(taught_image(seeded=0))
    board.board.set_idle_training(True)
    time.sleep(QUIET)
    assert steps_of(board) == 0 and board.store().idle
    board.learn(1, samples()[0][0])
    after_quiet(lambda: steps_of(board))


def test_a_target_by_name_is_taught_too(firmware):
    with open_target("qemu:mps2-an386") as target:
        target.load_image(taught_image())
        assert target.replay().train_steps == 1
