"""A training into a checkpoint that could not be written ran to its end, showed a traceback, and kept nothing."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradmote import cli
from gradmote.device import fit
from gradmote.errors import OutputError
from gradmote.formats import files
from gradmote.project.example import AXES, CLASSES, SAMPLES, example_image


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and its data, in which the commands run; results that are rescued go to `rescued`."""
    (tmp_path / "model.mote").write_bytes(example_image())
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, AXES * SAMPLES)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, y=rng.integers(0, CLASSES, 20))
    (tmp_path / "rescued").mkdir()
    monkeypatch.setattr(files.tempfile, "gettempdir", lambda: str(tmp_path / "rescued"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(checkpoint: str, *more: str) -> int:
    return cli.main(["train", "model.mote", "--data", "data.npz", "--checkpoint", checkpoint, *more])


@pytest.mark.parametrize("checkpoint", ["nodir/x.gmck", ".", "data.npz/x.gmck", "/dev/full", "socket"])
def test_is_refused_before_the_training(
    folder: Path, checkpoint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gradmote.device.progress.fit", lambda *arguments, **more: pytest.fail("it trained"))
    socket.socket(socket.AF_UNIX).bind("socket")
    assert train(checkpoint) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: cannot write {Path(checkpoint)}: ") and " hint: " in said


def test_a_failure_at_the_end_keeps_the_result_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("whole.gmck") == 0
    (folder / "gone").mkdir()

    def train_and_lose_the_folder(*arguments: Any, **more: Any) -> object:
        (folder / "gone").rmdir()
        return fit(*arguments, **more)

    monkeypatch.setattr("gradmote.device.progress.fit", train_and_lose_the_folder)
    assert train("gone/x.gmck") == 1
    (kept,) = (folder / "rescued").glob("gradmote-*/x.gmck")
    assert str(kept) in capsys.readouterr().err
    assert kept.read_bytes() == (folder / "whole.gmck").read_bytes()


@pytest.mark.parametrize("name", ["x.gmck", "x.run.json", "x.best.gmck", "x.csv"])
def test_a_save_on_the_way_that_fails_does_not_end_the_training(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--epochs", "3", "--save-every", "1", "--validate", "0.4", "--keep-best", "--log")
    assert train("whole.gmck", *options, "whole.csv") == 0
    replace, refused = os.replace, []

    def refuse_twice(source: str, target: str) -> None:
        if len(refused) < 2 and Path(target).name == name:
            refused.append(target)
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", refuse_twice)
    assert train("x.gmck", *options, "x.csv") == 0
    said = capsys.readouterr().err
    assert refused and said.count(f"cannot write {name}: No space left on device") == len(refused)
    for kind in ("gmck", "best.gmck"):
        assert (folder / f"x.{kind}").read_bytes() == (folder / f"whole.{kind}").read_bytes()
    assert len((folder / "x.csv").read_text().splitlines()) == 1 + 3
    assert not list((folder / "rescued").iterdir())


def test_the_file_and_its_folder_are_on_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(files.os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino) or fsync(handle))
    files.write_atomically("x", b"data")
    assert {Path("x").stat().st_ino, folder.stat().st_ino} <= set(synced)


def test_what_killed_runs_left_is_removed(folder: Path) -> None:
    """All else stays: what a run that goes on is writing, and a name that only looks like ours."""
    write_and_die = "import os, sys; from gradmote.formats import files; files.os.replace = lambda *a: os._exit(9)\n"
    write_and_die += "files.write_atomically('x.gmck', b'half')"
    done = subprocess.run([sys.executable, "-c", write_and_die], check=False)
    assert done.returncode == 9
    (left,) = folder.glob(".x.gmck.gradmote-*")
    mine = folder / f".y.gmck.gradmote-{os.getpid()}-0123456789ab"
    others = [mine, folder / ".x.gmck.gradmote-old", folder / ".x.gmck.gradmote-1234-backup", folder / "x.tmp"]
    for path in others:
        path.write_bytes(b"")
    files.write_atomically("x.gmck", b"whole")
    assert not left.exists() and all(path.exists() for path in others)


def test_links_devices_and_modes_stay_what_they_are(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "x").write_bytes(b"")
    (folder / "real" / "x").chmod(0o640)
    (folder / "link").symlink_to("real/x")
    files.write_atomically("link", b"data")
    assert (folder / "link").is_symlink() and (folder / "real" / "x").read_bytes() == b"data"
    assert (folder / "real" / "x").stat().st_mode & 0o777 == 0o640
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    files.write_atomically("pipe", b"data")
    assert os.read(reader, 10) == b"data"
    files.write_atomically("/dev/null", b"data")
    assert not Path("/dev/null").is_file()
    os.close(reader)


def test_a_write_that_is_interrupted_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_atomically("x", b"old")

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically("x", b"new")
    assert Path("x").read_bytes() == b"old" and not list(folder.glob(".x*"))


def test_nothing_at_all_can_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so."""

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    output = files.Output("x")
    monkeypatch.setattr(files.os, "fsync", full)
    monkeypatch.setattr(files, "_fallback_folders", lambda: [folder / "nodir"])
    with pytest.raises(OutputError, match=r"cannot write x: No space left on device; .* could not be kept"):
        output.write(b"data")
