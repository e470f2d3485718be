"""Power that fails while a board saves: what it then has in its flash is taken to a new machine, which must start with
the newest complete checkpoint or the one before it, and train on to the bits of a run without interruption.

Power fails after each change of flash: on the micro:bit each word and each page that its controller (NVMC) writes, on
the others, whose RAM plays flash, each call that erases or programs. GRADMOTE_EVERY_CUT=1: after every one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from bench.soak import image, prepare
from boards import Board as BoardFolder
from boards import boards as board_folders

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import Target, TwinTarget
from gradmote.device.boards import board, boards
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.flash.elf import Segment
from runtime_sources import ROOT
from support.debugger import Debugger
from support.emulated_part import EmulatedPart
from support.firmware import build_firmware
from support.quantized import small_cnn

pytestmark = pytest.mark.device

EVERY = os.environ.get("GRADMOTE_EVERY_CUT") == "1"
KEEPING = [known.name for known in boards() if known.emulator and known.flash_is_emulated]
BOARDS = KEEPING if EVERY else ["microbit", "mps2-an386"]
SOME = 8
STEPS, SEED = 1000, 0
#: Board and what it learns: the MLP of bench.soak in float32, or an int8 network.
CASES = [(name, "float32") for name in BOARDS] + [(name, "int8") for name in (BOARDS if EVERY else ["mps2-an386"])]
#: Steps at which checkpoints are kept; in the last of these saves power fails.
KEPT, BEFORE, NOW, END = 2, 4, 6, 9
#: Of one save, at least: words that are programmed, and calls.
WORDS, CALLS = 700, 4


@dataclass(frozen=True)
class Save:
    """The flash outside of the firmware while a third checkpoint is written. files: all except its slot. slot: the
    address of that. contents: of it, before the first change and after each."""

    files: list[Segment]
    slot: int
    contents: list[bytes]

    def after(self, changes: int) -> list[Segment]:
        return [*self.files, Segment(self.slot, self.contents[changes])]


def train(target: Target, steps: int) -> bytes:
    """Return the state after some more steps."""
    for _ in range(steps):
        target.replay()
    return target.state()


@cache
def model(weights: str) -> bytes:
    """Return the image: of bench.soak, or of an int8 network with digits in its store, for one label a step."""
    if weights == "float32":
        return image(STEPS)
    x, y = small_cnn.samples()
    options = Options(batch=1, store=StoreOptions(20, "int8", x[:60], y[:60]))
    return compile_model(small_cnn.model(), losses.cross_entropy(), optimizers.sgd(0.05), options).image


@cache
def expected(profile: str, weights: str) -> list[bytes]:
    """Return the twin's states after 0, 1, 2 ... steps."""
    with TwinTarget(profile) as twin:
        prepare(twin, STEPS, SEED, model(weights))
        return [train(twin, steps > 0) for steps in range(END + 1)]


def firmware(name: str, weights: str) -> Path:
    """Build a board's firmware: for the image alone if int8 has no room beside all else."""
    if weights == "float32" or board_folder(name).table.get("int8", True):
        build_firmware(board=name)
        return default_firmware(name)
    path = ROOT / "build" / "power_cuts" / "power_cuts.mote"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model(weights))
    build_firmware(f"MODEL={path}", board=name)
    return default_firmware(name).parents[1] / f"{name}-{path.stem}" / "firmware.elf"


def board_folder(name: str) -> BoardFolder:
    """Return a board's folder with its table."""
    return next(found for found in board_folders() if found.name == name)


def before_the_last_save(part: EmulatedPart, weights: str) -> None:
    """Two checkpoints are kept, and something was learned since."""
    prepare(part.target, STEPS, SEED, model(weights))
    for steps in (KEPT, BEFORE - KEPT):
        train(part.target, steps)
        part.target.save()
    train(part.target, NOW - BEFORE)


def changes_of_a_save(part: EmulatedPart) -> Iterator[Debugger]:
    """Stop the processor before the first change of flash, after each, and at last before the answer."""
    debugger = part.begin_save()
    yield debugger
    while not part.has_answered(debugger):
        debugger.step()
        yield debugger
        debugger.run()
    yield debugger
    debugger.detach()


def watched_save(part: EmulatedPart) -> Save:
    size, start = part.slot_size, part.known.image_address
    checkpoints = start + part.known.image_area
    slot, image = checkpoints + 2 * size, part.target.image()
    contents: list[bytes] = []
    for debugger in changes_of_a_save(part):
        found = debugger.read(slot, size)
        if not contents:
            kept = Segment(checkpoints, debugger.read(checkpoints, 2 * size))
        if contents[-1:] != [found]:
            contents.append(found)
    return Save([Segment(start, image), kept], slot, contents)


def some_of(count: int) -> list[int]:
    """The first and the last two, and others between; all with GRADMOTE_EVERY_CUT."""
    if EVERY or count <= SOME:
        return list(range(count))
    between = random.Random(SEED).sample(range(2, count - 2), SOME - 4)
    return [0, 1, *sorted(between), count - 2, count - 1]


def check_that_nothing_is_lost(part: EmulatedPart, states: list[bytes]) -> int:
    """Return the step at which it starts. It goes on from there as if nothing had happened, and saves and restarts
    again."""
    target = part.target
    state = target.state()
    assert state in (states[BEFORE], states[NOW])
    step = BEFORE if state == states[BEFORE] else NOW
    assert train(target, END - step) == states[END]
    target.save()
    target.board.reboot()
    assert target.state() == states[END]
    return step


@pytest.mark.parametrize("name, weights", CASES)
def test_power_fails_while_a_board_saves(name: str, weights: str) -> None:
    elf, states = firmware(name, weights), expected(board(name).profile, weights)
    with EmulatedPart(name, elf=elf) as part:
        before_the_last_save(part, weights)
        save = watched_save(part)
    count, found = len(save.contents), []
    for changes in some_of(count):
        with EmulatedPart(name, save.after(changes), elf) as part:
            found.append(check_that_nothing_is_lost(part, states))
    reported = f"the new checkpoint found {found.count(NOW)} times, the one before it {found.count(BEFORE)} times"
    print(f"{name}, {weights}: {count - 1} changes of flash, power fails {len(found)} times: {reported}")
    assert found == sorted(found) and (found[0], found[-1]) == (BEFORE, NOW)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("name, weights", CASES)
def test_a_board_is_reset_while_it_saves(name: str, weights: str, share: float) -> None:
    """Its memory is that of the same machine. share: of the save."""
    with EmulatedPart(name, elf=firmware(name, weights)) as part:
        before_the_last_save(part, weights)
        changes = round(share * (CALLS if part.plays_flash else WORDS))
        debugger = next(islice(changes_of_a_save(part), changes, None))
        part.reset(debugger)
        assert check_that_nothing_is_lost(part, expected(board(name).profile, weights)) == BEFORE
