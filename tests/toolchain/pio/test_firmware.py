"""firmware/platformio.ini: the same firmware as SCons builds, uploaded to emulated boards, watched and tested there."""

from __future__ import annotations

import configparser
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from boards import boards

from gradmote import Session
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.flash.elf import read_segments
from gradmote.errors import DeviceError
from support.classifier_image import classifier_image
from support.firmware import build_firmware
from support.pio import Pio

BOARD = "mps2-an386"
BARE = [board.name for board in boards() if board.compiler]
EMULATED = [board.name for board in boards() if board.table.get("emulator")]

pytestmark = pytest.mark.device


def environments(ini: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ini)
    return parser


@pytest.mark.parametrize("name", BARE)
def test_every_board_with_a_compiler_has_an_environment(root: Path, name: str) -> None:
    found = environments(root / "firmware" / "platformio.ini")[f"env:{name}"]
    assert (found["extends"], found["board"]) == ("bare", name)
    assert ("monitor_port" in found) == (name in EMULATED)


def test_each_has_a_port_of_its_own(root: Path) -> None:
    ini = environments(root / "firmware" / "platformio.ini")
    ports = [ini[f"env:{name}"]["monitor_port"] for name in EMULATED]
    assert len(set(ports)) == len(ports) == len(EMULATED)


def test_platformio_reads_every_environment(pio: Pio, root: Path) -> None:
    """Check that PlatformIO reads the environments of real boards too, which cannot be built without its registry."""
    reported = {section: dict(options) for section, options in json.loads(pio("project", "config", "--json-output"))}
    wanted = [name for name in environments(root / "firmware" / "platformio.ini").sections() if name.startswith("env:")]
    assert set(wanted) <= set(reported) and len(wanted) >= len(EMULATED)
    assert all(reported[name]["platform"] for name in wanted)


@pytest.fixture(scope="module")
def elf(pio: Pio, conf: Path) -> Path:
    """Build the firmware with PlatformIO, and return the path of its ELF file."""
    said = pio("run", "-c", str(conf), "-e", BOARD)
    assert "Flash:" in said and "warning" not in said
    return pio.workspace / "build" / BOARD / "firmware.elf"


def test_scons_and_platformio_build_the_same(elf: Path) -> None:
    build_firmware(board=BOARD)
    built = read_segments(elf)
    assert sum(len(segment.data) for segment in built) > 50_000
    assert built == read_segments(default_firmware(BOARD))


@pytest.fixture
def board_port(elf: Path, pio: Pio, conf: Path) -> Iterator[str]:
    """Upload to the board, yield the port of its serial line, and stop the board in the end."""
    pio("run", "-c", str(conf), "-e", BOARD, "-t", "upload")
    yield environments(conf)[f"env:{BOARD}"]["monitor_port"]
    pio("run", "-c", str(conf), "-e", BOARD, "-t", "stop")


def test_an_uploaded_board_runs_until_it_is_stopped(board_port: str, pio: Pio, conf: Path) -> None:
    with Client.connect(board_port) as board:
        board.load_image(classifier_image())
        assert (board.info().name, board.info().status) == (BOARD, 0)
    first = pid(pio)
    said = pio("run", "-c", str(conf), "-e", BOARD, "-t", "upload")
    assert "programmed and verified" in said and board_port in said and pid(pio) != first
    with Client.connect(board_port) as board:
        assert board.info().image_size == 0, "another part, programmed with the firmware alone"
    assert "stopped" in pio("run", "-c", str(conf), "-e", BOARD, "-t", "stop")
    with pytest.raises(DeviceError, match="nothing listens"):
        Client.connect(board_port)


def pid(pio: Pio) -> int:
    """Return the process id of the emulator."""
    return int((pio.workspace / "emulated" / f"{BOARD}.pid").read_text())


def test_a_real_board_is_programmed_by_its_tools(elf: Path, root: Path, tmp_path: Path) -> None:
    """The first tool that is there does it; here, something that only notes what it was called with."""
    noted, openocd = tmp_path / "noted", tmp_path / "openocd"
    openocd.write_text(f'#!/bin/sh\necho "$@" > {noted}\n')
    openocd.chmod(0o755)
    script = [sys.executable, root / "firmware" / "platform" / "tools" / "board.py", "--state", tmp_path]
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([*script, "upload", "nucleo-f446re", elf, "/dev/ttyACM0"], env=environment, check=True)
    assert "st_nucleo_f4.cfg" in noted.read_text() and str(elf.with_suffix("")) in noted.read_text()


def test_its_monitor_talks_to_the_board(board_port: str, pio: Pio) -> None:
    """The monitor gets a terminal: it wants one."""
    command = [sys.executable, "-m", "platformio", "device", "monitor", "--port", board_port, "--quiet"]
    environment = {**os.environ, "PLATFORMIO_CORE_DIR": str(pio.core), "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no"}
    mine, its = pty.openpty()
    monitor = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, cwd=pio.project, env=environment)
    try:
        assert BOARD in typed_and_read(mine, b"info\r", until="fused")
    finally:
        monitor.terminate()
        monitor.wait()
        os.close(mine)
        os.close(its)


def typed_and_read(terminal: int, keys: bytes, until: str, seconds: float = 30.0) -> str:
    """Types again and again, for what comes before it listens is lost."""
    said, deadline, typed = "", time.monotonic() + seconds, 0.0
    while until not in said and time.monotonic() < deadline:
        if time.monotonic() - typed > 2.0:
            os.write(terminal, keys)
            typed = time.monotonic()
        if select.select([terminal], [], [], 0.1)[0]:
            said += os.read(terminal, 4096).decode(errors="replace")
    return said


def test_the_tests_of_the_board_pass_on_the_board(elf: Path, pio: Pio, conf: Path) -> None:
    said = pio("test", "-c", str(conf), "-e", BOARD)
    pio("run", "-c", str(conf), "-e", BOARD, "-t", "stop")
    assert "4 test cases: 4 succeeded" in said


def test_what_the_board_is_tested_against_is_what_the_twin_learns(root: Path, profile: str) -> None:
    """Train the committed image in this version's runtime; if this fails: python firmware/test/make_expected.py"""
    folder = root / "firmware" / "test" / "test_training"
    image = bytes(int(byte, 16) for byte in re.findall(r"0x(\w\w),", (folder / "model.h").read_text()))
    expected = (folder / "expected.h").read_text()
    samples, labels = (np.array([float(v) for v in re.findall(r"-?\d[\d.]*", row)]) for row in batch_in(expected))
    with Session(image, profile) as twin:
        for _ in range(int(re.search(r"STEPS (\d+)u", expected)[1])):
            twin.step(samples.astype(np.float32), labels.astype(np.int32))
        assert f"0x{zlib.crc32(twin.state()):08x}u" == crc_in(expected)[profile]


def batch_in(expected: str) -> list[str]:
    return re.findall(r"(?:samples|labels)\[\d+\] = \{([^}]*)\}", expected)


def crc_in(expected: str) -> dict[str, str]:
    return dict(zip(("fused", "strict"), re.findall(r"0x\w{8}u", expected), strict=True))
