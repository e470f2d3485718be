"""Ctrl-C, a kill, a full disk: files are old or new, never half."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gradmote.device import TwinTarget, fit
from gradmote.device.dataset import Dataset

TRAIN = ("train", "mlp.mote", "--input", "x.npy", "--label", "y.npy", "--scale", "0.0625", "--checkpoint", "c.gmck")


def start(program, folder: Path, *more: object) -> subprocess.Popen[str]:
    command = [*program.command, *TRAIN, *map(str, more)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def await_checkpoint(process: subprocess.Popen[str], path: Path) -> None:
    """Wait until the training has written its file, after which it also heeds signals."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def train_steps(folder: Path, profile: str) -> int:
    """Return the number of training steps in the checkpoint, which must be whole."""
    with TwinTarget(profile) as twin:
        twin.load_image((folder / "mlp.mote").read_bytes())
        twin.load((folder / "c.gmck").read_bytes())
        return twin.session.control()["train_steps"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_after_the_step_and_the_checkpoint_is_written(sanitized, folder: Path, number: int) -> None:
    process = start(sanitized, folder, "--epochs", 1000000)
    await_checkpoint(process, folder / "c.gmck")
    process.send_signal(number)
    output, errors = process.communicate()
    assert process.returncode == 128 + number and not errors
    assert output.endswith("wrote c.gmck\n")
    assert train_steps(folder, sanitized.profile) >= 25
    assert not list(folder.glob(".c.gmck*"))


def test_a_kill_leaves_a_whole_checkpoint(sanitized, folder: Path) -> None:
    """Each epoch writes the file; the kills come at any moment."""
    draw = random.Random(0)
    seen = []
    for _ in range(12):
        process = start(sanitized, folder, "--epochs", 1000000)
        await_checkpoint(process, folder / "c.gmck")
        time.sleep(draw.uniform(0, 0.1))
        process.kill()
        process.communicate()
        seen.append(train_steps(folder, sanitized.profile))
    assert all(steps % 25 == 0 and steps > 0 for steps in seen)


def test_a_full_disk_leaves_the_file_before(sanitized, folder: Path) -> None:
    """A limit on the size of files simulates a full disk."""
    (folder / "c.gmck").write_bytes(b"before")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    command = [*sanitized.command, *TRAIN]
    done = subprocess.run(  # Python and the programs that it starts ignore SIGXFSZ: writing fails
        command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limit, restore_signals=False
    )
    assert done.returncode == 1 and "c.gmck: File too large" in done.stderr
    assert (folder / "c.gmck").read_bytes() == b"before"
    assert not list(folder.glob(".c.gmck*"))


@pytest.mark.parametrize("target", [".", "nodir/c.gmck", "x.npy/c.gmck", "n" * 300, "pipe"])
def test_what_cannot_be_written_is_told_before_the_training(sanitized, folder: Path, target: str) -> None:
    if target == "pipe":
        os.mkfifo(folder / target)
    train = [word if word != "c.gmck" else target for word in TRAIN]
    done = sanitized.run(*train, "--epochs", 1000000, cwd=folder)  # its end would not be waited for
    assert done.returncode == 1 and done.stderr.startswith(f"error: {target}: ") and not done.stdout


def test_saves_on_the_way_are_those_of_the_twin(sanitized, folder: Path, digits: Dataset) -> None:
    """25 steps in an epoch: the file is of the 20th when the training is killed in the second."""
    sanitized.check(*TRAIN, "--save-every", 10, "--epochs", 2, cwd=folder)
    kept = []
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image((folder / "mlp.mote").read_bytes())
        twin.on_save = kept.append
        fit(twin, digits, epochs=2, save_every=10)
        assert (folder / "c.gmck").read_bytes() == twin.save() and len(kept) == 5
    refused = sanitized.run(*TRAIN[:-2], "--save-every", 10, cwd=folder)
    assert refused.returncode == 2 and "say where: --checkpoint" in refused.stderr


def test_a_kill_leaves_what_was_saved_on_the_way(sanitized, folder: Path) -> None:
    process = start(sanitized, folder, "--epochs", 1000000, "--save-every", 1)
    await_checkpoint(process, folder / "c.gmck")
    process.kill()
    process.communicate()
    assert train_steps(folder, sanitized.profile) > 0


def test_what_a_killed_run_left_is_removed(sanitized, folder: Path) -> None:
    """Files of a process that lives, and with names that only look alike, stay."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = folder / f".c.gmck.gradmote-{dead.pid}-0123456789ab"
    others = [f".c.gmck.gradmote-{os.getpid()}-0123456789ab", f".c.gmck.gradmote-{dead.pid}-0123", ".gradmote-x"]
    for name in [left.name, *others]:
        (folder / name).write_bytes(b"")
    sanitized.check(*TRAIN, cwd=folder)
    assert not left.exists() and all((folder / name).exists() for name in others)


def test_a_link_stays_one(sanitized, folder: Path) -> None:
    (folder / "real").write_bytes(b"")
    (folder / "c.gmck").symlink_to("real")
    sanitized.check(*TRAIN, cwd=folder)
    assert (folder / "c.gmck").is_symlink() and (folder / "real").stat().st_size > 0


def test_a_folder_that_goes_does_not_take_the_result_along(sanitized, folder: Path) -> None:
    (folder / "gone").mkdir()
    (folder / "kept").mkdir()
    train = [word if word != "c.gmck" else "gone/c.gmck" for word in TRAIN]
    process = subprocess.Popen(
        [*sanitized.command, *train, "--epochs", "1000000"], cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(folder / "kept")},
    )  # fmt: skip
    await_checkpoint(process, folder / "gone" / "c.gmck")
    (folder / "gone").rename(folder / "away")
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    (kept,) = (folder / "kept").glob("gradmote-*/c.gmck")
    assert process.returncode == 1 and f"what was learned is in {kept}" in said
    assert kept.stat().st_size == (folder / "away" / "c.gmck").stat().st_size
