"""Ctrl-C at a terminal, and `timeout`, signal the whole group of processes: the emulated board that was trained on
ended before its checkpoint could be read, and what was learned was lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import TwinTarget
from support.classifier_image import CLASSES, FEATURES, classifier_image
from support.firmware import build_firmware

pytestmark = pytest.mark.device

MAIN = "import sys; from gradmote.cli import main; sys.exit(main())"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_learned_on_it_is_kept(tmp_path: Path, number: int) -> None:
    build_firmware()
    rng = np.random.default_rng(0)
    (tmp_path / "model.mote").write_bytes(classifier_image())
    np.savez(tmp_path / "data.npz", x=rng.normal(size=(8, FEATURES)), y=rng.integers(0, CLASSES, 8))
    command = [sys.executable, "-c", MAIN, "train", "model.mote", "--data", "data.npz", "--epochs", "1000000"]
    process = subprocess.Popen(
        [*command, "--on", "qemu:mps2-an386", "--checkpoint", "kept.gmck"], cwd=tmp_path, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, start_new_session=True, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith("epoch 1 of 1000000 loss ")
    os.killpg(process.pid, number)
    assert process.wait(60) == 128 + number, process.stderr.read()
    with TwinTarget("strict") as twin:
        twin.load_image((tmp_path / "model.mote").read_bytes())
        twin.load((tmp_path / "kept.gmck").read_bytes())
        assert twin.session.control()["train_steps"] > 0
