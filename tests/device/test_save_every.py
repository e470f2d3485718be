"""`save every N`: when the power goes, the board comes back with its last N-th update, on the way to the same bits."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, Target, TwinTarget
from gradmote.device.boards import board as board_of
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.device.fitting import train_once
from gradmote.device.flash import emulated
from gradmote.device.flash.emulated import Running
from gradmote.device.flash.gdb import Gdb
from gradmote.device.link import open_link
from gradmote.device.types import Saves
from gradmote.errors import RuntimeFault
from support.console_text import read_until
from support.digits import artifacts, samples
from support.firmware import build_firmware
from support.quiet import after_quiet

pytestmark = pytest.mark.device

BATCH, EVERY, UPDATES = 4, 3, 20
FULL = -21
KNOWN = board_of("mps2-an386")


def image_of(accumulate: bool = False, store: bool = False, properties: int = 4) -> bytes:
    pixels, labels = samples()
    kept = StoreOptions(24, "int8", pixels[:100], labels[:100]) if store else None
    options = Options(batch=BATCH, accumulate=accumulate, store=kept, properties=properties)
    return compile_image(artifacts(optimizers.adamw(0.003)), options).image


def sha256(target: Target) -> str:
    return hashlib.sha256(target.state()).hexdigest()


def by_frames(target: Target, number: int) -> None:
    """Update `number`, on samples of its own."""
    pixels, labels = samples()
    rows = slice(number * BATCH % 1000, number * BATCH % 1000 + BATCH)
    target.write("input", 0, pixels[rows])
    target.write("label", 0, labels[rows])
    train_once(target)


def by_replay(target: Target, number: int) -> None:
    target.replay()


def typed(target: Target, number: int) -> None:
    """Train on the store's samples, as replay() does."""
    if isinstance(target, BoardTarget):
        said = target.board.type("train")
        assert ("saved, update" in said) == ((number + 1) % EVERY == 0)
    else:
        target.replay()


def uninterrupted(image: bytes, update: Callable[[Target, int], None], saved: list[bytes]) -> list[str]:
    """The twin's state after each update, with what is in a checkpoint made of it."""
    with TwinTarget("strict") as twin, TwinTarget("strict") as loaded:
        twin.load_image(image)
        loaded.load_image(image)
        twin.on_save = saved.append
        twin.save_every(EVERY)
        states = []
        for number in range(UPDATES):
            loaded.load(twin.session.save())
            states.append(sha256(loaded))
            update(twin, number)
        loaded.load(twin.session.save())
        return [*states, sha256(loaded)]


@pytest.mark.parametrize(
    "update, accumulate", [(by_frames, False), (by_frames, True), (by_replay, False), (typed, False), (typed, True)]
)
def test_a_restart_after_any_update(emulator: Emulator, update: Callable[[Target, int], None], accumulate: bool):
    """Runs of a few updates, each ended by a restart, reach what one run without any does."""
    image = image_of(accumulate, store=update is not by_frames)
    saved: list[bytes] = []
    states = uninterrupted(image, update, saved)
    chance = random.Random(0)
    with emulator.connect() as client:
        board = BoardTarget(client)
        board.load_image(image)
        board.save_every(EVERY)
        number, cuts = 0, 0
        while number < UPDATES:
            for _ in range(min(chance.choice((1, 2, 3, 4, 5, 7)) if number else 4, UPDATES - number)):
                update(board, number)
                number += 1
            assert board.saves().error == 0
            if number < UPDATES:
                client.reboot()
                number, cuts = number // EVERY * EVERY, cuts + 1
                assert sha256(board) == states[number]
                assert board.saves().every == EVERY
        client.reboot()
        assert cuts > 5 and client.read("CHECKPOINT") == saved[-1]
        assert sha256(board) == states[UPDATES // EVERY * EVERY]


@pytest.fixture
def part(firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A board, flashed and running."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    yield emulated.program(firmware, KNOWN)
    emulated.stop(KNOWN.name)


def cut_power(part: Running) -> None:
    """Cut and restore the power. Flash keeps its bytes; RAM holds anything when the power is back."""
    gdb = Gdb(part.debugger)
    gdb.write(0x2000_0000, b"\xa5" * KNOWN.ram)
    gdb.monitor("system_reset")
    gdb.detach()


def test_power_that_goes_at_any_moment_of_a_training(part: Running):
    """Power also goes in the middle of a step, or of a save."""
    image, before = image_of(store=True), 0
    chance = random.Random(1)
    with TwinTarget("strict") as twin:
        twin.load_image(image)
        twin.save_every(EVERY)
        with Client.connect(part.url) as client:
            BoardTarget(client).load_image(image)
            client.save_every(EVERY)
        for _ in range(3):
            link = open_link(part.url)
            link.write(b"train 1000000\r")
            read_until(link, "saved, update ")
            time.sleep(chance.uniform(0, 0.3))
            link.close()
            cut_power(part)
            with Client.connect(part.url) as client:
                steps = client.metrics().optimizer_steps
                assert steps % EVERY == 0 and steps > before
                while twin.session.control()["optimizer_steps"] < steps:
                    twin.replay()
                assert sha256(BoardTarget(client)) == sha256(twin)
            before = steps


def test_idle_training_saves(emulator: Emulator):
    image = image_of(store=True)
    with emulator.connect() as client, TwinTarget("strict") as twin:
        board = BoardTarget(client)
        for target in (board, twin):
            target.load_image(image)
            target.save_every(EVERY)
        client.set_idle_training(True)
        after_quiet(lambda: client.saves().saves)
        client.set_idle_training(False)
        client.reboot()
        steps = client.metrics().optimizer_steps
        assert steps > 0 and steps % EVERY == 0
        for _ in range(steps):
            twin.replay()
        assert sha256(board) == sha256(twin)


def test_typed(emulator: Emulator):
    with emulator.connect() as client:
        BoardTarget(client).load_image(image_of(store=True))
        assert client.type("save every").endswith("off\r\n")
        assert client.type("save every 2").startswith("save every 2\r\n2 updates, in ")
        assert client.saves().every == 2
        assert "save every      2 updates, in" in client.type("info")
        assert client.type("train 5").count("saved, update") == 2
        for line in ("save every 0", "save every x", "save all", "save everyday"):
            assert "(-109)" in client.type(line), line
        assert client.type("save every off").endswith("off\r\n")
        assert client.saves().every == 0 and "saved" not in client.type("train 4")


def test_a_model_without_a_free_property_is_refused(emulator: Emulator):
    with emulator.connect() as client, TwinTarget("strict") as twin:
        for target in (BoardTarget(client), twin):
            target.load_image(image_of(properties=0))
            with pytest.raises(RuntimeFault) as refused:
                target.save_every(10)
            assert refused.value.code == FULL
            target.save_every(0)


def test_flash_that_fails_is_told_once_and_training_goes_on():
    """The emulator of this board cannot program its flash."""
    build_firmware(board="netduinoplus2")
    with Emulator("netduinoplus2", image=image_of(store=True)) as emulator, emulator.connect() as client:
        client.save_every(2)
        said = client.type("train 6")
        assert said.count("step") == 6 and said.count("(-107)") == 1
        assert "save every: erasing or programming the flash failed (-107) - try again" in said
        assert client.saves() == Saves(every=2, slots=client.saves().slots, saves=0, error=-107)
