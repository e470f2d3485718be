"""The text console, as a person types it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from bindings import narrow
from gradmote import Session
from gradmote.cli import console as command
from gradmote.device import BoardTarget
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.device.link import Link
from gradmote.generated.console import COMMANDS
from support.classifier_image import LABELS, PIXELS
from support.console_text import read_prompt, read_until

pytestmark = pytest.mark.device

Type = Callable[[str], str]


@pytest.fixture
def link(emulator: Emulator) -> Iterator[Link]:
    opened = emulator.take_link()
    assert "firmware        0.1.0 on mps2-an386, strict" in read_prompt(opened)
    yield opened
    opened.close()


@pytest.fixture
def type_line(link: Link) -> Type:
    def send(line: str) -> str:
        link.write(line.encode() + b"\r")
        return read_prompt(link).removeprefix(line + "\r\n").removesuffix("> ")

    return send


@pytest.fixture
def trained(link: Link, image: bytes) -> Client:
    """A model with samples in place."""
    board = Client(link)
    target = BoardTarget(board)
    target.load_image(image)
    target.write("input", 0, np.array(PIXELS, np.float32))
    target.write("label", 0, np.array(LABELS, np.int32))
    return board


def test_help_lists_every_command(type_line: Type) -> None:
    lines = type_line("help").splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert all(line.endswith(COMMANDS[line.split()[0]][1]) for line in lines)


def test_without_a_model_the_commands_say_so(type_line: Type) -> None:
    taught = ("learn 0", "forget 0", "score", "train on")
    for line in ("lr", "train", "eval", "infer", "save", "load", "reset model", *taught):
        assert "the board has no model (-103) - " in type_line(line)


def test_unknown_commands_and_arguments_are_refused(trained: Client, type_line: Type) -> None:
    assert type_line("trian") == "unknown command 'trian' - type help\r\n"
    for line in ("lr fast", "lr 1e", "lr nan", "train 0", "train x", "reset all"):
        assert "the command does not take this argument (-109) - type help" in type_line(line), line
    assert "(-1)" in type_line("lr -1")
    assert type_line("") == ""


def test_a_session(trained: Client, type_line: Type) -> None:
    assert type_line("lr") == "0.500000\r\n"
    assert type_line("lr 2.5e-1") == "0.250000\r\n"
    losses = [float(value) for value in re.findall(r"loss (\S+)  step \d", type_line("train 3"))]
    assert len(losses) == 3 and losses[0] > losses[1] > losses[2]
    assert type_line("save").endswith("bytes saved\r\n")
    loss = type_line("eval")
    type_line("train")
    assert type_line("eval") != loss
    assert type_line("load") == "loaded, at train step 3\r\n"
    assert type_line("eval") == loss
    assert "train steps     3" in type_line("info")


def test_infer_prints_the_outputs(trained: Client, type_line: Type) -> None:
    values, best = type_line("infer").splitlines()
    outputs = BoardTarget(trained).output(0)
    np.testing.assert_allclose([float(value) for value in values.split()[1:]], outputs.ravel(), atol=1e-6)
    assert best.startswith(f"class {outputs[0].argmax()} ")


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_infer_names_the_class_of_integer_scores(link: Link, type_line: Type, dtype: str) -> None:
    made, x = narrow.image(dtype), narrow.samples(np.random.default_rng(2), dtype, 1)
    target = BoardTarget(Client(link))
    target.load_image(made)
    target.write("input", 0, x)
    with Session(made, "strict") as twin:
        scores = twin.infer(x)[0].tolist()[0]
        label, score = twin.classify()
    assert score == max(scores) == scores[label]
    values, best = type_line("infer").splitlines()
    assert [int(value) for value in values.split()[1:]] == scores
    assert best == f"class {label} {score:.6f}"


def test_mem_shows_what_the_protocol_tells(trained: Client, type_line: Type) -> None:
    text = type_line("mem")
    memory = trained.mem()
    shown = {"static": memory.static_ram, "arena": memory.arena_available, "model": memory.arena_required}
    for label, value in shown.items():
        assert re.search(rf"{label} +{value}\r", text)


def test_editing_a_line(type_line: Type, link: Link) -> None:
    link.write(b"garbage\x15hepl\x08\x7flp\r")
    assert "list the commands" in read_prompt(link)
    assert "unknown command" in type_line("x" * 200)


def test_ctrl_c_ends_a_long_training(trained: Client, type_line: Type, link: Link) -> None:
    link.write(b"train 1000000\r")
    read_until(link, "step 5\r")
    link.write(b"\x03")
    assert "^C" in read_prompt(link)
    assert trained.metrics().train_steps < 1_000_000


def test_reset_restarts_the_board(trained: Client, type_line: Type) -> None:
    assert "type help" in type_line("reset")


def test_a_terminal_cannot_send_the_start_of_a_frame() -> None:
    assert command.typed(b"a\x01b\n") == b"ab\r"
