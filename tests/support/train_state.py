"""The program of tests/toolchain/numerics_bits that trains an image and prints every loss, then the state, as words."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gradmote_runtime import Session
from support import digits
from support.classifier_image import LABELS, PIXELS, classifier_image
from support.oracle import train

SOURCE = Path(__file__).parents[1] / "toolchain" / "numerics_bits" / "train_state.c"


def write_case(folder: Path, image: bytes, data: Sequence[digits.Batch]) -> tuple[Path, Path]:
    """Write the files that the program reads."""
    model, samples = folder / "model.mote", folder / "samples.bin"
    model.write_bytes(image)
    samples.write_bytes(b"".join(x.tobytes() + t.astype(np.int32).tobytes() for x, t in data))
    return model, samples


def said_by_twin(image: bytes, data: Sequence[digits.Batch], profile: str) -> str:
    """Return the program's output if it has the twin's bits."""
    losses, twin = train(image, data, profile)
    words = np.concatenate([np.array(losses, np.float32).view(np.uint32), np.frombuffer(twin.state(), np.uint32)])
    assert losses[-1] != losses[0]
    return "".join(f"{word:08x}\n" for word in words)


def said_by(command: Sequence[str | Path], patience: float = 60) -> str:
    """Return the program's output. command: the command that starts it, and its files."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience).stdout


def numbers_of_session(profile: str) -> list[float]:
    """Return what toolchain/runtime_build/session.cpp prints if it has the twin's bits: three losses, then outputs."""
    twin = Session(classifier_image(), profile)
    losses = [twin.step(PIXELS, LABELS) for _ in range(3)]
    return np.float32([*losses, *np.array(twin.infer(PIXELS)[0]).ravel()]).tolist()
