"""The commands and the program of docs/guides/data.md run as they are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from gradmote import cli, optimizers
from support import digits
from support.sample_files import npy, npz, picture, recording, table, write

GUIDE = (Path(__file__).resolve().parents[3] / "docs/guides/data.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.M | re.S)
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
PROGRAMS = [text for kind, text in BLOCKS if kind == "python"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pixels, labels = (array[:80] for array in digits.samples())
    x = (pixels * 16).astype(np.uint8)
    names = [*(f"p{i}" for i in range(64)), "digit"]
    files: dict[str, bytes | str] = {
        "model.mote": digits.image(optimizers.sgd(0.1), 8),
        "digits.npz": npz(x=x, y=labels, scale=1 / 16),
        "x.npy": npy(pixels),
        "y.npy": npy(labels),
        "table.csv": table(x, labels.tolist(), names),
        "table-test.csv": table(x, labels.tolist(), names),
        **{f"faces/{label}/{n}.png": picture(x[n].reshape(8, 8)) for n, label in enumerate(labels)},
        **{f"words/{name}/1.wav": recording(range(1000)) for name in ("yes", "no")},
    }
    return write(tmp_path_factory.mktemp("guide"), files)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    program, *words = shlex.split(command)
    assert program == "gradmote" and cli.main(words) == 0


def test_the_program(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for text in PROGRAMS:
        exec(compile(text, "docs/guides/data.md", "exec"), {})
    assert "(80, 1, 8, 8)" in capsys.readouterr().out
    assert len(COMMANDS) == 6 and len(PROGRAMS) == 1
