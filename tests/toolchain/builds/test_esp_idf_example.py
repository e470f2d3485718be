"""The example for ESP-IDF, built by a stand-in with the flags of an ESP32-C3 and run on QEMU's riscv32 virt.

It learns to its twin's bits and keeps them through restarts, whenever the power fails.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bench.builds.cmake import GRADMOTE, HERE, ON_RV32, ROOT, STAND_INS, Row, call

from gradmote import optimizers
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.client import Client
from gradmote.device.link import Link, open_link
from gradmote.device.listening import Listening, start_emulator
from gradmote.project.c_sources import write_sources
from support import digits, train_state
from support.console_text import read_prompt

EXAMPLE = ROOT / "examples" / "esp_idf" / "learn_gesture"
IDF = HERE / "esp_idf_project"
NEEDS = Row("", "ESP-IDF", "Ninja", "riscv64-unknown-elf-gcc", emulator=ON_RV32)
VALUES, RECORDED, STEPS = 30, 24, 60


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """The example's project, put together as the guide says, and built."""
    if missing := NEEDS.missing():
        pytest.skip(f"{missing} is not installed")
    assert "ESP-IDF" in STAND_INS
    made = tmp_path_factory.mktemp("idf") / "learn_gesture"
    shutil.copytree(EXAMPLE, made)
    write_sources(made / "components" / "gradmote")
    shutil.copytree(ROOT / "firmware", made / "components" / "gradmote_console" / "firmware")
    options = [f"-DPYTHON={sys.executable}", f"-DGRADMOTE_COMMAND={GRADMOTE}", "-DPOWER_CUTS=1"]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("IDF_PATH", str(IDF))
        call("cmake", "-S", made, "-B", made / "build", "-G", "Ninja", *options)
        call("cmake", "--build", made / "build", "-j2")
    return made


@pytest.fixture
def link(project) -> Iterator[Link]:
    port = Listening()
    machine = ["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none"]
    line = [*port.options("line", waits=True), "-serial", "chardev:line", "-semihosting"]
    process = start_emulator([*machine, *line, "-kernel", project / "build" / "learn_gesture"], [port])
    try:
        opened = port.client(lambda: open_link(port.url), lambda: None)
        yield opened
        opened.close()
    finally:
        process.kill()
        process.wait()


def say(link: Link, command: str) -> str:
    link.write(f"{command}\r".encode())
    return read_prompt(link)


def windows(project: Path) -> np.ndarray:
    """Return the gestures of the example's accelerometer, as this computer computes them."""
    library = project / "accelerometer.so"
    call("gcc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", project / "main" / "accelerometer.c", "-o", library)
    found = np.zeros((RECORDED, VALUES), np.float32)
    record = ctypes.CDLL(str(library)).accelerometer_record
    for row in found:
        record(row.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
    return found


def image(project: Path) -> bytes:
    return (project / "build" / "main" / "gradmote_models" / "gesture.mote").read_bytes()


def test_it_learns_gestures_to_the_twins_bits_and_keeps_them(project, link):
    read_prompt(link)
    assert "esp32c3-idf, strict" in say(link, "info")
    with TwinTarget("strict") as twin:
        twin.load_image(image(project))
        for number, window in enumerate(windows(project)):
            say(link, "record")
            say(link, f"learn {number % 3}")
            twin.learn(number % 3, window)
        for _ in range(STEPS):
            twin.replay()
        say(link, f"train {STEPS}")
        assert "in all    100 %" in say(link, "score")
        assert "bytes saved" in say(link, "save")
        link.write(b"reset\r")
        read_prompt(link)
        assert BoardTarget(Client(link)).state() == twin.state()


def test_another_model_learns_through_frames(link):
    """As `gradmote train --on` sends it."""
    made, board = digits.image(optimizers.adamw(), 8), BoardTarget(Client(link))
    with TwinTarget("strict") as twin:
        for target in (board, twin):
            target.load_image(made)
            for x, y in digits.batches(8, 20):
                target.write("input", 0, x)
                target.write("label", 0, y)
                target.run("step")
        assert board.state() == twin.state()


def test_a_power_cut_leaves_the_checkpoint_before_the_save_or_the_one_after_it(project):
    files = ["-semihosting-config", "enable=on,target=native,chardev=out"]
    said = train_state.said_by([*ON_RV32, project / "build" / "power_cuts", *files], 120)
    old, new = (int(part.split()[0]) for part in said.split(","))
    assert old > 400
    assert new == 1


def test_without_the_firmware_the_build_says_what_to_copy(project, tmp_path, monkeypatch):
    shutil.copytree(project, tmp_path / "copy", ignore=shutil.ignore_patterns("build", "firmware"))
    monkeypatch.setenv("IDF_PATH", os.fspath(IDF))
    with pytest.raises(AssertionError, match="copy the folder firmware of a checkout of Gradmote to"):
        call("cmake", "-S", tmp_path / "copy", "-B", tmp_path / "build", "-G", "Ninja", f"-DPYTHON={sys.executable}")
