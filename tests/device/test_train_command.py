"""gradmote train on the emulated board, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.emulator import SECONDS_PER_INSTRUCTION, Emulator
from support.cable import Cable
from support.classifier_image import CLASSES, FEATURES

pytestmark = pytest.mark.device

ROOT = Path(__file__).resolve().parents[2]
SEARCH_PATH = os.pathsep.join(str(ROOT / part) for part in ("host_tools", "bindings/python"))
MAIN = "import sys; from gradmote.cli import main; sys.exit(main())"


@pytest.fixture
def files(tmp_path: Path, image: bytes) -> Path:
    rng = np.random.default_rng(0)
    (tmp_path / "model.mote").write_bytes(image)
    x = rng.integers(0, 256, (400, FEATURES), dtype=np.uint8)
    np.savez(tmp_path / "data.npz", x=x, y=rng.integers(0, CLASSES, 400), scale=1 / 128, zero=128)
    return tmp_path


def train(files: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", MAIN, "train", "model.mote", "--data", "data.npz", "--json", *arguments]
    environment = os.environ | {"PYTHONPATH": SEARCH_PATH}
    return subprocess.Popen(command, cwd=files, env=environment, stdout=subprocess.PIPE, text=True)


def test_board_and_twin_write_the_same_checkpoint(firmware: Path, files: Path) -> None:
    for on, name, *more in (("twin:strict", "twin.gmck", "--threads", "2"), ("qemu:mps2-an386", "board.gmck")):
        process = train(files, "--on", on, "--checkpoint", name, "--save-every", "60", *more)
        report = json.loads(process.communicate()[0])
        assert report["metrics"]["train_steps"] == 200
        assert report["saves"]["saves"] == 3 and report["saves"]["error"] == 0
        assert process.returncode == 0
    assert (files / "twin.gmck").read_bytes() == (files / "board.gmck").read_bytes()


def test_a_twin_that_is_killed_leaves_what_it_saved(files: Path) -> None:
    process = train(files, "--epochs", "100000", "--checkpoint", "kept.gmck", "--save-every", "7")
    while not (files / "kept.gmck").exists():
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.wait()
    with TwinTarget("fused") as twin:
        twin.load_image((files / "model.mote").read_bytes())
        twin.load((files / "kept.gmck").read_bytes())
        assert twin.session.control()["optimizer_steps"] % 7 == 0
    assert train(files, "--save-every", "7").wait() == 1  # no path to save to


def test_ctrl_c_ends_cleanly_and_still_writes_the_checkpoint(emulator: Emulator, files: Path) -> None:
    emulator.take_link().close()  # frees the line for the cable
    cable = Cable(emulator.url)
    process = train(files, "--on", cable.port, "--epochs", "100000", "--checkpoint", "stopped.gmck")
    while cable.sent < 10 * (files / "model.mote").stat().st_size:  # the image, and many batches
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    report = json.loads(process.communicate()[0])
    cable.unplug()
    assert process.returncode == 130 and report["stopped"]
    with TwinTarget("fused") as twin:
        twin.load_image((files / "model.mote").read_bytes())
        twin.load((files / "stopped.gmck").read_bytes())
        assert twin.session.control()["train_steps"] == report["metrics"]["train_steps"] > 0


def test_every_run_takes_the_same_number_of_instructions(firmware: Path, image: bytes) -> None:
    figures = []
    for _ in range(3):
        with Emulator(elf=firmware, icount=True) as emulator, BoardTarget(emulator.connect()) as target:
            target.load_image(image)
            target.write("input", 0, np.ones((2, FEATURES), np.float32))
            target.write("label", 0, np.zeros(2, np.int32))
            figures.append(target.run("step").seconds / SECONDS_PER_INSTRUCTION)
    assert 1000 < figures[0] < 100_000
    assert max(figures) - min(figures) < 1  # a tick of the board's clock is a third of an instruction
