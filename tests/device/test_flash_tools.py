"""Real parts are programmed: files, commands, and the whole way with simulated tools."""

from __future__ import annotations

import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from gradmote.device.boards import Board, board
from gradmote.device.flash import emulated, flow, real, tools
from gradmote.device.flash.elf import Segment
from gradmote.device.flash.formats import flat_binary, intel_hex, uf2
from gradmote.device.flash.tools import TOOLS, Job
from gradmote.device.ports import Port, serial_ports
from gradmote.errors import DeviceError, ModelError
from support.small_elf import identity, write_elf

SEGMENTS = [Segment(0x0800_FFF8, bytes(range(12))), Segment(0x0801_0010, b"\xaa\xbb")]
KNOWN = replace(board("mps2-an386"), emulator=(), usb=("0483:374b",), upload={"openocd": "board/x.cfg"})

# ---- Files ----------------------------------------------------------------------------------------------------------


def test_a_flat_binary_has_erased_flash_in_its_gaps() -> None:
    assert flat_binary(SEGMENTS) == bytes(range(12)) + b"\xff" * 12 + b"\xaa\xbb"


def test_intel_hex_says_every_byte_at_its_address() -> None:
    memory, upper = {}, 0
    lines = intel_hex(SEGMENTS).decode().split()
    for line in lines:
        record = bytes.fromhex(line[1:])
        assert line[0] == ":" and sum(record) % 256 == 0
        length, address, kind = struct.unpack_from(">BHB", record)
        data = record[4:-1]
        assert len(data) == length
        if kind == 4:
            upper = int.from_bytes(data, "big") << 16
        memory |= {upper + address + i: byte for i, byte in enumerate(data)} if kind == 0 else {}
    assert lines[-1] == ":00000001FF"
    assert memory == {s.address + i: byte for s in SEGMENTS for i, byte in enumerate(s.data)}


def test_uf2_has_whole_aligned_blocks_of_one_family() -> None:
    data = uf2(SEGMENTS, 0xE48BFF56)
    blocks = [data[at : at + 512] for at in range(0, len(data), 512)]
    memory = b""
    for index, block in enumerate(blocks):
        magic, second, flags, address, size, number, count, family = struct.unpack_from("<8I", block)
        assert (magic, second, block[-4:]) == (0x0A324655, 0x9E5D5157, struct.pack("<I", 0x0AB16F30))
        assert (flags, size, number, count, family) == (0x2000, 256, index, 2, 0xE48BFF56)
        assert address == 0x0800_FF00 + 256 * index and len(block) == 512
        memory += block[32:288]
    flat = flat_binary(SEGMENTS)
    assert memory == b"\xff" * 0xF8 + flat + b"\xff" * (512 - 0xF8 - len(flat))


# ---- Commands -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "setting", "wanted"),
    [
        ("openocd", "board/x.cfg", ["openocd -f board/x.cfg -c program {/b/f.elf} verify reset exit"]),
        ("pyocd", "nrf52840", ["pyocd flash --no-wait --target nrf52840 /b/f.elf"]),
        ("st-flash", "", ["st-flash --reset write /b/f.elf 0x8000000"]),
        (
            "dfu-util",
            "0483:df11",
            ["dfu-util --device 0483:df11 --alt 0 --dfuse-address 0x8000000:leave --download /b/f.elf"],
        ),
        (
            "esptool",
            "esp32s3",
            [
                "esptool --chip esp32s3 elf2image --output /b/f.esp.bin /b/f.elf",
                "esptool --chip esp32s3 --port /dev/ttyACM0 write_flash 0x10000 /b/f.esp.bin",
            ],
        ),
        ("picotool", "", ["picotool load --verify --execute /b/f.elf --force"]),
        ("uf2", "0xe48bff56", []),
        ("teensy", "TEENSY41", ["teensy_loader_cli --mcu=TEENSY41 -s -w -v /b/f.elf"]),
        ("bossac", "", ["bossac --port=/dev/ttyACM0 --info --usb-port --erase --write --verify --reset /b/f.elf"]),
        (
            "platformio",
            "pico",
            ["pio run --project-dir /b/f.elf --environment pico --target upload --upload-port /dev/ttyACM0"],
        ),
    ],
)
def test_the_commands_of_a_tool(tool: str, setting: str, wanted: list[str]) -> None:
    job = Job(Path("/b/f.elf"), 0x0800_0000, setting, "/dev/ttyACM0")
    commands = TOOLS[tool].commands(job)
    assert [" ".join(command) for command in commands] == wanted
    assert all(command[0] == TOOLS[tool].program for command in commands)


def test_the_first_tool_that_is_installed_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    upload = {"openocd": "x", "pyocd": "y"}
    with pytest.raises(DeviceError, match=r"no tool .*openocd: apt-get install openocd; or pyocd: pip install pyocd"):
        tools.choose("b", upload)
    with pytest.raises(DeviceError, match="nothing is known that programs b"):
        tools.choose("b", {})
    pretend(tmp_path, "pyocd", 0)
    assert tools.choose("b", upload) == "pyocd"
    pretend(tmp_path, "openocd", 0)
    assert tools.choose("b", upload) == "openocd"
    assert tools.choose("b", upload, "pyocd") == "pyocd"
    assert tools.choose("b", {"uf2": "1"}) == "uf2"
    with pytest.raises(DeviceError, match="esptool does not program b - what does: openocd, pyocd"):
        tools.choose("b", upload, "esptool")


def test_a_uf2_file_is_copied_to_the_one_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MOUNTS", [f"{tmp_path}/*"])
    monkeypatch.setattr(tools, "_UF2_RESTART_SECONDS", 0.0)
    (tmp_path / "firmware.uf2").write_bytes(b"blocks")
    job = Job(tmp_path / "firmware.uf2", 0, "0x1", "")
    with pytest.raises(DeviceError, match="0 drives .*hold the board's BOOT button"):
        TOOLS["uf2"].prepare(job)
    (tmp_path / "RPI-RP2").mkdir()
    (tmp_path / "RPI-RP2" / "INFO_UF2.TXT").touch()
    TOOLS["uf2"].prepare(job)
    assert (tmp_path / "RPI-RP2" / "firmware.uf2").read_bytes() == b"blocks"


# ---- Ports ----------------------------------------------------------------------------------------------------------

ST_LINK = Port("/dev/ttyACM0", "0483:374b", "STM32 STLink")
OTHER = Port("/dev/ttyUSB0", "10c4:ea60", "CP2102")


def test_a_board_is_found_by_its_usb_ids() -> None:
    assert real.choose_port(KNOWN, None, [OTHER, ST_LINK]) == "/dev/ttyACM0"
    assert real.choose_port(KNOWN, "COM7", [OTHER]) == "COM7"


def test_a_part_in_its_boot_loader_has_no_port_yet() -> None:
    assert real.choose_port(KNOWN, None, [OTHER], optional=True) == ""
    without = Job(Path("/b"), 0, "pico", "")
    assert TOOLS["platformio"].commands(without) == [
        ["pio", "run", "--project-dir", "/b", "--environment", "pico", "--target", "upload"]
    ]


def test_no_port_or_several_are_told_with_what_is_there() -> None:
    with pytest.raises(DeviceError, match=r"no port is that of mps2-an386 \(0483:374b\).*\n.*ttyUSB0.*plugged in"):
        real.choose_port(KNOWN, None, [OTHER])
    with pytest.raises(DeviceError, match=r"2 ports may be mps2-an386:\n .*ttyACM0.*\n .*ttyACM1.*choose one: --port"):
        real.choose_port(KNOWN, None, [ST_LINK, replace(ST_LINK, device="/dev/ttyACM1")])


def test_only_ports_on_usb_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    usb, plain = ListPortInfo("/dev/ttyACM0"), ListPortInfo("/dev/ttyS0")
    usb.vid, usb.pid, usb.description = 0x483, 0x374B, "STM32 STLink"
    monkeypatch.setattr(list_ports, "comports", lambda: [plain, usb])
    assert serial_ports() == [ST_LINK]


# ---- The whole way --------------------------------------------------------------------------------------------------


def pretend(folder: Path, name: str, status: int) -> Path:
    """A tool that notes how it was called; returns its notes."""
    notes = folder / f"{name}.txt"
    (folder / name).write_text(f'#!/bin/sh\necho "$@" >> {notes}\necho "{name} says something"\nexit {status}\n')
    (folder / name).chmod(0o755)
    return notes


@pytest.fixture
def part(firmware: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[emulated.Running]:
    """A board that answers at a port, once it has been programmed."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    yield emulated.program(firmware, board("mps2-an386"))
    emulated.stop("mps2-an386")


def order(part: emulated.Running, tmp_path: Path, image: bytes, known: Board = KNOWN) -> flow.Order:
    (tmp_path / "model.mote").write_bytes(image)
    shutil.copyfile(part.firmware, tmp_path / "firmware.elf")
    return flow.Order(known, tmp_path / "model.mote", part.url, firmware=tmp_path / "firmware.elf")


@pytest.mark.device
def test_a_real_board_is_programmed_and_gets_the_model(part, tmp_path: Path, image: bytes) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    stages: list[str] = []
    done = flow.flash(order(part, tmp_path, image), flow.Watch(stages.append))
    assert notes.read_text() == f"-f board/x.cfg -c program {{{tmp_path}/firmware.hex}} verify reset exit\n"
    last = (tmp_path / "firmware.hex").read_text().split()[-2]  # the model goes along
    assert bytes.fromhex(last[9:-2]) == image[-(len(image) % 16 or 16) :]
    assert (done.board, done.tool, done.pid, done.image) == ("mps2-an386", "openocd", 0, len(image))
    assert done.model_id == image[16:32].hex()
    assert stages == ["program mps2-an386 with openocd", "wait for its answer", "send the model"]


@pytest.mark.device
def test_firmware_of_another_board_is_not_programmed(part, tmp_path: Path, image: bytes) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    wrong = replace(order(part, tmp_path, image, replace(KNOWN, name="nucleo")), force=True)
    with pytest.raises(DeviceError, match=r"firmware.elf is for mps2-an386, not nucleo.* - say --board mps2-an386"):
        flow.flash(replace(wrong, firmware=Path(part.firmware)), flow.Watch())
    assert not notes.exists()


@pytest.mark.device
def test_a_part_in_its_boot_loader_is_programmed_and_its_port_found(
    part, tmp_path: Path, image: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real, "_RETRY_SECONDS", 0.01)
    lists = iter([[], [OTHER]])
    monkeypatch.setattr(flow, "serial_ports", lambda: [OTHER])
    monkeypatch.setattr(real, "serial_ports", lambda: next(lists, [replace(ST_LINK, device=part.url)]))
    notes = pretend(tmp_path, "picotool", 0)
    pico = replace(KNOWN, upload={"picotool": "0xe48bff56"})
    done = flow.flash(replace(order(part, tmp_path, image, pico), port=None), flow.Watch())
    assert notes.read_text() == f"load --verify --execute {tmp_path}/firmware.uf2 --force\n"
    assert (done.port, done.tool, done.image) == (part.url, "picotool", len(image))


@pytest.mark.device
def test_a_port_that_cannot_be_opened(part, tmp_path: Path, image: bytes) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    with pytest.raises(DeviceError, match="cannot open /dev/no-such-port"):
        flow.flash(replace(order(part, tmp_path, image), port="/dev/no-such-port"), flow.Watch())
    assert not notes.exists()


@pytest.mark.device
def test_a_tool_that_fails_is_quoted(part, tmp_path: Path, image: bytes) -> None:
    pretend(tmp_path, "openocd", 3)
    with pytest.raises(
        DeviceError, match=r"not programmed: openocd ended with status 3\n  openocd says something - .*flash again"
    ):
        flow.flash(order(part, tmp_path, image), flow.Watch())


@pytest.mark.device
def test_ctrl_c_while_a_tool_programs(part, tmp_path: Path) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    (tmp_path / "openocd").write_text((tmp_path / "openocd").read_text().replace("exit 0", "exec sleep 60"))
    write_elf(tmp_path / "firmware.elf", identity("nucleo-f446re"))
    words = ["flash", "--board", "nucleo-f446re", "--port", part.url, "--firmware", str(tmp_path / "firmware.elf")]
    command = [sys.executable, "-c", "import sys; from gradmote.cli import main; sys.exit(main())", *words, "--force"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not notes.exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert process.returncode == 1
    assert "stopped while nucleo-f446re was programmed: its firmware may be half written" in said
    assert "run the same command again" in said


@pytest.mark.device
def test_nothing_is_programmed_where_another_board_answers(part, tmp_path: Path, image: bytes) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    another = order(part, tmp_path, image, replace(KNOWN, name="nucleo"))
    with pytest.raises(DeviceError, match=r"is mps2-an386, not nucleo - .*--board mps2-an386; or --force"):
        flow.flash(another, flow.Watch())
    assert not notes.exists()
    write_elf(tmp_path / "firmware.elf", identity("nucleo"))
    with pytest.raises(DeviceError, match=r"was flashed, but mps2-an386 with version .* answers"):
        flow.flash(replace(another, force=True), flow.Watch())


@pytest.mark.device
def test_nothing_is_programmed_where_the_model_does_not_fit(part, tmp_path: Path, image: bytes) -> None:
    notes = pretend(tmp_path, "openocd", 0)
    small = replace(KNOWN, image_area=1000)
    with pytest.raises(ModelError, match=r"does not fit mps2-an386: it lacks 648 B of flash; nothing was changed"):
        flow.flash(order(part, tmp_path, image, small), flow.Watch())
    assert not notes.exists()
