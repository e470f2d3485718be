"""Ctrl-C, a kill, a full disk: files are old or new, never half."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gradmote.device import TwinTarget

TRAIN = ("train", "mlp.mote", "--input", "x.npy", "--label", "y.npy", "--scale", "0.0625", "--checkpoint", "c.gmck")


def start(program, folder: Path, *more: object) -> subprocess.Popen[str]:
    command = [*program.command, *TRAIN, *map(str, more)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def train_steps(folder: Path, profile: str) -> int:
    """Of the checkpoint, which must be whole."""
    with TwinTarget(profile) as twin:
        twin.load_image((folder / "mlp.mote").read_bytes())
        twin.load((folder / "c.gmck").read_bytes())
        return twin.session.control()["train_steps"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_after_the_step_and_the_checkpoint_is_written(sanitized, folder: Path, number: int) -> None:
    process = start(sanitized, folder, "--epochs", 1000000)
    time.sleep(0.5)
    process.send_signal(number)
    output, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number and not errors
    assert output.endswith("wrote c.gmck\n")
    assert train_steps(folder, sanitized.profile) > 25
    assert not list(folder.glob(".c.gmck*"))


def test_a_kill_leaves_a_whole_checkpoint(sanitized, folder: Path) -> None:
    """Each epoch writes the file; the kills come at any moment."""
    draw = random.Random(0)
    seen = []
    for _ in range(12):
        process = start(sanitized, folder, "--epochs", 1000000)
        deadline = time.monotonic() + 20
        while not (folder / "c.gmck").exists():
            assert time.monotonic() < deadline and process.poll() is None
        time.sleep(draw.uniform(0, 0.1))
        process.kill()
        process.communicate()
        seen.append(train_steps(folder, sanitized.profile))
    assert all(steps % 25 == 0 and steps > 0 for steps in seen)


def test_a_full_disk_leaves_the_file_before(sanitized, folder: Path) -> None:
    """A limit on the size of files stands for the disk."""
    (folder / "c.gmck").write_bytes(b"before")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    command = [*sanitized.command, *TRAIN]
    done = subprocess.run(  # Python ignores SIGXFSZ, and so does what it starts: writing fails
        command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limit, restore_signals=False
    )
    assert done.returncode == 1 and "c.gmck: File too large" in done.stderr
    assert (folder / "c.gmck").read_bytes() == b"before"
    assert not list(folder.glob(".c.gmck*"))
