"""Stories of what goes wrong on the host: each ends in words that say what to do, and in a board that works."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradmote import cli
from gradmote.device import BoardTarget
from gradmote.device.boards import board
from gradmote.device.client import Client
from gradmote.device.device_log import GREETING
from gradmote.device.flash import emulated, flow
from gradmote.device.flash.emulated import Running
from gradmote.device.flash.gdb import Gdb
from gradmote.device.link import open_link
from gradmote.errors import DeviceError, RuntimeFault
from gradmote.generated.console import FAULTS
from support.cable import Cable
from support.classifier_image import ARENA_SIZE, LABELS, PIXELS

pytestmark = pytest.mark.device

KNOWN = board("mps2-an386")
RAM = 0x2000_0000
NO_IMAGE = next(code for code, (name, _, _) in FAULTS.items() if name == "NO_IMAGE")
BAD_CRC = -5
UNDEFINED = bytes.fromhex("00de")  # an instruction that no Cortex-M has


@pytest.fixture
def part(firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A board, flashed and running."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    yield emulated.program(firmware, KNOWN)
    emulated.stop(KNOWN.name)


@pytest.fixture
def cable(part: Running) -> Iterator[Cable]:
    cable = Cable(part.url)
    yield cable
    cable.unplug()


def connect(url: str) -> BoardTarget:
    return BoardTarget(Client.connect(url))


def train(target: BoardTarget, image: bytes, steps: int = 3) -> int:
    """Train steps in all, afterwards."""
    target.load_image(image)
    target.write("input", 0, np.array(PIXELS, np.float32))
    target.write("label", 0, np.array(LABELS, np.int32))
    return [target.run("step") for _ in range(steps)][-1].train_steps


def cut_power(part: Running) -> None:
    """Cut and restore the power. Flash keeps its bytes; RAM holds anything when the power is back."""
    gdb = Gdb(part.debugger)
    gdb.write(RAM, b"\xa5" * KNOWN.ram)
    gdb.monitor("system_reset")
    gdb.detach()


def trains_again(url: str, image: bytes) -> None:
    with connect(url) as target:
        assert train(target, image) == 3


# ---- Cable and power ------------------------------------------------------------------------------------------------


def test_the_cable_is_pulled_while_training_and_put_back(cable: Cable, image: bytes) -> None:
    with connect(cable.port) as target:
        train(target, image)
        cable.unplug()
        with pytest.raises(DeviceError, match=r"lost the connection to /dev/pts/.* - check cable and power, then run"):
            target.run("step")
    cable.plug()
    with connect(cable.port) as target:  # the board never lost its power
        assert target.board.metrics().train_steps == 3
        assert target.run("step").train_steps == 4


def test_the_board_dies_while_training(part: Running, firmware: Path, image: bytes) -> None:
    with connect(part.url) as target:
        train(target, image)
        os.kill(part.pid, signal.SIGKILL)
        with pytest.raises(DeviceError, match=r"lost the connection to socket://.* - check cable and power"):
            for _ in range(3):
                target.run("step")
    trains_again(emulated.program(firmware, KNOWN).url, image)


def test_the_power_fails_between_two_steps(part: Running, image: bytes) -> None:
    """The next command reports it: otherwise the training would silently go on from the checkpoint."""
    with connect(part.url) as target:
        train(target, image)
        target.save()
        target.run("step")
        cut_power(part)
        with pytest.raises(DeviceError, match=r"restarted by itself; DATA was not answered - check its power supply"):
            target.write("input", 0, np.array(PIXELS, np.float32))
        assert target.board.metrics().train_steps == 3  # the next command works, from what was saved
    trains_again(part.url, image)


def test_a_fault_on_the_board_reaches_the_one_who_waits(part: Running, image: bytes) -> None:
    with connect(part.url) as target:
        train(target, image)
        gdb = Gdb(part.debugger)
        gdb.write(address_of(part.firmware, "gm_run"), UNDEFINED)
        gdb.detach()
        with pytest.raises(DeviceError, match=r"restarted after a fault: status 0x\w+, pc 0x\w+; RUN was not answered"):
            target.run("step")
        assert target.board.refresh().status == 0
    trains_again(emulated.program(Path(part.firmware), KNOWN).url, image)


def address_of(elf: str, name: str) -> int:
    listed = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[0], 16) for line in listed.splitlines() if line.endswith(f" {name}"))


def test_a_restart_that_was_asked_for_is_none_to_complain_of(cable: Cable, image: bytes) -> None:
    with connect(cable.port) as target:
        train(target, image)
        target.board.reboot()
        assert train(target, image) == 3


# ---- The wrong thing at the other end -------------------------------------------------------------------------------


def test_the_wrong_baud_rate(part: Running, cable: Cable, image: bytes) -> None:
    trains_again(cable.port, image)
    cable.garbles = True
    link = open_link(cable.port)
    for before in (lambda: None, lambda: cut_power(part)):  # its echo of what it cannot read, and its greeting
        before()
        with pytest.raises(DeviceError, match=r"neither text nor an answer to INFO - the baud rate differs"):
            Client(link, attempts=1)
    link.close()
    cable.garbles = False
    trains_again(cable.port, image)


def test_other_firmware_says_what_it_says(part: Running) -> None:
    class Login:
        url = "/dev/ttyACM0"

        def read(self, timeout: float) -> bytes:
            return b"\r\nmicropython 1.22\r\n>>> "

        def write(self, data: bytes) -> None: ...

        def close(self) -> None: ...

    with pytest.raises(DeviceError, match=r"says '>>>', but does not answer INFO - it runs other firmware"):
        Client(Login(), attempts=1)


def test_flash_refuses_the_wrong_board(part: Running, image: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.mote").write_bytes(image)
    another = replace(KNOWN, name="nucleo", emulator=(), upload={"uf2": "0x1"})
    order = flow.Order(another, tmp_path / "model.mote", part.url)
    with pytest.raises(DeviceError, match=r"is mps2-an386, not nucleo - flash it as what it is: --board mps2-an386"):
        flow.flash(order, flow.Watch())
    trains_again(part.url, image)


def test_firmware_of_another_version(part: Running, image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "__version__", "9.9.9")
    order = flow.Order(KNOWN, firmware=Path(part.firmware))
    with pytest.raises(DeviceError, match=r"with version 9.9.9 was flashed, but mps2-an386 with version 0.1.0 answers"):
        flow.flash(order, flow.Watch())
    monkeypatch.undo()


# ---- Too large ------------------------------------------------------------------------------------------------------


def with_arena(image: bytes, size: int) -> bytes:
    wanted, other = (value.to_bytes(4, "little") for value in (ARENA_SIZE, size))
    at = image.index(wanted, 32)
    return image[:at] + other + image[at + 4 :]


def test_a_model_with_too_large_an_arena_leaves_the_one_that_is_there(part: Running, image: bytes) -> None:
    with connect(part.url) as target:
        train(target, image)
        with pytest.raises(DeviceError, match=r"takes 1,000,000 B of RAM .* mps2-an386 has 12\d,\d+; it keeps"):
            target.load_image(with_arena(image, 1_000_000))
        assert target.run("step").train_steps == 4


def test_a_model_larger_than_its_area_leaves_the_one_that_is_there(part: Running, image: bytes) -> None:
    size = len(image) + KNOWN.image_area
    head = image[:8] + struct.pack("<I", size) + image[12:16] + b"another model..."
    with connect(part.url) as target:
        train(target, image)
        with pytest.raises(DeviceError, match=r"larger than the board's storage .*compile a smaller model"):
            target.load_image(head + image[32:] + bytes(KNOWN.image_area))
        assert target.run("step").train_steps == 4


def test_flash_refuses_a_model_that_does_not_fit_before_it_builds(
    part: Running, image: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "big.mote").write_bytes(image + bytes(KNOWN.image_area))
    assert cli.main(["flash", "--board", "mps2-an386", str(tmp_path / "big.mote")]) == 1
    said = capsys.readouterr().err
    assert f"does not fit mps2-an386: it lacks {len(image):,} B of flash; nothing was changed on the board" in said
    assert "gradmote analyze" in said
    assert emulated.running(KNOWN.name) == part
    trains_again(part.url, image)


# ---- Half an upload -------------------------------------------------------------------------------------------------


def stop_halfway(done: int, total: int) -> None:
    if 2 * done > total:
        raise KeyboardInterrupt


def test_an_image_is_sent_by_half(part: Running, image: bytes) -> None:
    with connect(part.url) as target, pytest.raises(KeyboardInterrupt):
        train(target, image)
        target.board.load_image(image, stop_halfway)
    with connect(part.url) as target:
        assert target.info().status == NO_IMAGE
        with pytest.raises(DeviceError, match=r"the board has no model \(NO_IMAGE, .*send one: gradmote train"):
            target.run("step")
    trains_again(part.url, image)


def test_the_power_fails_while_an_image_is_sent(part: Running, image: bytes) -> None:
    def cut(done: int, total: int) -> None:
        cut_power(part)

    with connect(part.url) as target:
        with pytest.raises(DeviceError, match=r"restarted by itself; IMAGE_\w+ was not answered"):
            target.board.load_image(image, cut)
        assert target.board.refresh().status == BAD_CRC
        with pytest.raises(RuntimeFault, match=r"checksum does not match .*transfer the file again"):
            target.run("step")
    trains_again(part.url, image)


@pytest.mark.parametrize("power_fails", [False, True], ids=["stopped", "power fails"])
def test_a_checkpoint_is_sent_by_half(part: Running, image: bytes, power_fails: bool) -> None:
    def stop(done: int, total: int) -> None:
        if power_fails:
            cut_power(part)
        raise KeyboardInterrupt

    with connect(part.url) as target:
        train(target, image, steps=5)
        newer = target.save()
        target.board.load_image(image)
        target.reset()
        train(target, image, steps=2)
        kept = target.save()
        with pytest.raises(KeyboardInterrupt):
            target.board.load_checkpoint(newer, stop)
    with connect(part.url) as target:
        target.board.load_kept_checkpoint()
        assert target.board.read("CHECKPOINT") == kept
        assert target.board.metrics().train_steps == 2
        target.load(newer)
        assert target.board.metrics().train_steps == 5


# ---- Two at once ----------------------------------------------------------------------------------------------------


def test_two_programs_at_one_serial_port(cable: Cable, image: bytes) -> None:
    with connect(cable.port) as first:
        train(first, image)
        with pytest.raises(DeviceError, match=r"another program uses it, and holds its lock - close that one"):
            connect(cable.port)
        assert first.run("step").train_steps == 4
    trains_again(cable.port, image)


def test_two_programs_at_one_emulated_line(part: Running, image: bytes) -> None:
    with connect(part.url) as first:
        train(first, image)
        with pytest.raises(DeviceError, match=r"no answer .* - another program may be connected .*one at a time"):
            Client.connect(part.url, attempts=1)
        assert first.run("step").train_steps == 4
    trains_again(part.url, image)


# ---- Half a firmware ------------------------------------------------------------------------------------------------


def test_flash_is_interrupted(part: Running, image: bytes, firmware: Path) -> None:
    with pytest.raises(DeviceError, match=r"stopped while mps2-an386 was programmed.* - run the same command again"):
        flow.flash(flow.Order(KNOWN, firmware=firmware), flow.Watch(moved=stop_halfway))
    assert emulated.running(KNOWN.name) is None
    trains_again(flow.flash(flow.Order(KNOWN, firmware=firmware), flow.Watch()).port, image)


def test_a_half_written_firmware_does_not_answer_and_is_flashed_again(part: Running, image: bytes) -> None:
    segment = emulated.read_segments(Path(part.firmware))[0]
    gdb = Gdb(part.debugger)
    half = len(segment.data) // 2
    gdb.write(segment.address + half, b"\xfe\xe7" * (half // 2))  # it hangs there; otherwise it would run into anything
    gdb.write(RAM, b"\xa5" * KNOWN.ram)
    gdb.monitor("system_reset")
    gdb.detach()
    with pytest.raises(DeviceError, match=r"(no answer|says|sends) .* or its firmware is damaged.*: gradmote flash"):
        Client.connect(part.url, attempts=1)  # half of it may print something
    trains_again(emulated.program(Path(part.firmware), KNOWN).url, image)


def test_the_firmware_greets_as_the_client_expects(part: Running) -> None:
    texts: list[str] = []
    with Client.connect(part.url) as client:
        client._on_text = texts.append
        for _ in range(3):  # on a busy computer the link may end first, and its text with it
            client.reboot()
            if GREETING in "".join(texts):
                break
    assert GREETING in "".join(texts)
