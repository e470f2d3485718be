"""Help that teaches, errors that say what to do, exit codes that scripts can rely on."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import TwinTarget

COMMANDS = ("train", "eval", "infer", "info", "console")
TRAIN = ("train", "mlp.mote", "--input", "x.npy", "--label", "y.npy", "--scale", 0.0625)


def test_help(sanitized) -> None:
    assert sanitized.run().returncode == 2
    said = sanitized.check("--help")
    assert all(command in said for command in COMMANDS)
    for command in COMMANDS:
        text = sanitized.check(command, "--help")
        assert f"gradmote-run {command} " in text.splitlines()[0]
        assert re.search(rf"^  gradmote-run {command} ", text, re.MULTILINE), "an example"
        assert max(map(len, text.splitlines())) <= 125


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("trian",), "there is no command 'trian'"),
        (("train",), "an argument is missing"),
        (("train", "mlp.mote", "other.mote"), "one argument too many"),
        ((*TRAIN, "--epohcs", 2), "train has no option '--epohcs'"),
        ((*TRAIN, "--epochs"), "--epochs needs a value"),
        ((*TRAIN, "--epochs", "-1"), "--epochs does not take '-1'"),
        ((*TRAIN, "--epochs", "4294967296"), "--epochs does not take"),
        ((*TRAIN, "--lr", "fast"), "--lr does not take 'fast'"),
        ((*TRAIN, "--warmup", 5), "--warmup without --lr"),
        ((*TRAIN, "--micro-batches", 0), "--micro-batches does not take 0"),
        ((*TRAIN, "--input", "x.npy"), "takes 1 inputs, and --input is given 2 times"),
        (("train", "mlp.mote", "--input", "x.npy"), "but there is no --label"),
        (("console", "--listen", "localhost"), "not a HOST:PORT"),
        (("console", "--listen", "here:7777"), "not a HOST:PORT"),
        (("console", "--listen", "127.0.0.1:99999"), "not a HOST:PORT"),
        (("console", "--arena", "4G"), "--arena does not take '4G'"),
    ],
)
def test_wrong_calls(sanitized, folder: Path, arguments: tuple[object, ...], reason: str) -> None:
    done = sanitized.run(*arguments, cwd=folder)
    assert done.returncode == 2 and reason in done.stderr, done.stderr


def test_refusals_of_the_runtime_come_with_its_code_and_hint(sanitized, folder: Path) -> None:
    (folder / "not.mote").write_bytes(b"x" * 500)
    said = sanitized.refused("info", "not.mote", cwd=folder)
    assert said == (
        "error: not.mote: this is not a Gradmote file (-2)\n"
        " hint: pass a .mote image or a .gmck checkpoint written by gradmote\n"
    )
    assert "No such file" in sanitized.refused("info", "missing.mote", cwd=folder)
    assert "not a regular file" in sanitized.refused("info", ".", cwd=folder)
    assert "(-17)" in sanitized.refused("info", "mlp.mote", "--checkpoint", saved(folder, "cnn"), cwd=folder)
    assert "(-16)" in sanitized.refused(*TRAIN, "--scale", "inf", cwd=folder)
    assert "(-1)" in sanitized.refused(*TRAIN, "--lr", -1, cwd=folder)
    assert "No such file" in sanitized.refused(*TRAIN, "--checkpoint", "nowhere/c.gmck", cwd=folder)


def saved(folder: Path, model: str) -> str:
    with TwinTarget("strict") as twin:
        twin.load_image((folder / f"{model}.mote").read_bytes())
        (folder / f"{model}.gmck").write_bytes(twin.save())
    return f"{model}.gmck"


def test_a_refused_run_leaves_the_checkpoint_before(sanitized, folder: Path) -> None:
    (folder / "kept.gmck").write_bytes(b"before")
    np.save(folder / "y.npy", np.full(204, 77))
    assert "(-15)" in sanitized.refused(*TRAIN, "--checkpoint", "kept.gmck", cwd=folder)
    assert (folder / "kept.gmck").read_bytes() == b"before"
    assert not list(folder.glob(".kept*"))


def test_info_names_what_the_model_takes(sanitized, folder: Path) -> None:
    said = sanitized.check("info", "cnn.mote", cwd=folder)
    assert f"{sanitized.profile} numerics" in said
    assert "input           x  float32 [8, 1, 8, 8]\n" in said
    assert "label           labels  int32 [8]\n" in said
    assert "output          y  float32 [8, 10]\n" in said


def test_too_few_samples_for_a_batch(sanitized, folder: Path) -> None:
    np.save(folder / "x.npy", np.zeros((5, 64), np.uint8))
    np.save(folder / "y.npy", np.zeros(5, np.uint8))
    assert "5 samples do not fill a batch of 8" in sanitized.refused(*TRAIN, cwd=folder)
    assert "fewer samples than a batch of 8" in sanitized.check("eval", *TRAIN[1:], cwd=folder)


@pytest.mark.parametrize(("label", "message"), [(10, "is 10"), (-3, "is -3")])
@pytest.mark.parametrize("command", ["train", "eval"])
def test_a_wrong_label_is_named_with_its_sample(
    sanitized, folder: Path, command: str, label: int, message: str
) -> None:
    y = np.load(folder / "y.npy").astype(np.int64)
    y[5] = label
    np.save(folder / "wrong.npy", y)
    words = [command, *TRAIN[1:4], "--label", "wrong.npy", *TRAIN[6:]]
    said = sanitized.refused(*words, cwd=folder)
    assert "wrong.npy: " in said and "sample 5 " in said and message in said
